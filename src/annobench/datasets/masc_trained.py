"""Moved to the package of public data sets."""

from annobench.core.moved import moved
from annobench.datasets.discovery import public

__getattr__ = moved(__name__, f"{public()}.masc_trained")
