"""The versions of the software that decides numbers, which are stored beside them."""

from __future__ import annotations

import platform
from importlib.metadata import version

from annobench import __version__

__all__ = ["versions"]


def versions() -> dict[str, str]:
    """Return the versions of the software that decides the numbers.

    Returns
    -------
    dict of str to str
        By name.
    """
    found = {"annobench": __version__, "python": platform.python_version()}
    return found | {name: version(name) for name in ("numpy", "scipy", "numba")}
