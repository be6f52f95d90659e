"""Readers and writers of other tools' formats, one file a format."""

from annobench.io.table import read_gold, read_labels, write_labels

__all__ = ["read_gold", "read_labels", "write_labels"]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
