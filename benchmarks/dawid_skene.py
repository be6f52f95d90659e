"""EM of Dawid and Skene's model beside crowd-kit and plain NumPy: time, growth, memory, the floor.

The time of an iteration is the difference of two fits that differ by some iterations, so that
reading and sorting the labels cancel. It is CPU time on one core, and elapsed time where it says
so, which two threads need; other work on the machine slows both, and the least of the repeats is
printed, which go on for the same time for everyone. Every piece of work runs in a process of its
own. Its peak memory is what it takes beyond the labels that it is given.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.core.memory import available_memory
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from benchmarks._measure import alone, timed
from benchmarks._record import Record
from benchmarks.agreement import panel, peers

#: Nanoseconds per label and iteration by K, ratio of speed, bytes per label (design, section 5).
TARGETS = {2: 12, 4: 14, "ratio": 30, "bytes": 40}
#: Times the floor on two threads, by K, from a million labels on.
NEAR = {2: 2, 4: 3}
N_ANNOTATORS, PER_ITEM = 500, 10
#: No contender: what an iteration must move, at the speed at which memory is read.
FLOOR = "floor, bytes over speed"
#: Peers are left out beyond these numbers of labels, where they would take minutes.
LARGEST = {"crowd-kit": 1_000_000, "NumPy": 10_000_000}

#: Seconds for which every contender's fits are repeated; three fits at least.
BUDGET = 8

RECORD = Record("dawid_skene", "crowd-kit", "pandas", "pyarrow")


class Result(NamedTuple):
    """Seconds of one iteration and of all before it, peak bytes, and some posteriors."""

    iteration: float
    rest: float
    peak: float
    posterior: np.ndarray


Fit = Callable[[int], np.ndarray]


def measured(fit: Fit, n_more: int, clock: Callable[[], float]) -> Result:
    """Time a fit with one and with more iterations, in a process of its own."""

    def several() -> tuple[float, float, np.ndarray]:
        few, many = [], []
        start = time.perf_counter()
        while len(few) < 3 or time.perf_counter() - start < BUDGET:
            few.append(timed(lambda: fit(1), clock)[0])
            seconds, posterior = timed(lambda: fit(1 + n_more), clock)
            many.append(seconds)
        each = (min(many) - min(few)) / n_more
        return each, min(few) - each, posterior[:1_000]

    nothing = float("nan"), float("nan"), np.full((1, 1), np.nan)
    (iteration, rest, posterior), peak = alone(several, otherwise=nothing)
    return Result(iteration, rest, peak, posterior)


def by_us(annotations: Annotations, threads: int) -> Fit:
    """Return our fit, unsmoothed; its posterior comes after as many E-steps as iterations."""

    def fit(n: int) -> np.ndarray:
        return dawid_skene.fit(
            annotations, smoothing=0, tolerance=0, max_iterations=n, threads=threads
        ).posterior

    return fit


def by_numpy(a: Annotations) -> Fit:
    """Return a fit by whole-array operations on the labels."""
    k = a.n_categories

    def update(posterior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cell = a.annotator.astype(np.int64) * k + a.label
        size = a.n_annotators * k
        counts = np.stack(
            [np.bincount(cell, posterior[a.item, c], minlength=size) for c in range(k)]
        ).reshape(k, -1, k)
        return posterior.mean(axis=0), counts / counts.sum(axis=2, keepdims=True)

    def fit(n: int) -> np.ndarray:
        posterior = a.counts / a.counts.sum(axis=1, keepdims=True)
        for _ in range(n + 1):  # ours has an E-step after the last update
            prevalence, matrix = update(posterior)
            with np.errstate(divide="ignore"):
                logs = np.log(matrix)
            joint = np.log(prevalence) + np.stack(
                [
                    np.bincount(a.item, logs[c, a.annotator, a.label], minlength=a.n_items)
                    for c in range(k)
                ],
                axis=1,
            )
            joint = np.exp(joint - joint.max(axis=1, keepdims=True))
            posterior = joint / joint.sum(axis=1, keepdims=True)
        return posterior

    return fit


def by_crowd_kit(a: Annotations) -> Fit:
    """Return crowd-kit's fit; the frame it takes is made outside the clock."""
    from crowdkit.aggregation import DawidSkene

    frame = pd.DataFrame({"task": a.item, "worker": a.annotator, "label": a.label})

    def fit(n: int) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = DawidSkene(n_iter=n + 1, tol=-np.inf).fit(frame)
        return model.probas_.sort_index().sort_index(axis=1).to_numpy()

    return fit


def bandwidth() -> float:
    """Return bytes a second that one core reads, the best of several sums of a large array."""
    block = np.ones(64_000_000)  # more than a processor's caches hold
    best = np.inf
    for _ in range(8):
        before = time.process_time()
        block.sum()
        best = min(best, time.process_time() - before)
    return block.nbytes / best


