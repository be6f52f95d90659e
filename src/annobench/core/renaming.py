"""Old names of options and attributes, accepted with a warning for one more version."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def say_renamed(old: str, new: str, *, stacklevel: int = 3) -> None:
    """Warn that a name is an old one."""
    warnings.warn(
        f"{old} is called {new}; the old name works until the next version.",
        DeprecationWarning,
        stacklevel=stacklevel,
    )


def renamed_options(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function accept options by their old names, too."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in names.items():
                if old not in kwargs:
                    continue
                if new in kwargs:
                    raise TypeError(f"{function.__name__}: {old} and {new} are the same option.")
                say_renamed(f"{function.__name__}: the option {old}", new)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate
