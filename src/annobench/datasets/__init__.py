"""Data sets: records, discovery, fetching, reading and simulation.

The public data sets are in a separate package, one module per source; other packages add theirs
through an entry point (`discovery`). Every data set is available with real labels (mirror, cache,
network) or simulated, and is marked accordingly.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import pkgutil
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from annobench.core.choices import DEFAULT_SEED as DEFAULT_SEED
from annobench.core.choices import Mode as Mode
from annobench.core.discovery import did_you_mean
from annobench.core.errors import DataUnavailableError, ReaderError
from annobench.core.files import replacing
from annobench.core.optional import optional
from annobench.datasets.base import (
    DataSet,
    DataTables,
    LoadedData,
    UnknownDatasetError,
    validate,
)
from annobench.datasets.discovery import modules
from annobench.datasets.progress import tracked
from annobench.datasets.sources import (
    CacheError,
    SourceFile,
    cache_folder,
    data_mirror,
    default_base_url,
    fetch,
    locate,
    probe_network,
    server_of,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "A data set on disk")
    pq = optional("pyarrow.parquet", "A data set on disk")

__all__ = [
    "DataSet",
    "DataTables",
    "LoadedData",
    "Mode",
    "UnknownDatasetError",
    "get",
    "load",
    "missing_files",
    "names",
    "prepare",
    "read",
]

#: Whether the network may be asked; a text says why not.
Network = bool | str | None

_LOG = logging.getLogger(__name__)
_TABLES = ("labels", "items")
#: Number of files from which on several connections are used, and the number of connections.
_MANY, _CONNECTIONS = 50, 8
#: Reasons why files are missing that are told; a source may have hundreds of files.
_REASONS = 3
_HOW_TO_SUPPLY = (
    "Set ANNOBENCH_DATA_MIRROR to a folder that holds them as <source>/<path>, or connect to "
    "the network, or set the data mode to 'auto' or 'simulated' (config: data.mode)."
)


_MODULES = {entry.name for entry in pkgutil.iter_modules(__path__) if entry.name[0] != "_"}


def __getattr__(name: str) -> ModuleType:
    """Import a module on first use, such as `sources`."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}.{did_you_mean(name, _MODULES)}"
    )


def __dir__() -> list[str]:
    """List the public names."""
    return __all__


@functools.cache
def _known() -> dict[str, DataSet]:
    return {
        id: dataset
        for id, module in modules().items()
        for dataset in module.DATASETS
        if dataset.id == id
    }


def names() -> tuple[str, ...]:
    """Return the ids of all data sets.

    Returns
    -------
    tuple of str
        In alphabetical order.
    """
    return tuple(_known())


def get(id: str) -> DataSet:
    """Return the record of a data set.

    Parameters
    ----------
    id : str
        Its name.

    Returns
    -------
    DataSet
        The record.

    Raises
    ------
    UnknownDatasetError
        If no module declares it; lists the known ones.

    Examples
    --------
    >>> get("anesthesia").categories
    ('1', '2', '3', '4')
    """
    known = _known()
    if id not in known:
        raise UnknownDatasetError(
            f"no data set {id!r}.{did_you_mean(id, known)} Known: {', '.join(known)}."
        )
    return known[id]


def missing_files(
    id: str, *, mirror: Path | str | None = None, cache: Path | str | None = None
) -> list[SourceFile]:
    """List the files of a data set that are not available locally.

    Parameters
    ----------
    id : str
        Name of the data set.
    mirror, cache : path, optional
        Folders to search; by default from the environment.

    Returns
    -------
    list of SourceFile
        Empty if all are there. Only existence is checked.
    """
    dataset = get(id)
    places = _mirror(mirror), _cache(cache)
    return [f for f in dataset.files if locate(dataset.source, f, *places) is None]


