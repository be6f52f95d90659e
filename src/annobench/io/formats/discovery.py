"""Discovery of formats: layouts of tables, and formats of other packages.

A package adds formats with an entry point of the group `annobench.formats`, whose value is the name
of a package; each of its modules may have records `FORMAT` and `LAYOUT`::

    [project.entry-points."annobench.formats"]
    our_lab = "our_lab.formats"

The readers of annotation tools' exports are discovered in this way.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import NamedTuple

from annobench.core.discovery import records
from annobench.core.errors import FormatWarning
from annobench.io.formats.base import ExportFormat
from annobench.io.formats.tables import Layout, Table

__all__ = ["GROUP", "discover"]

#: The group of entry points.
GROUP = "annobench.formats"

#: Layouts of tables, which are there whatever is installed.
_LAYOUTS = "annobench.io.layouts"

#: The distribution whose own entry point names the readers of tools' exports.
_OWN = "annobench"


class _Found(NamedTuple):
    """The records of formats and layouts, by name."""

    formats: dict[str, ExportFormat]
    layouts: dict[str, Layout]


def discover() -> Mapping[str, ExportFormat]:
    """Find the formats.

    Returns
    -------
    mapping of str to ExportFormat
        By name, in alphabetical order.

    Warns
    -----
    FormatWarning
        If the formats of a package can't be used; others are not affected.
    """
    return MappingProxyType(_found().formats)


def layout_of(table: Table) -> tuple[Layout, str] | None:
    """Return the layout of a table and its variant, or None."""
    for layout in _found().layouts.values():
        variant = layout.recognise(table)
        if variant is not None:
            return layout, variant
    return None


@cache
def _found() -> _Found:
    """Import all packages of formats, once, and report those that can't be used."""
    found = _of(_LAYOUTS)
    points = sorted(entry_points(group=GROUP), key=lambda point: (_by(point) != _OWN, point.value))
    if not any(_by(point) == _OWN for point in points):
        _warn(
            "Exports of annotation tools can't be read: annobench is not installed, or was before "
            f"it had entry points ({GROUP}). Install it again: pip install -e ."
        )
    for point in points:
        try:
            more = _of(point.value)
            _check_names(found, more)
        except Exception as error:  # whatever the code of others raises
            _warn(
                f"{point.value} (of {_by(point)}): the formats of this package are not used. "
                f"{type(error).__name__}: {str(error).rstrip('.')}. Fix or uninstall it."
            )
            continue
        found.formats.update(more.formats)
        found.layouts.update(more.layouts)
    layouts = sorted(found.layouts.values(), key=lambda each: (each.name == "plain", each.name))
    return _Found(dict(sorted(found.formats.items())), {each.name: each for each in layouts})


def _of(package: str) -> _Found:
    """Return the records of one package."""
    formats: dict[str, ExportFormat] = {}
    layouts: dict[str, Layout] = {}
    for name, module in records(package, "FORMAT").items():
        if not isinstance(module.FORMAT, ExportFormat):
            raise TypeError(f"{module.__name__}: FORMAT must be an ExportFormat.")
        formats[name] = module.FORMAT
    for name, module in records(package, "LAYOUT").items():
        if not isinstance(module.LAYOUT, Layout):
            raise TypeError(f"{module.__name__}: LAYOUT must be a Layout.")
        layouts[name] = module.LAYOUT
    return _Found(formats, layouts)


def _check_names(found: _Found, more: _Found) -> None:
    """Refuse a name that another package has given already."""
    taken = (found.formats.keys() & more.formats) | (found.layouts.keys() & more.layouts)
    if taken:
        raise ImportError(f"There is another format called {min(taken)!r}. Give it another name.")


def _by(point: EntryPoint) -> str:
    """Return the name of the distribution that an entry point is of."""
    return point.dist.name if point.dist else "unknown origin"


def _warn(message: str) -> None:
    warnings.warn(message, FormatWarning, stacklevel=2)
