"""annobench: a reproducible workbench for annotation statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annobench.labels.annotations import Annotations

__all__ = ["Annotations", "__version__"]
__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    """Import `Annotations` when it is asked for: pandas takes half a second to load."""
    if name == "Annotations":
        from annobench.labels.annotations import Annotations

        return Annotations
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
