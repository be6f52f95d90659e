"""Shares of a study's tasks for jobs of their own, their tables together, and what made them."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from annobench import __version__
from annobench.core.files import replacing
from annobench.core.optional import installed_versions

Task = TypeVar("Task")


def run_part(
    tasks: Sequence[Task], run: Callable[[Task], pd.DataFrame], part: int, n_parts: int
) -> pd.DataFrame:
    """Run every `n_parts`-th task.

    Parameters
    ----------
    tasks : sequence
        All tasks of a study; the result of one does not depend on the others.
    run : callable
        Returns the table of a task.
    part : int
        In [0, n_parts): the first task that is run.
    n_parts : int
        Jobs that share the tasks.

    Returns
    -------
    DataFrame
        The tables one below the other, with the place of their task in the column `task`; empty
        if there are fewer tasks than parts.
    """
    own = range(part, len(tasks), n_parts)
    tables = [run(tasks[n]).assign(task=n) for n in own]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"task": []})


def join_parts(paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
    """Read the tables of all parts, and put their rows in the order of the tasks.

    Parameters
    ----------
    paths : iterable of path
        Parquet files of tables from `run_part`.

    Returns
    -------
    DataFrame
        Without the column `task`.
    """
    tables = [pd.read_parquet(path) for path in paths]
    joined = pd.concat([table for table in tables if len(table)])
    return joined.sort_values("task", kind="stable", ignore_index=True).drop(columns="task")


def versions() -> dict[str, str]:
    """Return the versions of the software that decides the numbers.

    Returns
    -------
    dict of str to str
        By name.
    """
    found = {"annobench": __version__, "python": platform.python_version()}
    return found | installed_versions(("numpy", "scipy", "numba"))


def write_settings(path: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
    """Write what made the tables of a study, with the versions of the software.

    Parameters
    ----------
    path : path
        Of a JSON file, which is replaced whole.
    settings : mapping
        Grid, design and seed.
    """
    with replacing(Path(path)) as draft:
        draft.write_text(
            json.dumps(dict(settings) | {"versions": versions()}, indent=1) + "\n", encoding="utf-8"
        )
