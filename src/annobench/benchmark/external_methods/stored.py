"""Cached fits of the library's models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import annobench
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.fits import (
    FitRecord,
    Model,
    fit_all,
    read_fits,
    write_fits,
)
from annobench.datasets.sources import cache_folder

#: What decides the numbers of a fit beside the labels, as paths in the library.
SOURCES: Final = ("labels", "models", "resampling", "benchmark/fits.py")


def fit_or_recall(
    cases: Sequence[BenchmarkCase],
    model: Model,
    *,
    limit: float,
    seed: int,
    folder: Path | None = None,
) -> list[FitRecord]:
    """Fit one of the library's models to cases, or load cached fits."""
    kept = cache_folder() / "fits" if folder is None else folder
    stems = {case.name: kept / f"{model.METHOD.name}-{_key(case, seed)}" for case in cases}
    found = {case.name: _recalled(stems[case.name], limit) for case in cases}
    if missing := [case for case in cases if found[case.name] is None]:
        for record in fit_all(missing, [model], limit=limit, seed=seed):
            found[record.problem] = record
            if record.status != "failed":
                _keep(record, stems[record.problem])
    return [record for record in found.values() if record is not None]


def _recalled(stem: Path, limit: float) -> FitRecord | None:
    # What can't be read, for whatever reason, is fitted again.
    with suppress(OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        [record] = read_fits(stem)
        if record.status != "over budget" or record.seconds >= limit:
            return record
    return None


def _keep(record: FitRecord, stem: Path) -> None:
    """Store a fit, if the folder can be written."""
    with suppress(OSError):
        write_fits([record], stem)


def _key(case: BenchmarkCase, seed: int) -> str:
    """Return a digest of all that determines a model's fit to a case."""
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
