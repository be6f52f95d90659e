from .discovery import discover
from .export import Export, Selection, read_export
from .recognition import recognise

__all__ = ["Export", "Selection", "discover", "read_export", "recognise"]
