"""Fits of the library's own models, kept between comparisons: only what is new is fitted.

A fit is looked for in two places: among those that come with the library, which are of the data
that methods are compared on by default and save compiling all models, and in the cache. `make fits`
makes the former; they are passed over once a model has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

import annobench
from annobench.core.files import replacing
from annobench.datasets.sources import cache_folder
from annobench.studies.benchmark.cases import BenchmarkCase
from annobench.studies.benchmark.fits import (
    ARRAYS,
    FitRecord,
    Model,
    fit_all,
    read_fits,
    write_fits,
)

#: What decides the numbers of a fit beside the labels, as paths in the library.
SOURCES: Final = ("labels", "models", "resampling", "studies/benchmark/fits.py")

#: Fits that come with the library, and what names them by key.
SHIPPED: Final = Path(__file__).parent / "fits"
KEYS: Final = "keys.json"

#: Seconds of a fit that comes with the library.
SHIPPED_LIMIT: Final = 60.0


def fit_or_recall(
    cases: Sequence[BenchmarkCase],
    model: Model,
    *,
    limit: float,
    seed: int,
    folder: Path | None = None,
) -> list[FitRecord]:
    """Fit one of the library's models to cases, or recall the fits that were kept.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        What is fitted.
    model : Model
        A module of `annobench.models`.
    limit : float
        Processor time of a fit in seconds. A fit that was stopped is recalled if it had as much.
    seed : int
        As for `fit_all`.
    folder : Path, optional
        Where fits are kept; by default in the cache.

    Returns
    -------
    list of FitRecord
        One for each case.

    Notes
    -----
    A fit is known by the labels, the seed and the sources of the library's models: an edit of a
    model forgets all fits. Those that failed are fitted again.
    """
    kept = cache_folder() / "fits" if folder is None else folder
    stems = {case.name: kept / f"{model.METHOD.name}-{_key(case, seed)}" for case in cases}
    shipped = _shipped(model.METHOD.name)
    found = {
        case.name: shipped.get(_key(case, seed)) or _recalled(stems[case.name], limit)
        for case in cases
    }
    if missing := [case for case in cases if found[case.name] is None]:
        for record in fit_all(missing, [model], limit=limit, seed=seed):
            found[record.problem] = record
            if record.status != "failed":
                _keep(record, stems[record.problem])
    return [record for record in found.values() if record is not None]


def ship(
    cases: Sequence[BenchmarkCase], methods: Sequence[Model], folder: Path, *, seed: int
) -> None:
    """Write fits that come with the library.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        Labels, such as those of `annobench.studies.doors.data.default_cases`.
    methods : sequence of Model
        Modules of `annobench.models`.
    folder : Path
        Where they go; what was there of these models is replaced.
    seed : int
        As for `fit_all`.

    Notes
    -----
    Probabilities are rounded to single precision.
    """
    keys = {case.name: _key(case, seed) for case in cases}
    table = {}
    for model in methods:
        records = [
            replace(each, **{name: _rounded(getattr(each, name)) for name in ARRAYS})
            for each in fit_all(cases, [model], limit=SHIPPED_LIMIT, seed=seed)
            if each.status in ("scored", "not applicable")
        ]
        folder.mkdir(parents=True, exist_ok=True)
        write_fits(records, folder / model.METHOD.name)
        table[model.METHOD.name] = [keys[each.problem] for each in records]
    with replacing(folder / KEYS) as draft:
        draft.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _rounded(values: Any) -> Any:
    return None if values is None else values.astype(np.float32)


@cache
def _shipped(method: str, folder: Path = SHIPPED) -> dict[str, FitRecord]:
    """Read the fits of one model that come with the library, by key."""
    if not (folder / KEYS).is_file():
        return {}
    keys = json.loads((folder / KEYS).read_text(encoding="utf-8")).get(method, [])
    if not keys:
        return {}
    records = [
        replace(each, **{name: _widened(getattr(each, name)) for name in ARRAYS})
        for each in read_fits(folder / method)
    ]
    return dict(zip(keys, records, strict=True))


def _widened(values: Any) -> Any:
    return None if values is None else values.astype(np.float64)


def _recalled(stem: Path, limit: float) -> FitRecord | None:
    # What can't be read, for whatever reason, is fitted again.
    with suppress(OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        [record] = read_fits(stem)
        if record.status != "over budget" or record.seconds >= limit:
            return record
    return None


def _keep(record: FitRecord, stem: Path) -> None:
    """Store a fit; a folder that can't be written only costs time."""
    with suppress(OSError):
        write_fits([record], stem)


def _key(case: BenchmarkCase, seed: int) -> str:
    """Return a digest of what decides a fit of one model to one case."""
    labels = case.annotations
    digest = hashlib.sha256(_digest_of_library().encode())
    names = labels.items, labels.annotators, labels.categories
    # The name of a case makes the seed of a random method.
    about = [case.name, seed, labels.scale, *names]
    digest.update(json.dumps(about).encode())
    for codes in (labels.item, labels.annotator, labels.label):
        digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()[:24]


@cache
def _digest_of_library() -> str:
    home = Path(annobench.__file__).parent
    digest = hashlib.sha256()
    for source in SOURCES:
        path = home / source
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(home).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()
