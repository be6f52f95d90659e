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


def records(package: str) -> dict[str, ModuleType]:
    """Import the modules of a package that hold a record `METHOD`, by the name in it.

    Parameters
    ----------
    package : str
        Dotted name, such as ``"annobench.agreement.coefficients"``.

    Returns
    -------
    dict of str to module
        In alphabetical order of the modules.

    Raises
    ------
    ImportError
        If two modules hold the same name.
    """
    found: dict[str, ModuleType] = {}
    for module in modules_with(package, "METHOD").values():
        name = module.METHOD.name
        if name in found:
            raise ImportError(
                f"{package}: the name {name!r} stands in {found[name].__name__} and in "
                f"{module.__name__}. Rename one."
            )
        found[name] = module
    return found
