"""Run crowd-kit on four public crowds, vary what should not matter, and store the accuracies.

Run from a clone, in the environment made from requirements/peers.txt, with the folder that holds
`truth_inference` and `crowd_truth_infer` as `annobench data fetch` stores them; about an hour:

    .venv-peers/bin/python tests/reference/crowd_kit/generate.py FOLDER [method ...]

Without a method all are run. What the table has is kept: delete it to run everything anew. A run
is scored on the items with a gold category, as the share whose label crowd-kit gives is the gold
one. `settings` names what differs from a run with the release's defaults on the rows as the data
set has them:

- rows: in a random order
- annotators, items, categories: names permuted among them, rows as they were
- seed: another `random_state`
- first, last: one label of each annotator and item, the first or the last of its rows
- names: the copy of the data with the original names of annotators and items
- anything with "=": parameters of the method
- anything else: the release's code with one thing mended, as the function of that name says

Nothing is changed in the package. Its Wawa can't be run with scikit-learn 1.7 and later, whose
check of what was fitted refuses it; the check is left out here. What is mended is done in
subclasses, here:

- trim_none: M-MSR takes out F = floor(s / 2) - 1 ratios at either end, s the fewest annotators that
  one shares items with. Where s is 0 or 1, F is -1, and ``y[F:]`` keeps the largest ratio alone;
  the authors' program keeps all. With F at least 0 all are kept.
- shared_only: M-MSR subtracts 1 / (K - 1) from the agreement of pairs without an item in common as
  well, so that the signs are determined as if they disagreed. Their agreement is left at 0.
- votes: the weighted votes are divided by their sum, which is below 0 where negative weights
  prevail; the category with the fewest votes then wins. The one with the most is taken.
- in_order: MACE keeps spammers' strategies in the order of the names of annotators and categories,
  and looks them up in the order of their first appearance. Names are given in that order.
- sparse: M-MSR's matrices for the signs are made sparse; the same eigenvector by the same solver,
  in less memory.
- arrays: GLAD's steps on arrays and not on data frames; the same functions, maximised by the same
  solver, some two hundred times as fast.
- relative: the same, stopped as by the releases before 1.0, where the expected log likelihood
  changes by less than a hundred thousandth of itself. The release stops where it rises by less than
  that per row, and so where it falls, which it may do in EM: on `relevance` in the second step.
"""

from __future__ import annotations

import datetime
import hashlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from crowdkit.aggregation import GLAD, KOS, MACE, MMSR, DawidSkene, MajorityVote, Wawa

ROOT = Path(__file__).resolve().parents[3]
#: A table of the study that rests on it.
TABLE = ROOT / "workflow/papers/ustalov2024/tables/released.csv"
SCRIPT = "tests/reference/crowd_kit/generate.py"
COLUMNS = {
    "item": "task",
    "question": "task",
    "worker": "worker",
    "label": "label",
    "answer": "label",
}
FILES = {
    "product": "truth_inference/data/crowd_truth_inference/d_jn-product/label.csv",
    "sentiment": "truth_inference/data/crowd_truth_inference/d_sentiment/label.csv",
    "relevance": "truth_inference/data/crowd_truth_inference/s4_Relevance/label.csv",
    "adult": "truth_inference/data/crowd_truth_inference/s5_AdultContent/label.csv",
    "names": "crowd_truth_infer/datasets/d_jn-product/answer.csv",
}
BINARY = ("product", "sentiment")
#: What should not matter, and what else a random method has.
INVARIANCES = ("rows", "annotators", "items", "categories")


