"""Shares of a study's tasks for jobs of their own, and their tables put together again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import pandas as pd

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
