"""Coefficients of agreement: one module a coefficient, with its record and its function."""

from __future__ import annotations

from types import ModuleType

from annobench.core.discovery import records

__all__ = ["discover"]


def discover() -> dict[str, ModuleType]:
    """Import every coefficient and return its module by the name in its record.

    Returns
    -------
    dict of str to module
        Each module has `METHOD` and a function of the record's name.

    Raises
    ------
    ImportError
        If two modules hold the same name.
    """
    return records(__name__)
