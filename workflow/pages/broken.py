"""Faults of papers: recorded by the job that meets one, shown on pages, refused by `check`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from annobench.core.files import recording, replacing


class Fault(NamedTuple):
    """Why a part of a paper could not be made.

    Attributes
    ----------
    paper : str
        Key of the paper.
    part : str
        "record", "analysis", "dependence", "comparison", "notebook" or "page".
    message : str
        What is wrong, where, and how to correct it.
    """

    paper: str
    part: str
    message: str


def write_fault(path: str | Path, message: str) -> None:
    """Write the file of a fault, which is empty where there is none."""
    with replacing(path) as draft:
        draft.write_text(message and f"{message.strip()}\n", encoding="utf-8")


def read_faults(paths: Iterable[str]) -> list[Fault]:
    """Read the faults of files such as `faults/volk2008/analysis.txt`; empty ones have none."""
    texts = {path: path.read_text(encoding="utf-8").strip() for path in map(Path, paths)}
    return [Fault(path.parent.name, path.stem, text) for path, text in texts.items() if text]


@contextmanager
def recording_paper(
    job: Any,
    replace_outputs: Callable[[str], None],
    *errors: type[Exception],
) -> Iterator[None]:
    """Record a job of a paper, which writes its outputs and its fault also where it fails.

    Parameters
    ----------
    job : snakemake.script.Snakemake
        With the output `fault`.
    replace_outputs : callable
        Takes the message, and writes what stands in place of the outputs that are missing.
    *errors
        What a fault of the paper raises; after any other exception the job fails.
    """

    def rescue(message: str) -> None:
        replace_outputs(message)
        write_fault(job.output.fault, f"{message} (log: {job.log[0]})")

    name = " ".join([job.rule, *job.wildcards])
    with recording(job.log[0], name=name, rescue=rescue, errors=errors):
        yield
        write_fault(job.output.fault, "")


def not_compared(faults: Iterable[Fault]) -> set[str]:
    """Return the papers whose tables of printed values and of remarks may be faulty."""
    return {fault.paper for fault in faults if fault.part == "comparison"}
