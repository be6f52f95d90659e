"""The former name of `annobench.benchmark.external_methods`, which warns."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

__all__: list[str] = []

_NOW = "annobench.benchmark.external_methods"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    warnings.warn(
        f"{__name__} is now {_NOW}. The former name goes with the next version.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(import_module(_NOW), name)
