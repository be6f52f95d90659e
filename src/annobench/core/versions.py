"""Versions of the software that affects results, stored with these."""

from __future__ import annotations

import platform
from importlib.metadata import version

from annobench import __version__

__all__ = ["versions"]


def versions() -> dict[str, str]:
    """Return the versions of the software that affects results.

    Returns
    -------
    dict of str to str
        Versions by name.
    """
    found = {"annobench": __version__, "python": platform.python_version()}
    return found | {name: version(name) for name in ("numpy", "scipy", "numba")}
