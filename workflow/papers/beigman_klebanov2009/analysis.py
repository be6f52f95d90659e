"""Recompute Beigman Klebanov and Beigman (2009) from its formulas and printed projects.

Nothing is drawn at random: every value follows from numbers printed in the text.
"""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import bounds, classifiers, figures, footnote3, kappa
from .printed import NAMES, Printed

#: Size of the project whose coverage is computed, and points on a curve, by effort.
COVERAGE_ITEMS = {"full": 200, "quick": 20}
CURVE_POINTS = {"full": 73, "quick": 8}
LETTERS = (
    "A: two annotators, section 3.1. B: Poesio and Vieira. C: what section 3.1 asks in reverse. "
    "D: five annotators, section 3.2. E: three annotators, section 5.3."
)


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 3 to 5 of the paper, and the coverage of its bound."""
    printed = Printed.read(study)
    level, size = printed.level, CURVE_POINTS[effort]
    of = {"of": "closed_form"}
    letters = of | {"caption": {"projects": LETTERS}}

    found, splits = bounds.cases(printed), kappa.splits(printed)
    differences, counts = classifiers.differences(printed), footnote3.guess_counts(printed)
    results.values(bounds.values(found, printed), **of)
    results.values(bounds.rates(found, printed), **of)
    results.values(kappa.kappas(splits, level), **of)
    results.values(kappa.values(splits, found, printed), **of)
    results.values(classifiers.values(printed, found), **of)
    wrong = {"five.kappa_3_2": splits.loc["five.kappa_3_2", "without_minority_pairs"]}
    other = {"pairs of the minority not counted": wrong} | classifiers.other_methods(differences)
    other |= bounds.other_methods(found, counts, printed)
    for method, by_target in other.items():
        results.values(by_target, method=method, **of)

    results.table("cases", bounds.with_exact_tails, found, **of)
    results.table("readings", bounds.readings, printed, **of)
    results.table("splits", kappa.in_words(splits), **of)
    tolerance = results.table("tolerance", bounds.tolerance, printed, **of)
    mixtures = results.table("kappa", kappa.mixtures, **of)
    named = differences.replace({"case": NAMES}).rename(columns={"case": "project"})
    results.table("differences", named, **of)
    annotators = results.table("annotators", bounds.annotators, printed, **of)
    results.table("guess_counts", counts, **of)
    estimated = results.table("footnote3", footnote3.consequences, printed, **of)
    coverage = results.table("coverage", footnote3.coverage, level, COVERAGE_ITEMS[effort], **of)
    results.table("wsj", classifiers.taggers, printed, **of)

    results.figure("posterior", figures.posterior, found, **letters)
    results.figure("noise", figures.noise, found, printed, size, **letters)
    results.figure("tolerance", figures.tolerance, tolerance, printed, size, **letters)
    results.figure("splits", figures.splits, splits, printed.projects.loc["five"], **of)
    results.figure("kappa", figures.kappa, found, splits, mixtures, printed, **letters)
    results.figure("difference", figures.difference, differences, printed, **letters)
    results.figure("annotators", figures.annotators, annotators, **letters)
    results.figure("footnote3", figures.footnote3, estimated, counts, printed, **letters)
    results.figure("coverage", figures.coverage, coverage, estimated, level, **of)
