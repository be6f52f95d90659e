"""Ask other packages for their coefficients on the data sets, and store their answers.

Run by `make conformance`, once in each of two environments, as irrCAC needs an older scipy
than the others:

    .venv-peers/bin/python tests/reference/agreement/generate.py
    .venv-irrcac/bin/python tests/reference/agreement/generate.py

Each run replaces the rows of the packages it finds in peers.csv, beside this script, and
keeps those of the others. Every package is given what its documentation asks for, and
nothing is corrected: where labels are missing they are passed on as missing.

The names of coefficients and options are ours; `function` is what was called. Categories are
passed as their places 1 to K where a package wants numbers.
"""

from __future__ import annotations

import csv
import datetime
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import numpy as np
import pandas as pd
from datasets import DATASETS, DataSet

HERE = Path(__file__).resolve().parent
PEERS = HERE / "peers.csv"
COLUMNS = (
    *("dataset", "coefficient", "options", "package", "version"),
    *("function", "quantity", "value", "error"),
)
#: Digits that do not depend on the order in which a package happens to sum.
DIGITS = 15
#: Letters kept of an error message.
SHOWN = 90

Values = dict[str, float]


class Call(NamedTuple):
    """One question to one package."""

    coefficient: str
    options: str
    function: str
    run: Callable[[], Values]


# What packages take.


def categorical(data: DataSet) -> bool:
    """Whether labels are names of categories, ordered or not."""
    return data.scale in ("nominal", "ordinal")


def two(data: DataSet) -> bool:
    """Whether there are two annotators."""
    return len(data.annotators) == 2


def places(data: DataSet) -> np.ndarray:
    """Return the place 1 to K of each label, shape (I, J), NaN where it is missing."""
    place = {category: float(k) for k, category in enumerate(data.categories, 1)}
    return np.array([[place.get(label, math.nan) for label in row] for row in data.wide()])


def values(data: DataSet) -> np.ndarray:
    """Return numbers, shape (I, J): the labels where they are numbers, else their places."""
    if categorical(data):
        return places(data)
    return np.array([[math.nan if x is None else x for x in row] for row in data.wide()])


def counts(data: DataSet) -> np.ndarray:
    """Return how often each item got each category, shape (I, K)."""
    rows = data.wide()
    return np.array([[row.count(category) for category in data.categories] for row in rows])


def contingency(data: DataSet) -> np.ndarray:
    """Return the table of two annotators over the items that both labelled, shape (K, K)."""
    both = [tuple(row) for row in data.wide() if None not in row]
    return np.array([[both.count((x, y)) for y in data.categories] for x in data.categories])


def long(data: DataSet, item: str, annotator: str, label: str) -> pd.DataFrame:
    """Return the long table under other names; labels as numbers, places for categories."""
    place = {category: k for k, category in enumerate(data.categories, 1)}
    rows = [(i, j, place[x] if categorical(data) else x) for i, j, x in data.rows]
    return pd.DataFrame(rows, columns=[item, annotator, label])


def radical(n_categories: int) -> np.ndarray:
    """Return agreement weights 1 - sqrt(|k - l| / (K - 1)): a matrix that no option names."""
    k = np.arange(n_categories)
    return 1 - np.sqrt(np.abs(k[:, None] - k) / (n_categories - 1))


# The packages, each with what it has.