def prepare(
    id: str,
    folder: Path | str,
    *,
    mode: Mode = "auto",
    seed: int = DEFAULT_SEED,
    mirror: Path | str | None = None,
    cache: Path | str | None = None,
    base_url: str | None = None,
    network: Network = None,
) -> dict[str, Any]:
    """Obtain a data set and write `labels.parquet`, `items.parquet` and `meta.json`.

    Parameters
    ----------
    id : str
        Name of the data set.
    folder : path
        Folder for the three files; created if necessary.
    mode : {"auto", "real", "simulated"}, default "auto"
        "real" fails without the real files, "simulated" never uses the network, and "auto"
        simulates, with a warning in the log, if real files are not available.
    seed : int, default 20081
        Seed of a simulation; the stream also depends on `id`.
    mirror, cache : path, optional
        Local folders; by default from the environment.
    base_url : str, optional
        Address that serves the repositories; by default from the environment.
    network : bool or str, optional
        False, or a reason, if the network is known not to answer. By default it is used, after one
        short probe per process.

    Returns
    -------
    dict
        The contents of `meta.json`.

    Raises
    ------
    UnknownDatasetError
        If there is no such data set.
    DataUnavailableError
        In mode "real", if files are missing; lists all of them. In every mode, if the cache
        can't be written.
    ChecksumError
        If a file has other bytes than the pinned ones.
    ReaderError
        If a file is malformed.
    """
    tables, meta = _obtain(id, mode, seed, mirror, cache, base_url, network)
    target = Path(folder)
    try:
        # Everything is written before anything is renamed, meta.json last, so that a failure
        # leaves the old files unchanged.
        with ExitStack() as stack:
            record = stack.enter_context(replacing(target / "meta.json"))
            for table in _TABLES:
                path = target / f"{table}.parquet"
                draft = stack.enter_context(replacing(path))
                _write_parquet(getattr(tables, table), draft)
                meta["hashes"][path.name] = _sha256(draft)
            record.write_text(
                json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
            )
    except OSError as error:
        raise DataUnavailableError(
            f"{target}: the data set {id} can't be written here ({error}). Choose a folder that "
            "can be written."
        ) from error
    return meta


def read(folder: Path | str) -> LoadedData:
    """Read a data set written by `prepare`.

    Parameters
    ----------
    folder : path
        Folder of the data set.

    Returns
    -------
    LoadedData
        Tables, annotations, gold standard and provenance.

    Raises
    ------
    ReaderError
        If a file is missing, truncated, or not the one that `meta.json` describes.
    """
    target = Path(folder)
    again = "Prepare the data set again."
    path = target / "meta.json"
    try:
        meta = json.loads(path.read_bytes())
        hashes = {f"{table}.parquet": meta["hashes"][f"{table}.parquet"] for table in _TABLES}
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error.strerror}). {again}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ReaderError(f"{path}: truncated or not a data set's meta.json. {again}") from error
    frames = {}
    for name, wanted in hashes.items():
        path = target / name
        try:
            got = _sha256(path)
        except OSError as error:
            raise ReaderError(f"{path}: can't be read ({error.strerror}). {again}") from error
        if got != wanted:
            raise ReaderError(
                f"{path}: its SHA-256 is {got}, but meta.json says {wanted}; it is truncated or "
                f"was changed. {again}"
            )
        frames[name] = pq.read_table(path).to_pandas()
    return LoadedData(meta["id"], frames["labels.parquet"], frames["items.parquet"], meta)


def load(
    id: str,
    *,
    mode: Mode = "auto",
    seed: int = DEFAULT_SEED,
    mirror: Path | str | None = None,
    cache: Path | str | None = None,
    base_url: str | None = None,
    network: Network = None,
) -> LoadedData:
    """Obtain a data set in memory.

    Parameters
    ----------
    id : str
        Name of the data set.
    mode : {"auto", "real", "simulated"}, default "auto"
        As for `prepare`.
    seed : int, default 20081
        Seed of a simulation; the stream also depends on `id`.
    mirror, cache : path, optional
        Local folders; by default from the environment.
    base_url : str, optional
        Address that serves the repositories; by default from the environment.
    network : bool or str, optional
        False, or a reason, if the network is known not to answer.

    Returns
    -------
    LoadedData
        Tables, annotations, gold standard and provenance.

    Raises
    ------
    UnknownDatasetError
        If there is no such data set.
    DataUnavailableError
        In mode "real", if files are missing; lists all of them. In every mode, if the cache
        can't be written.
    ChecksumError
        If a file has other bytes than the pinned ones.
    ReaderError
        If a file is malformed.

    Examples
    --------
    >>> load("snow2008_wsd", mode="simulated").annotations
    Annotations(177 items, 34 annotators, 3 categories, 1770 labels, nominal)
    """
    tables, meta = _obtain(id, mode, seed, mirror, cache, base_url, network)
    return LoadedData(id, tables.labels, tables.items, meta)


