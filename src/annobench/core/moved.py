"""Names that have moved: the old ones work for one version, and warn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["moved"]


def moved(old: str, new: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names have moved to another one.

    Parameters
    ----------
    old, new : str
        The modules.

    Returns
    -------
    callable
        Warns, and returns the name from where it is now.
    """

    def find(name: str) -> Any:
        # Special names are asked for by the import system.
        found = None if name.startswith("__") else getattr(import_module(new), name, None)
        if found is None:
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        warnings.warn(
            f"{old}.{name} is now {new}.{name}. The old name goes in the next version.",
            DeprecationWarning,
            stacklevel=2,
        )
        return found

    return find
