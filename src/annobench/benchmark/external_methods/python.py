"""Methods in Python: functions or classes in files, packages or entry points."""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.benchmark.external_methods.answers import to_posterior
from annobench.benchmark.external_methods.candidate import Answer, Candidate, record, with_all_items
from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError, MethodError
from annobench.labels.annotations import Annotations
from annobench.models.base import Method

__all__ = ["GROUP", "from_function", "from_python"]

#: The group of entry points in which packages name their methods.
GROUP = "annobench.models"

#: Methods of a class that are called, the first that there is.
CALLED = ("fit_predict_proba", "fit_predict")

_HOW = (
    "Define fit(labels, rng) that returns probabilities of items by categories, or a class with "
    "fit_predict or fit_predict_proba."
)


class _Origin(NamedTuple):
    """The place where a method was found."""

    name: str
    source: str
    path: Path | None = None


def from_python(target: str) -> Candidate:
    """Find a method written in Python.

    Parameters
    ----------
    target : str
        One of: the path of a file, ``my_method.py``; a name in a file, ``my_method.py:MyClass``; a
        name in an installed package, ``crowdkit.aggregation:DawidSkene``; the name of an entry
        point of the group ``annobench.models``.

    Returns
    -------
    Candidate
        A method from a function ``fit(labels, rng)`` or ``fit(labels)``; a class with
        `fit_predict_proba` or `fit_predict`, or an instance of it; or a module with a record
        `METHOD` and `fit`, as in `annobench.models`.

    Raises
    ------
    MethodError
        If there is no such method, or the file can't be run.

    Notes
    -----
    A class whose method has an argument `X` gets, as in scikit-learn, an array of label codes of
    shape (I, J), NaN where missing; only the first of repeated labels is used. Other classes get,
    as in crowd-kit, a frame with the columns `task`, `worker` and `label`. Each fit uses a new
    instance, constructed without arguments or, if it has this parameter, with `random_state`. Items
    without labels are not shown to a method.
    """
    place, _, name = target.partition(":")
    path = Path(place)
    if path.suffix == ".py" or path.is_file():
        if not path.is_file():
            raise MethodError(f"{place}: there is no such file. Give the path of a Python file.")
        module = _imported(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        origin = _Origin(name or path.stem, f"{path.name}, SHA-256 {digest}", path)
        return _candidate(_named(module, name, place) if name else _only(module, place), origin)
    if name:
        try:
            module = importlib.import_module(place)
        except ImportError as error:
            raise MethodError(
                f"{target}: the package can't be imported ({error}). Install it alongside "
                "annobench, or run it in its own environment with --program."
            ) from error
        return _candidate(_named(module, name, place), _Origin(name, _package_of(place)))
    return _from_entry_point(target)


def from_function(function: Callable[..., Any]) -> Candidate:
    """Build a method from a function, such as one defined in a notebook.

    Parameters
    ----------
    function : callable
        ``fit(labels, rng)`` or ``fit(labels)``, as in `from_python`.

    Returns
    -------
    Candidate
        A method with the name of the function.

    Raises
    ------
    MethodError
        If it needs other parameters.

    Examples
    --------
    >>> def shares_of_votes(labels):
    ...     return labels.counts / labels.counts.sum(axis=1, keepdims=True)
    >>> from_function(shares_of_votes).METHOD.name
    'shares_of_votes'
    """
    return _candidate(function, _Origin(function.__name__, "a function without a file"))


def _from_entry_point(target: str) -> Candidate:
    found = {entry.name: entry for entry in importlib.metadata.entry_points(group=GROUP)}
    if target not in found:
        installed = ", ".join(sorted(found)) or "none"
        raise MethodError(
            f"{target!r} is neither a file nor an entry point of the group {GROUP} (installed: "
            f"{installed}).{did_you_mean(target, found)} Give the path of a Python file, or "
            "package:Name."
        )
    entry = found[target]
    try:
        value = entry.load()
    except (ImportError, AttributeError) as error:
        raise MethodError(
            f"{target}: the entry point {entry.value!r} can't be loaded ({error}). Reinstall its "
            "package."
        ) from error
    source = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
    return _candidate(value, _Origin(target, source))


def _package_of(module: str) -> str:
    """Return the distribution of a module with its version."""
    top = module.partition(".")[0]
    for name in importlib.metadata.packages_distributions().get(top, []):
        return f"{name} {importlib.metadata.version(name)}"
    return module


def _imported(path: Path) -> ModuleType:
    """Run a file as a module; neighbouring files can be imported, as in a script."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise MethodError(f"{path}: not a Python file. Give one that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    # Classes are looked up here when they are copied or pickled.
    sys.modules.setdefault(spec.name, module)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise MethodError(
            f"{_place(error, path)}: the file can't be imported: {_said(error)}. Correct it; what "
            'it does when run as a script belongs below if __name__ == "__main__".'
        ) from error
    return module


def _file(origin: _Origin) -> str:
    return str(origin.path or origin.source)


def _place(error: BaseException, path: Path) -> str:
    """Return the last line of a file in an error's traceback."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{path}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
    return f"{path}, line {lines[-1]}" if lines else str(path)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(". ")


def _named(module: ModuleType, name: str, place: str) -> Any:
    if not hasattr(module, name):
        public = [other for other in vars(module) if not other.startswith("_")]
        raise MethodError(
            f"{place}: there is no {name!r} in it.{did_you_mean(name, public)} {_HOW}"
        )
    return getattr(module, name)


def _only(module: ModuleType, place: str) -> Any:
    """Return a file's method: a record with `fit`, the function `fit`, or its only class."""
    if isinstance(getattr(module, "METHOD", None), Method):
        return module
    if callable(getattr(module, "fit", None)):
        return module.fit
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__ and _call_of(value)
    ]
    if len(own) == 1:
        return own[0]
    if own:
        names = " or ".join(f"{place}:{value.__name__}" for value in own)
        raise MethodError(f"{place}: there are {len(own)} methods in it. Name one: {names}.")
    raise MethodError(f"{place}: there is no method in it. {_HOW}")


