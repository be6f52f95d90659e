"""Find the modules of a package that hold a record: one file is one method or data set."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules_with(package: str, attribute: str) -> dict[str, ModuleType]:
    """Import the modules of a package and return those that define an attribute.

    Parameters
    ----------
    package : str
        Dotted name, such as ``"annobench.models"``.
    attribute : str
        Name of the record that marks a module, such as ``"METHOD"``.

    Returns
    -------
    dict of str to module
        By the module's short name, in alphabetical order.
    """
    home = importlib.import_module(package)
    found = (
        (entry.name, importlib.import_module(f"{package}.{entry.name}"))
        for entry in pkgutil.iter_modules(home.__path__)
        if not entry.name.startswith("_")
    )
    return {name: module for name, module in sorted(found) if hasattr(module, attribute)}
