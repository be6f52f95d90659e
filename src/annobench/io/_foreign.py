"""Files that are not tables of labels, recognised by their first bytes, and remedies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from annobench.labels.columns import NO_TABLE

#: How files begin, what they are, and what to do.
_BEGINNINGS = (
    (b"\x1f\x8b", "packed with gzip. Unpack it first: gunzip FILE."),
    (b"BZh", "packed with bzip2. Unpack it first: bunzip2 FILE."),
    (b"\xfd7zXZ", "packed with xz. Unpack it first: unxz FILE."),
    (b"\x28\xb5\x2f\xfd", "packed with Zstandard. Unpack it first: unzstd FILE."),
    (b"Rar!", "a RAR archive. Unpack it first."),
    (b"7z\xbc\xaf", "a 7z archive. Unpack it first."),
    (b"PAR1", "a Parquet file. Give it a name that ends in .parquet."),
    (b"ARROW1", "an Arrow or Feather file. Write it as Parquet or CSV."),
    (b"SQLite format 3", "an SQLite database. Export its records: from Prodigy with db-out."),
    (b"%PDF", "a PDF. Find the table from which it was made, and save that as CSV."),
    (b"{\\rtf", "a text with formatting (RTF). Save the table as CSV."),
    (b"\xd0\xcf\x11\xe0", "an old workbook or document of Office. Save it as XLSX or CSV."),
    (b"\x89HDF", "an HDF5 file. Write its table as CSV or Parquet."),
    (b"\x89PNG", "a picture (PNG), not a table."),
    (b"\xff\xd8\xff", "a picture (JPEG), not a table."),
    (b"\xff\xfe", "a text in UTF-16. Save the file as UTF-8, from Excel as 'CSV UTF-8'."),
    (b"\xfe\xff", "a text in UTF-16. Save the file as UTF-8, from Excel as 'CSV UTF-8'."),
)

#: What is said of a row that has the names of all columns.
SECOND_HEADER = "the row repeats the header, as in concatenated files. Delete it."

#: How the names of texts end that are no tables.
_TEXTS = {".md", ".markdown", ".rst", ".tex", ".bib"}

_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype html|html|head|\?xml[^>]*>\s*<html)", re.IGNORECASE)


def what_it_is(head: bytes, name: str | PurePath) -> str | None:
    """Describe a file that is not a text with a table."""
    if PurePath(name).suffix.lower() in _TEXTS:
        return NO_TABLE
    for beginning, said in _BEGINNINGS:
        if head.startswith(beginning):
            return said
    if head.startswith(b"PK"):
        if b"opendocument" in head[:200]:
            return "an OpenDocument file. Save it as XLSX or CSV."
        return (
            "a zip archive or workbook that is damaged or contains no known export. Unpack "
            "it, or save the sheet as CSV."
        )
    if _PICKLE.match(head):
        return "a Python pickle, which may run any code when read. Write Parquet or CSV."
    if _WEB_PAGE.match(head):
        return "a web page, such as a login page. Export the table again."
    return None


def remedy_of_widths(delimiter: str, width: int, widths: Sequence[int]) -> str:
    """Return a remedy for rows whose widths differ from the header's, if known."""
    if widths and all(own > width for own in widths):
        sign = "a tab" if delimiter == "\t" else repr(delimiter)
        return f"Put each value that contains {sign} in quotation marks."
    return "Complete or quote these rows; the file may have been cut off."
