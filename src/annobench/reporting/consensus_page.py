"""A consensus as one page that opens offline: items' categories, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import entr

from annobench import models
from annobench.aggregation._tables import MAX_DOUBTFUL
from annobench.aggregation.consensus import CERTAIN, Consensus
from annobench.core.choices import DEFAULT_MODEL
from annobench.evaluation.calibration import BIASED, MAP_TAKEN_AS_KNOWN
from annobench.labels.annotations import Annotations
from annobench.models.base import ConfusionFit
from annobench.reporting import figures, pages, report_page
from annobench.reporting.formats import percent
from annobench.reporting.pages import records

__all__ = ["MAX_CATEGORIES", "THRESHOLDS", "render"]

#: Rows of each table.
MAX_ITEMS: Final = 15
MAX_ANNOTATORS: Final = 25
MAX_CATEGORIES: Final = 30
MAX_CONFUSED: Final = 5
#: What readers should know of the default model's intervals of the prevalence.
RARE: Final = "Those of categories that are hardly more frequent than errors are too narrow."
#: Characters of what annotators saw.
MAX_TEXT: Final = 160
#: A label that tells less than this share of the entropy of the categories is near chance.
NEAR_CHANCE: Final = 0.1
#: The thresholds of the table of rules.
THRESHOLDS: Final = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


def render(
    found: Consensus,
    annotations: Annotations,
    *,
    source: str,
    remarks: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    commands: Mapping[str, str] | None = None,
) -> str:
    """Render the page of a consensus.

    Parameters
    ----------
    found : Consensus
        The consensus.
    annotations : Annotations
        The labels.
    source : str
        Source of the labels, such as the name of the file.
    remarks : sequence of str
        How the labels were prepared, such as answers left out.
    texts : mapping of str to str, optional
        What annotators saw, by item.
    commands : mapping of str to str, optional
        How `report_page.FOLLOWING` are typed for these labels; by default with the source as the
        file.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    items = found.items
    return pages.render(
        "consensus.html.j2",
        title=f"Consensus: {source}",
        source=source,
        model=found.model,
        method=models.get(found.model).METHOD,
        facts=report_page.facts(annotations),
        certain=float(items["probability"].ge(CERTAIN).mean()),
        threshold=CERTAIN,
        premise=found.fitted.premise(),
        remarks=list(remarks),
        warnings=list(found.remarks),
        tied=int(items["tied_vote"].sum()),
        prevalence=_prevalence(found),
        histogram_svg=figures.distribution(
            "certainty-histogram",
            items["probability"],
            (1 / max(2, annotations.n_categories), 1.0),
            of="items",
            over="probability of the category",
        ),
        rules=_rules(items),
        doubtful=_doubtful(items, texts or {}),
        overruled=_overruled(found, texts or {}),
        few_labels=found.fitted.has_few_labels(annotations),
        annotators=_annotators(found),
        labels=_labels(found, texts or {}),
        confused=_confused(found),
        gold=_gold(found),
        sets=_sets(found),
        predictions=_predictions(found),
        commands=commands or report_page.following(source),
    )


def _prevalence(found: Consensus) -> dict[str, Any]:
    table = found.prevalence
    shown = table.sort_values("prevalence", ascending=False, kind="stable").head(MAX_CATEGORIES)
    shown = shown.rename(columns={"prevalence": "estimate", "lower95": "lower", "upper95": "upper"})
    rows = records(shown)
    return {
        "rows": rows,
        "plot": figures.estimates("prevalence-plot", rows, (0.0, 1.0)),
        "n": len(table),
        "caution": RARE if found.model == DEFAULT_MODEL else "",
    }


def _rules(items: pd.DataFrame) -> list[dict[str, Any]]:
    """Count the items retained at each threshold, and the errors expected among them."""
    probability = items["probability"].to_numpy()
    rows = []
    for threshold in THRESHOLDS:
        kept = probability >= threshold
        n = int(kept.sum())
        errors = float((1 - probability[kept]).sum())
        rows.append(
            {
                "threshold": threshold,
                "n": n,
                "share": n / len(items),
                "errors": errors,
                "rate": errors / n if n else math.nan,
            }
        )
    return rows


def _doubtful(items: pd.DataFrame, texts: Mapping[str, str]) -> dict[str, Any]:
    """List the items whose category is least certain, with their votes."""
    order = np.lexsort((-items["n_labels"].to_numpy(), items["probability"].to_numpy()))
    return {
        "rows": _with_votes(items.iloc[order[:MAX_ITEMS]], texts),
        "unsure": int((items["probability"] < CERTAIN).sum()),
        "half": int((items["probability"] < 0.7).sum()),
    }


def _overruled(found: Consensus, texts: Mapping[str, str]) -> dict[str, Any]:
    """List the items whose category differs from their most frequent label."""
    items = found.overruled
    return {"rows": _with_votes(items.head(MAX_ITEMS), texts), "n": len(items)}


