"""Judges in use: comparisons of systems, biases, drift over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.judges.bias import judge_bias
from annobench.judges.drift import JudgeDrift, judge_drift
from annobench.judges.scores import score_items, values_of_categories
from annobench.judges.systems import SystemComparison, compare_systems
from annobench.labels.annotations import Annotations
from annobench.labels.column_kinds import number_of
from annobench.labels.doubts import doubtful_spellings
from annobench.labels.frames import as_annotations

__all__ = ["AtWork", "examine"]

Floats = NDArray[np.float64]

#: Tests below this are said to be significant.
SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, eq=False)
class AtWork:
    """Results on systems, bias and drift.

    Attributes
    ----------
    score : str
        Definition of the score; empty if none was needed.
    systems : dict of str to SystemComparison
        Comparisons by judge; empty unless systems were compared.
    bias : DataFrame
        As from `judge_bias`, with the judge in front; empty unless requested.
    drift : dict of str to JudgeDrift
        Drift of the judges that labelled the anchor items at two or more times; empty unless
        requested.
    remarks : list of str
        What could not be estimated, and cautions.
    level : float
        Level of the intervals.
    """

    score: str = ""
    systems: dict[str, SystemComparison] = field(default_factory=dict)
    bias: pd.DataFrame = field(default_factory=pd.DataFrame)
    drift: dict[str, JudgeDrift] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    level: float = 0.95

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that are not empty, by name."""
        compared, followed = self.systems.items(), self.drift.items()
        found = {
            "systems": _by_judge((name, each.systems) for name, each in compared),
            "differences": _by_judge((name, each.differences) for name, each in compared),
            "slices": _by_judge((name, each.slices) for name, each in compared),
            "bias": self.bias,
            "over_time": _by_judge((name, each.windows) for name, each in followed),
            "drift": _by_judge((name, each.tests) for name, each in followed),
        }
        return {name: table for name, table in found.items() if len(table)}


