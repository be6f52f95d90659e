"""A full assessment of judges: the tables of `annobench judge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError, as_sentence
from annobench.core.numbers import plain_number, spelling_hint
from annobench.core.results import Summarised
from annobench.core.texts import counted
from annobench.evaluation.gold_sample import GoldSample, compare_gold
from annobench.judges import agreement, consistency, planning, prevalence, rates, worth
from annobench.judges.alternative_annotators import (
    MIN_ITEMS,
    AlternativeAnnotatorTest,
    Score,
    alternative_annotator_test,
)
from annobench.judges.baselines import constant_judge, humans_as_judges
from annobench.judges.clusters import widen
from annobench.judges.jury import Jury, assess_jury
from annobench.judges.panel import NO_LABEL, Panel, labels_of, split_judges
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.select import listed
from annobench.models import dawid_skene
from annobench.models.dawid_skene import DawidSkeneFit
from annobench.resampling.intervals import Interval

__all__ = ["CONSTANT", "MAX_CATEGORIES", "Assessment", "assess"]

#: The name of a judge that always gives the humans' most frequent label.
CONSTANT = "(always the most frequent label)"
#: Categories up to which prevalence is estimated one by one.
MAX_CATEGORIES = 20
#: A human is near chance if Youden's index, the mean over categories, is below the first of these,
#: and its whole interval below the second; with two equally frequent categories these are
#: accuracies of .67 and .75.
NEAR_CHANCE = 1 / 3, 1 / 2
#: Numbers that draws of all confusion matrices may have, labels times categories that may be drawn,
#: and draws that make an interval.
MAX_DRAWN = 20_000_000
MAX_SWEPT = 200_000_000
FEWEST_DRAWS = 100


@dataclass(frozen=True, eq=False)
class Assessment(Summarised):
    """Results of an assessment of judges.

    Attributes
    ----------
    panel : Panel
        Humans and judges.
    summary_table : DataFrame
        One row per judge, and one for a judge that always gives the most frequent label.
    tests : dict of str to AlternativeAnnotatorTest
        Tests of all judges that could be tested.
    humans : DataFrame
        One row per human: human, n_items, accuracy and mean_youden with their intervals, and
        near_chance.
    tests_without : dict of str to AlternativeAnnotatorTest
        Tests without the humans who are near chance, if there are any and two others.
    agreement, rates, test, baselines, prevalence, consistency, position, plan : DataFrame
        See the modules; empty if nothing could be computed.
    basis : str
        The basis of sensitivity and specificity: "gold", "humans" or "".
    epsilon : float
        Margin of the test.
    n_clusters : int or None
        Number of clusters, if items are clustered.
    level : float
        Level of the intervals.
    jury : Jury or None
        The jury, if there are several judges and gold.
    remarks : list of str
        What could not be computed, and cautions.
    sample : GoldSample or None
        Items with gold compared with the others.
    gold : mapping of str to str, or None
        The gold that was used: all of it, a random part that is like all items, or none if no part
        is.
    """

    panel: Panel
    summary_table: pd.DataFrame
    tests: dict[str, AlternativeAnnotatorTest]
    humans: pd.DataFrame
    tests_without: dict[str, AlternativeAnnotatorTest]
    agreement: pd.DataFrame
    rates: pd.DataFrame
    test: pd.DataFrame
    baselines: pd.DataFrame
    prevalence: pd.DataFrame
    consistency: pd.DataFrame
    position: pd.DataFrame
    plan: pd.DataFrame
    basis: str
    epsilon: float
    n_clusters: int | None = None
    level: float = 0.95
    jury: Jury | None = None
    remarks: list[str] = field(default_factory=list)
    sample: GoldSample | None = None
    gold: Mapping[str, str] | None = None

    def summary(self) -> pd.DataFrame:
        return self.summary_table

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that are not empty, by name."""
        names = (
            *("humans", "agreement", "rates", "test", "baselines", "prevalence", "consistency"),
            *("position", "plan"),
        )
        found = {"judges": self.summary_table}
        found |= {name: getattr(self, name) for name in names}
        if self.jury is not None:
            found |= {"jury": self.jury.weights, "juries": self.jury.juries}
            found |= {"jury_estimates": self.jury.estimates}
        if self.sample is not None:
            found |= self.sample.tables()
        return {name: table for name, table in found.items() if len(table)}

    @property
    def near_chance(self) -> list[str]:
        """Humans whose labels are hardly better than chance."""
        return [] if self.humans.empty else list(self.humans["human"][self.humans["near_chance"]])

    def _headline(self) -> str:
        return (
            f"{counted(len(self.panel.judges), 'judge')} and "
            f"{counted(self.panel.humans.n_annotators, 'human')}, {len(self.near_chance)} of them "
            "near chance"
        )