def ask_statsmodels(data: DataSet) -> Iterator[Call]:
    """Cohen's kappa with its standard error, Fleiss' and Randolph's from tables of counts."""
    from statsmodels.stats import inter_rater

    def cohen(**options: Any) -> Values:
        answer = inter_rater.cohens_kappa(contingency(data), **options)
        return {
            "estimate": answer.kappa,
            "standard_error": answer.std_kappa,
            "lower": answer.kappa_low,
            "upper": answer.kappa_upp,
        }

    def maximum() -> Values:
        return {"estimate": inter_rater.cohens_kappa(contingency(data)).kappa_max}

    def fleiss(method: str) -> Values:
        return {"estimate": inter_rater.fleiss_kappa(counts(data), method=method)}

    if not categorical(data):
        return
    if two(data):
        yield Call("cohen_kappa", "", "cohens_kappa", cohen)
        yield Call("kappa_maximum", "", "cohens_kappa", maximum)
        if data.scale == "ordinal":
            for wt in ("linear", "quadratic"):
                yield Call("cohen_kappa", f"weights={wt}", "cohens_kappa", partial(cohen, wt=wt))
            apart = 1 - radical(len(data.categories))
            yield Call(
                "cohen_kappa", "weights=radical", "cohens_kappa", partial(cohen, weights=apart)
            )
    yield Call("fleiss_kappa", "", "fleiss_kappa", partial(fleiss, "fleiss"))
    yield Call("brennan_prediger", "", "fleiss_kappa(randolph)", partial(fleiss, "randolph"))


def ask_sklearn(data: DataSet) -> Iterator[Call]:
    """Cohen's kappa and the share of equal labels, from two columns."""
    from sklearn import metrics

    def cohen(weights: str | None, ratings: np.ndarray) -> Values:
        labels = list(range(1, len(data.categories) + 1))
        kappa = metrics.cohen_kappa_score(*ratings.T, labels=labels, weights=weights)
        return {"estimate": kappa}

    def accuracy(ratings: np.ndarray) -> Values:
        return {"estimate": metrics.accuracy_score(*ratings.T)}

    if not categorical(data) or not two(data):
        return
    given = {"": places(data)}
    if not data.complete:
        given[" of common items"] = given[""][~np.isnan(given[""]).any(axis=1)]
    for which, ratings in given.items():
        score = f"cohen_kappa_score{which}"
        yield Call("cohen_kappa", "", score, partial(cohen, None, ratings))
        yield Call("percent_agreement", "", f"accuracy_score{which}", partial(accuracy, ratings))
        for weights in ("linear", "quadratic") if data.scale == "ordinal" else ():
            options = f"weights={weights}"
            yield Call("cohen_kappa", options, score, partial(cohen, weights, ratings))
        if data.scale == "ordinal":  # of numbers evenly spaced, the same coefficient
            run = partial(cohen, "quadratic", ratings)
            yield Call("concordance_correlation", "", f"{score}(quadratic)", run)


def ask_krippendorff(data: DataSet) -> Iterator[Call]:
    """Alpha under every metric, from a table of annotators by items."""
    import krippendorff

    def absolute(v1, v2, i1, i2, n_v, dtype):
        return np.abs(v1 - v2).astype(dtype)

    def alpha(metric: Any) -> Values:
        domain = list(range(1, len(data.categories) + 1)) if categorical(data) else None
        return {
            "estimate": krippendorff.alpha(
                values(data).T, value_domain=domain, level_of_measurement=metric
            )
        }

    for metric in metrics_of(data):
        if metric not in ("masi", "jaccard", "circular"):
            level = absolute if metric == "absolute" else metric
            yield Call("krippendorff_alpha", f"metric={metric}", "alpha", partial(alpha, level))


def metrics_of(data: DataSet) -> tuple[str, ...]:
    """Return the metrics of alpha that fit the labels."""
    return {
        "nominal": ("nominal",),
        "ordinal": ("nominal", "ordinal", "interval", "absolute", "circular"),
        "interval": ("interval", "absolute"),
        "ratio": ("interval", "ratio"),
        "set": ("nominal", "masi", "jaccard"),
    }[data.scale]


def ask_simpledorff(data: DataSet) -> Iterator[Call]:
    """Alpha, nominal and interval, from a long table."""
    import simpledorff
    from simpledorff.metrics import interval_metric, nominal_metric

    def alpha(metric: Callable[[Any, Any], float]) -> Values:
        frame = long(data, "item", "annotator", "label")
        found = simpledorff.calculate_krippendorffs_alpha_for_df(
            frame, "item", "annotator", "label", metric_fn=metric
        )
        return {"estimate": found}

    known = {"nominal": nominal_metric, "interval": interval_metric}
    for metric in metrics_of(data):
        if metric in known and data.scale != "set":
            yield Call(
                "krippendorff_alpha",
                f"metric={metric}",
                "calculate_krippendorffs_alpha_for_df",
                partial(alpha, known[metric]),
            )


