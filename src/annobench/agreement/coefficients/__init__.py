"""Coefficients of agreement: one module per coefficient, with its record and its function."""

from __future__ import annotations

from types import ModuleType

from annobench.core.discovery import records

__all__ = ["discover"]


def discover() -> dict[str, ModuleType]:
    """Import every coefficient and return its module by the name in its record.

    Returns
    -------
    dict of str to module
        Each module has `METHOD` and a function with the record's name.

    Raises
    ------
    ImportError
        If two modules have the same name.
    """
    return records(__name__)
