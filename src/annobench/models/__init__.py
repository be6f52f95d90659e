"""Models of annotation: one module a model, found by discovery.

A model's module holds a `METHOD` record and a function `fit`. To use one, import
its module: ``from annobench.models import voting; voting.fit(annotations)``.
"""

from __future__ import annotations

from types import ModuleType

from annobench.core.discovery import modules_with


def discover() -> dict[str, ModuleType]:
    """Import every model and return its module by the name in its record.

    Returns
    -------
    dict of str to module
        Each module has `METHOD` and `fit`.

    Raises
    ------
    ImportError
        If two modules hold the same name.
    """
    found: dict[str, ModuleType] = {}
    for module in modules_with("annobench.models", "METHOD").values():
        name = module.METHOD.name
        if name in found:
            raise ImportError(
                f"models: the name {name!r} stands in {found[name].__name__} and in "
                f"{module.__name__}. Rename one."
            )
        found[name] = module
    return found
