"""Fits to parts of the labels: learning curves, and resampled annotators.

Three designs change the labels of a case; the method is fitted anew each time and scored on the
same items, those that have a gold category and a label in the whole. An item that loses all its
labels is scored by what the method then says of it. All methods see the same parts, so that
differences are paired.

- "labels per item": L labels of each item, drawn without replacement (items with fewer keep
  them), as Snow et al. (2008, section 5) and Sheng, Provost and Ipeirotis (2008, section 4) do.
- "annotators": m of the J annotators, drawn without replacement, with their labels.
- "resampled annotators": J annotators drawn with replacement, each draw an annotator of its own.
  The spread over draws is the bootstrap's uncertainty over annotators, fits included.
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

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.studies.benchmark.cases import BenchmarkCase
from annobench.studies.benchmark.fits import Model, TimeLimitExceeded, fit_once, prepare
from annobench.studies.benchmark.scores import score

#: What is scored.
SCORES: Final = ("accuracy", "log_loss")

LABELS, ANNOTATORS, RESAMPLED = "labels per item", "annotators", "resampled annotators"
COLUMNS: Final = ("problem", "method", "design", "size", "repeat", *SCORES, "note")
KEYS: Final = ("problem", "design", "size", "repeat", "score")


@dataclass(frozen=True, eq=False)
class Part:
    """Some labels of a case.

    Attributes
    ----------
    design : str
        How they were chosen.
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
    """Draw parts of the labels of a case, design by design.

    Parameters
    ----------
    case : BenchmarkCase
        The whole.
    settings : mapping
        Lists `labels_per_item` and `annotators`, and numbers `repeats` (draws of each size) and
        `resamples` (of the annotators). Sizes not below the case's own are left out.
    seed : int
        With the name of the case it makes the generator.

    Yields
    ------
    Part
        Labels.
    """
    labels = case.annotations
    rng = np.random.default_rng([seed, zlib.crc32(case.name.encode())])
    most = int(np.bincount(labels.item, minlength=1).max())
    for size in settings["labels_per_item"]:
        if size < most:
            for repeat in range(settings["repeats"]):
                yield Part(LABELS, size, repeat, labels.subsample(size, rng))
    for size in settings["annotators"]:
        if size < labels.n_annotators:
            for repeat in range(settings["repeats"]):
                chosen = np.zeros(labels.n_annotators, dtype=bool)
                chosen[rng.choice(labels.n_annotators, size, replace=False)] = True
                yield Part(ANNOTATORS, size, repeat, labels.select(annotators=chosen))
    for repeat in range(settings["resamples"]):
        yield Part(RESAMPLED, labels.n_annotators, repeat, resample_annotators(labels, rng))


def resample_annotators(labels: Annotations, rng: np.random.Generator) -> Annotations:
    """Draw as many annotators as there are, with replacement.

    Parameters
    ----------
    labels : Annotations
        Of J annotators.
    rng : numpy.random.Generator
        Source of the draw.

    Returns
    -------
    Annotations
        The same items and categories; an annotator drawn n times is n annotators of equal labels.
    """
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
    """Fit a method to parts of the labels of a case, each design within the limit.

    Parameters
    ----------
    case : BenchmarkCase
        The whole.
    method : Model
        What is fitted.
    settings : mapping
        As of `parts_of`.
    limit : float
        Processor time of all fits of a design, in seconds.
    seed : int
        Of the parts and, with the names of method and case, of a random method.

    Returns
    -------
    DataFrame
        A row for every part: problem, method, design, size, repeat, `SCORES`, note. Where the
        method refuses a part its scores are NaN, and the note is why. A design that is not
        finished within the limit, or in which a fit fails, has one row, with a note; it ends with
        its first fit if twice the limit would not do for all.

    Notes
    -----
    To be called in the main thread, as `annobench.studies.benchmark.fits.fit_all`.
    """
    own = [zlib.crc32(name.encode()) for name in (method.METHOD.name, case.name)]
    gold = np.where(case.scored, case.gold, -1)
    rows: dict[str, list[tuple[Any, ...]]] = {}
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
            values, note = dict.fromkeys(SCORES, np.nan), ""
            try:
                values = score(
                    fit_once(method, part.annotations, entropy, remaining).posterior, gold
                )
            except AnnotationError as error:
                note = str(error)
            except TimeLimitExceeded:
                ended[part.design] = f"over budget: more than {limit:g} s for all its fits"
            except Exception as error:
                ended[part.design] = f"failed: {type(error).__name__}: {error}"
            spent = time.process_time() - start
            left[part.design] = remaining - spent
            hopeless = part.design not in rows and spent * number[part.design] > 2 * limit
            if hopeless or left[part.design] <= 0:
                ended[part.design] = f"over budget: more than {limit:g} s for all its fits"
            found = (part.size, part.repeat, *(values[name] for name in SCORES), note)
            rows.setdefault(part.design, []).append(found)
    blank = (0, 0, *(np.nan for _ in SCORES))
    every = [
        (case.name, method.METHOD.name, design, *row)
        for design, found in rows.items()
        for row in ([(*blank, ended[design])] if design in ended else found)
    ]
    return pd.DataFrame(every, columns=list(COLUMNS))


def join_refits(tables: Iterable[pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Put tables of several methods and cases side by side.

    Parameters
    ----------
    tables : iterable of DataFrame
        As from `refit`.

    Returns
    -------
    values : DataFrame
        A row for every part and score: problem, design, size, repeat, score, and a column for
        every method; NaN where one has no value.
    notes : DataFrame
        A row for every note: problem, design, method, note.
    """
    filled = [table for table in tables if len(table)]
    keys = ["problem", "design", "method", "note"]
    if not filled:
        return pd.DataFrame(columns=list(KEYS)), pd.DataFrame(columns=keys)
    every = pd.concat(filled)
    every["note"] = every["note"].fillna("")
    notes = every.loc[every["note"] != "", keys].drop_duplicates(ignore_index=True)
    long = every.melt([*KEYS[:-1], "method"], list(SCORES), "score")
    wide = long.pivot_table("value", list(KEYS), "method", sort=True)
    return wide.rename_axis(columns=None).reset_index(), notes
