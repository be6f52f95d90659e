"""Moved to `annobench.scale.partitions`."""

from annobench.core.moved import moved

__getattr__ = moved(__name__, "annobench.scale.partitions")