def said_of_table(path: Path | str) -> list[str]:
    """Report if a table written by `prepare` is simulated."""
    record = Path(path).with_name("meta.json")
    try:
        meta = json.loads(record.read_bytes())
        if Path(path).name in meta["hashes"] and meta["provenance"] == "simulated":
            return [f"{meta['id']} is SIMULATED, not real ({meta['why_simulated']})."]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no table of ours
    return []


def _mirror(mirror: Path | str | None) -> Path | None:
    return data_mirror() if mirror is None else Path(mirror)


def _cache(cache: Path | str | None) -> Path:
    return cache_folder() if cache is None else Path(cache)


def _obtain(
    id: str,
    mode: Mode,
    seed: int,
    mirror: Path | str | None,
    cache: Path | str | None,
    base_url: str | None,
    network: Network,
) -> tuple[DataTables, dict[str, Any]]:
    if mode not in get_args(Mode):
        raise ValueError(f"data mode {mode!r} is not one of {', '.join(get_args(Mode))}.")
    dataset = get(id)
    finder = _Finder(
        dataset,
        _mirror(mirror),
        _cache(cache),
        base_url or default_base_url(),
        persistent=mode == "real",
    )
    if mode == "simulated":
        missing = {file.path: "the data mode is 'simulated'" for file in dataset.files}
    else:
        finder.check_mirror(strict=mode == "real")
        missing = finder.fetch(dataset.files, network)
    if mode == "real" and missing:
        lines = "".join(
            f"\n  {dataset.source.name}/{path} ({reason})" for path, reason in missing.items()
        )
        raise DataUnavailableError(
            f"data set {id}: {len(missing)} of {len(dataset.files)} file(s) missing:{lines}\n"
            f"{_HOW_TO_SUPPLY}"
        )
    if missing:
        finder.fetch(dataset.simulate_from, False)
    without = {path: why for path, why in missing.items() if path not in finder.facts}
    texts = {file.path for file in dataset.texts}
    is_real = without.keys() <= texts and (mode != "simulated" or bool(texts))
    provenance = "real" if is_real else "simulated"
    why = _reasons(without)
    if mode == "simulated":
        why = "the data mode is 'simulated'"
    if provenance == "real":
        if without and mode == "auto":
            _LOG.warning("data set %s has real labels, but lacks texts: %s", id, why)
        tables = dataset.parse(finder.paths(dataset.files))
    else:
        if mode == "auto":
            _LOG.warning("data set %s is SIMULATED, not real: %s", id, why)
        stream = np.random.default_rng([seed, zlib.crc32(id.encode())])
        tables = dataset.simulate(stream, finder.paths(dataset.simulate_from))
    validate(tables, scale=dataset.scale, categories=dataset.categories, where=id)
    used = dataset.files if provenance == "real" else dataset.simulate_from
    meta: dict[str, Any] = {
        "id": id,
        "title": dataset.title,
        "citation": dataset.citation,
        "licence": dataset.source.licence,
        "home": list(dataset.home),
        "repository": dataset.source.repository,
        "commit": dataset.source.commit,
        "provenance": provenance,
    }
    if dataset.source.release:
        meta["release"] = True
    if provenance == "simulated":
        meta |= {
            "why_simulated": why,
            "seed": seed,
            "calibration": list(dataset.calibration),
        }
    elif without:
        meta |= {"without": list(without), "why_without": why}
    meta |= {
        "files": [finder.facts[file.path] for file in used if file.path in finder.facts],
        "scale": dataset.scale,
        "n_items": len(tables.items),
        "n_annotators": int(tables.labels["annotator"].nunique()),
        "n_labels": len(tables.labels),
        "categories": None if dataset.categories is None else list(dataset.categories),
        "hashes": {},
    }
    return tables, meta


