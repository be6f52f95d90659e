"""Evaluation: scores, selective prediction, stratified samples, information of labels."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "calibration",
        "category_sets",
        "correlations",
        "error_detection",
        "gold_sample",
        "gold_size",
        "information",
        "panels",
        "partitioned",
        "prediction_powered",
        "sampling",
        "scores",
        "selective",
        "soft_labels",
    ],
)
