"""Atomic writing of files, and logs of scripts."""

from __future__ import annotations

import csv
import errno
import importlib
import logging
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeGuard

from annobench.core.errors import FullDiskError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["recording", "replacing", "write_csv"]

#: The umask can only be read by setting it, which two threads must not do at once.
_ASKING = threading.Lock()

_PREFIX = ".draft."

#: Bytes without which a disk is full.
_SMALL = 1 << 16

#: Rows of a table that Arrow writes.
_LARGE = 10_000


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`, and move it there on success.

    Parameters
    ----------
    path : str or Path
        The file to write; its folder is created if necessary, and drafts left by killed processes
        are removed.

    Yields
    ------
    Path
        A path in the same folder with the same suffix. After an error it is removed and
        the old file, if there was one, is untouched.

    Raises
    ------
    FullDiskError
        If the disk is full, or the user's quota used up.

    Examples
    --------
    >>> with replacing("/tmp/annobench-example.txt") as draft:  # doctest: +SKIP
    ...     draft.write_text("whole")
    """
    target = Path(path)
    with naming_full_disk(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_unlocked(target.parent.glob(f"{_PREFIX}*"))
        handle, draft = _locked_draft(target)
        try:
            yield draft
            # mkstemp makes the file private; the result gets the mode any new file would have.
            with _ASKING:
                umask = os.umask(0)
                os.umask(umask)
            draft.chmod(0o666 & ~umask)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
            os.close(handle)


@contextmanager
def naming_full_disk(path: str | Path) -> Iterator[None]:
    """Add the file being written, and the remedy, to the error of a full disk."""
    try:
        yield
    except FullDiskError:
        raise
    except Exception as error:
        causes = list(_causes(error))
        found = next(filter(_is_full, causes), None)
        if found is None:
            raise
        said = os.strerror(found.errno or errno.ENOSPC)
        raise FullDiskError(
            f"{path} can't be written ({said}). {_full(_existing(Path(path).parent), causes)}."
        ) from error


def write_csv(
    table: pd.DataFrame,
    path: str | Path,
    *,
    index: bool = False,
    float_format: str | None = None,
) -> None:
    """Write a table as CSV, atomically, with unchanged texts.

    Parameters
    ----------
    table : DataFrame
        The table; for texts that spreadsheets read as formulas see `annobench.core.texts`.
    path : str or Path
        The file to write.
    index : bool, default False
        Whether the index is written, too.
    float_format : str, optional
        Such as "%.6g"; by default all digits.
    """
    with replacing(path) as draft:
        if len(table) >= _LARGE and not index and float_format is None and draft.suffix == ".csv":
            from annobench.core._large_csv import write_unquoted

            if write_unquoted(table, draft):
                return
        table.to_csv(
            draft,
            index=index,
            float_format=float_format,
            lineterminator="\n",
            quoting=csv_quoting(table),
        )


def csv_quoting(table: pd.DataFrame) -> Literal[0, 2]:
    """Choose which texts to quote in a CSV file with line feeds."""
    names = (*table.columns, *table.index.names)
    columns = [column for _, column in table.items() if column.dtype.kind == "O"]
    if table.index.dtype.kind == "O":
        columns.append(table.index.to_series())
    unusual = any(_has_return(texts) for texts in (names, *columns))
    return csv.QUOTE_NONNUMERIC if unusual else csv.QUOTE_MINIMAL


def _has_return(texts: Iterable[Hashable]) -> bool:
    # Of pandas' own strings Python would have to be made one by one.
    if getattr(texts, "dtype", None) == "str":
        return bool(texts.str.contains("\r", regex=False).any())  # type: ignore[attr-defined]
    return any("\r" in text for text in texts if isinstance(text, str))


def remove_abandoned_drafts(folder: str | Path) -> None:
    """Remove drafts of `replacing` left by killed processes."""
    _remove_unlocked(Path(folder).rglob(f"{_PREFIX}*"))


def _locked_draft(target: Path) -> tuple[int, Path]:
    """Create a draft under a lock that ends with the process."""
    while True:
        handle, name = tempfile.mkstemp(
            prefix=f"{_PREFIX}{target.stem}.", suffix=target.suffix, dir=target.parent
        )
        _lock(handle, wait=True)
        # Another writer may have taken it for abandoned before it was locked.
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)


def _remove_unlocked(drafts: Iterable[Path]) -> None:
    for draft in drafts:
        with suppress(OSError):
            handle = os.open(draft, os.O_RDWR)
            try:
                if _lock(handle, wait=False):
                    draft.unlink()
            finally:
                os.close(handle)


def _lock(handle: int, *, wait: bool) -> bool:
    """Return whether the lock was acquired; never on systems without locks."""
    try:
        fcntl = importlib.import_module("fcntl")
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


@contextmanager
def recording(
    log: str | Path,
    *,
    name: str,
    rescue: Callable[[str], None] | None = None,
    errors: tuple[type[Exception], ...] = (Exception,),
) -> Iterator[logging.Logger]:
    """Redirect logging and the standard error to a file.

    Parameters
    ----------
    log : str or Path
        The log file, overwritten.
    name : str
        Name of the script, for the line that an error prints on the terminal.
    rescue : callable, optional
        Takes the message of an exception of the script, and writes what others need in place of
        its outputs; the script then ends as without an exception. It is not called for a full disk.
    errors : tuple of exception classes
        The exceptions for which `rescue` is called.

    Yields
    ------
    Logger
        For the script's own messages.

    Raises
    ------
    SystemExit
        Status 1 after any other exception, with its traceback in the log and its message on the
        terminal, too. For a full disk, the message names it and the remedy; the log itself may then
        be incomplete.
    """
    path = Path(log)
    failure: Exception | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _stderr_in(path) as root:
            try:
                yield logging.getLogger(name)
            except Exception as error:
                root.exception("%s failed", name)
                failure = error
    except OSError as error:
        failure = error
    if failure is not None:
        said = _as_message(failure)
        full = _full_disk(failure, path.parent)
        if full:
            said = f"{said.rstrip('.')}. {full}"
        print(f"{name}: {said} (log: {path})", file=sys.stderr)
        if rescue is None or full or not isinstance(failure, errors):
            raise SystemExit(1) from failure
        rescue(said)


def _as_message(failure: Exception) -> str:
    """Return the message of an exception, with its class where a word alone would say nothing."""
    said = str(failure)
    return said if " " in said else f"{type(failure).__name__}: {said}".removesuffix(": ")


@contextmanager
def _stderr_in(path: Path) -> Iterator[logging.Logger]:
    """Redirect logging and the standard error to a file, and restore both."""
    sys.stderr.flush()
    terminal = os.dup(2)
    stream = path.open("w", encoding="utf-8", buffering=1)
    # The descriptor and not only sys.stderr, so that compiled code and child processes
    # are recorded as well.
    os.dup2(stream.fileno(), 2)
    handler = _Handler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        yield root
    finally:
        logging.captureWarnings(False)
        root.removeHandler(handler)
        root.setLevel(level)
        # What a full disk does not take of the log must not hide why the script failed.
        with suppress(OSError):
            sys.stderr.flush()
        os.dup2(terminal, 2)
        os.close(terminal)
        with suppress(OSError):
            stream.close()


class _Handler(logging.StreamHandler[TextIO]):
    """Writes to the log, ignoring errors of a full disk."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's name)
        """Let the script itself fail with an explanation."""


def _full_disk(error: BaseException, folder: Path) -> str:
    """Return which disk is full, if any, and the remedy."""
    if isinstance(error, FullDiskError):  # it says so itself
        return ""
    places = [_existing(folder), Path(tempfile.gettempdir())]
    causes = list(_causes(error))
    if not any(map(_is_full, causes)) and all(map(_has_room, places)):
        return ""
    return _full(min(places, key=lambda place: shutil.disk_usage(place).free), causes)


def _full(place: Path, causes: Sequence[BaseException]) -> str:
    """Describe a full disk and the remedy."""
    if any(getattr(cause, "errno", None) == errno.EDQUOT for cause in causes):
        what = f"Your quota on the disk of {place} is used up"
    else:
        free = shutil.disk_usage(place).free
        what = f"The disk of {place} is too full ({free:,} bytes are free)"
    return f"{what}: free some space, and run the same command again"


def _existing(folder: Path) -> Path:
    """Return a folder, or its nearest existing parent."""
    return next(place for place in (folder, *folder.absolute().parents) if place.is_dir())


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _is_full(error: BaseException) -> TypeGuard[OSError]:
    """Return whether an error is that of a full disk."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _has_room(folder: Path) -> bool:
    """Return whether a disk still takes a small file."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_SMALL))
    except OSError as error:
        return not _is_full(error)
    return True
