"""Moved: `annobench.models.fit` takes a function that gives labels chunk by chunk."""

from __future__ import annotations

import warnings
from typing import Any

from annobench.models._passes import Passing
from annobench.models.dawid_skene.model import DawidSkeneFit, fit_partitions
from annobench.scale._blocks import Chunks


def __getattr__(name: str) -> Any:
    if name != "fit_chunks":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        'fit_chunks(chunks) is now annobench.models.fit(chunks, "dawid_skene").fit, and goes in '
        "the next version.",
        DeprecationWarning,
        stacklevel=2,
    )
    return _fit_chunks


def _fit_chunks(chunks: Any, **options: Any) -> DawidSkeneFit:
    found = fit_partitions(Passing(Chunks(chunks)), **options).fit
    assert isinstance(found, DawidSkeneFit)
    return found