def _call_of(value: Any) -> str | None:
    return next((name for name in CALLED if callable(getattr(value, name, None))), None)


def _candidate(value: Any, origin: _Origin) -> Candidate:
    """Build a candidate from a function, class, instance or module."""
    if isinstance(getattr(value, "METHOD", None), Method):
        return Candidate(value.METHOD, _checked(value.fit, origin), origin.source)
    if isinstance(value, ModuleType):
        value = _only(value, _file(origin))
    if _call_of(value):
        return _of_class(value, origin)
    if callable(value):
        return _of_function(value, origin)
    raise MethodError(
        f"{_file(origin)}: {origin.name} is {type(value).__name__}, not a method. {_HOW}"
    )


def _reference(value: Any, origin: _Origin) -> str:
    """Describe a method by the first line of its docstring."""
    lines = (inspect.getdoc(value) or "").strip().splitlines()
    own = not inspect.isclass(value) or "__doc__" in vars(value)
    return lines[0] if lines and own else origin.source


def _guarded(
    work: Callable[[Annotations], Any], labels: Annotations, origin: _Origin
) -> NDArray[np.float64]:
    """Run a method and convert its answer."""

    def ask(labelled: Annotations) -> NDArray[np.float64]:
        with _reporting(origin):
            answer = work(labelled)
        return to_posterior(answer, labelled)

    return with_all_items(labels, ask)


def _checked(fit: Callable[..., Any], origin: _Origin) -> Callable[..., Any]:
    """Check the fit of a model with its own record."""

    def checked(annotations: Annotations, **options: Any) -> Any:
        with _reporting(origin):
            fitted = fit(annotations, **options)
        to_posterior(fitted, annotations)
        return fitted

    return checked


@contextmanager
def _reporting(origin: _Origin) -> Iterator[None]:
    """Report the line of a method at which an error occurred."""
    try:
        yield
    except (AnnotationError, MethodError):
        raise
    except Exception as error:
        where = _place(error, origin.path) if origin.path else origin.source
        raise MethodError(f"{where}: {_said(error)}. Correct the method.") from error


def _answer(labels: Annotations, posterior: NDArray[np.float64]) -> Answer:
    return Answer(labels.items, labels.annotators, labels.categories, posterior)


def _of_function(function: Callable[..., Any], origin: _Origin) -> Candidate:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise MethodError(
            f"{_file(origin)}: expected fit(labels, rng) or fit(labels); got {origin.name}, whose "
            f"parameters are unknown ({error}). Define a function that calls it."
        ) from error
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (2, 4)]
    if not 1 <= len(needed) <= 2:
        raise MethodError(
            f"{_file(origin)}: expected fit(labels, rng) or fit(labels); got a function that needs "
            f"{', '.join(needed) or 'nothing'}. Give the other parameters defaults."
        )
    # A generator that has a default is given all the same: without it nothing could be repeated.
    random = len(needed) == 2 or any(p.name == "rng" for p in parameters)
    by_name = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}

    def fit(annotations: Annotations, rng: np.random.Generator | int | None = None) -> Answer:
        def work(labels: Annotations) -> Any:
            if not random:
                return function(labels)
            generator = np.random.default_rng(rng)
            if "rng" in by_name:
                return function(labels, rng=generator)
            return function(labels, generator)

        return _answer(annotations, _guarded(work, annotations, origin))

    about = record(origin.name, reference=_reference(function, origin), deterministic=not random)
    return Candidate(about, fit, origin.source)


def _of_class(value: Any, origin: _Origin) -> Candidate:
    called = _call_of(value) or CALLED[-1]
    takes = [
        name for name in inspect.signature(getattr(value, called)).parameters if name != "self"
    ]
    as_matrix = takes[:1] == ["X"]
    make: Callable[..., Any] = value if inspect.isclass(value) else partial(copy.deepcopy, value)
    random = inspect.isclass(value) and "random_state" in inspect.signature(value).parameters

    def fit(annotations: Annotations, rng: np.random.Generator | int | None = None) -> Answer:
        def work(labels: Annotations) -> Any:
            seed = int(np.random.default_rng(rng).integers(2**31)) if random else 0
            made = make(random_state=seed) if random else make()
            return getattr(made, called)(_matrix(labels) if as_matrix else _frame(labels))

        return _answer(annotations, _guarded(work, annotations, origin))

    about = record(
        origin.name,
        reference=_reference(value if inspect.isclass(value) else type(value), origin),
        deterministic=not random,
        repeats="the first counts" if as_matrix else "",
    )
    return Candidate(about, fit, origin.source)


def _matrix(labels: Annotations) -> NDArray[np.float64]:
    """Arrange codes as items by annotators, NaN if missing."""
    first = labels.first_labels()
    table = np.full((first.n_items, first.n_annotators), np.nan)
    table[first.item, first.annotator] = first.label
    return table


def _frame(labels: Annotations) -> pd.DataFrame:
    """Return the labels with crowd-kit's column names."""
    return labels.to_frame().set_axis(["task", "worker", "label"], axis=1)
