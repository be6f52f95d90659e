"""Label tables: one row per label, as CSV, TSV or Parquet.

Clean files take a fast path through Arrow, if installed. Whatever it rejects is read again, row by
row, to locate the faults; several are reported together.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annobench.core.choices import Empty
from annobench.core.errors import (
    MAX_FAULTS,
    AnnotationError,
    MissingLibraryError,
    ReaderError,
    report_faults,
)
from annobench.core.files import replacing
from annobench.core.numbers import plain_categories, with_points
from annobench.core.optional import is_installed, optional
from annobench.core.texts import allow_long_cells
from annobench.io._columns import Column, chosen_columns
from annobench.io._foreign import SECOND_HEADER, remedy_of_widths, what_it_is
from annobench.io.formats.headers import delimiter_of
from annobench.labels._coding import sorted_names
from annobench.labels.annotations import SCALES, Annotations, Scale
from annobench.labels.columns import choose_columns
from annobench.labels.frames import as_annotations

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pc = optional("pyarrow.compute", "Parquet")
    pa_csv = optional("pyarrow.csv", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

__all__ = ["as_text", "read_gold", "read_table", "write_labels"]

PARQUET = (".parquet", ".pq")
#: A table in such a file is no text with a delimiter.
_NO_TEXT = (".xlsx", ".json", ".jsonl", ".ndjson")
_TABBED = (".tsv", ".tab")
_METADATA = b"annobench"

#: Lines among which a header is looked for that does not stand first.
_TITLES = 20

#: Rows in which labels that stand in place of a header come again.
_ROWS = 1_000


def read_table(
    path: str | Path,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    empty: Empty = "missing",
    missing: Collection[str] = (),
    content: bytes | None = None,
) -> Annotations:
    r"""Read a table of labels with a header and one row per label.

    Files ending in .parquet or .pq are read as Parquet, others as UTF-8 text: .tsv and
    .tab with tabs, all others with the most frequent of comma, tab, semicolon and bar in the
    header. An empty label means that the item was not labelled.

    Parameters
    ----------
    path : str or Path
        The file.
    item, annotator, label : str, optional
        Names of the columns. By default usual names are recognised, such as `item_id`, `worker` and
        `response`. Several columns that together name the items, such as question and system, are
        separated by commas.
    categories : iterable, optional
        All categories in order; other labels are errors.
    scale : {"nominal", "ordinal", "interval"}, optional
        Scale of the labels; by default as recorded in a Parquet file by `write_labels`, and
        otherwise nominal.
    empty : {"missing", "category"}, default "missing"
        Whether an empty label is a missing label or a category.
    missing : collection of str, optional
        Codes for missing labels, such as 99.
    content : bytes, optional
        The contents of the file, if already read.

    Returns
    -------
    Annotations
        The labels as codes. Names are unchanged, even if a spreadsheet would read them as formulas;
        see `annobench.core.texts`. The labels 5 and 5.0 are the same category, named 5.

    Raises
    ------
    ReaderError
        If the file is missing, empty, cut off, not UTF-8, lacks a column or has two candidates, or
        has malformed rows, unknown labels or unnamed items or annotators; names file, line and
        remedy, for up to ten faults at once.

    Notes
    -----
    Time and memory are linear in the number of rows. Text with quotes or faults, and all text
    without pyarrow, is read row by row, which takes several times as long.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("item,worker,response\nx,ann,yes\nx,bob,no\n")
    ...     read_table(path)
    Annotations(1 items, 2 annotators, 2 categories, 2 labels, nominal)
    """
    wanted = {"item": item, "annotator": annotator, "label": label}
    return read_rows(Path(path), wanted, categories, scale, empty, missing, content)[0]


def read_rows(
    path: Path,
    wanted: dict[str, str | None],
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    empty: Empty = "missing",
    missing: Collection[str] = (),
    content: bytes | None = None,
) -> tuple[Annotations, int]:
    """Read a table as `read_table` does, and count its rows."""
    if not path.is_file():
        kind = "is a folder" if path.is_dir() else "does not exist"
        raise ReaderError(f"{path}: {kind}. Give the path of a table of labels.")
    try:
        if path.suffix.lower() in PARQUET:
            return _read_parquet(path, wanted, categories, scale, empty, missing)
        return _read_text(path, wanted, categories, scale or "nominal", empty, missing, content)
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error}). Check its permissions.") from error


def read_gold(
    path: str | Path,
    *,
    item: str | None = None,
    gold: str | None = None,
    content: bytes | None = None,
) -> dict[str, str]:
    r"""Read a gold standard: a table with a header and one row per item.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or Parquet, as for `read_table`, or a workbook of one sheet or JSON with one record
        per item; an empty cell means that there is no gold category.
    item : str, optional
        Name of the column of the items; by default usual names are recognised.
    gold : str, optional
        Name of the column of the gold categories; by default `gold`, `truth`, `label` and the
        like are recognised.
    content : bytes, optional
        The contents of the file, if already read.

    Returns
    -------
    dict of str to str
        Gold categories by item; 5.0 becomes 5.

    Raises
    ------
    ReaderError
        As for `annobench.read_labels`, and if an item has two gold categories.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "gold.csv")
    ...     _ = path.write_text("item,gold\nx,yes\ny,\n")
    ...     read_gold(path)
    {'x': 'yes'}
    """
    path = Path(path)
    if not path.is_file():
        kind = "is a folder" if path.is_dir() else "does not exist"
        raise ReaderError(f"{path}: {kind}. Give the path of a table of gold categories.")
    wanted = {"item": item, "gold": gold}
    found, lines = _columns(path, wanted, content)
    golds: dict[str, str] = {}
    faults: list[tuple[int, str]] = []
    for row, (i, k) in enumerate(zip(found["item"].codes, found["gold"].codes, strict=True)):
        if i < 0:
            faults.append((row, "no item"))
        elif k >= 0:
            name, category = found["item"].names[i], found["gold"].names[k]
            if golds.setdefault(name, category) != category:
                above = golds[name]
                faults.append((row, f"item {name!r} is {category!r} here and {above!r} above"))
    if faults:
        where = lines()
        texts = [f"{where[row]}: {text}" for row, text in faults]
        report_faults(path, texts, "Correct these rows: an item has one gold category.")
    return golds


def read_texts(
    path: str | Path, text: str, *, item: str | None = None, content: bytes | None = None
) -> dict[str, str]:
    """Read the texts that annotators saw from a column of a table of labels."""
    path = Path(path)
    found, _ = _columns(path, {"item": item, "--text": text}, content)
    texts: dict[str, str] = {}
    for i, t in zip(found["item"].codes, found["--text"].codes, strict=True):
        if i >= 0 and t >= 0:
            texts.setdefault(found["item"].names[i], found["--text"].names[t])
    return texts


def read_beside_labels(
    path: str | Path,
    column: str,
    option: str,
    *,
    label: str | None = None,
    empty: Empty = "missing",
    missing: Collection[str] = (),
    content: bytes | None = None,
) -> NDArray[np.object_]:
    """Read a further column of a table of labels, which an option names."""
    found, _ = _columns(Path(path), {"label": label, option: column}, content)
    labels = found["label"].without(missing)
    beside = found[option]
    names = np.array([*beside.names, ""], dtype=object)
    filled = labels.codes >= 0
    if empty == "category":
        filled |= found["label"].codes < 0
    return names[beside.codes[filled]]


def read_groups_of_rows(
    path: str | Path, by: str, columns: dict[str, str | None], *, content: bytes | None = None
) -> dict[str, dict[str, str]]:
    """Read the groups in a column, of items and of annotators; none where one has several."""
    found, _ = _columns(Path(path), columns | {"--by": by}, content)
    groups = found["--by"]
    known: dict[str, dict[str, str]] = {}
    for role in ("item", "annotator"):
        names = found[role]
        filled = (names.codes >= 0) & (groups.codes >= 0)
        pairs = np.unique(np.column_stack([names.codes[filled], groups.codes[filled]]), axis=0)
        one_each = np.unique(pairs[:, 0]).size == len(pairs)
        pairs = pairs if one_each else pairs[:0]
        known[f"{role}s"] = {names.names[i]: groups.names[g] for i, g in pairs.tolist()}
    return known


def count_labels(
    path: str | Path, *, label: str | None = None, content: bytes | None = None
) -> dict[str, int]:
    """Count how often each label of a table was given."""
    found, _ = _columns(Path(path), {"label": label}, content)
    column = found["label"]
    times = np.bincount(column.codes[column.codes >= 0], minlength=len(column.names))
    return dict(zip(column.names, times.tolist(), strict=True))


def write_labels(annotations: Annotations, path: str | Path) -> None:
    """Write labels as a table with the columns `item`, `annotator` and `label`.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    path : str or Path
        The file; .parquet or .pq gives Parquet, .tsv or .tab gives tabs, all else commas. It is
        written atomically.

    Raises
    ------
    AnnotationError
        If a name has a NUL byte and the file is text, or the labels are sets.

    Notes
    -----
    Names are written unchanged, even if a spreadsheet would read them as formulas, and
    `annobench.read_labels` restores them exactly; see `annobench.core.texts`. A text file has only
    its rows: the order of the categories, unused categories, items and annotators without labels,
    and the scale are lost, unless given to `annobench.read_labels` again. Parquet keeps everything.
    """
    annotations = as_annotations(annotations, "write_labels")
    path = Path(path)
    if annotations.scale == "set":
        raise AnnotationError(
            f"{path}: labels that are sets can't be written as a long table and read back. Write "
            "one row per element, or build a table from to_frame and membership."
        )
    parquet = path.suffix.lower() in PARQUET
    names = (annotations.items, annotations.annotators, annotations.categories)
    for name in (name for group in names for name in group if not parquet and "\0" in name):
        raise AnnotationError(
            f"{path}: the name {name!r} has a NUL byte, which a text file can't hold. "
            "Rename it, or write Parquet."
        )
    with replacing(path) as draft:
        if parquet:
            pq.write_table(_to_arrow(annotations), draft)
            return
        tabbed = path.suffix.lower() in _TABBED
        with draft.open("w", encoding="utf-8", newline="") as stream:
            # The writer quotes only the line ends it uses itself, a reader knows them all.
            unusual = any("\r" in name for group in names for name in group)
            writer = csv.writer(
                stream,
                delimiter="\t" if tabbed else ",",
                lineterminator="\n",
                quoting=csv.QUOTE_ALL if unusual else csv.QUOTE_MINIMAL,
            )
            writer.writerow(("item", "annotator", "label"))
            columns = (annotations.item, annotations.annotator, annotations.label)
            texts = (
                np.array(group, dtype=object)[codes]
                for group, codes in zip(names, columns, strict=True)
            )
            writer.writerows(zip(*texts, strict=True))


def _read_text(
    path: Path,
    wanted: dict[str, str | None],
    categories: Iterable[object] | None,
    scale: Scale,
    empty: Empty,
    missing: Collection[str],
    content: bytes | None,
) -> tuple[Annotations, int]:
    found, lines = _text_columns(path, wanted, content)
    return _build(path, found, categories, scale, empty, missing, lines)


def _columns(
    path: Path, wanted: dict[str, str | None], content: bytes | None
) -> tuple[dict[str, Column], Callable[[], list[str]]]:
    """Read the columns of a file by role, and what names the line of each row."""
    if path.suffix.lower() in PARQUET:
        found, _, lines, _ = _parquet_columns(path, wanted)
        return found, lines
    if path.suffix.lower() not in _NO_TEXT:
        return _text_columns(path, wanted, content)
    from annobench.io.formats.base import Source
    from annobench.io.formats.containers import opened
    from annobench.io.formats.tables import as_text as cell_text

    with opened(Source(path)) as tables:
        if not tables:  # which says what the file is instead
            return _text_columns(path, wanted, content)
        if len(tables) > 1:
            raise ReaderError(f"{path}: {len(tables)} tables. Give a file with one.")
        [table] = tables
        chosen = chosen_columns(path, list(table.header), wanted)
        rows = list(table.rows(False))
    found = chosen.read(lambda name: [cell_text(row[name]) for _, row in rows])
    return found, lambda: [f"row {number}" for number, _ in rows]


def _text_columns(
    path: Path, wanted: dict[str, str | None], content: bytes | None
) -> tuple[dict[str, Column], Callable[[], list[str]]]:
    """Read the columns of a text by role, and a function that names the line of each row."""
    text = _decode(path, content)
    delimiter, header = header_of(path, text)
    try:
        chosen = chosen_columns(path, header, wanted)
    except ReaderError as error:
        hint = _hint_of_header(path, text, wanted)
        raise ReaderError(f"{path}: line 1 is no header. {hint}" if hint else str(error)) from error
    # Without quotes a row is a line and a field is what stands between delimiters, so that
    # both readers agree.
    plain = '"' not in text and "\r" not in text.replace("\r\n", "")
    table = _fast(text, header, delimiter) if plain and is_installed("pyarrow") else None
    if table is None:
        rows, _ = _careful(path, text, header, delimiter)
        at = {name: header.index(name) for name in chosen.names}
        table = {name: [row[n] for row in rows] for name, n in at.items()}
    found = chosen.read(table.__getitem__)

    def lines() -> list[str]:
        return [f"line {n}" for n in _careful(path, text, header, delimiter)[1]]

    _refuse_second_header(path, found, chosen.header, lines)
    return found, lines


def _refuse_second_header(
    path: Path,
    found: dict[str, Column],
    names: dict[str, str],
    lines: Callable[[], list[str]],
) -> None:
    """Reject a row that repeats the header, as in concatenated files."""
    if not all(names[role] in column.names for role, column in found.items()):
        return
    repeats = [column.codes == column.names.index(names[r]) for r, column in found.items()]
    rows = np.flatnonzero(np.logical_and.reduce(repeats))
    if rows.size:
        raise ReaderError(f"{path}, {lines()[rows[0]]}: {SECOND_HEADER}")


def _hint_of_header(path: Path, text: str, wanted: dict[str, str | None]) -> str:
    """Suggest the line of the header, if the first line is not one."""
    lines = text.splitlines()[:_TITLES]
    if re.fullmatch(r"sep=.", lines[0].strip(), re.IGNORECASE):
        return f"It holds {lines[0].strip()!r}, which is meant for Excel: delete it."
    for number, line in enumerate(lines[1:], start=2):
        try:
            choose_columns(path, next(csv.reader([line], delimiter=_delimiter(path, line))), wanted)
        except (ReaderError, StopIteration, csv.Error):
            continue
        return f"Line {number} looks like one: delete the lines above it."
    delimiter, header = header_of(path, text)
    again = _labels_in_header(header, islice(_rows(text, delimiter), 1, _ROWS))
    names = delimiter.join(wanted)
    return again and f"{again!r} comes again below it. Put a line with names above it: {names}."


def _labels_in_header(header: list[str], rows: Iterable[list[str]]) -> str:
    """Return a cell of the header that comes again in its column, as no name does; else ''."""
    try:
        cells = chain.from_iterable(zip(header, row, strict=False) for row in rows)
        return next((name for name, cell in cells if name == cell), "")
    except csv.Error:
        return ""


def header_of(source: str | Path, text: str) -> tuple[str, list[str]]:
    """Find the delimiter of a table, and the names of its columns."""
    delimiter = _delimiter(source, text)
    try:
        return delimiter, next(row for row in _rows(text, delimiter) if row)
    except (StopIteration, csv.Error):
        raise ReaderError(
            f"{source}: the file is empty or its header can't be read. Give a header and one row "
            "per label."
        ) from None


def names_of_columns(path: Path, content: bytes) -> list[str]:
    """Return the columns of a table, whose beginning is given."""
    if path.suffix.lower() in PARQUET:
        with refusing_parquet(path):
            return list(pq.read_schema(path).names)
    head = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    return header_of(path, head)[1]


def _delimiter(source: str | Path, text: str) -> str:
    tabbed = str(source).lower().removesuffix(".gz").endswith(_TABBED)
    return "\t" if tabbed else delimiter_of(text)


def _decode(path: Path, content: bytes | None) -> str:
    data = (path.read_bytes() if content is None else content).removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise ReaderError(f"{path}: the file is empty. Give a header and one row per label.")
    foreign = what_it_is(data[:1_000], path)
    if foreign is not None:
        raise ReaderError(f"{path}: {foreign}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReaderError(
            f"{path}, line {line} (byte {error.start}): not UTF-8. Save the file as UTF-8, from "
            "Excel as 'CSV UTF-8'; it may be Latin-1 or Windows-1252."
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ReaderError(
            f"{path}, line {line}: a NUL byte; this is not a text file, or it is damaged. "
            "Save it as UTF-8 text."
        )
    return text


def _rows(text: str, delimiter: str) -> Any:
    allow_long_cells()
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _in_arrow(data: bytes) -> pa.Buffer:
    """Copy bytes into memory of Arrow's own."""
    buffer = pa.allocate_buffer(len(data))
    with pa.FixedSizeBufferWriter(buffer) as writer:
        writer.write(data)
    return buffer


