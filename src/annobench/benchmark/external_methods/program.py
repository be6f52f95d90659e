"""Methods in any language: a program that reads labels and writes probabilities, as CSV."""

from __future__ import annotations

import csv
import hashlib
import os
import shlex
import signal
import string
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from resource import struct_rusage
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.benchmark.external_methods.answers import to_posterior
from annobench.benchmark.external_methods.candidate import Answer, Candidate, record, with_all_items
from annobench.core.errors import MethodError, MethodTimeoutError
from annobench.io.table import write_labels
from annobench.labels.annotations import Annotations

__all__ = ["TAIL", "from_program"]

#: What a command may name: where labels are, where probabilities go, and a seed.
FIELDS = ("labels", "probabilities", "seed")

#: How many characters of the end of what a program printed a message shows.
TAIL = 2_000

#: Seconds between two looks at a program that runs, at first and at most.
_FIRST_LOOK, _LAST_LOOK = 0.002, 0.1


class _Run(NamedTuple):
    """Output and cost of a program that ended successfully."""

    table: pd.DataFrame | pd.Series[str]
    seconds: float
    peak_bytes: float


def from_program(command: str, *, limit: float) -> Candidate:
    """Build a method from a command.

    Parameters
    ----------
    command : str
        A command line, run without a shell: ``Rscript my.R {labels} {probabilities}``. ``{labels}``
        and ``{probabilities}`` are replaced by paths of CSV files, and ``{seed}``, if present, by a
        whole number. Words that are files in the current folder mean these files.
    limit : float
        Time limit in seconds, after which the program and its children are stopped.

    Returns
    -------
    Candidate
        Random if the command names a seed.

    Raises
    ------
    MethodError
        If the command names no labels or no probabilities, an unknown field, or no executable
        program.

    Notes
    -----
    The labels have the columns `item`, `annotator` and `label`, with names as text, in UTF-8. The
    program writes `item` and a column of probabilities per category (a category without a column
    has probability 0), or `item` and `label`. It runs in an empty temporary folder, which is
    removed.
    """
    words = _words(command)
    random = any("{seed}" in word for word in words)
    files = [Path(word) for word in words if Path(word).is_file()]
    digest = hashlib.sha256(command.encode())
    # A program that is installed is named by the command; what the user wrote is its content.
    for path in files[1:] if len(files) > 1 else files:
        digest.update(path.read_bytes())
    shown = [Path(word).name if Path(word).is_file() else word for word in words]
    name = " ".join(word for word in shown if not any(f"{{{field}}}" in word for field in FIELDS))

    def fit(annotations: Annotations, rng: np.random.Generator | int | None = None) -> Answer:
        seed = int(np.random.default_rng(rng).integers(2**31)) if random else 0
        cost = np.array([np.nan, np.nan])

        def ask(labels: Annotations) -> NDArray[np.float64]:
            done = _run(command, words, labels, seed, limit)
            cost[:] = done.seconds, done.peak_bytes
            return to_posterior(done.table, labels)

        posterior = with_all_items(annotations, ask)
        names = annotations.items, annotations.annotators, annotations.categories
        return Answer(*names, posterior, seconds=float(cost[0]), peak_bytes=float(cost[1]))

    about = record(name, reference=command, deterministic=not random)
    return Candidate(about, fit, f"{command}, SHA-256 {digest.hexdigest()[:12]}")


def _words(command: str) -> list[str]:
    """Split a command, check its fields, and make the paths of its files absolute."""
    example = "such as 'Rscript my.R {labels} {probabilities}'"
    try:
        words = shlex.split(command)
        parsed = [part for word in words for part in string.Formatter().parse(word)]
        named = {field for _, field, *_ in parsed if field is not None}
    except ValueError as error:
        raise MethodError(
            f"--program {command!r} can't be read ({error}). Quote it as for a shell, {example}; "
            "double literal braces."
        ) from error
    if unknown := sorted(named - set(FIELDS)):
        raise MethodError(
            f"--program {command!r} names {{{unknown[0]}}}, which is not one of "
            f"{', '.join(f'{{{field}}}' for field in FIELDS)}. Write a command {example}."
        )
    if absent := sorted({"labels", "probabilities"} - named):
        raise MethodError(
            f"--program {command!r} does not name {{{absent[0]}}}. Write a command {example}: the "
            "fields are replaced by paths of CSV files."
        )
    # Links stay: the Python of an environment is a link to one that knows nothing of it.
    return [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]


