"""Coefficients of agreement beside other packages: time, peak memory, and the same values.

Each piece of work runs in a process of its own on one core, so that its memory is its own and
its time, CPU time, is not that of other work on the machine. Labels are handed to every package
in the form that it takes, made outside the clock; ours are fresh annotations, nothing kept from
an earlier call.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from typing import NamedTuple

import numpy as np

from annobench import agreement
from annobench.core.memory import available_memory
from annobench.labels.annotations import Annotations
from benchmarks._measure import alone, timed
from benchmarks._record import Record

#: Seconds, and ratios of speed (design, section 5).
TARGETS = {"alpha": 0.060, "alpha ratio": 500, "fairest ratio": 2, "bootstrap": 0.1}
#: What the krippendorff package holds at once, in tables of items by categories by categories.
TABLES = 3
#: A piece of work is repeated up to so many times, within so many seconds; the best time counts.
REPEATS, SECONDS = 7, 2.0
#: Replicates that are timed where a thousand would take hours; the time is scaled up.
COPIES = 10

RECORD = Record("agreement", "krippendorff", "simpledorff", "scikit-learn", "statsmodels")


class Result(NamedTuple):
    """What one piece of work took: CPU seconds, peak memory above its start, and its value."""

    seconds: float
    peak: float
    value: float


def measured(work: Callable[[], float]) -> Result:
    """Run a piece of work in a process of its own and take the best time of several."""

    def several() -> tuple[float, float]:
        times: list[float] = []
        while len(times) < REPEATS and sum(times) < SECONDS:
            seconds, value = timed(work)
            times.append(seconds)
        return min(times), float(value)

    (seconds, value), peak = alone(several, otherwise=(float("nan"), float("nan")))
    return Result(seconds, peak, value)


def fresh(annotations: Annotations) -> Annotations:
    """Return the same labels with nothing computed yet."""
    return replace(annotations)


def panel(n_items: int, per_item: int, n_annotators: int, n_categories: int) -> Annotations:
    """Return labels of which seven in ten are the item's category, by annotators in rotation."""
    rng = np.random.default_rng(20081)
    item = np.repeat(np.arange(n_items, dtype=np.int32), per_item)
    start = rng.integers(n_annotators, size=n_items)
    turn = np.tile(np.arange(per_item), n_items)
    annotator = ((start[item] + turn) % n_annotators).astype(np.int32)
    truth = rng.integers(n_categories, size=n_items)[item]
    guess = rng.integers(n_categories, size=item.size)
    label = np.where(rng.random(item.size) < 0.7, truth, guess).astype(np.int16)
    return Annotations(
        item,
        annotator,
        label,
        tuple(map(str, range(n_items))),
        tuple(map(str, range(n_annotators))),
        tuple(map(str, range(n_categories))),
    )


def shuffled(annotations: Annotations) -> Annotations:
    """Return the same labels in random order."""
    order = np.random.default_rng(1).permutation(annotations.n_labels)
    return replace(
        annotations,
        item=annotations.item[order],
        annotator=annotations.annotator[order],
        label=annotations.label[order],
    )


def counts_of(annotations: Annotations) -> np.ndarray:
    """Count the labels of each item by category, as a user of NumPy would."""
    cell = annotations.item.astype(np.int64) * annotations.n_categories + annotations.label
    size = annotations.n_items, annotations.n_categories
    return np.bincount(cell, minlength=size[0] * size[1]).reshape(size)


def integers(annotations: Annotations) -> list[np.ndarray]:
    """Return items, annotators and labels as columns of integers, as a data frame has them."""
    columns = annotations.item, annotations.annotator, annotations.label
    return [column.astype(np.int64) for column in columns]


def matrix(annotations: Annotations) -> np.ndarray:
    """Return the table of annotators by items, NaN where there is no label."""
    table = np.full((annotations.n_annotators, annotations.n_items), np.nan)
    table[annotations.annotator, annotations.item] = annotations.label
    return table


