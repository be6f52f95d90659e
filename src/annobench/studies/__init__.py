"""Former names of the benchmark of models, which warn; our own studies are in the repository.

`annobench.studies.benchmark` is `annobench.benchmark`, and `annobench.studies.doors` is
`annobench.benchmark.external_methods`. Coverage, certificates, audits and conformance were moved to
`workflow/studies` of the repository.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["benchmark", "doors"]  # noqa: F822  (by __getattr__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}. Our own studies, such as coverage and "
        "conformance, are no part of the library any more; they are in the folder workflow/studies "
        "of the repository."
    )


def __dir__() -> list[str]:
    return __all__