def bytes_moved(a: Annotations) -> float:
    """Return what an iteration must read and write: cells, offsets, and the posteriors."""
    return 4 * a.n_labels + 8 * a.n_items + 2 * 8 * a.n_items * a.n_categories


def contenders(a: Annotations) -> Iterator[tuple[str, Fit, int, Callable[[], float]]]:
    """Yield name, fit, iterations to time, and clock."""
    # As many as take longer than all before them, whose time varies.
    many = int(np.clip(3e7 / a.n_labels, 20, 200))
    yield "annobench, one thread", by_us(a, 1), many, time.process_time
    yield "the same, elapsed", by_us(a, 1), many, time.perf_counter
    yield "two threads, elapsed", by_us(a, 2), many, time.perf_counter
    if a.n_labels <= LARGEST["NumPy"]:
        yield "plain NumPy", by_numpy(a), 3, time.process_time
    if a.n_labels <= LARGEST["crowd-kit"]:
        try:
            yield "crowd-kit", by_crowd_kit(a), 2, time.process_time
        except ModuleNotFoundError:
            return


def bench(n_labels: int, n_categories: int, speed: float) -> None:
    """Measure everybody on one set of labels and print a table."""
    a = panel(n_labels // PER_ITEM, PER_ITEM, N_ANNOTATORS, n_categories)
    floor = bytes_moved(a) / speed
    work = (
        f"EM of Dawid and Skene's model: {a.n_labels:,} labels of {a.n_items:,} items by "
        f"{N_ANNOTATORS} annotators in {n_categories} categories"
    )
    print(
        f"\n{work}\n"
        f"  {'':<26}{'ns per label':>14}{'of the':>9}{'ratio':>9}{'rest':>10}{'peak bytes':>12}"
        f"{'largest':>12}\n  {'':<26}{'and iteration':>14}{'floor':>9}{'':>9}{'seconds':>10}"
        f"{'a label':>12}{'difference':>12}"
    )
    target = ""
    if n_labels >= 1_000_000:
        target = f"two threads at most {NEAR[n_categories]} times the floor"
    if n_labels == 1_000_000:
        target = f"{targets(n_categories)}; {target}"
    ours, reference = None, {}
    for name, fit, n_more, clock in contenders(a):
        r = measured(fit, n_more, clock)
        if n_more not in reference:
            reference[n_more] = by_us(a, 1)(1 + n_more)[:1_000]
        ours = ours or r
        same = f"{np.abs(r.posterior - reference[n_more]).max():.0e}"
        nanoseconds = r.iteration / a.n_labels * 1e9
        print(
            f"  {name:<26}{nanoseconds:>14.2f}{r.iteration / floor:>9.1f}"
            f"{r.iteration / ours.iteration:>9.1f}{r.rest:>10.3f}{r.peak / a.n_labels:>12.1f}"
            f"{same:>12}"
        )
        RECORD.add(work, name, "time per label and iteration", "ns", nanoseconds, target)
        RECORD.add(work, name, "times ours", "", r.iteration / ours.iteration)
        RECORD.add(work, name, "times the floor", "", r.iteration / floor)
        RECORD.add(work, name, "before the first iteration", "s", r.rest)
        RECORD.add(work, name, "peak memory per label", "bytes", r.peak / a.n_labels)
        target = ""
    print(f"  {FLOOR:<26}{floor / a.n_labels * 1e9:>14.2f}{1.0:>9.1f}")
    RECORD.add(work, FLOOR, "time per label and iteration", "ns", floor / a.n_labels * 1e9)
    RECORD.add(work, FLOOR, "times ours", "", floor / ours.iteration)
    RECORD.add(work, FLOOR, "times the floor", "", 1)


def targets(n_categories: int) -> str:
    """Say what is aimed at with a million labels."""
    return (
        f"at most {TARGETS[n_categories]} ns, {TARGETS['ratio']} times as fast as crowd-kit, at "
        f"most {TARGETS['bytes']} bytes per label"
    )


def main() -> None:
    """Measure everything and print the tables."""
    dawid_skene.fit(panel(100, 3, 5, 4), max_iterations=2)
    peers("crowd-kit")
    speed = bandwidth()
    print(f"  one core reads {speed / 1e9:.1f} GB a second")
    for n_labels in (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000):
        if n_labels == 100_000_000 and available_memory() < 16e9:
            continue
        for n_categories in (2, 4):
            bench(n_labels, n_categories, speed)
    print("\nTargets, 1,000,000 labels:")
    for n_categories in (2, 4):
        print(f"  {n_categories} categories: {targets(n_categories)}")
    RECORD.save()


if __name__ == "__main__":
    main()