def _reasons(without: Mapping[str, str]) -> str:
    """Say why files are missing, each reason once, and three at most."""
    files: dict[str, list[str]] = {}
    for path, reason in without.items():
        files.setdefault(reason, []).append(path)
    said = [
        f"{paths[0]}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''}: {reason}"
        for reason, paths in files.items()
    ]
    n_more = sum(map(len, list(files.values())[_REASONS:]))
    return "; ".join([*said[:_REASONS], *([f"and {n_more} more files"] if n_more else [])])


class _Finder:
    """The places where the files of one data set are looked for, and what was found."""

    def __init__(
        self,
        dataset: DataSet,
        mirror: Path | None,
        cache: Path,
        base_url: str,
        *,
        persistent: bool,
    ) -> None:
        self._source, self._mirror, self._cache = dataset.source, mirror, cache
        self._base_url, self._persistent = server_of(base_url, dataset.source), persistent
        self._path: dict[str, Path] = {}
        self.facts: dict[str, dict[str, Any]] = {}

    def check_mirror(self, *, strict: bool) -> None:
        if self._mirror is None or self._mirror.is_dir():
            return
        text = f"{self._mirror}: the data mirror is not a folder. Correct ANNOBENCH_DATA_MIRROR"
        if strict:
            raise DataUnavailableError(f"{text}, or unset it.")
        _LOG.warning("%s; going on without it.", text)

    def fetch(self, files: Sequence[SourceFile], network: Network) -> dict[str, str]:
        """Get files; return those that are not available, with the reason."""
        if len(files) < _MANY:
            reasons = [self._get(file, network) for file in files]
        else:
            # Waiting for the answers takes most of the time of many small files.
            with ThreadPoolExecutor(_CONNECTIONS) as pool:
                found = pool.map(lambda file: self._get(file, network), files)
                reasons = list(tracked(found, self._source.name, len(files)))
        return {file.path: reason for file, reason in zip(files, reasons, strict=True) if reason}

    def _get(self, file: SourceFile, network: Network) -> str:
        """Get one file; return why it is not available, or nothing."""
        held = locate(self._source, file, self._mirror, self._cache)
        reachable, reason = (True, "") if held else _reachable(self._base_url, network)
        if not reachable:
            return f"in neither mirror nor cache, and {reason}"
        try:
            path, origin, sha256 = fetch(
                self._source,
                file,
                mirror=self._mirror,
                cache=self._cache,
                base_url=self._base_url,
                allow_network=held is None,
            )
        except CacheError:
            # Neither the data nor the network is missing, and the mend is easy.
            raise
        except DataUnavailableError as error:
            if not self._persistent and isinstance(error.__cause__, OSError):
                # Waiting again for a server that hangs would add up over many files.
                _failed.setdefault(self._base_url, f"the network failed before: {error}")
            return str(error)
        self._path[file.path] = path
        self.facts[file.path] = {
            "path": file.path,
            "sha256": sha256,
            "bytes": path.stat().st_size,
            "origin": origin,
        }
        return ""

    def paths(self, files: Iterable[SourceFile]) -> Mapping[str, Path]:
        return {file.path: self._path[file.path] for file in files if file.path in self._path}


@functools.cache
def _probe(base_url: str) -> tuple[bool, str]:
    return probe_network(base_url)


#: Addresses that failed in this process where data may be simulated instead, and why.
_failed: dict[str, str] = {}


def _reachable(base_url: str, network: Network) -> tuple[bool, str]:
    if network is False or isinstance(network, str):
        return False, network or "the network does not answer"
    if base_url in _failed:
        return False, _failed[base_url]
    return (True, "") if network else _probe(base_url)


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    table = pa.Table.from_pandas(frame.reset_index(drop=True), preserve_index=False)
    pq.write_table(table, path)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