def show(work: str, results: dict[str, Result], target: str = "") -> None:
    """Print and record one table: time, ratio to the first row, memory, value."""
    print(f"  {'':<46}{'seconds':>12}{'ratio':>10}{'peak MB':>10}  value")
    first = next(iter(results.values()))
    for name, r in results.items():
        ratio = r.seconds / first.seconds
        print(f"  {name:<46}{r.seconds:>12.4f}{ratio:>10.3g}{r.peak / 1e6:>10,.0f}  {r.value:.15g}")
        RECORD.add(work, name, "time", "s", r.seconds, target if r is first else "")
        RECORD.add(work, name, "times ours", "", ratio)
        RECORD.add(work, name, "peak memory", "MB", r.peak / 1e6)


def peers(*names: str) -> bool:
    """Say whether packages are installed, and what is left out if not."""
    try:
        print("  beside " + ", ".join(f"{name} {version(name)}" for name in names))
    except ModuleNotFoundError as missing:
        print(f"  no ratio: {missing.name} is not installed; see README.md beside this script")
        return False
    return True


def alpha_of(annotations: Annotations) -> float:
    """Return nominal alpha by this library, from labels alone."""
    return agreement.krippendorff_alpha(fresh(annotations)).estimate


def bench_alpha(
    n_items: int, per_item: int, n_annotators: int, n_categories: int, *, slow: bool = False
) -> None:
    """Time nominal alpha; the peer's time grows with annotators, and with categories squared."""
    labels = panel(n_items, per_item, n_annotators, n_categories)
    work = (
        f"Krippendorff's alpha, nominal: {labels.n_labels:,} labels of {n_items:,} items by "
        f"{n_annotators:,} annotators in {n_categories} categories"
    )
    print(f"\n{work}")
    mixed = shuffled(labels)
    columns, wide = integers(labels), matrix(labels).T
    results = {
        "annobench": measured(lambda: alpha_of(labels)),
        "annobench, labels in random order": measured(lambda: alpha_of(mixed)),
        "annobench, from columns of integers": measured(
            lambda: agreement.krippendorff_alpha(Annotations.from_arrays(*columns)).estimate
        ),
        "annobench, from items by annotators": measured(
            lambda: agreement.krippendorff_alpha(Annotations.from_wide(wide)).estimate
        ),
    }
    needs = TABLES * 8 * n_items * n_categories**2
    if needs > 0.9 * available_memory():
        print(f"  no ratio: the krippendorff package needs {needs / 1e9:.0f} GB, more than is free")
    elif peers("krippendorff", "simpledorff"):
        import krippendorff

        table, counts = matrix(labels), labels.counts
        results["krippendorff, from annotators by items"] = measured(
            lambda: krippendorff.alpha(table, level_of_measurement="nominal")
        )
        results["krippendorff, from counts made of the labels"] = measured(
            lambda: krippendorff.alpha(
                value_counts=counts_of(labels), level_of_measurement="nominal"
            )
        )
        results["krippendorff, from counts given to it"] = measured(
            lambda: krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
        )
        if slow:
            import simpledorff

            frame = labels.to_frame()
            results["simpledorff"] = measured(
                lambda: simpledorff.calculate_krippendorffs_alpha_for_df(
                    frame, "item", "annotator", "label"
                )
            )
    at_scale = labels.n_labels == 1_000_000
    target = f"at most {TARGETS['alpha']} s, and {TARGETS['fairest ratio']} times as fast as others"
    show(work, results, target if at_scale else "")


