"""What the configuration and the environment settle before any job runs."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from annobench.datasets import get, missing_files
from documents import DocumentError, unknown, validate

SCHEMA = Path(__file__).parent / "schemas" / "config.schema.yaml"

#: Seconds by which the clocks of a file system and of this machine may differ.
CLOCK_TOLERANCE = 60


def check_config(config: Mapping[str, Any], datasets: Collection[str]) -> None:
    """Refuse a configuration with an unknown key, value or data set.

    Raises
    ------
    DocumentError
        Naming the path of every faulty key.
    """
    validate(config, SCHEMA, "configuration")
    faults = [
        f"configuration, {unknown(f'key data.datasets.{name}', name, datasets)}"
        for name in config["data"]["datasets"]
        if name not in datasets
    ]
    if faults:
        raise DocumentError("\n".join(faults))


def mode_of(config: Mapping[str, Any], dataset: str) -> str:
    """Return the mode of one data set: its own, or else that of all."""
    return str(config["data"]["datasets"].get(dataset, config["data"]["mode"]))


def upgrades(results: Path, dataset: str, mode: str, seed: int) -> int:
    """Count how often simulated data were remade: files had turned up, or the seed had changed.

    As a parameter of its rule this makes simulated results real once a mirror is named, and
    leaves real results alone in a shell where it is not, and with another seed.
    """
    try:
        meta = json.loads((results / "data" / dataset / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0
    missing = {file.path for file in missing_files(dataset)}
    used = {file["path"] for file in meta["files"]}
    turned_up = {file.path for file in get(dataset).simulate_from} - missing - used
    is_simulated = meta["provenance"] == "simulated"
    waiting = (is_simulated and meta.get("seed") != seed) or (
        (is_simulated or "without" in meta)
        and (bool(turned_up) or (mode != "simulated" and not missing))
    )
    return int(meta.get("upgrades", 0)) + waiting


def check_results(folder: Path) -> None:
    """Refuse a results folder that can't be written, or one in it, before any job tries.

    Raises
    ------
    NotADirectoryError, PermissionError
        Naming the folder and the remedy.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            f"{folder}: the workflow writes into this folder, but it is a file. "
            "Move the file away and run again."
        )
    places = [folder.absolute().parent]
    if folder.exists():
        places = [folder, *(path for path in sorted(folder.iterdir()) if path.is_dir())]
    for place in places:
        if os.access(place, os.W_OK | os.X_OK):
            continue
        mend = f"Make it writable (chmod u+wx {place})"
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            mend = "Its file system is mounted read-only: mount it for writing"
        raise PermissionError(
            f"{folder}: the workflow writes into this folder, but {place} is not writable. "
            f"{mend}, or run in a copy with `snakemake --directory`."
        )


def missing_sources(inputs: Iterable[str]) -> list[str]:
    """Say of each missing source of a rule what to do; Snakemake may not notice that it is gone.

    It takes what a rule made earlier for a source of its own, once the rule lacks an input.

    Parameters
    ----------
    inputs : iterable of str
        Of all rules. Patterns are left out: the files of papers, which they match, are checked
        where papers are read.

    Returns
    -------
    list of str
        A sentence each.
    """
    fixed = {path for path in inputs if "{" not in path}
    return [
        f"{path}: missing, and the workflow reads it. Restore it, as by `git checkout -- {path}`."
        for path in sorted(fixed)
        if not path.startswith("results/") and not Path(path).exists()
    ]


def ahead_of_clock(folder: Path, now: float) -> str:
    """Return a warning where results were written in the future, or nothing.

    The clock was set back then. What is edited since looks older than the results, which
    Snakemake, going by times, takes for up to date.
    """
    written = [path.lstat().st_mtime for path in folder.glob("*")]
    ahead = max(written, default=now) - now
    if ahead < CLOCK_TOLERANCE:
        return ""
    return (
        f"{folder}: was written {timedelta(seconds=round(ahead))} ahead of the "
        "clock, which must have been set back since. Until then an edit is not noticed; "
        "`snakemake --cores all --forceall` recomputes everything."
    )
