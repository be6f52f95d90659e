"""Aggregation of labels: consensus, gold items, and decision trees."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["c45", "consensus", "gold", "partitioned", "predictions"]
)