def bench_bootstrap(n_items: int, per_item: int, replicates: int) -> None:
    """Time the bootstrap of alpha over items: by weights, and by resampled copies."""
    labels = panel(n_items, per_item, per_item, 4)
    work = f"Bootstrap of alpha over items, {replicates:,} replicates of {labels.n_labels:,} labels"
    print(f"\n{work}; the value is the standard deviation")

    def weighted() -> float:
        result = agreement.krippendorff_alpha(fresh(labels))
        draws = result.bootstrap(replicates=replicates, rng=np.random.default_rng(1))
        return draws.std(ddof=1)

    def copied(alpha: Callable[[np.ndarray], float]) -> Callable[[], float]:
        def work() -> float:
            rng = np.random.default_rng(1)
            picks = (rng.integers(n_items, size=n_items) for _ in range(COPIES))
            return np.std([alpha(pick) for pick in picks], ddof=1)

        return work

    def own_copies(pick: np.ndarray) -> float:
        codes = labels.label.reshape(n_items, per_item)[pick].ravel()
        return agreement.krippendorff_alpha(replace(labels, label=codes)).estimate

    results = {"annobench, weights": measured(weighted)}
    others: dict[str, Callable[[np.ndarray], float]] = {"annobench, copies": own_copies}
    if peers("krippendorff"):
        import krippendorff

        table, counts = matrix(labels), labels.counts
        others["krippendorff, copies of columns"] = lambda pick: krippendorff.alpha(
            table[:, pick], level_of_measurement="nominal"
        )
        others["krippendorff, copies of counts"] = lambda pick: krippendorff.alpha(
            value_counts=counts[pick], level_of_measurement="nominal"
        )
    for name, alpha in others.items():
        took = measured(copied(alpha))
        results[f"{name} ({COPIES}, scaled up)"] = took._replace(
            seconds=took.seconds * replicates / COPIES
        )
    show(work, results, f"at most {TARGETS['bootstrap']} s")


def bench_cohen(n_items: int) -> None:
    """Time Cohen's kappa of two annotators."""
    labels = panel(n_items, 2, 2, 5)
    labels = replace(labels, annotator=np.tile(np.array([0, 1], np.int32), n_items))
    work = f"Cohen's kappa: {labels.n_labels:,} labels of {n_items:,} items"
    print(f"\n{work}")
    columns = integers(labels)
    codes = columns[2].reshape(n_items, 2)
    results = {
        "annobench": measured(lambda: agreement.cohen_kappa(fresh(labels)).estimate),
        "annobench, from columns of integers": measured(
            lambda: agreement.cohen_kappa(Annotations.from_arrays(*columns)).estimate
        ),
        "annobench, from items by annotators": measured(
            lambda: agreement.cohen_kappa(Annotations.from_wide(codes)).estimate
        ),
    }
    if peers("statsmodels", "scikit-learn"):
        from sklearn.metrics import cohen_kappa_score
        from statsmodels.stats import inter_rater

        results["scikit-learn"] = measured(lambda: cohen_kappa_score(*codes.T))
        results["statsmodels"] = measured(
            lambda: inter_rater.cohens_kappa(inter_rater.to_table(codes)[0]).kappa
        )
    show(work, results)


def bench_fleiss(n_items: int, per_item: int) -> None:
    """Time Fleiss' kappa of complete labels."""
    labels = panel(n_items, per_item, per_item, 4)
    work = f"Fleiss' kappa: {labels.n_labels:,} labels of {n_items:,} items"
    print(f"\n{work}")
    results = {"annobench": measured(lambda: agreement.fleiss_kappa(fresh(labels)).estimate)}
    if peers("statsmodels"):
        from statsmodels.stats import inter_rater

        codes = labels.label.reshape(n_items, per_item).astype(np.int64)
        results["statsmodels"] = measured(
            lambda: inter_rater.fleiss_kappa(inter_rater.aggregate_raters(codes)[0])
        )
    show(work, results)


def main() -> None:
    """Measure everything and print the tables."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    importlib.import_module("annobench.labels._kernels")  # loading is a matter of commands
    agreement.krippendorff_alpha(panel(100, 3, 5, 4)).bootstrap(
        replicates=2, rng=np.random.default_rng(0)
    )
    bench_alpha(1_000, 10, 50, 4, slow=True)
    bench_alpha(100_000, 10, 500, 4)
    bench_alpha(100_000, 10, 500, 70)
    bench_bootstrap(5_000, 10, 1_000)
    bench_cohen(500_000)
    bench_fleiss(100_000, 10)
    print(
        f"\nTargets: alpha of 1,000,000 labels in {TARGETS['alpha']} s, {TARGETS['alpha ratio']} "
        f"times as fast as the krippendorff package; the bootstrap in {TARGETS['bootstrap']} s."
    )
    RECORD.save()


if __name__ == "__main__":
    main()
