"""Noise certificates of labels of several kinds, with the truth from gold where there is one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import datasets, noise
from annobench.labels.annotations import Annotations

#: Hard items that are listed of each data set.
LISTED: Final = 12
#: The tables of `certify`.
TABLES: Final = ("summary", "rules", "shares", "heterogeneity", "hard_items", "plans")


def select(
    data: datasets.LoadedData, what: Mapping[str, Any]
) -> tuple[Annotations, NDArray[np.int64], pd.DataFrame]:
    """Select the labels of a data set that are certified.

    Parameters
    ----------
    data : LoadedData
        The data set.
    what : mapping
        May hold `part`, values by column, and `threshold`, at which numbers are split.

    Returns
    -------
    annotations : Annotations
        The labels.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories; -1 for none.
    items : DataFrame
        The table of the items.
    """
    labels, items = data.labels, data.items
    for column, value in what.get("part", {}).items():
        labels, items = labels[labels[column] == value], items[items[column] == value]
    threshold = what.get("threshold")
    annotations = Annotations.from_frame(
        labels, items=items["item"], scale="nominal" if threshold is None else "interval"
    )
    if threshold is not None:
        annotations = noise.dichotomise(annotations, threshold)
        values = items["gold"].astype(float)
        gold = np.where(values.isna(), -1, values >= threshold).astype(int)
    else:
        gold = pd.Index(annotations.categories).get_indexer(
            pd.Index(items["gold"].astype("string"))
        )
    return annotations, gold, items


def _against(certificate: noise.Certificate, gold: NDArray[np.int64]) -> dict[str, Any]:
    """Compare the retained labels with gold."""
    truth = certificate.against(gold)
    interval = truth.interval()
    return {
        "n_checked": truth.n_checked,
        "n_wrong": truth.n_wrong,
        "wrong": truth.rate,
        "wrong_lower": interval.lower,
        "wrong_upper": interval.upper,
        "exceeds": truth.exceeds,
    }


def _certified(
    annotations: Annotations, gold: NDArray[np.int64], title: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Certify under both models: a row for each, and a row for each rule of retaining."""
    summary, rules = [], []
    for model in ("rates", "easy_hard"):
        found = noise.certificate(annotations, model=model)
        of_guesses = found.easy_hard
        low, high = of_guesses.guess_distribution if of_guesses else (math.nan, math.nan)
        summary.append(
            {
                "title": title,
                "model": model,
                "keep": found.min_agreement,
                "n_items": found.n_items,
                "n_unanimous": found.n_unanimous,
                "n_retained": found.n_retained,
                "n_guesses": found.n_guesses,
                "rate": found.rate,
                "posterior": math.nan if of_guesses is None else of_guesses.posterior,
                "expected": found.expected,
                "guess_low": low,
                "guess_high": high,
                "chance": math.nan if of_guesses is None else of_guesses.chance,
                "fits": found.fits,
                "words": str(found),
                "remarks": " ".join(found.remarks),
                **_against(found, gold),
            }
        )
        rows: Any = found.rules.to_dict("records")
        for row in rows:
            other = noise.certificate(annotations, model=model, min_agreement=row["keep"])
            rules.append({"title": title, "model": model, **row, **_against(other, gold)})
    return summary, rules


def _listed(
    annotations: Annotations, gold: NDArray[np.int64], items: pd.DataFrame, title: str
) -> pd.DataFrame:
    """List the likeliest hard items, with the words that the data set has for them."""
    table = noise.hard_items(annotations, gold=gold).head(LISTED).assign(title=title)
    words = items.set_index("item")
    shown = [name for name in ("text", "hypothesis") if name in words]
    return table.assign(
        text=[" / ".join(str(words.loc[item, name]) for name in shown) for item in table["item"]]
    )


def certify(
    folders: Sequence[Path], wanted: Sequence[Mapping[str, Any]], seed: int
) -> list[pd.DataFrame]:
    """Certify the noise of parts of data sets.

    Parameters
    ----------
    folders : sequence of Path
        Of data sets.
    wanted : sequence of mapping
        For each of them its title, and what `select` takes.
    seed : int
        With the title it makes the generator.

    Returns
    -------
    list of DataFrame
        In the order of `TABLES`; empty ones have the column title.
    """
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in TABLES}
    for folder, what in zip(folders, wanted, strict=True):
        data, title = datasets.read(folder), what["title"]
        annotations, gold, items = select(data, what)
        rng = np.random.default_rng([seed, *title.encode()])
        summary, rules = _certified(annotations, gold, title)
        parts["summary"].append(
            pd.DataFrame(summary).assign(
                provenance=data.provenance,
                dataset=data.id,
                n_labels=annotations.n_labels,
                n_annotators=annotations.n_annotators,
                n_categories=annotations.n_categories,
            )
        )
        parts["rules"].append(pd.DataFrame(rules))
        shares = noise.hard_share(annotations, rng=rng)
        parts["shares"].append(shares.assign(title=title))
        fits = noise.heterogeneity(annotations, rng=rng, folds=4).assign(title=title)
        parts["heterogeneity"].append(fits)
        parts["hard_items"].append(_listed(annotations, gold, items, title))
        share = shares.loc[shares["model"] == "rates", "estimate"].iloc[0]
        if 0 < share < 1:
            parts["plans"].append(
                noise.plan(
                    annotations.n_items,
                    share,
                    n_categories=annotations.n_categories,
                    guess_distribution=[1 / annotations.n_categories] * annotations.n_categories,
                ).assign(title=title, hard=share)
            )
    empty = pd.DataFrame({"title": []})
    return [pd.concat(parts[name], ignore_index=True) if parts[name] else empty for name in TABLES]
