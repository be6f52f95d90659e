from . import (
    aggregation,
    agreement,
    alignment,
    course,
    datasets,
    evaluation,
    io,
    labels,
    models,
    noise,
    plotting,
    posteriors,
    replication,
    reporting,
    resampling,
    simulation,
    studies,
)
from .aggregation.consensus import consensus
from .agreement.reports import report
from .io.table import read_labels, write_labels
from .labels.annotations import Annotations
from .noise.certificate import certificate

__version__: str

__all__ = [
    "Annotations",
    "aggregation",
    "agreement",
    "alignment",
    "certificate",
    "consensus",
    "course",
    "datasets",
    "evaluation",
    "io",
    "labels",
    "models",
    "noise",
    "plotting",
    "posteriors",
    "read_labels",
    "replication",
    "report",
    "reporting",
    "resampling",
    "simulation",
    "studies",
    "write_labels",
]