def distances() -> dict[str, Callable[[Any, Any], float]]:
    """Return the distances of nltk, with those of our names that it leaves to the user."""
    from nltk.metrics import distance

    return {
        "nominal": distance.binary_distance,
        "interval": distance.interval_distance,
        "absolute": lambda x, y: abs(x - y),
        "masi": distance.masi_distance,
        "jaccard": distance.jaccard_distance,
    }


def ask_nltk(data: DataSet) -> Iterator[Call]:
    """The coefficients of Artstein and Poesio (2008), from triples."""
    from nltk.metrics.agreement import AnnotationTask

    frame = long(data, "item", "annotator", "label")
    triples = list(zip(frame["annotator"], frame["item"], frame["label"], strict=True))

    def ask(method: str, metric: str) -> Values:
        return {"estimate": getattr(AnnotationTask(triples, distances()[metric]), method)()}

    def call(coefficient: str, method: str, metric: str = "nominal", options: str = "") -> Call:
        return Call(coefficient, options, f"AnnotationTask.{method}", partial(ask, method, metric))

    for metric in metrics_of(data):
        if metric in distances():
            yield call("krippendorff_alpha", "alpha", metric, f"metric={metric}")
    if not categorical(data):
        return
    yield call("percent_agreement", "avg_Ao")
    yield call("brennan_prediger", "S")
    yield call("scott_pi" if two(data) else "fleiss_kappa", "pi")
    yield call("cohen_kappa" if two(data) else "light_kappa", "kappa")
    yield call("conger_kappa", "multi_kappa")
    if two(data) and data.scale == "ordinal":
        for metric, weights in (("absolute", "linear"), ("interval", "quadratic")):
            yield call("cohen_kappa", "weighted_kappa", metric, f"weights={weights}")


def ask_crowdkit(data: DataSet) -> Iterator[Call]:
    """Alpha, from a long table."""
    from crowdkit.metrics.data import alpha_krippendorff

    def alpha(metric: str) -> Values:
        answers = long(data, "task", "worker", "label")
        return {"estimate": alpha_krippendorff(answers, distance=distances()[metric])}

    for metric in metrics_of(data):
        if metric in distances():
            yield Call(
                "krippendorff_alpha",
                f"metric={metric}",
                "alpha_krippendorff",
                partial(alpha, metric),
            )


#: Our names for the six intraclass correlations of pingouin.
INTRACLASS = {
    "ICC(1,1)": "model=one-way;ratings=single",
    "ICC(A,1)": "model=two-way-random;kind=agreement;ratings=single",
    "ICC(C,1)": "model=two-way-mixed;kind=consistency;ratings=single",
    "ICC(1,k)": "model=one-way;ratings=average",
    "ICC(A,k)": "model=two-way-random;kind=agreement;ratings=average",
    "ICC(C,k)": "model=two-way-mixed;kind=consistency;ratings=average",
}


