"""Names that have moved: the old ones work for one version, and warn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["moved", "moved_modules"]


def moved(old: str, new: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names have moved to another one.

    Parameters
    ----------
    old, new : str
        The modules.

    Returns
    -------
    callable
        A function that warns and returns the name from its new module.
    """

    def find(name: str) -> Any:
        # Special names are asked for by the import system.
        found = None if name.startswith("__") else getattr(import_module(new), name, None)
        if found is None:
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        warnings.warn(
            f"{old}.{name} is now {new}.{name}. The old name will be removed in the next version.",
            DeprecationWarning,
            stacklevel=2,
        )
        return found

    return find


def moved_modules(package: str, new: Mapping[str, str]) -> None:
    """Make modules of a package importable by their former names.

    Parameters
    ----------
    package : str
        Former package.
    new : mapping of str to str
        New modules, by former name in the package.
    """
    for name, place in new.items():
        old = ModuleType(f"{package}.{name}", f"Moved to `{place}`.")
        old.__dict__["__getattr__"] = moved(old.__name__, place)
        # Where the import system looks before it looks for files.
        sys.modules[old.__name__] = old
        setattr(sys.modules[package], name, old)
