"""Two, four or eight numbers as one vector, compiled where there is numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annobench.core.compiled import WHY_UNCOMPILED

if TYPE_CHECKING or WHY_UNCOMPILED:
    from annobench.models.kernels.plain_vectors import (
        add,
        divide,
        least,
        length,
        load,
        load_eight,
        load_four,
        load_pair,
        multiply,
        quotient,
        scale,
        store,
        total,
    )
else:
    from annobench.models.kernels.compiled_vectors import (
        add,
        divide,
        least,
        length,
        load,
        load_eight,
        load_four,
        load_pair,
        multiply,
        quotient,
        scale,
        store,
        total,
    )

__all__ = [
    "add",
    "divide",
    "least",
    "length",
    "load",
    "load_eight",
    "load_four",
    "load_pair",
    "multiply",
    "quotient",
    "scale",
    "store",
    "total",
]