def ask_pingouin(data: DataSet) -> Iterator[Call]:
    """Intraclass and other correlations of numbers, and Kendall's W."""
    import pingouin

    pingouin.options["round"] = None
    pingouin.options["round.column.CI95"] = None
    pingouin.options["round.column.CI95%"] = None

    def icc(form: str, policy: str) -> Values:
        frame = long(data, "item", "annotator", "label")
        table = pingouin.intraclass_corr(frame, "item", "annotator", "label", nan_policy=policy)
        row = table.set_index("Type").loc[form]
        lower, upper = next(row[c] for c in row.index if c.startswith("CI95"))
        return {"estimate": row["ICC"], "lower": lower, "upper": upper}

    def correlation(method: str) -> Values:
        row = pingouin.corr(*values(data).T, method=method).iloc[0]
        lower, upper = next(row[c] for c in row.index if c.startswith("CI95"))
        return {"estimate": row["r"], "lower": lower, "upper": upper}

    def concordance() -> Values:
        # Kendall's W ranks the items of each annotator: annotators are Friedman's blocks.
        frame = long(data, "item", "annotator", "label")
        table = pingouin.friedman(frame, dv="label", within="item", subject="annotator")
        return {"estimate": table["W"].iloc[0]}

    if data.scale in ("ordinal", "interval", "ratio"):
        yield Call("kendall_w", "", "friedman", concordance)
    if data.scale not in ("interval", "ratio"):
        return
    for form, options in INTRACLASS.items():
        yield Call("icc", options, "intraclass_corr", partial(icc, form, "raise"))
        if not data.complete:
            omitting = partial(icc, form, "omit")
            yield Call("icc", options, "intraclass_corr(nan_policy=omit)", omitting)
    if two(data):
        yield Call("pearson", "", "corr(pearson)", partial(correlation, "pearson"))
        yield Call("spearman", "", "corr(spearman)", partial(correlation, "spearman"))


def ask_scipy(data: DataSet) -> Iterator[Call]:
    """Correlations of two annotators."""
    from scipy import stats

    def pearson() -> Values:
        found = stats.pearsonr(*values(data).T)
        lower, upper = found.confidence_interval()
        return {"estimate": found.statistic, "lower": lower, "upper": upper}

    def spearman() -> Values:
        return {"estimate": stats.spearmanr(*values(data).T).statistic}

    if two(data) and data.scale in ("ordinal", "interval", "ratio"):
        yield Call("pearson", "", "pearsonr", pearson)
        yield Call("spearman", "", "spearmanr", spearman)


def ask_irrcac(data: DataSet) -> Iterator[Call]:
    """Gwet's general framework: any number of annotators from raw labels, two from a table.

    The quantile of Student's distribution is kept too, as this scipy has it to nine digits.
    """
    from irrCAC import raw, table
    from scipy import stats

    def ask(module: Any, ratings: pd.DataFrame, method: str, **options: Any) -> Values:
        cac = module.CAC(ratings, digits=DIGITS + 2, **options)
        found = getattr(cac, method)()["est"]
        lower, upper = found["confidence_interval"]
        paired = module is raw and method == "krippendorff"
        n_items = (ratings.count(axis=1) >= 2).sum() if paired else cac.n
        return {
            "estimate": found["coefficient_value"],
            "standard_error": found["se"],
            "lower": lower,
            "upper": upper,
            "quantile": stats.t.ppf(0.975, n_items - 1),
        }

    def observed(weights: str) -> Values:
        return {"estimate": raw.CAC(wide, weights, known, digits=DIGITS + 2).fleiss()["est"]["pa"]}

    wide = pd.DataFrame(values(data) if data.scale != "set" else [], columns=data.annotators)
    known = list(map(float, range(1, len(data.categories) + 1))) if categorical(data) else None
    weightings = {
        "nominal": ("identity",),
        "ordinal": ("identity", "linear", "quadratic", "radical", "ordinal", "circular"),
        "interval": ("linear", "quadratic"),
        "ratio": ("quadratic", "ratio"),
        "set": (),
    }[data.scale]
    for weights in weightings:
        as_alpha = partial(ask, raw, wide, "krippendorff", weights=weights, categories=known)
        if weights in METRIC_OF_WEIGHTS:
            options = f"metric={METRIC_OF_WEIGHTS[weights]}"
            yield Call("krippendorff_alpha", options, "raw.CAC.krippendorff", as_alpha)
        if not categorical(data) or weights in ("ordinal", "circular"):
            continue
        options = "" if weights == "identity" else f"weights={weights}"
        for coefficient, method in RAW.items():
            run = partial(ask, raw, wide, method, weights=weights, categories=known)
            yield Call(coefficient, options, f"raw.CAC.{method}", run)
        yield Call("percent_agreement", options, "raw.CAC.fleiss pa", partial(observed, weights))
        if two(data):
            square = pd.DataFrame(contingency(data))
            for coefficient, method in TABLE.items():
                run = partial(ask, table, square, method, weights=weights)
                yield Call(coefficient, options, f"table.CAC.{method}", run)
            if weights in METRIC_OF_WEIGHTS:
                run = partial(ask, table, square, "krippendorff", weights=weights)
                options = f"metric={METRIC_OF_WEIGHTS[weights]}"
                yield Call("krippendorff_alpha", options, "table.CAC.krippendorff", run)


