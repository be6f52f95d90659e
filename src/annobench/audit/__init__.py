"""Audits: drawing items to check, estimates from checks, and planning."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "assessment",
        "design",
        "difference_estimator",
        "next_labels",
        "planning",
        "release",
    ],
)
