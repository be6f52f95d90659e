"""Files of pairwise judgements: one row per comparison."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.optional import require
from annobench.io.comparisons import as_comparisons, layout_of
from annobench.io.formats.base import HEAD_BYTES
from annobench.io.formats.headers import delimiter_of
from annobench.io.formats.records import csv_records, json_records
from annobench.pairwise.comparisons import Comparisons

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_comparisons"]


def read_comparisons(
    path: str | Path,
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    annotator: str | None = None,
    clusters: str | None = None,
) -> Comparisons:
    """Read pairwise judgements.

    Parameters
    ----------
    path : str or Path
        CSV, TSV, JSON (a list of objects, or one per line) or Parquet, one row per comparison; or
        in one of the layouts of `annobench.io.comparisons`.
    left, right, winner, annotator, clusters : str, optional
        Columns, as for `Comparisons.from_frame`.

    Returns
    -------
    Comparisons
        The judgements.

    Raises
    ------
    ReaderError
        If the file can't be read, or its rows are not comparisons.
    """
    path = Path(path)
    if path.is_dir():
        raise ReaderError(f"{path}: a folder. Name a file with one row per comparison.")
    with naming(path):
        frame = frame_of(path)
        layout = layout_of(frame.columns) if {left, right, winner} == {None} else None
        if layout is not None:
            return as_comparisons(path, frame, layout, annotator=annotator, clusters=clusters)
        return Comparisons.from_frame(
            frame,
            left=left,
            right=right,
            winner=winner,
            annotator=annotator,
            clusters=clusters,
        )


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in errors about its comparisons."""
    try:
        yield
    except AnnotationError as error:
        raise ReaderError(f"{path}: {str(error).removeprefix('Comparisons: ')}") from error
    except UnicodeEncodeError as error:
        raise ReaderError(f"{path}: a text is not valid Unicode. Correct or remove it.") from error
    except RecursionError as error:
        raise ReaderError(
            f"{path}: a record is nested too deeply. Write the file again."
        ) from error


def frame_of(path: Path) -> pd.DataFrame:
    """Read a file as a table with one row per record."""
    import pandas as pd

    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if head.startswith(b"PAR1"):
        require("pyarrow", "Parquet")
        try:
            return pd.read_parquet(path)
        except (ValueError, OSError, NotImplementedError) as error:
            raise ReaderError(f"{path}: can't be read ({error}). Write the file again.") from error
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begins in (b"[", b"{"):
        rows = _by_row([row for _, row in json_records(path)])
    else:
        text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
        rows = [dict(row) for _, row in csv_records(path, delimiter_of(text))]
    if not rows:
        raise ReaderError(f"{path}: no rows below the header. Give one row per comparison.")
    return pd.DataFrame(rows)


def _by_row(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a table that pandas wrote by columns, each a mapping from the row."""
    columns = list(records[0].values()) if len(records) == 1 else []
    if not columns or not all(isinstance(cells, dict) for cells in columns):
        return records
    if any(list(cells) != list(columns[0]) for cells in columns):
        return records
    return [{name: cells[row] for name, cells in records[0].items()} for row in columns[0]]
