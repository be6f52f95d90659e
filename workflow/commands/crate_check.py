"""Compare the metadata of a crate with its files: digests, sizes, data sets, verdicts."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from annobench_replication.faces import Tally
from annobench_replication.ledger import read_comparison

METADATA = "ro-crate-metadata.json"

Graph = dict[str, dict[str, Any]]


def faults(folder: Path) -> list[str]:
    """Say where the metadata of a crate differ from its files.

    Parameters
    ----------
    folder : Path
        That of the crate.

    Returns
    -------
    list of str
        A sentence each; empty if the crate is right.
    """
    read = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    graph = {entity["@id"]: entity for entity in read["@graph"]}
    return [*_of_files(folder, graph), *_of_data(folder, graph), *_of_verdicts(folder, graph)]


def _of_files(folder: Path, graph: Graph) -> Iterator[str]:
    listed = {
        unquote(id): entity
        for id, entity in graph.items()
        if "File" in _several(entity["@type"]) and "://" not in id
    }
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(found - {METADATA} - set(listed)):
        yield f"{name} is not listed in {METADATA}."
    for name, entity in listed.items():
        if name not in found:
            yield f"{name} is listed in {METADATA}, and is missing."
            continue
        content = (folder / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if (digest, str(len(content))) != (entity.get("sha256"), entity.get("contentSize")):
            yield f"{name}: its SHA-256 is {digest}, and that listed {entity.get('sha256')}."


def _of_data(folder: Path, graph: Graph) -> Iterator[str]:
    """Compare what data sets were read from with what they say of themselves."""
    for path in sorted(folder.glob("results/data/*/meta.json")):
        meta = json.loads(path.read_text(encoding="utf-8"))
        entity = graph.get(f"results/data/{meta['id']}/", {})
        read = [graph.get(file["@id"], {}) for file in _several(entity.get("isBasedOn", []))]
        listed = sorted(str(file.get("sha256")) for file in read)
        if listed != sorted(file["sha256"] for file in meta["files"]):
            yield f"Data set {meta['id']}: the digests of its files are not those of {path.name}."
        if f": {meta['provenance']}." not in entity.get("description", ""):
            yield f"Data set {meta['id']}: nothing says that it is {meta['provenance']}."


def _of_verdicts(folder: Path, graph: Graph) -> Iterator[str]:
    """Compare the counts of verdicts, of all papers and of each, with the tables."""
    comparison = read_comparison(folder / "results/comparison.csv")
    tables = {"all": comparison} | {
        path.parent.name: read_comparison(path)
        for path in sorted(folder.glob("results/papers/*/comparison.csv"))
    }
    for whose, table in tables.items():
        for verdict, n in Tally.of(table).counts.items():
            listed = graph.get(f"#verdicts-{whose}-{verdict}", {}).get("value")
            if listed != n:
                yield f"Verdicts of {whose}: {verdict} {n}, and {listed} listed."


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
