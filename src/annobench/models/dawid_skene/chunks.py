"""Moved: `annobench.models.fit` takes a function that gives labels chunk by chunk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from annobench.labels.annotations import Annotations
from annobench.models._passes import Passing
from annobench.models.dawid_skene.model import DawidSkeneFit, fit_partitions
from annobench.scale.blocks import Chunks


def fit_chunks(chunks: Callable[[], Iterable[Annotations]], **options: Any) -> DawidSkeneFit:
    """Fit the model to labels that come in chunks; use `annobench.models.fit`."""
    warnings.warn(
        'fit_chunks is now annobench.models.fit(chunks, "dawid_skene").fit, and goes in the next '
        "version.",
        DeprecationWarning,
        stacklevel=2,
    )
    found = fit_partitions(Passing(Chunks(chunks)), **options).fit
    assert isinstance(found, DawidSkeneFit)
    return found
