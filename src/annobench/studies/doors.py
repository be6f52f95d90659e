"""Moved to `annobench.benchmark.external_methods`."""

from annobench.core.moved import moved

__getattr__ = moved(__name__, "annobench.benchmark.external_methods")