def _run(shown: str, words: Sequence[str], labels: Annotations, seed: int, limit: float) -> _Run:
    """Run a command in a folder of its own and read its output."""
    with tempfile.TemporaryDirectory(prefix="annobench-") as name:
        folder = Path(name)
        paths = {"labels": folder / "labels.csv", "probabilities": folder / "probabilities.csv"}
        write_labels(labels, paths["labels"])
        command = [word.format(seed=seed, **paths) for word in words]
        seconds, peak_bytes = _executed(shown, command, folder, limit)
        return _Run(_read(paths["probabilities"], labels), seconds, peak_bytes)


def _executed(
    shown: str, command: Sequence[str], folder: Path, limit: float
) -> tuple[float, float]:
    """Run a command, shown as the user wrote it; return its processor time and peak of memory."""
    # Files, as a grandchild that outlives its parent would keep a pipe open.
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        try:
            process = subprocess.Popen(  # noqa: S603  (the user's own command)
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise MethodError(
                f"--program: {command[0]!r} can't be run ({error.strerror}). Install it, or give "
                "its path."
            ) from error
        try:
            status, used = _waited(process, limit)
        finally:
            # Also where this process is interrupted, and children that were left behind.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    if status is None:
        raise MethodTimeoutError(
            f"the program was stopped after {limit:g} s: {shown}. {_printed(folder)}Raise --limit, "
            "or make it faster."
        )
    if status:
        raise MethodError(
            f"the program ended with {_status(status)}: {shown}. {_printed(folder)}Run it by hand "
            "on labels of your own to debug it."
        )
    return used.ru_utime + used.ru_stime, 1024.0 * used.ru_maxrss


def _waited(process: subprocess.Popen[bytes], limit: float) -> tuple[int | None, struct_rusage]:
    """Wait for a process; its status is None if it was stopped."""
    end, pause = time.monotonic() + limit, _FIRST_LOOK
    timed_out = False
    while True:
        pid, code, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(code)
            return (None if timed_out else process.returncode), used
        if not timed_out and time.monotonic() > end:
            timed_out = True
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(pause)
        pause = min(2 * pause, _LAST_LOOK)


def _status(status: int) -> str:
    if status > 0:
        return f"exit status {status}"
    return f"signal {signal.Signals(-status).name}"


def _printed(folder: Path) -> str:
    """Quote the end of a program's error stream, or else of its output."""
    for name in ("stderr", "stdout"):
        path = folder / name
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL))
            text = file.read().decode("utf-8", errors="replace").strip()
        if text:
            return f"Its {name} ends with:\n{text}\n"
    return "It printed nothing. "


def _read(path: Path, labels: Annotations) -> pd.DataFrame | pd.Series[str]:
    """Read probabilities or labels by item; names stay text."""
    what = "a CSV file with the column item, and one for each category or the column label"
    if not path.is_file():
        raise MethodError(
            f"the program wrote no file to {{probabilities}}: expected {what}. Write to the path "
            f"given for {{probabilities}} in the command."
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.reader(stream, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise MethodError(
            f"the program's file can't be read ({error}): expected {what}, in UTF-8. Let a CSV "
            "writer quote names with commas and quotes."
        ) from error
    rows = [row for row in rows if row]
    if not rows or "item" not in rows[0]:
        got = f"the header {', '.join(map(repr, rows[0][:10]))}" if rows else "an empty file"
        raise MethodError(f"expected {what}; got {got}. Write a header with these columns.")
    header, body = rows[0], rows[1:]
    if header[0] == "" and "" not in labels.categories:
        raise MethodError(
            f"expected {what}; got a first column without a name. Leave out the numbers of the "
            "rows (R: row.names = FALSE; pandas: index=False)."
        )
    short = next((n for n, row in enumerate(body, 2) if len(row) != len(header)), None)
    if short is not None:
        raise MethodError(
            f"the program's file, row {short}: {len(body[short - 2])} fields where the header has "
            f"{len(header)}. Let a CSV writer quote names with commas and quotes."
        )
    # By place, as a category may be called item, too.
    place = header.index("item")
    names = [row.pop(place) for row in body]
    table = pd.DataFrame(body, names, header[:place] + header[place + 1 :], dtype=object)
    if list(table.columns) == ["label"]:
        return pd.Series(table["label"])
    values: pd.DataFrame = table.apply(pd.to_numeric, errors="coerce")
    wrong = (values.isna() & ~table.isin(["", "NA", "NaN", "nan"])).to_numpy()
    if wrong.any():
        i, k = np.argwhere(wrong)[0]
        raise MethodError(
            f"expected numbers; got {table.iloc[i, k]!r} for item {table.index[i]!r}, column "
            f"{table.columns[k]!r}. Write probabilities with a decimal point."
        )
    return values