#: Alpha is a ratio of disagreements, so agreement weights stand for the metric 1 - weight.
METRIC_OF_WEIGHTS = {
    "identity": "nominal",
    "linear": "absolute",
    "quadratic": "interval",
    "ordinal": "ordinal",
    "circular": "circular",
    "ratio": "ratio",
}
RAW = {
    "gwet_ac1": "gwet",
    "fleiss_kappa": "fleiss",
    "conger_kappa": "conger",
    "brennan_prediger": "bp",
}
TABLE = {
    "cohen_kappa": "cohen",
    "scott_pi": "scott",
    "gwet_ac1": "gwet",
    "brennan_prediger": "bp",
    "percent_agreement": "pa2",
}
ASK = {
    "statsmodels": ask_statsmodels,
    "scikit-learn": ask_sklearn,
    "krippendorff": ask_krippendorff,
    "simpledorff": ask_simpledorff,
    "nltk": ask_nltk,
    "crowd-kit": ask_crowdkit,
    "pingouin": ask_pingouin,
    "scipy": ask_scipy,
    "irrCAC": ask_irrcac,
}


# Asking and storing.


def installed() -> dict[str, str]:
    """Return the versions of the packages of this environment; scipy speaks once, for the newer."""
    found = {}
    for package in ASK:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {"irrCAC": found["irrCAC"]} if "irrCAC" in found else found


def answers(package: str, release: str) -> Iterator[list[str]]:
    """Yield the rows of one package: values, or the type of the error and its first words."""
    for data in DATASETS:
        for call in ASK[package](data):
            key = [data.name, call.coefficient, call.options, package, release, call.function]
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    found = call.run()
                for quantity, value in found.items():
                    yield [*key, quantity, f"{np.asarray(value).item():.{DIGITS}g}", ""]
            except Exception as error:  # whatever a package raises is its answer
                words = " ".join(str(error).split())
                said = f"{type(error).__name__}: {words}" if words else type(error).__name__
                yield [*key, "estimate", "", said[:SHOWN]]


def stored(fingerprint: str) -> list[list[str]]:
    """Return the rows stored for these very data sets; answers about others are dropped."""
    if not PEERS.exists() or f"# datasets_sha256: {fingerprint}\n" not in PEERS.read_text():
        return []
    with PEERS.open(newline="", encoding="utf-8") as lines:
        return list(csv.reader(line for line in lines if not line.startswith("#")))[1:]


def main() -> None:
    """Ask every package that is installed here, and write peers.csv."""
    fingerprint = datasets.digest(DATASETS)
    here = installed()
    if not here:
        raise SystemExit("generate.py: none of the packages is installed; run `make conformance`.")
    kept = [row for row in stored(fingerprint) if row[3] not in here]
    rows = [*kept, *(row for package in here for row in answers(package, here[package]))]
    order = {data.name: place for place, data in enumerate(DATASETS)}
    rows.sort(key=lambda row: (list(ASK).index(row[3]), order[row[0]]))
    with PEERS.open("w", newline="", encoding="utf-8") as out:
        out.write("# Written by `make conformance`; do not edit.\n")
        out.write("# script: tests/reference/agreement/generate.py\n")
        out.write(f"# date: {datetime.datetime.now(datetime.UTC).date()}\n")
        out.write(f"# datasets_sha256: {fingerprint}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    print(f"{PEERS.name}: {len(rows)} rows, of {', '.join(f'{p} {v}' for p, v in here.items())}.")


if __name__ == "__main__":
    main()
