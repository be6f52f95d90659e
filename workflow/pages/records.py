"""Read the records of papers and data sets that pages show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

#: The one in C, where there is one, takes a tenth of the time.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_record(path: Path) -> dict[str, Any]:
    """Read the record of a paper or a study, valid since the workflow began, with its key."""
    record: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 (safe)
    return {"key": path.parent.name} | record


def read_metas(paths: Iterable[str]) -> list[dict[str, Any]]:
    """Read what the data sets say of themselves."""
    return [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]


def stand_ins(record: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what a paper's analysis simulates in place of labels that no data set has."""
    return [each | {"paper": record["key"]} for each in record.get("stand_ins", ())]


def simulated(metas: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the data sets that this run had to simulate, or was told to."""
    return [meta for meta in metas if meta["provenance"] == "simulated"]
