"""Moved to `annobench.benchmark`."""

from annobench.core.moved import moved

__getattr__ = moved(__name__, "annobench.benchmark")