def assess(
    annotations: Annotations,
    judges: Sequence[str],
    *,
    gold: Mapping[str, str] | None = None,
    epsilon: float = 0.1,
    score: Score = "accuracy",
    clusters: ArrayLike | None = None,
    shown_first: ArrayLike | None = None,
    costs: Mapping[str, float] | None = None,
    budget: float | None = None,
    level: float = 0.95,
    replicates: int = 500,
    rng: np.random.Generator | int | None = None,
) -> Assessment:
    """Assess judges against humans in every way that the labels allow.

    Parameters
    ----------
    annotations : Annotations
        Labels of humans and judges.
    judges : sequence of str
        Names of the judges among the annotators.
    gold : mapping of str to str, optional
        The category of some items. By default rates are estimated from the humans' labels, as they
        are if items with gold differ from the others and do not represent them.
    epsilon, score
        As in `alternative_annotator_test`.
    clusters : array_like, shape (I,), optional
        Cluster of each item, such as its text; by default items are independent.
    shown_first : array_like of str, shape (N,), optional
        For comparisons of two answers, the category shown first; empty if unknown.
    costs : mapping of str to float, optional
        Cost of a label by each judge; by default 1.
    budget : float, optional
        Budget for a jury's labels of an item; needs gold and several judges.
    level : float, default 0.95
        Level of the intervals.
    replicates : int, default 500
        Number of bootstrap samples and draws.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    Assessment
        The results, with remarks on what could not be computed.

    Raises
    ------
    AnnotationError
        If a judge is unknown, or a gold category is; if epsilon is out of range, distances are
        requested for categories that are not numbers, or a budget is given without gold or for one
        judge.
    """
    annotations = as_annotations(annotations, "assess")
    generator = np.random.default_rng(rng)
    panel = split_judges(annotations, judges)
    humans = panel.humans
    if not -1 <= epsilon <= 1:
        raise AnnotationError(f"judge: epsilon must be in [-1, 1], got {epsilon}; such as 0.1.")
    if score == "rmse":
        try:
            _ = humans.category_values
        except AnnotationError as error:
            raise AnnotationError(
                f"judge: the score rmse needs labels that are numbers; they are "
                f"{listed(humans.categories)}. Choose the score accuracy, or leave out codes for "
                "missing labels with --missing."
            ) from error
    remarks: list[str] = []
    options: dict[str, Any] = {"epsilon": epsilon, "score": score, "clusters": clusters}
    sample = None if not gold else _compare_gold(annotations, gold, generator)
    if sample is not None and sample.differs:
        gold = _like_all_items(annotations, gold or {}, sample, generator, remarks)
        if gold is None and (costs or budget is not None):
            raise AnnotationError(f"judge: a jury needs gold. {' '.join(sample.remarks)}")
    known = _gold_codes(humans, gold)
    jury = _jury(panel, known, costs, budget, clusters, level, generator, remarks)
    fit = _model(humans, remarks)
    everyone = {**panel.judges, CONSTANT: constant_judge(humans)}
    sampled = None
    if fit is not None and (draws := _n_draws(humans, replicates)):
        sampled = rates.sample_panel(humans, _posterior(humans, fit), draws=draws, rng=generator)
    people = _humans(humans, known, fit, sampled, clusters, level)
    blind = people["human"][people["near_chance"]].tolist() if len(people) else []
    competent = [name for name in humans.annotators if name not in blind]
    without: dict[str, AlternativeAnnotatorTest] = {}

    tests: dict[str, AlternativeAnnotatorTest] = {}
    by_category, agreements, prevalences, rows = [], [], [], []
    basis = "" if known is None and fit is None else "humans" if known is None else "gold"
    for name, labels in everyone.items():
        row: dict[str, object] = {"judge": name, "n_items": int((labels != NO_LABEL).sum())}
        try:
            tests[name] = test = alternative_annotator_test(humans, labels, **options)
            again = test.bootstrap(replicates=replicates, rng=generator)
            row |= {
                "winning_rate": test.winning_rate,
                "advantage_probability": test.advantage_probability,
                "passes": test.passes,
                "passing_epsilon": test.passing_epsilon,
                "passes_again": again.passes,
            }
        except AnnotationError as error:
            _say(remarks, as_sentence(error, "alternative_annotator_test"))
        if name in tests and blind and len(competent) > 1:
            others = humans.select(annotators=competent)
            try:
                again_without = alternative_annotator_test(others, labels, **options)
            except AnnotationError as error:
                _say(remarks, as_sentence(error, "alternative_annotator_test"))
            else:
                without[name] = again_without
                row |= {
                    "winning_rate_without": again_without.winning_rate,
                    "passes_without": again_without.passes,
                }
        if name != CONSTANT:
            try:
                agreements.append(
                    agreement.compare_agreement(
                        humans,
                        labels,
                        clusters=clusters,
                        replicates=replicates,
                        level=level,
                        rng=generator,
                    ).assign(judge=name)
                )
            except AnnotationError as error:
                _say(remarks, as_sentence(error, "compare_agreement"))
        found = _rates(labels, known, fit, humans, clusters, replicates, level, generator)
        if found is not None:
            row |= _overall(found) | {"is_informative": bool(found.is_informative.any())}
            by_category.append(found.summary().assign(judge=name))
        if found is not None and fit is not None:
            row |= _worth(found, fit, humans, sampled, level, generator)
        rows.append(row)
        if known is not None and name != CONSTANT:
            prevalences.append(_prevalence(name, labels, known, humans, clusters, level, remarks))
    return Assessment(
        panel=panel,
        summary_table=pd.DataFrame(rows),
        tests={name: test for name, test in tests.items() if name != CONSTANT},
        humans=people,
        tests_without={name: test for name, test in without.items() if name != CONSTANT},
        agreement=_first("judge", agreements),
        rates=_first("judge", by_category),
        test=_first("judge", [test.summary().assign(judge=name) for name, test in tests.items()]),
        baselines=humans_as_judges(humans, **options) if tests else pd.DataFrame(),
        prevalence=_first("judge", prevalences),
        consistency=_asked_again(annotations, judges, shown_first),
        position=_position(annotations, judges, clusters, shown_first, remarks),
        plan=_plan(fit, epsilon, generator) if score == "accuracy" else pd.DataFrame(),
        basis=basis,
        epsilon=epsilon,
        n_clusters=None if clusters is None else len(np.unique(np.asarray(clusters))),
        level=level,
        jury=jury,
        remarks=remarks,
        sample=sample,
        gold=gold,
    )


