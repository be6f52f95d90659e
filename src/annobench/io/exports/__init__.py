"""Moved to `annobench.io.formats`; the readers are in a package of their own."""

from annobench.core.moved import moved

__getattr__ = moved(__name__, "annobench.io.formats")