def _fast(text: str, header: list[str], delimiter: str) -> pa.Table | None:
    """Parse text without quotes; None where a row does not fit the header."""
    kind = pa.string()
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(_in_arrow(text.encode("utf-8"))),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(header, kind), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table if table.column_names == header else None


def _careful(
    path: Path, text: str, header: list[str], delimiter: str
) -> tuple[list[list[str]], list[int]]:
    """Parse row by row; return rows and their last lines, or report all faults."""
    reader = _rows(text, delimiter)
    rows: list[list[str]] = []
    lines: list[int] = []
    faults, widths = [], []
    try:
        for row in reader:
            if len(row) == len(header):
                rows.append(row)
                lines.append(reader.line_num)
            elif row:
                widths.append(len(row))
                faults.append(
                    f"line {reader.line_num}: {len(row)} fields where the header has {len(header)}"
                )
    except csv.Error as error:
        widths.clear()  # what follows is not known
        faults.append(f"line {reader.line_num}: {error}")
    report_faults(path, faults, remedy_of_widths(delimiter, len(header), widths))
    return rows[1:], lines[1:]


def _build(
    path: Path,
    found: dict[str, Column],
    categories: Iterable[object] | None,
    scale: Scale,
    empty: Empty,
    missing: Collection[str],
    lines: Any,
    items: Iterable[str] | None = None,
    annotators: Iterable[str] | None = None,
) -> tuple[Annotations, int]:
    """Make annotations of encoded columns and count the rows, or report faulty ones."""
    label = found["label"].filled() if empty == "category" else found["label"]
    label = label.without(missing)
    if scale == "interval":
        label = replace(label, names=with_points(label.names))
    known = None if categories is None else plain_categories(categories)
    if known is not None and missing:
        known = tuple(name for name in known if name not in plain_categories(missing))
    if not label.codes.size:
        raise ReaderError(f"{path}: a header but no rows. Give one row per label.")
    wrong = {name: text for name in label.names if (text := label_fault(name, known, scale))}
    bad = np.isin(label.codes, [n for n, name in enumerate(label.names) if name in wrong])
    unnamed = {role: found[role].codes < 0 for role in ("item", "annotator")}
    rows = np.flatnonzero(bad | unnamed["item"] | unnamed["annotator"])
    if rows.size:
        where = lines()
        faults = []
        for n in rows[: MAX_FAULTS + 1]:
            texts = [f"no {role}" for role, empty in unnamed.items() if empty[n]]
            texts += [wrong[label.names[label.codes[n]]]] if bad[n] else []
            faults.append(f"{where[n]}: {' and '.join(texts)}")
        if rows.size > MAX_FAULTS:
            faults += [""] * (rows.size - len(faults))
        report_faults(path, faults, _remedy(unnamed["item"], unnamed["annotator"], bad))
    try:
        label_codes, order = _categories(label.names, known, scale)
        given = label.codes >= 0
        listed = (
            _listed(found[role], given, order)
            for role, order in (("item", items), ("annotator", annotators))
        )
        (item_codes, item_names), (annotator_codes, annotator_names) = listed
    except (AnnotationError, TypeError) as error:
        raise ReaderError(f"{path}: {error}") from error
    except KeyError as error:
        raise ReaderError(
            f"{path}: the metadata lacks the name {error} of a row. Write the file again."
        ) from error
    arrays = (item_codes, annotator_codes, label_codes[label.codes[given]])
    return Annotations(*arrays, item_names, annotator_names, order, scale), given.size


