"""Proposed commands, each tried on the file before it is printed."""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annobench.cli._running import running, trying

if TYPE_CHECKING:
    from annobench.io import Selection
    from annobench.io.formats.layers import LayerSelection

#: Bytes that are read in less than two seconds.
_BYTES = 4_000_000

#: Files whose first lines are a table, too.
_TEXT = (".csv", ".tsv", ".tab", ".txt")

#: The commands that can be tried: they call `end_trial` before they compute or write.
TRIED = ("report", "consensus", "judge", "convert")


class _Ended(Exception):  # noqa: N818 - nothing has failed
    """The command has read its labels and refused none of them."""

    def __init__(self, selection: Selection | LayerSelection) -> None:
        super().__init__()
        self.selection = selection


@dataclass(frozen=True)
class Trial:
    """What a command does on a file, or on its first rows.

    Attributes
    ----------
    refusal : str
        Why it fails; empty if it succeeds.
    selection : Selection, LayerSelection or None
        The labels that it reads; None if the file is too large to try.
    in_part : bool
        Whether only the first rows were read.
    """

    refusal: str = ""
    selection: Selection | LayerSelection | None = None
    in_part: bool = False

    def loss(self, *, of_repeats: bool = True) -> str:
        """Say that more is left out than is kept; repeated labels may not count."""
        if self.selection is None:
            return ""
        ledger = self.selection.ledger
        is_kept = ledger["what"].eq("documents by annotator")
        if is_kept.any():  # of a layer, where no document is lost with lines or files beside it
            first = ledger["what"].str.startswith("documents in ").idxmax()
            ledger = ledger.loc[first : is_kept.idxmax()]
        is_left_out = ledger["what"].str.startswith("left out: ")
        if not of_repeats:
            is_left_out &= ~ledger["what"].str.contains("repeated ")
        kept, dropped = int(ledger["rows"].iloc[-1]), int(ledger["rows"][is_left_out].sum())
        return f"keeps {kept:,} and leaves out {dropped:,}" if dropped > kept else ""


def end_trial(
    selection: Selection | LayerSelection, check: Callable[[], object] | None = None
) -> None:
    """End a trial after a check: what follows takes long and refuses no other labels."""
    if trying.get():
        if check is not None:
            check()
        raise _Ended(selection)


def tried(words: Sequence[str], file: str) -> Trial:
    """Run one of `TRIED`, given as typed, up to its labels; on the first rows of a large file."""
    return copy_context().run(_tried, words, file)


def _tried(words: Sequence[str], file: str) -> Trial:
    from annobench.scale._format import is_partitioned

    if is_partitioned(file):
        return Trial()
    messages = io.StringIO()
    trying.set(True)
    try:
        with (
            _first_rows(Path(file)) as (path, in_part),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(messages),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            if path is None:
                return Trial()
            if in_part:
                words = [str(path) if word == file else word for word in words]
            running().program.main(words, prog_name="annobench", standalone_mode=False)
    except _Ended as end:
        return Trial("", end.selection, in_part)
    except Exception as error:
        return Trial(str(error))
    return Trial(messages.getvalue().removeprefix("annobench: ").strip())


@contextlib.contextmanager
def _first_rows(path: Path) -> Iterator[tuple[Path | None, bool]]:
    """Yield a file, or a copy of its first rows; None if it is large and has no rows."""
    files = path.rglob("*") if path.is_dir() else (path,)
    if sum(file.stat().st_size for file in files if file.is_file()) <= _BYTES:
        yield path, False
        return
    if path.suffix.lower() not in _TEXT or path.is_dir():
        yield None, False
        return
    home = Path(tempfile.mkdtemp(prefix="annobench-"))
    try:
        with path.open("rb") as whole, (home / path.name).open("wb") as part:
            part.writelines(whole.readlines(_BYTES))
        yield home / path.name, True
    finally:
        shutil.rmtree(home)
