from . import (
    aggregation,
    agreement,
    alignment,
    audit,
    benchmark,
    datasets,
    evaluation,
    io,
    judges,
    labels,
    models,
    noise,
    pairwise,
    plotting,
    reporting,
    resampling,
    scale,
    simulation,
    spans,
)
from .aggregation.consensus import consensus
from .agreement.report_table import report
from .benchmark.external_methods.on_labels import compare
from .io.reading import read_labels
from .io.table import write_labels
from .labels.annotations import Annotations
from .noise.certificate import certificate

__version__: str

__all__ = [
    "Annotations",
    "aggregation",
    "agreement",
    "alignment",
    "audit",
    "benchmark",
    "certificate",
    "compare",
    "consensus",
    "datasets",
    "evaluation",
    "io",
    "judges",
    "labels",
    "models",
    "noise",
    "pairwise",
    "plotting",
    "read_labels",
    "report",
    "reporting",
    "resampling",
    "scale",
    "simulation",
    "spans",
    "write_labels",
]
