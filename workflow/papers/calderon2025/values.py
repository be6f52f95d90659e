"""The alternative annotator test of every model on every set, and what surrounds it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from annobench.datasets import LoadedData
from annobench.judges import rates, worth
from annobench.judges.alternative_annotators import (
    AlternativeAnnotatorTest,
    adjusted_p_values,
    alternative_annotator_test,
)
from annobench.judges.baselines import constant_judge, humans_as_judges, without_each_human
from annobench.judges.panel import Panel, split_judges
from annobench.models import dawid_skene
from annobench_replication.analysis import Effort
from annobench_replication.rows import interval_columns

REPLICATES = {"full": 1_000, "quick": 20}
DRAWS = {"full": 300, "quick": 5}
LIMIT = {"full": 500, "quick": 3}
EPSILONS = tuple(np.arange(0, 31) / 100)
#: Sizes of studies, relative to the one at hand.
SIZES = (0.25, 0.5, 1.0, 2.0, 4.0)
#: Each human is left out in turn of panels of at most so many.
MAX_HUMANS = 13
#: Free text has too many categories for confusion matrices.
FREE_TEXT = "kilogram"
CONSTANT = "most frequent label"
#: Words that say nothing about a shape.
ARTICLES = {"a", "an", "the"}


@dataclass(frozen=True, eq=False)
class Case:
    """A set with its score and epsilon."""

    name: str
    data: LoadedData
    epsilon: float
    score: str

    @cached_property
    def panel(self) -> Panel:
        """Humans, and models as judges."""
        roles = self.data.labels.drop_duplicates("annotator")
        models = roles.loc[roles["role"] == "model", "annotator"]
        return split_judges(self.data.annotations, models)

    @cached_property
    def options(self) -> dict[str, Any]:
        """How the test is done."""
        score = (
            words_in_common(self.panel.humans.categories) if self.score == "words" else self.score
        )
        return {"epsilon": self.epsilon, "score": score}

    @cached_property
    def texts(self) -> pd.Series:
        """What each item is about."""
        return self.data.items["text"]

    @cached_property
    def tests(self) -> dict[str, AlternativeAnnotatorTest]:
        """The test of each model, as published."""
        return {name: self.test(judge) for name, judge in self.panel.judges.items()}

    @cached_property
    def by_text(self) -> dict[str, AlternativeAnnotatorTest]:
        """The test of each model with texts for clusters."""
        judges = self.panel.judges
        return {name: self.test(judge, clusters=self.texts) for name, judge in judges.items()}

    def test(self, judge: np.ndarray, **more: Any) -> AlternativeAnnotatorTest:
        """Test one judge."""
        return alternative_annotator_test(self.panel.humans, judge, **self.options, **more)


def cases(data: Mapping[str, LoadedData], settings: pd.DataFrame) -> list[Case]:
    """Put sets and settings together; free text is also compared by words."""
    found = [
        Case(row.name, data[f"alt_{row.name}"], float(row.epsilon), row.score)
        for row in settings.itertuples(index=False)
    ]
    return [*found, *(replace(case, score="words") for case in found if case.name == FREE_TEXT)]


def words_in_common(categories: tuple[str, ...]) -> Any:
    """Return how many of two descriptions' words, articles aside, both have (Jaccard)."""
    sets = [set(re.findall(r"[a-z0-9]+", name.lower())) - ARTICLES for name in categories]
    number = {word: n for n, word in enumerate(sorted(set().union(*sets)))}
    rows = np.repeat(np.arange(len(sets)), [len(words) for words in sets])
    columns = [number[word] for words in sets for word in sorted(words)]
    shape = (len(sets), len(number))
    table = sparse.csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)
    size: np.ndarray = table.sum(axis=1)

    def similarity(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        both: np.ndarray = np.asarray((table[first] * table[second]).sum(axis=1))
        return both / np.maximum(size[first] + size[second] - both, 1)

    return similarity


def printed_values(case: Case) -> dict[str, float]:
    """Return the two values that the notebook prints of each model."""
    return {
        f"{case.name}.{model.replace('-', '_')}.{what}": getattr(test, what)
        for model, test in case.tests.items()
        for what in ("winning_rate", "advantage_probability")
    }


def judges_table(found: list[Case], rng: np.random.Generator, effort: Effort) -> pd.DataFrame:
    """One row per model and set: the test, its bootstrap, and the same by text."""
    rows = []
    for case in found:
        for model, test in case.tests.items():
            by_text = case.by_text[model]
            row = {
                "dataset": case.name,
                "model": model,
                "winning_rate": test.winning_rate,
                "advantage_probability": test.advantage_probability,
                "passes": test.passes,
                "score": case.score,
                "epsilon": case.epsilon,
                "passing_epsilon": test.passing_epsilon,
                "n_humans": len(test.annotators),
                "n_items": case.panel.humans.n_items,
                "n_texts": case.texts.nunique(),
            }
            for kind, tested in (("items", test), ("texts", by_text)):
                again = tested.bootstrap(replicates=REPLICATES[effort], rng=rng)
                for what in ("winning_rate", "advantage_probability"):
                    row |= interval_columns(again.interval(what), f"{what}_by_{kind}_")
                row[f"passes_again_by_{kind}"] = again.passes
            row["winning_rate_texts"] = by_text.winning_rate
            row["passing_epsilon_texts"] = by_text.passing_epsilon
            rows.append(row)
    return pd.DataFrame(rows)


def humans_table(found: list[Case]) -> pd.DataFrame:
    """One row per model and human: the difference with its p-values, by item and by text."""
    tables = []
    for case in found:
        for model, test in case.tests.items():
            own = test.summary().assign(adjusted_p_value=adjusted_p_values(test.p_value))
            by_text = case.by_text[model]
            own["standard_error_texts"] = by_text.standard_error
            own["p_value_texts"] = by_text.p_value
            own.insert(0, "model", model)
            own.insert(0, "score", case.score)
            own.insert(0, "dataset", case.name)
            tables.append(own)
    return pd.concat(tables)


def baselines_table(found: list[Case]) -> pd.DataFrame:
    """Test each human as if a judge, and a judge that always gives the most frequent label."""
    tables = []
    for case in found:
        humans = humans_as_judges(case.panel.humans, **case.options)
        constant = case.test(constant_judge(case.panel.humans))
        blind = {
            "annotator": CONSTANT,
            "winning_rate": constant.winning_rate,
            "advantage_probability": constant.advantage_probability,
            "n_tested": len(constant.annotators),
        }
        own = pd.concat([humans.assign(role="human"), pd.DataFrame([blind]).assign(role="none")])
        own.insert(0, "score", case.score)
        own.insert(0, "dataset", case.name)
        tables.append(own.assign(epsilon=case.epsilon))
    return pd.concat(tables)


def epsilons_table(found: list[Case]) -> pd.DataFrame:
    """Winning rates of each model by epsilon, with items and with texts."""
    rows = []
    for case in found:
        for model, test in case.tests.items():
            by_text = case.by_text[model].winning_rates(EPSILONS)
            rows += [
                (case.name, case.score, model, epsilon, own, text)
                for epsilon, own, text in zip(
                    EPSILONS, test.winning_rates(EPSILONS), by_text, strict=True
                )
            ]
    names = ["dataset", "score", "model", "epsilon", "winning_rate", "winning_rate_texts"]
    return pd.DataFrame(rows, columns=names)


def left_out_table(found: list[Case]) -> pd.DataFrame:
    """Winning rates without each of the humans."""
    tables = []
    for case in found:
        humans = case.panel.humans
        if humans.n_annotators > MAX_HUMANS:
            continue
        for model, judge in case.panel.judges.items():
            own = without_each_human(humans, judge, **case.options)
            own = own.rename(columns={"annotator": "left_out"})
            own.insert(0, "model", model)
            own.insert(0, "dataset", case.name)
            tables.append(own)
    return pd.concat(tables)


def power_table(found: list[Case], rng: np.random.Generator, effort: Effort) -> pd.DataFrame:
    """How often each model passes in studies of other sizes, made of resampled texts."""
    rows = []
    for case in found:
        for model, test in case.by_text.items():
            held = test.sums.shape[0]
            for size in SIZES:
                n_texts = max(2, round(size * held))
                again = test.bootstrap(
                    replicates=REPLICATES[effort] // 2, rng=rng, n_clusters=n_texts
                )
                rows.append((case.name, case.score, model, size, n_texts, again.passes))
    names = ["dataset", "score", "model", "size", "n_texts", "passes"]
    return pd.DataFrame(rows, columns=names)


def models_table(found: list[Case], rng: np.random.Generator, effort: Effort) -> pd.DataFrame:
    """Fit Dawid and Skene's model to the humans, and read the judges by it."""
    rows = []
    for case in found:
        humans = case.panel.humans
        if case.name == FREE_TEXT:
            continue
        fit = dawid_skene.fit(humans, max_iterations=LIMIT[effort])
        share = np.bincount(humans.annotator, minlength=humans.n_annotators) / humans.n_labels
        human_accuracy = float(fit.accuracy @ share)
        constant = constant_judge(humans)
        tests = {**case.tests, CONSTANT: case.test(constant)}
        for judge, labels in {**case.panel.judges, CONSTANT: constant}.items():
            known = rates.rates_by_posterior(
                labels, fit.posterior, humans.categories, draws=DRAWS[effort], rng=rng
            )
            total = known.confusion.sum(axis=1, keepdims=True)
            even = np.full_like(known.confusion, 1 / humans.n_categories)
            confusion = np.where(total > 0, known.confusion / np.maximum(total, 1e-300), even)
            value = worth.worth(fit.prevalence, fit.confusion, confusion, share=share, rng=rng)
            weight = total.ravel() / total.sum()
            rows.append(
                {
                    "dataset": case.name,
                    "judge": judge,
                    "advantage_probability": tests[judge].advantage_probability,
                    "passes": tests[judge].passes,
                    "accuracy": known.accuracy,
                    "human_accuracy": human_accuracy,
                    "bits": value.bits,
                    "human_bits": value.human_bits,
                    "human_labels": value.human_labels,
                    "mean_youden": float(np.nansum(weight * known.youden.estimate)),
                    "categories_without_information": int((~known.is_informative).sum()),
                    "n_categories": humans.n_categories,
                }
            )
    return pd.DataFrame(rows)
