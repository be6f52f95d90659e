"""Simulated panels of annotators and simulated alignments."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["alignments", "panels"])
