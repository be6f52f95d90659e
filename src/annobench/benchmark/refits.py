"""Fits to parts of the labels: learning curves, and resampled annotators.

Three designs change the labels of a case; the method is refitted each time and scored on the same
items, those with a gold category and a label in the full data. An item that loses all labels is
scored by the method's probabilities for it. All methods see the same subsets, so that differences
are paired.

- "labels per item": L labels of each item, drawn without replacement (items with fewer keep
  them), as Snow et al. (2008, section 5) and Sheng, Provost and Ipeirotis (2008, section 4) do.
- "annotators": m of the J annotators, drawn without replacement, with their labels.
- "resampled annotators": J annotators drawn with replacement, each draw a separate annotator. The
  spread over draws is the bootstrap's uncertainty over annotators, fits included.

The first two give learning curves, with two sources of uncertainty: the draws of labels or
annotators, estimated by the variation between repeats; and the items, shared by all repeats,
estimated by the standard error over items of the item scores averaged over repeats.
"""

from __future__ import annotations

import time
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.fits import Model, TimeLimitExceeded, fit_once, prepare
from annobench.benchmark.scores import item_scores
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["COLUMNS", "ERRORS", "SCORES", "Part", "parts_of", "refit"]

Floats = NDArray[np.float64]

#: What is scored, and the names of standard errors of it.
SCORES: Final = ("accuracy", "log_loss")

LABELS, ANNOTATORS, RESAMPLED = "labels per item", "annotators", "resampled annotators"
ERRORS: Final = tuple(f"{name}_error" for name in SCORES)
COLUMNS: Final = ("problem", "method", "design", "size", "repeat", *SCORES, *ERRORS, "note")
KEYS: Final = ("problem", "design", "size", "repeat", "score")


@dataclass(frozen=True, eq=False)
class Part:
    """A subset of the labels of a case.

    Attributes
    ----------
    design : str
        The design.
    size : int
        Labels per item, or number of annotators.
    repeat : int
        Number of the draw.
    annotations : Annotations
        The labels; all items and categories of the case.
    """

    design: str
    size: int
    repeat: int
    annotations: Annotations


def parts_of(case: BenchmarkCase, settings: Mapping[str, Any], seed: int) -> Iterator[Part]:
    """Draw subsets of the labels of a case, design by design.

    Parameters
    ----------
    case : BenchmarkCase
        The full data.
    settings : mapping
        Lists `datasets` (names of the cases that have learning curves), `labels_per_item` and
        `annotators` (sizes; those not below the case's own are left out), and numbers `repeats`
        (draws of each size) and `resamples` (of the annotators, in every case).
    seed : int
        Together with the name of the case it seeds the generator.

    Yields
    ------
    Part
        Labels.
    """
    labels = case.annotations
    rng = np.random.default_rng([seed, zlib.crc32(case.name.encode())])
    most = int(np.bincount(labels.item, minlength=1).max())
    learning = case.name in settings["datasets"]
    for size in settings["labels_per_item"]:
        if learning and size < most:
            for repeat in range(settings["repeats"]):
                yield Part(LABELS, size, repeat, labels.subsample(size, rng))
    for size in settings["annotators"]:
        if learning and size < labels.n_annotators:
            for repeat in range(settings["repeats"]):
                chosen = np.zeros(labels.n_annotators, dtype=bool)
                chosen[rng.choice(labels.n_annotators, size, replace=False)] = True
                yield Part(ANNOTATORS, size, repeat, labels.select(annotators=chosen))
    for repeat in range(settings["resamples"]):
        yield Part(RESAMPLED, labels.n_annotators, repeat, resample_annotators(labels, rng))


def resample_annotators(labels: Annotations, rng: np.random.Generator) -> Annotations:
    """Draw as many annotators as there are, with replacement."""
    labels = as_annotations(labels, "resample_annotators")
    by_annotator = labels.by_annotator
    drawn = rng.integers(labels.n_annotators, size=labels.n_annotators)
    rows = [by_annotator[j] for j in drawn]
    kept = np.concatenate(rows)
    return Annotations.from_arrays(
        labels.item[kept],
        np.repeat(np.arange(drawn.size), [len(each) for each in rows]),
        labels.label[kept],
        items=range(labels.n_items),
        annotators=range(drawn.size),
        categories=range(labels.n_categories),
    )