def read(folder: Path, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read labels and golds, as whole numbers where they are."""
    path = folder / FILES[name]
    labels = pd.read_csv(path).rename(columns=COLUMNS)[["task", "worker", "label"]]
    gold = pd.read_csv(path.with_name("truth.csv"))
    return labels, pd.Series(gold["truth"].to_numpy(), index=gold.iloc[:, 0].to_numpy())


def permuted(column: pd.Series, rng: np.random.Generator) -> tuple[pd.Series, dict]:
    """Give the values of a column each other's place."""
    values = np.sort(column.unique())
    new = dict(zip(values, rng.permutation(values), strict=True))
    return column.map(new), new


def vary(
    labels: pd.DataFrame, gold: pd.Series, what: str, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.Series]:
    """Change what should not matter."""
    if what == "rows":
        return labels.sample(frac=1, random_state=rng).reset_index(drop=True), gold
    if what == "annotators":
        return labels.assign(worker=permuted(labels["worker"], rng)[0]), gold
    if what == "items":
        column, new = permuted(labels["task"], rng)
        return labels.assign(task=column), gold.rename(index=new)
    if what == "categories":
        column, new = permuted(labels["label"], rng)
        return labels.assign(label=column), gold.map(new)
    if what in ("first", "last"):
        kept = labels.drop_duplicates(["task", "worker"], keep=what)
        return kept.reset_index(drop=True), gold
    if what == "in_order":
        numbers = {name: pd.factorize(labels[name]) for name in ("worker", "label")}
        new = {name: number for number, name in enumerate(numbers["label"][1])}
        named = labels.assign(**{name: codes for name, (codes, _) in numbers.items()})
        return named, gold.map(new)
    return labels, gold


class UncheckedWawa(Wawa):
    """Wawa without its check that it was fitted, which recent scikit-learn refuses."""

    def _apply(self, data: pd.DataFrame) -> Wawa:
        voted = MajorityVote().fit(data, skills=self.skills_)
        self.probas_, self.labels_ = voted.probas_, voted.labels_
        return self


class ByMostVotes(MMSR):
    """M-MSR that takes the category with the most votes."""

    def _apply(self, data: pd.DataFrame) -> MMSR:
        skill = data["worker"].map(self.skills_)
        votes = data.assign(skill=skill).groupby(["task", "label"])["skill"].sum()
        # Of the categories that were voted for, as in the release.
        self.labels_ = votes.unstack("label").idxmax(axis="columns")
        return self


class TrimNone(MMSR):
    """M-MSR whose F is at least 0."""

    @staticmethod
    def _remove_largest_and_smallest_F_value(x: Any, f: int, a: float, n_tasks: int) -> Any:  # noqa: N802
        return MMSR._remove_largest_and_smallest_F_value(x, max(f, 0), a, n_tasks)


class SharedOnly(MMSR):
    """M-MSR in which pairs without a common item neither agree nor disagree."""

    def _construnct_covariation_matrix(self, answers: pd.DataFrame) -> None:
        super()._construnct_covariation_matrix(answers)
        self._covariation_matrix *= self._n_common_tasks > 0


class Sparse(MMSR):
    """M-MSR whose matrices for the signs are sparse."""

    @staticmethod
    def _sign_determination_valid(agreement: Any, s_abs: Any) -> Any:
        valid = np.flatnonzero(agreement.sum(axis=1) != 0)
        signs = np.sign(agreement)[np.ix_(valid, valid)]
        row, column = np.nonzero(np.triu(signs) == 1)
        edges = np.arange(row.size)
        shape = row.size, valid.size
        # An agreement of an annotator with itself would count twice, as there.
        new = sp.csr_array((np.ones(row.size), (edges, row)), shape) + sp.csr_array(
            (np.ones(row.size), (edges, column)), shape
        )
        old = sp.csr_array((signs == -1).astype(float))
        graph = sp.csr_array(sp.block_array([[old, new.T], [new, None]]))
        walk = sp.diags_array(1 / graph.sum(axis=1)) @ graph
        _, vector = sla.eigs(walk + sp.eye_array(walk.shape[0]), 1, which="SM")
        sign = np.sign(vector.real)[: valid.size]
        found = np.zeros(s_abs.shape)
        total = np.sign(np.sum(sign))
        found[valid] = total * s_abs[valid] * sign
        return found


class Arrays(GLAD):
    """GLAD on arrays."""

    def fit(self, data: pd.DataFrame) -> Arrays:
        task, tasks = pd.factorize(data["task"])
        worker, workers = pd.factorize(data["worker"])
        label, labels = pd.factorize(data["label"], sort=True)
        k, n, j = len(labels), len(tasks), len(workers)

        def terms(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            score = x[:j][worker] * np.exp(x[j:][task])
            return -np.logaddexp(0, -score), -np.logaddexp(0, score) - np.log(k - 1)

        def posterior(x: np.ndarray) -> np.ndarray:
            right, wrong = terms(x)
            sums = np.bincount(task * k + label, right - wrong, n * k).reshape(n, k)
            return scipy.special.softmax(sums, axis=1)

        def expected(x: np.ndarray, p: np.ndarray) -> float:
            right, wrong = terms(x)
            given = p[task, label]
            constant = x.size * np.log(2 * np.pi) / 2
            prior = -((x - 1) ** 2).sum() / 2 - constant
            return float((given * right + (1 - given) * wrong).sum() + prior)

        def slope(x: np.ndarray, p: np.ndarray) -> np.ndarray:
            easiness = np.exp(x[j:][task])
            over = (p[task, label] - scipy.special.expit(x[:j][worker] * easiness)) * easiness
            of_task = np.bincount(task, over * x[:j][worker], n)
            return np.concatenate([np.bincount(worker, over, j), of_task]) - (x - 1)

        x = np.ones(j + n)
        p = posterior(x)
        new = expected(x, p)
        for step in range(self.n_iter):
            old, p = new, posterior(x)
            x = scipy.optimize.minimize(
                lambda x, p: -expected(x, p),
                x,
                args=(p,),
                jac=lambda x, p: -slope(x, p),
                method="CG",
                tol=self.m_step_tol,
                options={"maxiter": self.m_step_max_iter},
            ).x
            new = expected(x, p)
            if step > 0 and self.stops(old, new, len(data) * k):
                break
        self.labels_ = pd.Series(labels[p.argmax(axis=1)], index=tasks)
        return self

    def stops(self, old: float, new: float, n_rows: int) -> bool:
        return (new - old) / n_rows < self.tol


class Relative(Arrays):
    """GLAD on arrays, stopped as before release 1.0."""

    def stops(self, old: float, new: float, n_rows: int) -> bool:
        return abs((new - old) / old) < self.tol


METHODS: dict[str, Callable[..., Any]] = {
    "MV": MajorityVote,
    "Wawa": UncheckedWawa,
    "DS": DawidSkene,
    "GLAD": GLAD,
    "KOS": KOS,
    "MACE": MACE,
    "M-MSR": MMSR,
}
MENDED = {
    "M-MSR": {
        "votes": ByMostVotes,
        "trim_none": TrimNone,
        "shared_only": SharedOnly,
        "sparse": Sparse,
    },
    "GLAD": {"arrays": Arrays, "relative": Relative},
}


def model(method: str, settings: list[str], seed: int | None) -> Any:
    """Make a method with its parameters and what is mended."""
    options = {
        name: int(value) if value.lstrip("-").isdigit() else float(value)
        for name, _, value in (each.partition("=") for each in settings if "=" in each)
    }
    if seed is not None:
        options["random_state"] = seed
    known = MENDED.get(method, {})
    mended = tuple(known[each] for each in settings if each in known)
    kind = type("Mended", (*mended, METHODS[method]), {}) if mended else METHODS[method]
    return kind(**options)


def accuracy(found: pd.Series, gold: pd.Series) -> float:
    return float((found.reindex(gold.index) == gold).mean())


def runs(
    folder: Path, dataset: str, method: str, settings: str, n_runs: int
) -> tuple[list[float], float]:
    """Run a method, and give the accuracies and the mean seconds."""
    each = settings.split()
    labels, gold = read(folder, "names" if "names" in each else dataset)
    found, seconds = [], 0.0
    for number in range(n_runs):
        rng = np.random.default_rng(number)
        data, truth = labels, gold
        for what in each:
            data, truth = vary(data, truth, what, rng)
        fitted = model(method, each, number if "seed" in each else None)
        before = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(accuracy(fitted.fit_predict(data), truth))
            except (ValueError, KeyError, ArithmeticError, sla.ArpackNoConvergence) as error:
                print(f"  {type(error).__name__}: {error}", flush=True)
                found.append(float("nan"))
        seconds += time.perf_counter() - before
    return found, seconds / n_runs


def plan() -> Iterator[tuple[str, str, str, int]]:
    """Give data set, method, settings and the number of runs, what matters most first."""
    four = (*BINARY, "relevance", "adult")
    # M-MSR is left out on `product`: after ten minutes it had not come to an end.
    # All restarts of MACE have the same random state: one is as good as ten.
    one = "n_restarts=1"
    # The matrices that M-MSR makes for the signs of `adult` take some 20 GB.
    solver = dict.fromkeys(four, "") | {"adult": "sparse"}
    for dataset in four:
        yield dataset, "MV", "", 1
        yield dataset, "Wawa", "", 1
        yield dataset, "DS", "", 1
        yield dataset, "MACE", one, 1
        if dataset in BINARY:
            yield dataset, "KOS", "", 1
    for dataset in four[1:]:
        yield dataset, "M-MSR", solver[dataset], 1
    for dataset in four[1:]:
        for mended in ("votes", "trim_none", "shared_only", "votes trim_none shared_only"):
            yield dataset, "M-MSR", f"{mended} {solver[dataset]}".strip(), 1
    for dataset in four:
        yield dataset, "MACE", f"in_order {one}", 1
    for method in ("MV", "Wawa", "DS", "KOS", "MACE"):
        yield "product", method, f"names {one}" if method == "MACE" else "names", 1
    yield "sentiment", "M-MSR", "sparse", 1
    yield "sentiment", "MACE", "", 1
    # Ten minutes on `relevance`.
    for dataset in ("relevance", "sentiment"):
        yield dataset, "GLAD", "", 1
        yield dataset, "GLAD", "arrays", 1
    for dataset in four:
        yield dataset, "GLAD", "relative", 1
        yield dataset, "GLAD", "rows relative", 10 if dataset == "relevance" else 3
    for dataset in four:
        for what in (*INVARIANCES, *(() if dataset in BINARY else ("first", "last"))):
            for method in ("MV", "Wawa"):
                yield dataset, method, what, 1 if what in ("first", "last") else 20
    for dataset in ("adult", "relevance"):
        for n_iter in (1, 2, 5, 10, 20, 50):
            yield dataset, "DS", f"n_iter={n_iter}", 1
        for n_iter in (20, 100):  # without the rule that stops it before
            yield dataset, "DS", f"n_iter={n_iter} tol=-1", 1
        for what in ("first", "last"):
            yield dataset, "DS", what, 1
    for what in (*INVARIANCES, "seed"):
        yield "sentiment", "KOS", what, 10
        if what != "annotators":
            yield "sentiment", "MACE", f"{what} {one}", 5
        yield "sentiment", "M-MSR", what, 5
        if what != "seed":
            yield "sentiment", "DS", what, 5
    for dataset in ("product", "relevance", "adult"):
        for what in ("rows", "seed"):
            yield dataset, "MACE", f"{what} {one}", 3
        if dataset != "relevance":
            yield dataset, "DS", "rows", 3
    # The names of three sets are not at hand: what others would give.
    for dataset in four:
        yield dataset, "MACE", f"annotators {one}", 10
    # What the seed does where names do not matter, after the release's 50 steps and many more.
    for steps in ("", " n_iter=500"):
        yield "product", "MACE", f"in_order seed {one}{steps}", 12
    yield "adult", "M-MSR", f"seed {solver['adult']}", 3
    yield "relevance", "M-MSR", "seed", 3
    yield "product", "KOS", "rows", 5
    yield "product", "KOS", "seed", 5


def main(folder: str, *methods: str) -> None:
    """Run what is planned, and write the table after every row."""
    rows = [] if not TABLE.exists() else pd.read_csv(TABLE, comment="#").to_dict("records")
    done = {(row["dataset"], row["method"], row["settings"]) for row in rows}
    for dataset, method, settings, n_runs in plan():
        if (methods and method not in methods) or (dataset, method, settings or "released") in done:
            continue
        found, seconds = runs(Path(folder), dataset, method, settings, n_runs)
        rows.append(
            {
                "dataset": dataset,
                "method": method,
                "settings": settings or "released",
                "n_runs": n_runs,
                "n_failed": int(np.isnan(found).sum()),
                "lowest": np.nanmin(found) if not np.isnan(found).all() else np.nan,
                "median": np.nanmedian(found) if not np.isnan(found).all() else np.nan,
                "highest": np.nanmax(found) if not np.isnan(found).all() else np.nan,
                "seconds": round(seconds, 1),
            }
        )
        print(rows[-1], flush=True)
        write(Path(folder), rows)


def write(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write the table."""
    packages = ("crowd-kit", "numpy", "pandas", "scipy")
    header = {
        "not printed in the paper": "our measurements of the released code; do not edit",
        "script": SCRIPT,
        "packages": " ".join(f"{package}=={version(package)}" for package in packages),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        **{
            f"sha256 {name}": hashlib.sha256((folder / file).read_bytes()).hexdigest()
            for name, file in FILES.items()
        },
    }
    text = "".join(f"# {key}: {value}\n" for key, value in header.items())
    table = pd.DataFrame(rows).to_csv(index=False, lineterminator="\n", float_format="%.6g")
    TABLE.write_text(text + table, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