def _jury(
    panel: Panel,
    known: NDArray[np.int64] | None,
    costs: Mapping[str, float] | None,
    budget: float | None,
    clusters: ArrayLike | None,
    level: float,
    rng: np.random.Generator,
    remarks: list[str],
) -> Jury | None:
    """Assess a jury; raise an error if it was requested but is impossible."""
    asked = bool(costs) or budget is not None
    if asked and (known is None or len(panel.judges) < 2):
        raise AnnotationError(
            "judge: a jury needs gold items and two or more judges. Give gold (--gold) and name "
            "several judges, or leave out costs and budget."
        )
    if known is None or len(panel.judges) < 2:
        return None
    options: dict[str, Any] = {"costs": costs, "budget": budget, "clusters": clusters}
    k = panel.humans.n_categories
    # A stream of its own: nothing else depends on whether there is a jury.
    [own] = rng.spawn(1)
    try:
        return assess_jury(panel.judges, known, k, **options, level=level, rng=own)
    except AnnotationError as error:
        if asked:
            raise
        _say(remarks, as_sentence(error, "jury"))
        return None


def _say(remarks: list[str], text: str) -> None:
    """Add a remark once."""
    if text not in remarks:
        remarks.append(text)


def _first(column: str, tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate tables, with one column in front."""
    if not tables:
        return pd.DataFrame()
    table = pd.concat(tables, ignore_index=True)
    return table[[column, *(name for name in table.columns if name != column)]]


def _compare_gold(
    annotations: Annotations, gold: Mapping[str, str], rng: np.random.Generator
) -> GoldSample | None:
    """Compare items with gold with the others by all labels; None if none of them has any."""
    known = np.array([name in gold for name in annotations.items])
    labelled = np.diff(annotations.by_item.offsets) > 0
    return compare_gold(annotations, known, rng=rng) if (known & labelled).any() else None


def _like_all_items(
    annotations: Annotations,
    gold: Mapping[str, str],
    sample: GoldSample,
    rng: np.random.Generator,
    remarks: list[str],
) -> dict[str, str] | None:
    """Return the gold of items that are like all items, and say what was left out."""
    if not sample.represents:
        remarks += [*sample.remarks, "Judges are assessed by the humans' labels, without gold."]
        return None
    kept = sample.thinned(rng)
    names = [annotations.items[i] for i in np.flatnonzero(kept)]
    remarks.append(
        f"Gold is not a random sample: {sample.difference}. {len(names):,} of the "
        f"{int(sample.known.sum()):,} gold items are used, drawn so that their shares of "
        f"{' and '.join(sample.by)} are those of all items."
    )
    return {name: gold[name] for name in names}


def _gold_codes(humans: Annotations, gold: Mapping[str, str] | None) -> NDArray[np.int64] | None:
    if not gold:
        return None
    gold = {item: plain_number(category) for item, category in gold.items()}
    unknown = sorted(set(gold.values()) - set(humans.categories))
    if unknown:
        raise AnnotationError(
            f"judge: the gold category {unknown[0]!r} is not a label; labels are "
            f"{', '.join(map(repr, humans.categories[:10]))}. Correct the gold standard."
        )
    code = {name: k for k, name in enumerate(humans.categories)}
    codes = np.array([code.get(gold.get(name, ""), NO_LABEL) for name in humans.items])
    if (codes == NO_LABEL).all():
        raise AnnotationError(
            "judge: no gold item has labels, such as "
            f"{next(iter(gold))!r}. Name items as the labels do, such as {humans.items[0]!r}."
            f"{spelling_hint(gold, humans.items)}"
        )
    return codes


def _model(humans: Annotations, remarks: list[str]) -> DawidSkeneFit | None:
    """Fit a model to the humans' labels, if possible."""
    try:
        return dawid_skene.fit(humans)
    except AnnotationError as error:
        _say(remarks, as_sentence(error, "dawid_skene"))
        return None


def _posterior(humans: Annotations, fit: DawidSkeneFit) -> NDArray[np.float64]:
    """Return the posterior of each item; NaN without labels."""
    labelled = np.diff(humans.by_item.offsets) > 0
    return np.where(labelled[:, None], fit.posterior, np.nan)


def _rates(
    labels: NDArray[np.int64],
    known: NDArray[np.int64] | None,
    fit: DawidSkeneFit | None,
    humans: Annotations,
    clusters: ArrayLike | None,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> rates.JudgeRates | None:
    options: dict[str, Any] = {"clusters": clusters, "level": level}
    if known is not None and ((known >= 0) & (labels != NO_LABEL)).any():
        return rates.rates_by_gold(labels, known, humans.categories, **options)
    if fit is None or known is not None:
        return None
    posterior, sampled = _posterior(humans, fit), None
    if n := _n_draws(humans, draws):
        sampled = rates.sample_panel(humans, posterior, labels, draws=n, rng=rng)
    return rates.rates_by_posterior(
        labels, posterior, humans.categories, sampled=sampled, draws=draws, rng=rng, **options
    )


def _n_draws(humans: Annotations, draws: int) -> int:
    """Return the number of draws of all confusion matrices; 0 if memory allows too few."""
    k = humans.n_categories
    draws = min(draws, max(FEWEST_DRAWS, MAX_SWEPT // (humans.n_labels * k)))
    draws_kept = min(draws, MAX_DRAWN // (humans.n_annotators * k**2))
    return draws_kept if draws_kept >= min(draws, FEWEST_DRAWS) else 0


def _humans(
    humans: Annotations,
    known: NDArray[np.int64] | None,
    fit: DawidSkeneFit | None,
    sampled: rates.PanelDraws | None,
    clusters: ArrayLike | None,
    level: float,
) -> pd.DataFrame:
    """Estimate accuracy and Youden's index of each human, by gold or by the model."""
    options: dict[str, Any] = {"clusters": clusters, "level": level}
    rated: list[rates.JudgeRates | None] = [None] * humans.n_annotators
    if known is not None:
        of_humans = [labels_of(humans, j) for j in range(humans.n_annotators)]
        rated = [
            rates.rates_by_gold(labels, known, humans.categories, **options)
            if ((known >= 0) & (labels != NO_LABEL)).any()
            else None
            for labels in of_humans
        ]
    elif fit is not None and sampled is not None:
        rated = [*rates.human_rates(humans, _posterior(humans, fit), sampled, **options)]
    rows = [
        {"human": name, "n_items": of_human.confusion.sum(), **_overall(of_human)}
        for name, of_human in zip(humans.annotators, rated, strict=True)
        if of_human is not None
    ]
    table = pd.DataFrame(rows)
    if not rows:
        return table
    below, surely_below = NEAR_CHANCE
    is_near = (table["mean_youden"] < below) & (table["mean_youden_upper"] < surely_below)
    return table.assign(near_chance=is_near)


def _overall(rated: rates.JudgeRates) -> dict[str, float]:
    """Return accuracy and mean Youden's index with their limits."""
    row: dict[str, float] = {}
    for name in ("accuracy", "mean_youden"):
        interval = getattr(rated, name)
        row |= {name: float(interval.estimate)}
        row |= {f"{name}_lower": float(interval.lower), f"{name}_upper": float(interval.upper)}
    return row


def _worth(
    rated: rates.JudgeRates,
    fit: DawidSkeneFit,
    humans: Annotations,
    sampled: rates.PanelDraws | None,
    level: float,
    rng: np.random.Generator,
) -> dict[str, object]:
    """Return the worth of a label, given that the category is one whose rates are known."""
    total = rated.confusion.sum(axis=1)
    known = total > 0
    prevalence = fit.prevalence[known]
    names = ("bits", "human_bits", "human_labels", "human_labels_lower", "human_labels_upper")
    if known.sum() < 2 <= humans.n_categories or not prevalence.sum():
        return dict.fromkeys(names, np.nan)
    draws = rated.draws if rated.draws is not None and rated.draws.humans.shape[1] else None
    if rated.draws is None and sampled is not None:
        size = (len(sampled.prevalence), *rated.confusion.shape)
        of_judge = rates.dirichlet(np.broadcast_to(rated.confusion, size), rng)
        draws = sampled._replace(judge=of_judge)
    if draws is not None:
        chance = draws.prevalence[:, known]
        draws = rates.PanelDraws(
            chance / chance.sum(axis=1, keepdims=True),
            draws.humans[:, :, known],
            draws.judge[:, known],
        )
    value = worth.worth(
        prevalence / prevalence.sum(),
        fit.confusion[:, known],
        rated.confusion[known] / total[known, None],
        share=np.bincount(humans.annotator, minlength=humans.n_annotators),
        draws=draws,
        level=level,
        rng=rng,
    )
    limits = Interval(value.human_labels, value.lower, value.upper, level, "bayesian")
    if np.isfinite(value.human_labels):
        limits = widen(limits, rated.design_effect, 0.0, np.inf)
    values = (value.bits, value.human_bits, value.human_labels, limits.lower, limits.upper)
    return dict(zip(names, map(float, values), strict=True))


def _prevalence(
    name: str,
    labels: NDArray[np.int64],
    known: NDArray[np.int64],
    humans: Annotations,
    clusters: ArrayLike | None,
    level: float,
    remarks: list[str],
) -> pd.DataFrame:
    tables = []
    for k, category in enumerate(humans.categories[:MAX_CATEGORIES]):
        counts = prevalence.JudgedCounts.of(labels, known, k)
        caution = prevalence.caution_of(counts, level=level)
        rarity = prevalence.rarity_caution(counts)
        found = prevalence.clustered_estimates(labels, known, k, clusters=clusters, level=level)
        own = pd.DataFrame([each._scalars() for each in found])
        own.insert(0, "category", category)
        tables.append(own.assign(judge=name, caution=caution))
        for text in filter(None, (caution, rarity)):
            _say(remarks, f"{name}, category {category!r}: {text}")
    return pd.concat(tables)


def _asked_again(
    annotations: Annotations, judges: Sequence[str], shown_first: ArrayLike | None
) -> pd.DataFrame:
    """Compare a judge's repeated labels of an item, for comparisons within the same order."""
    own = np.isin(annotations.annotator, [annotations.annotators.index(name) for name in judges])
    order = None if shown_first is None else np.asarray(shown_first, dtype=object)[own]
    return consistency.repeat_consistency(annotations.select(labels=own), order=order)


def _position(
    annotations: Annotations,
    judges: Sequence[str],
    clusters: ArrayLike | None,
    shown_first: ArrayLike | None,
    remarks: list[str],
) -> pd.DataFrame:
    """Measure the judges' position bias."""
    if shown_first is None:
        return pd.DataFrame()
    try:
        found = consistency.position_table(annotations, shown_first, clusters=clusters)
    except AnnotationError as error:
        _say(remarks, as_sentence(error, "position_table"))
        return pd.DataFrame()
    return found[found["annotator"].isin(judges)].reset_index(drop=True)


def _plan(fit: DawidSkeneFit | None, epsilon: float, rng: np.random.Generator) -> pd.DataFrame:
    """Estimate how often a judge as good as an average human would pass."""
    if fit is None:
        return pd.DataFrame()
    average = np.nanmean(fit.confusion, axis=0)
    return planning.plan_test(
        fit.prevalence,
        fit.confusion,
        average,
        n_items=(MIN_ITEMS, 100, 200, 400),
        n_humans=(3, 5),
        epsilon=epsilon,
        replicates=100,
        rng=rng,
    )
