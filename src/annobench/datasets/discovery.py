"""Discovery of data sets in other packages.

A package adds data sets by an entry point of the group `annobench.datasets`, whose value is the
name of a package; each of its modules may hold a tuple `DATASETS` of records::

    [project.entry-points."annobench.datasets"]
    our_lab = "our_lab.datasets"

The public data sets are discovered in this way.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType, ModuleType

from annobench.core.discovery import records
from annobench.core.errors import DatasetWarning

__all__ = ["GROUP", "modules"]

#: The group of entry points.
GROUP = "annobench.datasets"

#: The distribution whose own entry point names the public data sets.
_OWN = "annobench"


@cache
def modules() -> Mapping[str, ModuleType]:
    """Find the modules that hold records of data sets.

    Returns
    -------
    mapping of str to module
        By the ids of their data sets, in alphabetical order.

    Raises
    ------
    ImportError
        If the public data sets can't be found, or two of them have the same id.

    Warns
    -----
    DatasetWarning
        If the data sets of another package can't be used; others are not affected.
    """
    found = records(public(), "DATASETS")
    for point in entry_points(group=GROUP):
        if _by(point) != _OWN:
            found |= _added(point, found)
    return MappingProxyType(dict(sorted(found.items())))


@cache
def public() -> str:
    """Return the name of the package of public data sets."""
    for point in entry_points(group=GROUP):
        if _by(point) == _OWN:
            return point.value
    raise ImportError(
        "The public data sets can't be found: annobench is not installed, or was before it had "
        f"entry points ({GROUP}). Install it again: pip install -e ."
    )


def _added(point: EntryPoint, found: Mapping[str, ModuleType]) -> Mapping[str, ModuleType]:
    """Return what another package adds, or nothing, with a warning."""
    try:
        more = records(point.value, "DATASETS")
        if taken := found.keys() & more:
            raise ImportError(f"There is another data set {min(taken)!r}. Give it another name.")
    except Exception as error:  # whatever the code of others raises
        warnings.warn(
            f"{point.value} (of {_by(point)}): the data sets of this package are not used. "
            f"{type(error).__name__}: {str(error).rstrip('.')}. Fix or uninstall it.",
            DatasetWarning,
            stacklevel=3,
        )
        return {}
    return more


def _by(point: EntryPoint) -> str:
    """Return the name of the distribution that an entry point is of."""
    return point.dist.name if point.dist else "unknown origin"
