"""How sure the measures are, over items and over votes, and what follows for the conclusions."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from annobench.agreement import krippendorff_alpha
from annobench.datasets import LoadedData
from annobench.evaluation.soft_labels import calibration_to_humans, soft_scores
from annobench.resampling.intervals import percentile_interval
from annobench.resampling.weights import draw_counts
from annobench_replication.analysis import Effort
from annobench_replication.rows import interval_columns

from .values import (
    MEASURES,
    MODELS,
    Compared,
    Items,
    Settings,
    calibration_error,
    classifiers,
    relative,
    scores,
)

REPLICATES = {"full": 1_000, "quick": 50}
REDRAWN = {"full": 100, "quick": 3}
LEVEL = 0.95
TEMPERATURES = tuple(np.arange(10, 61, 2) / 10)
#: Votes of a human of whom the others' votes are predicted, and how many are held out.
VOTES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50)
HELD_OUT = 50


def resampled(
    predicted: np.ndarray, shares: np.ndarray, bins: int, counts: np.ndarray
) -> dict[str, np.ndarray]:
    """Compute the five measures on resampled items."""
    found = calibration_to_humans(predicted, shares, ties="last")
    n = counts.sum(axis=1)
    return {
        "acc": counts @ found.item_correct / n,
        "ece": np.asarray(calibration_error(predicted, shares, bins, counts)),
        "rankcs": counts @ found.item_ranking / n,
        "entce": counts @ found.item_entropy_error / n,
        "distce": counts @ found.item_distance / n,
    }


def claim_values(
    items: Items, compared: Compared, settings: Settings, rng: np.random.Generator, effort: Effort
) -> dict[str, float]:
    """Return the lower ends of three differences: above 0, they are significant.

    The humans are compared with votes that are not theirs.
    """
    counts = draw_counts(len(items.votes), REPLICATES[effort], rng)
    errors = {
        name: np.asarray(calibration_error(own, items.shares, settings.bins, counts))
        for name, own in classifiers(items, settings.temperature).items()
    }
    oracle = errors.pop("oracle")
    of_table2 = {
        name: resampled(own, compared.shares, settings.bins, counts)
        for name, own in compared.predicted.items()
    }
    human, scaled = of_table2["h1"], of_table2["roberta_ts"]
    return {
        "claim.oracle": _lower(oracle - np.max(list(errors.values()), axis=0)),
        "claim.humans_ece": _lower(human["ece"] - scaled["ece"]),
        "claim.humans_distce": _lower(scaled["distce"] - human["distce"]),
    }


def _lower(replicates: np.ndarray) -> float:
    return float(percentile_interval(float(replicates.mean()), replicates, LEVEL).lower)


def uncertainty_table(
    items: Items, settings: Settings, rng: np.random.Generator, effort: Effort
) -> pd.DataFrame:
    """Return each cell of Table 1 with its interval over items, and what other votes would give."""
    counts = draw_counts(len(items.votes), REPLICATES[effort], rng)
    columns = classifiers(items, settings.temperature)
    redrawn = [
        relative(rng.multinomial(items.votes.sum(axis=1), items.shares))
        for _ in range(REDRAWN[effort])
    ]
    rows = []
    for name, predicted in columns.items():
        estimate = scores(predicted, items.shares, settings.bins)
        drawn = resampled(predicted, items.shares, settings.bins, counts)
        others = pd.DataFrame([scores(predicted, shares, settings.bins) for shares in redrawn])
        for measure, value in estimate.items():
            over_items = percentile_interval(value, drawn[measure], LEVEL)
            over_votes = percentile_interval(value, others[measure].to_numpy(), LEVEL)
            rows.append(
                {
                    "classifier": name,
                    "measure": MEASURES[measure],
                    "value": value,
                    **interval_columns(over_items),
                    "with_other_votes": others[measure].mean(),
                    **interval_columns(over_votes, "with_other_votes_"),
                }
            )
    return pd.DataFrame(rows)


def ties_table(items: Items, settings: Settings) -> pd.DataFrame:
    """Return accuracy and RankCS by the rule for ties, and over all ways to break them."""
    rows = []
    for name, predicted in classifiers(items, settings.temperature).items():
        found = {
            ties: calibration_to_humans(predicted, items.shares, ties=ties)
            for ties in ("last", "first", "expected")
        }
        for measure, field in (("Acc", "item_correct"), ("RankCS", "item_ranking")):
            each = getattr(found["expected"], field)
            rows.append(
                {
                    "classifier": name,
                    "measure": measure,
                    **{ties: getattr(own, field).mean() for ties, own in found.items()},
                    "lowest": (each == 1).mean(),
                    "highest": (each > 0).mean(),
                }
            )
    return pd.DataFrame(rows)


def temperatures_table(items: Items, settings: Settings) -> pd.DataFrame:
    """Return four measures by temperature and model."""
    rows = []
    for model in MODELS:
        for temperature in TEMPERATURES:
            predicted = items.predicted(model, temperature)
            found = scores(predicted, items.shares, settings.bins)
            soft = soft_scores(predicted, items.shares)
            rows.append(
                {
                    "model": model,
                    "temperature": temperature,
                    "ECE": found["ece"],
                    "DistCE": found["distce"],
                    "EntCE": found["entce"],
                    "cross_entropy": soft.cross_entropy,
                }
            )
    return pd.DataFrame(rows)


def best_temperatures(table: pd.DataFrame) -> pd.DataFrame:
    """Return the temperature that each measure prefers, by model."""
    measures = ["ECE", "DistCE", "EntCE", "cross_entropy"]
    by_model = table.set_index("temperature").groupby("model")[measures]
    return by_model.idxmin().reset_index()


def votes_table(
    items: Items, settings: Settings, rng: np.random.Generator, effort: Effort
) -> pd.DataFrame:
    """Compare n votes, and the models, with votes that are held out."""
    categories = np.tile(np.arange(items.votes.shape[1]), len(items.votes))
    code = np.repeat(categories, items.votes.ravel())
    by_item = rng.permuted(code.reshape(len(items.votes), -1), axis=1)
    held_out = relative(_counted(by_item[:, -HELD_OUT:]))
    predicted = {f"{n} votes": relative(_counted(by_item[:, :n])) for n in VOTES} | classifiers(
        items, settings.temperature
    )
    predicted.pop("oracle")
    counts = draw_counts(len(items.votes), REPLICATES[effort], rng)
    rows = []
    for name, own in predicted.items():
        found = resampled(own, held_out, settings.bins, counts)
        of_all = scores(own, held_out, settings.bins)
        row: dict[str, object] = {"predicted": name}
        for measure in ("distce", "ece"):
            limits = percentile_interval(of_all[measure], found[measure], LEVEL)
            row[MEASURES[measure]] = of_all[measure]
            row |= interval_columns(limits, f"{MEASURES[measure]}_")
        rows.append(row)
    return pd.DataFrame(rows)


def _counted(codes: np.ndarray) -> np.ndarray:
    return np.stack([(codes == k).sum(axis=1) for k in range(3)], axis=1)


def labels_table(items: Items) -> pd.DataFrame:
    """Count what the copy holds, and where earlier labels and votes differ."""
    top = items.votes.max(axis=1, keepdims=True)
    before = items.before.argmax(axis=1)
    rows = [
        ("items", len(items.votes)),
        ("items with five earlier labels", int((items.before.sum(axis=1) == 5).sum())),
        ("items with four earlier labels", int((items.before.sum(axis=1) == 4).sum())),
        ("items with 100 votes", int((items.votes.sum(axis=1) == 100).sum())),
        ("items on which all votes agree", int((top[:, 0] == items.votes.sum(axis=1)).sum())),
        ("items with a tied majority", int(((items.votes == top).sum(axis=1) > 1).sum())),
        ("items with any tied categories", int(_has_ties(items.votes).sum())),
        (
            "items whose most frequent earlier label is not the votes'",
            int((items.votes[np.arange(len(before)), before] < top[:, 0]).sum()),
        ),
    ]
    return pd.DataFrame(rows, columns=["what", "count"])


def _has_ties(votes: np.ndarray) -> np.ndarray:
    return np.asarray((np.diff(np.sort(votes, axis=1), axis=1) == 0).any(axis=1))


def agreement_table(sets: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Estimate Krippendorff's alpha of the votes of each set."""
    rows = []
    for name, data in sets.items():
        alpha = krippendorff_alpha(data.annotations)
        share = relative(data.annotations.counts)
        rows.append(
            {
                "set": name.removeprefix("chaosnli_"),
                "items": len(share),
                "alpha": alpha.estimate,
                **interval_columns(alpha.interval()),
                "votes_for_the_majority": share.max(axis=1).mean(),
                "entropy": float(soft_scores(share, share).entropy),
            }
        )
    return pd.DataFrame(rows)