def examine(
    annotations: Annotations,
    judges: Sequence[str],
    *,
    gold: Mapping[str, str] | None = None,
    category: str | None = None,
    systems: ArrayLike | None = None,
    baseline: str | None = None,
    slices: Sequence[str | None] | None = None,
    lengths: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    own: Mapping[str, str] | None = None,
    times: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> AtWork:
    """Compare systems, and estimate biases and drift, as requested.

    Parameters
    ----------
    annotations : Annotations
        Labels of humans and judges.
    judges : sequence of str
        Names of the judges among the annotators.
    gold : mapping of str to str, optional
        Categories of some items, used instead of the humans' labels.
    category : str, optional
        The category whose share is the score; by default the score is the mean label.
    systems : array_like of str, shape (I,), optional
        The system that gave each answer; compares systems.
    baseline, slices
        As of `compare_systems`.
    lengths : sequence of str, shape (I,), optional
        Length of each answer; or, for comparisons of two answers, the category of the longer one,
        or any other text if neither is longer.
    families : sequence of str, shape (I,), optional
        The family of the system that gave each answer.
    own : mapping of str to str, optional
        Family of each judge; by default the judge's name.
    times : array_like of datetime64 or float, shape (N,), optional
        Time of each label; needed for drift.
    clusters : array_like, shape (I,), optional
        Cluster of each item, such as its question.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed, of the test of drift.

    Returns
    -------
    AtWork
        The requested results.

    Raises
    ------
    AnnotationError
        As for `score_items`, `compare_systems`, `judge_bias` and `judge_drift`; or if lengths are
        neither numbers nor categories.
    """
    a = as_annotations(annotations, "examine")
    remarks: list[str] = []
    compared: dict[str, SystemComparison] = {}
    tables: list[tuple[str, pd.DataFrame]] = []
    followed: dict[str, JudgeDrift] = {}
    longer = None if lengths is None else _longer_answers(a, lengths)
    scores = None
    if systems is not None or families is not None or (lengths is not None and longer is None):
        scores = score_items(a, judges, gold=gold, category=category)
    if scores is not None and systems is not None:
        for name, judge in scores.judges.items():
            compared[name] = compare_systems(
                judge,
                scores.human,
                systems,
                clusters=clusters,
                baseline=baseline,
                slices=None if slices is None else np.array(slices, dtype=object),
                level=level,
            )
            remarks += _said_of_selection(name, compared[name])
    if longer is not None:
        picks = score_items(a, judges, gold=gold, values=longer)
        for name, judge in picks.judges.items():
            found = judge_bias(judge, picks.human, clusters=clusters, level=level)
            tables.append((name, found.assign(bias="longer answer")))
    if scores is not None and (families is not None or (lengths is not None and longer is None)):
        measured = None if longer is not None or lengths is None else _numbers(lengths)
        for name, judge in scores.judges.items():
            is_own = None if families is None else _own(name, families, own or {}, remarks)
            found = judge_bias(
                judge, scores.human, lengths=measured, own=is_own, clusters=clusters, level=level
            )
            tables.append((name, found))
    if times is not None:
        followed = judge_drift(
            a,
            judges,
            times,
            gold=gold,
            values=_values(a, category),
            clusters=clusters,
            level=level,
            rng=rng,
        )
        remarks += [
            f"{name} drift was not estimated: it labelled no anchor items at two times."
            for name in judges
            if name not in followed
        ]
    for what, names in (("systems", systems), ("families", families), ("slices", slices)):
        given = [] if names is None else np.asarray(names, dtype=object).tolist()
        remarks += doubtful_spellings(
            what, dict.fromkeys(str(name) for name in given if name is not None)
        )
    bias = _by_judge(tables)
    return AtWork("" if scores is None else scores.of, compared, bias, followed, remarks, level)


def _by_judge(tables: Iterable[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """Concatenate tables, with the judge in front."""
    given = [(name, table) for name, table in tables if len(table)]
    if not given:
        return pd.DataFrame()
    found = pd.concat([table.assign(judge=name) for name, table in given], ignore_index=True)
    found.insert(0, "judge", found.pop("judge"))
    return found


def _said_of_selection(judge: str, found: SystemComparison) -> list[str]:
    """Caution if humans seem not to have scored a random sample of the answers."""
    if not found.selection["p_value"] < SIGNIFICANT:
        return []
    more, p_value = found.selection["estimate"], found.selection["p_value"]
    return [
        f"{judge} scores the answers scored by humans {abs(more):.2g} "
        f"{'higher' if more > 0 else 'lower'} than others of the same system (p = {p_value:.2g}). "
        "The correction assumes that humans scored a random sample."
    ]


def _longer_answers(a: Annotations, lengths: Sequence[str]) -> Floats | None:
    """Return each category's value on each item, if lengths name the longer of two answers."""
    names = [plain_number(name) for name in lengths]
    measured = np.isfinite([number_of(name) for name in names])
    code = {name: k for k, name in enumerate(a.categories)}
    longer = np.array([code.get(name, -1) for name in names])
    answers = np.unique(longer[longer >= 0])
    if measured.all():
        return None
    if answers.size < 2:
        shown = names[int(np.argmin(measured))]
        raise AnnotationError(
            f"--length: {shown!r} is not a number, and fewer than two categories are named as the "
            "longer answer. Give the length of each answer or, for comparisons of two answers, "
            "the category of the longer one."
        )
    values = np.full((a.n_items, a.n_categories), 0.5)
    values[:, answers] = 0.0
    known = np.flatnonzero(longer >= 0)
    values[known, longer[known]] = 1.0
    values[longer < 0] = np.nan
    return values


def _numbers(lengths: Sequence[str]) -> Floats:
    return np.array([number_of(length) for length in lengths])


def _own(
    judge: str, families: Sequence[str], own: Mapping[str, str], remarks: list[str]
) -> NDArray[np.bool_] | None:
    """Return which answers are of the judge's family, if any are."""
    family = own.get(judge, judge)
    found = np.array([name == family for name in families])
    if found.any():
        return found
    remarks.append(
        f"{judge}: no answer is by the family {family!r}, so self-preference is not estimated. "
        f"Name its family with --own {judge}=FAMILY; there are "
        f"{', '.join(map(repr, dict.fromkeys(families)))}."
    )
    return None


def _values(a: Annotations, category: str | None) -> Floats | None:
    """Return the categories' values for score differences, if defined."""
    try:
        return values_of_categories(a, category)[0]
    except AnnotationError:
        if category is not None:
            raise
        return None