def refit(
    case: BenchmarkCase,
    method: Model,
    *,
    settings: Mapping[str, Any],
    limit: float,
    seed: int,
) -> pd.DataFrame:
    """Fit a method to subsets of the labels of a case, with a time limit per design.

    Parameters
    ----------
    case : BenchmarkCase
        The full data.
    method : Model
        The method.
    settings : mapping
        As for `parts_of`.
    limit : float
        Processor time of all fits of a design, in seconds.
    seed : int
        Seed of the subsets and, together with the names of method and case, of a random method.

    Returns
    -------
    DataFrame
        One row per subset: problem, method, design, size, repeat, `SCORES`, `ERRORS`, note. The
        errors are standard errors over items of the mean over the repeats of a size, equal in all
        their rows, and NaN if annotators are resampled. If the method rejects a subset, its scores
        are NaN, and the note gives the reason. A design that is not finished within the limit, or
        in which a fit fails, has a single row with a note; it stops after the first fit if twice
        the limit would not suffice for all.

    Notes
    -----
    Must be called in the main thread, as `annobench.benchmark.fits.fit_all`.
    """
    own = [zlib.crc32(name.encode()) for name in (method.METHOD.name, case.name)]
    kept = case.scored
    rows: dict[str, list[dict[str, Any]]] = {}
    shares: dict[tuple[str, int], list[Floats]] = {}
    left: dict[str, float] = {}
    ended: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepare(method)
        parts = list(parts_of(case, settings, seed))
        number = Counter(part.design for part in parts)
        for part in parts:
            if part.design in ended:
                continue
            start = time.process_time()
            remaining = left.setdefault(part.design, limit)
            entropy = [seed, *own, part.size, part.repeat]
            row: dict[str, Any] = {"size": part.size, "repeat": part.repeat, "note": ""}
            try:
                fitted = fit_once(method, part.annotations, entropy, remaining, case.name)
                found = item_scores(np.asarray(fitted.posterior)[kept], case.gold[kept])
                shares.setdefault((part.design, part.size), []).append(
                    np.array([found[name] for name in SCORES])
                )
                row |= {name: float(found[name].mean()) for name in SCORES}
            except AnnotationError as error:
                row["note"] = str(error)
            except TimeLimitExceeded:
                ended[part.design] = f"over budget: more than {limit:g} s for all its fits"
            except Exception as error:
                ended[part.design] = f"failed: {type(error).__name__}: {error}"
            spent = time.process_time() - start
            left[part.design] = remaining - spent
            hopeless = part.design not in rows and spent * number[part.design] > 2 * limit
            if hopeless or left[part.design] <= 0:
                ended[part.design] = f"over budget: more than {limit:g} s for all its fits"
            rows.setdefault(part.design, []).append(row)
    for design, note in ended.items():
        rows[design] = [{"size": 0, "repeat": 0, "note": note}]
    about = {"problem": case.name, "method": method.METHOD.name}
    every = [
        about | {"design": design} | row | _errors(shares.get((design, row["size"]), []), design)
        for design, found_rows in rows.items()
        for row in found_rows
    ]
    return pd.DataFrame(every, columns=list(COLUMNS))


def _errors(shares: list[Floats], design: str) -> dict[str, float]:
    """Return standard errors over items of the mean over repeats."""
    if not shares or design == RESAMPLED or shares[0].shape[1] < 2:
        return {}
    mean = np.mean(shares, axis=0)
    errors = mean.std(axis=1, ddof=1) / np.sqrt(mean.shape[1])
    return dict(zip(ERRORS, map(float, errors), strict=True))


def join_refits(
    tables: Iterable[pd.DataFrame],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Put tables of several methods and cases side by side."""
    filled = [table for table in tables if len(table)]
    keys = ["problem", "design", "method", "note"]
    sizes = [name for name in KEYS if name != "repeat"]
    if not filled:
        values, errors, notes = (pd.DataFrame(columns=list(each)) for each in (KEYS, sizes, keys))
        return values, errors, notes
    every = pd.concat(filled)
    every["note"] = every["note"].fillna("")
    notes = every.loc[every["note"] != "", keys].drop_duplicates(ignore_index=True)
    values = _side_by_side(every, dict(zip(SCORES, SCORES, strict=True)), list(KEYS))
    errors = _side_by_side(every, dict(zip(ERRORS, SCORES, strict=True)), sizes)
    return values, errors, notes


def _side_by_side(every: pd.DataFrame, columns: Mapping[str, str], keys: list[str]) -> pd.DataFrame:
    """Give every method a column of the values of some columns, each renamed to its score."""
    named = [name for name in keys if name != "score"]
    long = every[[*named, "method", *columns]].rename(columns=dict(columns))
    long = long.melt([*named, "method"], list(columns.values()), "score")
    wide = long.pivot_table("value", keys, "method", sort=True)
    return wide.rename_axis(columns=None).reset_index()