def _with_votes(items: pd.DataFrame, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Lay out items with their votes, the most frequent first."""
    columns = map(str, items.columns)
    names = [name.removeprefix("votes_") for name in columns if name.startswith("votes_")]
    rows = []
    for row in records(items):
        votes = [(name, int(row[f"votes_{name}"])) for name in names if row[f"votes_{name}"]]
        rows.append(
            {
                **row,
                "votes": sorted(votes, key=lambda vote: -vote[1])[: report_page.MAX_DIFFERENT],
                "text": _shortened(texts.get(row["item"], "")),
            }
        )
    return rows


def _labels(found: Consensus, texts: Mapping[str, str]) -> dict[str, Any]:
    """List the labels that are most probably wrong."""
    table = found.doubtful_labels
    rows = records(table.head(MAX_ITEMS))
    return {
        "rows": [row | {"text": _shortened(texts.get(row["item"], ""))} for row in rows],
        "n": len(table),
        "all": len(table) < MAX_DOUBTFUL,
    }


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _annotators(found: Consensus) -> dict[str, Any]:
    """List annotators by the information of their labels, and name those near chance."""
    table = found.annotators
    entropy = float(entr(found.prevalence["prevalence"]).sum() / math.log(2))
    total = max(1, int(table["n_labels"].sum()))
    quantity = next((name for name in ("bits", "accuracy") if name in table), None)
    if quantity is None:
        return {"quantity": None, "rows": [], "near_chance": [], "n": len(table)}
    known = table[table[quantity].notna()].sort_values(quantity, kind="stable")
    near = known[known["bits"] < NEAR_CHANCE * entropy] if "bits" in known else known.head(0)
    shown = known.head(MAX_ANNOTATORS)
    ends = {end: f"{quantity}_{end}95" for end in ("lower", "upper")}
    rows = [
        {
            **row,
            "estimate": row[quantity],
            **{end: row.get(column, math.nan) for end, column in ends.items()},
            "share": row["n_labels"] / total,
            "accuracy_ends": [row.get(f"accuracy_{end}95", math.nan) for end in ("lower", "upper")],
        }
        for row in records(shown)
    ]
    highest = max((row["upper"] for row in rows if row["upper"] == row["upper"]), default=0.0)
    highest = max([highest, *(row["estimate"] for row in rows)])
    limits = (0.0, 1.0 if quantity == "accuracy" else max(0.2, math.ceil(5 * highest) / 5))
    return {
        "quantity": {"bits": "bits per label", "accuracy": "accuracy"}[quantity],
        "rows": rows,
        "with_accuracy": quantity == "bits" and "accuracy" in table,
        "plot": figures.estimates("annotators-plot", rows, limits),
        "near_chance": [
            {"name": row["annotator"], "n": int(row["n_labels"]), "share": row["n_labels"] / total}
            for row in records(near)
        ],
        "near_share": percent(float(near["n_labels"].sum()) / total),
        "n": len(known),
        "entropy": entropy,
    }


def _confused(found: Consensus) -> list[dict[str, Any]]:
    """List pairs of categories by how often a label of one is given to an item of the other."""
    prevalence = getattr(found.fitted, "prevalence", None)
    if not isinstance(found.fitted, ConfusionFit) or prevalence is None:
        return []
    confusion = np.asarray(found.fitted.confusion)
    weights = found.annotators["n_labels"].to_numpy(dtype=float)
    usable = np.isfinite(confusion).all(axis=(1, 2)) & (weights > 0)
    if not usable.any():
        return []
    mean = np.average(confusion[usable], axis=0, weights=weights[usable])
    joint = np.asarray(prevalence)[:, None] * mean
    both = np.triu(joint + joint.T, 1)
    names = found.fitted.categories
    order = np.argsort(-both, axis=None)[:MAX_CONFUSED]
    pairs = [np.unravel_index(n, both.shape) for n in order]
    return [
        {
            "first": names[i],
            "second": names[k],
            "share": float(both[i, k]),
            "forth": float(mean[i, k]),
            "back": float(mean[k, i]),
        }
        for i, k in pairs
        if both[i, k] > 0
    ]


def _sets(found: Consensus) -> dict[str, Any] | None:
    """Count the items whose set has one category, several or none."""
    if found.sets is None:
        return None
    counts = found.sets.counts()
    rows = [{"of": name, "n": n, "share": n / len(found.items)} for name, n in counts.items()]
    return {"rows": rows, "level": found.sets.level, "promise": found.sets.promise}


def _predictions(found: Consensus) -> dict[str, Any] | None:
    """Describe the contribution of a classifier's predictions."""
    added = found.predictions
    if added is None:
        return None
    return {
        "rows": records(added.table),
        "verdict": added.verdict,
        "n": added.n_gold,
        "weight": added.weight,
        "error": added.weight_error,
    }


def _gold(found: Consensus) -> dict[str, Any] | None:
    """Describe the accuracy and calibration on gold items."""
    gold = found.gold
    if gold is None:
        return None
    content: dict[str, Any] = {
        "n": int((gold.codes >= 0).sum()),
        "fixed": gold.fixed,
        "accuracy": gold.accuracy,
        "rows": pages.records(gold.categories),
        "scores": [],
        "strata": pages.records(gold.sample.strata) if gold.sample.differs else [],
        "represents": gold.sample.represents,
        "n_represented": int(gold.sample.represented.sum()),
        "by": " and ".join(gold.sample.by),
    }
    if gold.calibration is not None:
        content["scores"] = pages.records(gold.calibration.scores.reset_index())
        kind = gold.calibration.kind
        content["calibration"] = (
            "The weights were fitted on gold; each gold item is scored by weights fitted without "
            "it."
            if "refit" in models.get(found.model).METHOD.offers
            else "There are too few gold items to calibrate the probabilities, which are unchanged."
            if kind == "none"
            else f"The probabilities were calibrated on gold ({kind}, chosen by its size); each "
            "gold item is scored by a fit to the others."
        )
        content["caution"] = BIASED if kind == "none" else f"{BIASED} {MAP_TAKEN_AS_KNOWN}"
    return content
