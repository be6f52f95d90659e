from .formats import Export, Selection, read_export
from .formats.layers import select_layer
from .long import read_gold
from .partitioning import partition
from .reading import read_labels, select_labels
from .table import write_labels

__all__ = [
    "Export",
    "Selection",
    "partition",
    "read_export",
    "read_gold",
    "read_labels",
    "select_labels",
    "select_layer",
    "write_labels",
]
