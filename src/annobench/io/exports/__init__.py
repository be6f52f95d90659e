"""Readers of other tools' exports: one file a format, found by its record `FORMAT`."""

from annobench.io.exports.export import Export, Selection, read_export
from annobench.io.exports.recognition import discover, recognise

__all__ = ["Export", "Selection", "discover", "read_export", "recognise"]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