def _categories(
    names: tuple[str, ...], known: tuple[str, ...] | None, scale: Scale
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the code of each distinct label, and the categories; the rows are codes already."""
    if known is None and scale == "nominal":
        order = sorted_names(names)
        rank = {name: code for code, name in enumerate(order)}
        small = np.int16 if len(order) <= np.iinfo(np.int16).max else np.int32
        return np.array([rank[name] for name in names], dtype=small), order
    given = ["-"] * len(names)
    distinct = Annotations.from_arrays(given, given, names, categories=known, scale=scale)
    return distinct.label, distinct.categories


def _remedy(
    no_item: NDArray[np.bool_], no_annotator: NDArray[np.bool_], bad: NDArray[np.bool_]
) -> str:
    """Return the remedy for rows that can't be labels."""
    unnamed = no_item | no_annotator
    if not unnamed.any():
        return (
            "Correct these rows, list the label among the categories, or leave a code for missing "
            "labels out with missing=."
        )
    # Of cells that were merged only the first holds what stood in all.
    merged = not unnamed[0] and unnamed.mean() >= 1 / 3
    if merged:
        return "If cells were merged, unmerge them, and write the name into every row."
    return "Correct these rows." if not bad.any() else "Correct these rows and labels."


def _listed(
    column: Column, given: NDArray[np.bool_], order: Iterable[str] | None
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    if order is None:
        return column.codes[given].astype(np.int32), column.names
    names = tuple(order)
    position = {name: n for n, name in enumerate(names)}
    codes = np.array([position[name] for name in column.names], dtype=np.int32)
    return codes[column.codes[given]], names


def label_fault(name: str, categories: tuple[str, ...] | None, scale: Scale) -> str | None:
    """Say why a label can't stand, or None."""
    if scale == "interval":
        try:
            number = float(name)
        except ValueError:
            comma = _number(name.replace(",", ".")) is not None
            return f"label {name!r} is not a number" + (": write a decimal point" if comma else "")
        if not np.isfinite(number):
            return f"label {name!r} is not a finite number"
        if categories is None or any(number == _number(known) for known in categories):
            return None
    elif categories is None or name in categories:
        return None
    return f"label {name!r} is not one of {', '.join(map(repr, categories or ()))}"


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _to_arrow(annotations: Annotations) -> pa.Table:
    columns = {
        "item": (annotations.item, annotations.items),
        "annotator": (annotations.annotator, annotations.annotators),
        "label": (annotations.label, annotations.categories),
    }
    table = pa.table(
        {
            name: pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
            for name, (codes, names) in columns.items()
        }
    )
    kept: dict[str, Any] = {"scale": annotations.scale, "categories": annotations.categories}
    # Names are repeated only where the rows do not tell them.
    for role, codes, names in (
        ("items", annotations.item, annotations.items),
        ("annotators", annotations.annotator, annotations.annotators),
    ):
        first = np.unique(codes, return_index=True)
        in_order = len(first[0]) == len(names) and bool((np.diff(first[1]) > 0).all())
        kept[role] = None if in_order else names
    return table.replace_schema_metadata({_METADATA: json.dumps(kept)})


def _read_parquet(
    path: Path,
    wanted: dict[str, str | None],
    categories: Iterable[object] | None,
    scale: Scale | None,
    empty: Empty,
    missing: Collection[str],
) -> tuple[Annotations, int]:
    found, schema, lines, order = _parquet_columns(path, wanted)
    kept = kept_beside(path, schema.metadata)
    if order is not None:
        kept = {"categories": order, "scale": "ordinal"} | kept
    return _build(
        path,
        found,
        kept.get("categories") if categories is None else categories,
        scale or kept.get("scale", "nominal"),
        empty,
        missing,
        lines,
        kept.get("items"),
        kept.get("annotators"),
    )


def _parquet_columns(
    path: Path, wanted: dict[str, str | None]
) -> tuple[dict[str, Column], pa.Schema, Callable[[], list[str]], tuple[str, ...] | None]:
    """Read the columns of a Parquet file by role."""
    with refusing_parquet(path):
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            chosen = chosen_columns(path, list(schema.names), wanted)
            table = file.read(columns=list(chosen.names))
        found = chosen.read(lambda name: as_text(table[name]))
        labels = [table[name] for role, name in chosen.roles.items() if role == "label"]
        order = declared_order(labels[0]) if labels else None
    return found, schema, lambda: [f"row {n + 1}" for n in range(table.num_rows)], order


def declared_order(labels: pa.ChunkedArray) -> tuple[str, ...] | None:
    """Return the categories of an ordered categorical column."""
    if not pa.types.is_dictionary(labels.type) or not labels.type.ordered:
        return None
    orders = [as_text(pa.chunked_array([part.dictionary])).to_pylist() for part in labels.chunks]
    return tuple(orders[0]) if orders and all(order == orders[0] for order in orders) else None


@contextmanager
def refusing_parquet(source: str | Path) -> Iterator[None]:
    """Refuse a Parquet file that can't be read."""
    try:
        yield
    except (ReaderError, MissingLibraryError):
        raise
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise ReaderError(
            f"{source}: truncated, not a Parquet file, or a column is not text or numbers "
            f"({error}). Write it again."
        ) from error
    except ValueError as error:
        raise ReaderError(f"{source}: {error}") from error


def kept_beside(path: str | Path, metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """Read the metadata written by `write_labels` to a Parquet file."""
    try:
        kept = json.loads((metadata or {}).get(_METADATA, b"{}"))
        lists = [kept.get(key) for key in ("categories", "items", "annotators")]
        # Sets are not written as tables.
        sound = kept.get("scale", "nominal") in SCALES[:-1] and all(
            names is None
            or (
                isinstance(names, list)
                and all(isinstance(n, str) for n in names)
                and len(set(names)) == len(names)
            )
            for names in lists
        )
    except (ValueError, AttributeError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise ReaderError(f"{path}: the metadata is damaged. Write the file again.")
    return dict(kept)


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column as text; NaN is no label.

    Parameters
    ----------
    column : ChunkedArray
        Text, numbers, or a dictionary of them.

    Returns
    -------
    ChunkedArray of str
        Text, with whole numbers without a decimal point, as data frames convert numbers with empty
        rows to floats.

    Raises
    ------
    ValueError
        If a number is infinite.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_floating(column.type):
        return column.cast(pa.string())
    column = pc.if_else(pc.is_nan(column), None, column)
    if pc.any(pc.is_inf(column)).as_py():
        raise ValueError("Infinite numbers are not names. Empty their cells.")
    # Arrow writes 1e15 with an exponent, and -0 with its sign.
    is_whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), 2.0**63))
    whole = pc.if_else(is_whole, column, 0).cast(pa.int64()).cast(pa.string())
    return pc.if_else(is_whole, whole, column.cast(pa.string()))
