"""Studies of the methods: coverage of intervals, models on gold standards, the certificate."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["certificate_coverage", "coverage", "models"]
)
