"""Formats of labels: discovery, recognition and the interface of readers."""

from annobench.io.formats.discovery import discover
from annobench.io.formats.export import Export, Selection, read_export
from annobench.io.formats.recognition import recognise

__all__ = ["Export", "Selection", "discover", "read_export", "recognise"]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
