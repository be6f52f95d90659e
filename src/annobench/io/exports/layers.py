"""Moved to `annobench.io.formats.layers`."""

from annobench.core.moved import moved

__getattr__ = moved(__name__, "annobench.io.formats.layers")
