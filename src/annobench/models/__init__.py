"""Models of annotation: one module per model, found automatically and imported on first use.

A model's module holds a `METHOD` record and a function `fit`, which returns a
`annobench.models.base.Fit`. Call it by its module, ``models.dawid_skene.fit(labels)``, or by its
name, ``models.fit(labels, "dawid_skene")``.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, overload

from annobench.core.choices import DEFAULT_MODEL
from annobench.core.discovery import did_you_mean, records
from annobench.core.errors import AnnotationError

if TYPE_CHECKING:
    import numpy as np

    from annobench.labels.annotations import Annotations
    from annobench.models._passes import PartitionedFit, Passing
    from annobench.models.base import Fit
    from annobench.scale._sources import BlockSource, Engine
    from annobench.scale._workers import Scheduler

#: Modules that models are made of.
_PARTS = {"base", "dependence", "kernels"}

_MODULES = {
    entry.name
    for entry in pkgutil.iter_modules(__path__)
    if not entry.name.startswith("_") and entry.name not in _PARTS
}

#: Names of the models: each is that of its module. The others have no `fit` of annotations.
_MODELS = sorted(_MODULES - {"convergence", "diagnostics"})

__all__ = sorted({"discover", "fit", "get", "guard", "names"} | _MODULES)


def __getattr__(name: str) -> Any:
    """Import a model's module on first use: loading the compiler takes a second."""
    if name == "guard":
        return import_module(f"{__name__}._guard").guard
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}.{did_you_mean(name, __all__)}"
    )


def __dir__() -> list[str]:
    return __all__


def discover() -> dict[str, ModuleType]:
    """Import every model and return its module by the name in its record.

    Returns
    -------
    dict of str to module
        Each module has `METHOD` and `fit`.

    Raises
    ------
    ImportError
        If two modules have the same name.
    """
    return records(__name__)


def names() -> list[str]:
    """List the models without importing any.

    Returns
    -------
    list of str
        In alphabetical order.
    """
    return list(_MODELS)


def get(name: str) -> ModuleType:
    """Import the module of one model, and return it.

    Parameters
    ----------
    name : str
        Name in the model's record, equal to its module's.

    Returns
    -------
    module
        It has `METHOD` and `fit`.

    Raises
    ------
    AnnotationError
        If there is no such model; the message lists the existing ones.
    """
    if name not in _MODELS:
        raise AnnotationError(
            f"models: there is no model {name!r}.{did_you_mean(name, _MODELS)} Name one of "
            f"{', '.join(_MODELS)}."
        )
    return import_module(f"{__name__}.{name}")


def check_options(function: Callable[..., Any], model: str, options: Mapping[str, Any]) -> None:
    """Reject unknown options of a `fit` or `fit_partitions`, and list the known ones."""
    known = signature(function).parameters
    for name in options:
        if name not in known:
            raise AnnotationError(
                f"{model}: there is no option {name!r}.{did_you_mean(name, known)} There are "
                f"{', '.join(list(known)[1:])}."
            )


def fit_partitions(
    passing: Passing,
    model: str = DEFAULT_MODEL,
    *,
    rng: np.random.Generator | int | None = None,
    **options: Any,
) -> PartitionedFit:
    """Fit a model by its name to partitions, without items; otherwise as `fit`."""
    module = get(model)
    if "fit_partitions" not in module.METHOD.offers:
        able = [name for name, each in discover().items() if "fit_partitions" in each.METHOD.offers]
        raise AnnotationError(
            f"{model} does not run on partitions. Use one of {', '.join(sorted(able))}, or fewer "
            "labels."
        )
    check_options(module.fit_partitions, model, options)
    if not module.METHOD.deterministic:
        options["rng"] = rng
    found: PartitionedFit = module.fit_partitions(passing, **options)
    return found


@overload
def fit(
    annotations: Annotations,
    model: str = ...,
    *,
    rng: np.random.Generator | int | None = ...,
    **options: Any,
) -> Fit: ...
@overload
def fit(
    annotations: BlockSource,
    model: str = ...,
    *,
    rng: np.random.Generator | int | None = ...,
    engine: Engine = ...,
    scheduler: Scheduler = ...,
    checkpoint: str | Path | None = ...,
    **options: Any,
) -> Fit | PartitionedFit: ...
def fit(
    annotations: Annotations | BlockSource,
    model: str = DEFAULT_MODEL,
    *,
    rng: np.random.Generator | int | None = None,
    engine: Engine = "auto",
    scheduler: Scheduler = None,
    checkpoint: str | Path | None = None,
    **options: Any,
) -> Fit | PartitionedFit:
    """Fit a model by its name.

    Parameters
    ----------
    annotations : Annotations, BlockedLabels, str, Path or callable
        The labels, in memory or in a folder of partitions; or a function that yields them for each
        pass, chunk by chunk, with all labels of an item in one chunk.
    model : str, default "adjusted_dawid_skene"
        Name of the model.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed. Deterministic models ignore it.
    engine : {"auto", "memory", "dask"}, default "auto"
        Where partitions are fitted, as for `annobench.consensus`.
    scheduler : str, distributed.Client or concurrent.futures.Executor, optional
        What processes partitions: an executor, or Dask workers, given by the address of their
        scheduler or a client. By default Dask workers are started locally, one per core.
    checkpoint : str or Path, optional
        A folder accessible to the workers, in which parameters are stored; GLAD needs one for
        labels in blocks.
    **options
        Passed to the model's `fit` or `fit_partitions`.

    Returns
    -------
    Fit or PartitionedFit
        The model's own type; for partitions fitted by workers, and for chunks, without items.

    Raises
    ------
    AnnotationError
        If there is no such model or option, if the model does not accept the labels, or if Dask is
        requested for labels that are not partitions.

    Examples
    --------
    >>> from annobench import Annotations
    >>> labels = Annotations.from_arrays(list("xxyy"), list("abab"), list("1101"))
    >>> fit(labels, "voting").posterior[:, 1]
    array([1. , 0.5])
    """
    from annobench.scale._sources import blocks_of, in_memory, workers_of

    labels = blocks_of(annotations, engine, scheduler)
    if labels is not None:
        from annobench.models._passes import Passing

        kept = None if checkpoint is None else Path(checkpoint).absolute()
        with workers_of(labels, scheduler) as workers:
            passing = Passing(labels, workers, checkpoint=kept)
            return fit_partitions(passing, model, rng=rng, **options)
    module = get(model)
    check_options(module.fit, model, options)
    if not module.METHOD.deterministic:
        options["rng"] = rng
    fitted: Fit = module.fit(in_memory(annotations, "models.fit"), **options)
    return fitted
