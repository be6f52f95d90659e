"""Uncompiled inner loops with the arithmetic of compiled ones.

Numba computes with integers of 64 bits, and a division by zero or a logarithm of zero stops
nothing. Python's functions of `math` raise an error, and NumPy's narrow integers overflow.
"""

from __future__ import annotations

import functools
import math as _math
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

#: Whether a thread runs a kernel, so that one which another calls need not prepare anything.
_running = threading.local()


def as_compiled(function: Callable[..., Any], begin: Callable[[], None]) -> Callable[..., Any]:
    """Run a function uncompiled, with the arithmetic of compiled code."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        if getattr(_running, "kernel", False):
            return function(*arguments)
        begin()
        _running.kernel = True
        try:
            with np.errstate(all="ignore"):
                return _as_given(function(*map(_widened, arguments)))
        finally:
            _running.kernel = False

    return run


class _Widened(np.ndarray[Any, Any]):
    """An array of narrow numbers that are widened when read."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if not isinstance(found, np.generic):
            return found
        return np.float64(found) if found.dtype.kind == "f" else np.int64(found)


def _widened(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        narrow = value.dtype.kind in "iuf" and value.dtype.itemsize < 8
        return value.view(_Widened) if narrow else value
    if isinstance(value, tuple):
        parts = map(_widened, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    # A quotient of two such numbers may be infinite.
    return np.float64(value) if isinstance(value, float) else value


def _as_given(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_as_given, value))
    return value.view(np.ndarray) if isinstance(value, _Widened) else value


def _without_errors(exact: Callable[[float], float], beyond: Callable[[float], float]) -> Any:
    def function(x: float) -> float:
        try:
            return exact(x)
        except (ValueError, OverflowError):
            return float(beyond(x))

    return function


def _always_infinite(_: float) -> float:
    return _math.inf


#: Python's `math`, whose functions return infinity or NaN in place of an error.
math = SimpleNamespace(
    **vars(_math)
    | {
        "exp": _without_errors(_math.exp, _always_infinite),
        "lgamma": _without_errors(_math.lgamma, _always_infinite),
        "log": _without_errors(_math.log, np.log),
        "log1p": _without_errors(_math.log1p, np.log1p),
        "sqrt": _without_errors(_math.sqrt, np.sqrt),
    }
)
