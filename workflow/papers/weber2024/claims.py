"""The conclusions of the abstract: differences of average precision, with intervals over pairs."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.evaluation.error_detection import average_precision, average_precision_replicates
from annobench.resampling.intervals import percentile_interval
from annobench.resampling.weights import draw_counts
from annobench_replication.analysis import Effort

from .values import METHODS, PER_CENT, Scored, ranked

REPLICATES = {"full": 2_000, "quick": 100}
LEVEL = 0.95
#: What is compared where: the file of results, and whether labels of few annotators come first.
WHERE = {
    "all labels": ("all", False),
    "all labels, rare ones first": ("all", True),
    "labels that one annotator gave": ("single", False),
}
CONCLUSIONS = "all labels"


class Precision(NamedTuple):
    """Average precision of a method, in per cent: the estimate, and on resampled pairs."""

    estimate: float
    replicates: np.ndarray


Precisions = dict[str, dict[str, Precision]]


def precisions(scored: Scored, rng: np.random.Generator, effort: Effort) -> Precisions:
    """Compute average precision of each method where it is compared, on the same samples."""
    codes, pairs = pd.factorize(scored.labels["pair"])
    counts = draw_counts(len(pairs), REPLICATES[effort], rng)[:, codes]
    found: Precisions = {}
    for name, (file, rerank) in WHERE.items():
        found[name] = {}
        for key, method in METHODS.items():
            runs = [ranked(scored, file, each, rerank=rerank) for each in method.scores]
            known = [run for run in runs if run is not None]
            if known:
                found[name][key] = Precision(
                    PER_CENT * np.mean([average_precision(r.target, r.score) for r in known]),
                    PER_CENT
                    * np.mean(
                        [
                            average_precision_replicates(r.target, r.score, counts[:, r.place])
                            for r in known
                        ],
                        axis=0,
                    ),
                )
    return found


def best(found: dict[str, Precision], *kinds: str, without: str = "") -> str:
    """Return the method of some kinds with the highest average precision."""
    own = [key for key in found if METHODS[key].kind in kinds and key != without]
    return max(own, key=lambda key: found[key].estimate)


def comparisons(found: dict[str, Precision]) -> Iterator[tuple[str, str, str]]:
    """Name what the abstract compares: the claim, the better method and the worse one."""
    trained, human = best(found, "trained"), best(found, "human")
    if "gpt4" in found:
        yield "gpt4_over_trained", "gpt4", trained
    if "gpt35" in found:
        yield "gpt35_over_trained", "gpt35", trained
    yield "humans_over_trained", human, trained
    if "gpt4" in found:
        yield "gpt4_best", "gpt4", best(found, "trained", "prompted", without="gpt4")
        yield "humans_over_gpt4", human, "gpt4"


def difference(better: Precision, worse: Precision) -> tuple[float, float, float]:
    """Return the difference with its interval."""
    estimate = better.estimate - worse.estimate
    limits = percentile_interval(estimate, better.replicates - worse.replicates, LEVEL)
    return estimate, float(limits.lower), float(limits.upper)


def claim_values(found: Precisions) -> dict[str, float]:
    """Return the lower ends of the differences: above 0, the difference is significant."""
    own = found[CONCLUSIONS]
    return {
        f"claim.{claim}": difference(own[better], own[worse])[1]
        for claim, better, worse in comparisons(own)
    }


def claims_table(found: Precisions) -> pd.DataFrame:
    """Return each comparison where it is made, with its interval."""
    rows = [
        (
            where,
            claim,
            METHODS[better].name,
            METHODS[worse].name,
            *difference(own[better], own[worse]),
        )
        for where, own in found.items()
        for claim, better, worse in comparisons(own)
    ]
    columns = ["where", "claim", "better", "worse", "difference", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)


def precisions_table(found: Precisions) -> pd.DataFrame:
    """Return average precision of each method where it is compared, with its interval."""
    rows = []
    for where, own in found.items():
        for key, each in own.items():
            limits = percentile_interval(each.estimate, each.replicates, LEVEL)
            about = METHODS[key]
            rows.append(
                (
                    where,
                    about.name,
                    about.kind,
                    each.estimate,
                    float(limits.lower),
                    float(limits.upper),
                )
            )
    columns = ["where", "method", "kind", "average_precision", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)
