"""The model of Dawid and Skene (1979): its fit, other optima, chunks of labels, and uncertainty.

`annobench.models.dawid_skene.model` defines the model; its public names are available here.
"""

from annobench.models.dawid_skene.em import Parameters
from annobench.models.dawid_skene.model import METHOD, DawidSkeneFit, fit, fit_partitions
from annobench.models.dawid_skene.optima import restarts
from annobench.models.dawid_skene.uncertainty import bootstrap

__all__ = [
    "METHOD",
    "DawidSkeneFit",
    "Parameters",
    "bootstrap",
    "fit",
    "fit_partitions",
    "restarts",
]
