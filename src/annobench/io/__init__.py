"""Readers and writers of label files and of other tools' formats, one file a format."""

from annobench.io.exports import Export, Selection, read_export
from annobench.io.reading import read_labels, select_labels
from annobench.io.table import read_gold, write_labels

__all__ = [
    "Export",
    "Selection",
    "read_export",
    "read_gold",
    "read_labels",
    "select_labels",
    "write_labels",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
