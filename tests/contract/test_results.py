"""What public functions return shows itself: a headline, a summary, a table in a notebook."""

import dataclasses
import inspect
import pkgutil
import sys
import typing
import warnings
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import annobench
from annobench.alignment import links
from annobench.core.results import Summarised
from annobench.evaluation import sampling, scores
from annobench.labels.merging import Evidence
from annobench.models import dawid_skene, hierarchical_binary
from annobench.simulation import dependent, panels

#: The workbench around the library: it makes files and pages, and its records are their rows.
WORKBENCH = ("annobench.reporting", "annobench.benchmark", "annobench.cli")
#: Frozen dataclasses that public functions return and that are no results, and what they are.
NOT_RESULTS = {
    "annobench.agreement.report_rows.Variant": "a coefficient with options, to be called",
    "annobench.io.layouts.wide.Plan": "what columns are taken for, which a reader goes by",
    "annobench.io.formats.tables.Table": "a table in a file, which readers go through",
    "annobench.alignment.links.Alignments": "a container of labels, with a line of its own",
    "annobench.alignment.links.SentencePair": "an item of Alignments",
    "annobench.io.formats.base.ExportFormat": "the record of a format",
    "annobench.io.formats.tables.Layout": "the record of a layout",
    "annobench.labels.item_column.ItemColumn": "which column names the items, and why",
    "annobench.datasets.base.DataSet": "the record of a data set",
    "annobench.datasets.base.DataTables": "a container of labels and gold standards",
    "annobench.datasets.base.LoadedData": "a container of labels and gold standards",
    "annobench.datasets.sources.SourceFile": "the record of a file",
    "annobench.judges.at_work.AtWork": "the results of one command together",
    "annobench.judges.panel.Panel": "a container of labels",
    "annobench.judges.regression.LeastSquares": "a step of estimates",
    "annobench.judges.scores.ItemScores": "scores as data, which comparisons take",
    "annobench.labels.annotations.Annotations": "the container of labels, with a line of its own",
    "annobench.labels.hierarchy.Hierarchy": "an inventory of categories",
    "annobench.models.dawid_skene.em.Problem": "labels in the layout of the kernels",
    "annobench.models.pool.Weights": "what a pool is fitted with",
    "annobench.pairwise.comparisons.Comparisons": "a container of judgements",
    "annobench.scale.partitions.PartitionedLabels": "a container of labels, on disk",
}


def public_functions() -> Iterator[FunctionType]:
    """Yield the functions that public modules define, or name in `__all__`."""
    for entry in pkgutil.walk_packages(annobench.__path__, "annobench."):
        private = any(part.startswith("_") for part in entry.name.split("."))
        if private or entry.name.startswith(WORKBENCH):
            continue
        module = import_module(entry.name)
        own = [n for n, f in vars(module).items() if getattr(f, "__module__", "") == entry.name]
        for name in {*own, *vars(module).get("__all__", ())}:
            found = getattr(module, name)
            if inspect.isfunction(found) and not name.startswith("_"):
                yield found


def classes_of(hint: object) -> Iterator[type]:
    """Yield the classes that a type hint is made of."""
    if inspect.isclass(hint) and not typing.get_args(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from classes_of(part)


def returned(function: FunctionType) -> set[type]:
    """Find the frozen dataclasses of the library that a function returns."""
    hint = SimpleNamespace(__annotations__={"return": function.__annotations__.get("return")})
    try:
        hints = typing.get_type_hints(hint, vars(sys.modules[function.__module__]))
    except NameError:  # imported for the type checker alone: what the library need not load
        return set()
    return {
        c
        for c in classes_of(hints["return"])
        if c.__module__.startswith("annobench.")
        and dataclasses.is_dataclass(c)
        and c.__dataclass_params__.frozen
    }


def name_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


RESULTS = sorted({c for f in public_functions() for c in returned(f)}, key=name_of)


def test_there_are_results():
    assert len(RESULTS) > 50
    assert set(NOT_RESULTS) <= {name_of(c) for c in RESULTS}, "an exception that is none any more"


@pytest.mark.parametrize("cls", RESULTS, ids=name_of)
def test_what_a_public_function_returns_is_summarised(cls):
    assert issubclass(cls, Summarised) != (name_of(cls) in NOT_RESULTS)


def examples() -> Iterator[Summarised]:
    """Yield small results, those with nothing defined among them."""
    yield scores.count_errors(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0, 0]))
    yield scores.category_scores([[30, 0], [4, 26]])
    yield scores.category_scores(np.zeros((2, 3, 3, 3)))
    sample = sampling.StratifiedSample(1000, 9000, 750, 1500, 600, 450)
    yield sampling.estimate(sample)
    pairs = [links.SentencePair.of_words(name, 3, 3) for name in "ab"]
    drawn = {"gold": [links.Link("a", "0", "0")], "ann": [links.Link("b", "0", "0")]}
    alignments = links.Alignments.from_links(pairs, drawn)
    yield links.compare(alignments, "ann", "gold", replicates=5, rng=1)
    yield links.pool(alignments, replicates=5, rng=1)
    simulated = panels.binary(
        n_items=30,
        n_annotators=4,
        prevalence=0.4,
        sensitivity=(8, 2),
        specificity=(8, 2),
        missing=0.1,
        rng=1,
    )
    yield simulated
    panel = {"n_items": 9, "prevalence": [0.2, 0.3, 0.5], "loading": [0.9, 0.8]}
    yield panels.ordinal(**panel, rng=1)
    yield panels.nominal(**panel, rng=1)
    yield dependent.simulate("difficulty", rng=1)
    labels = simulated.annotations
    fitted = dawid_skene.fit(labels)
    yield dawid_skene.uncertainty.standard_errors(labels, fitted)
    yield dawid_skene.uncertainty.StandardErrors(np.full(2, np.nan), np.full((3, 2, 2), np.nan), 6)
    yield Evidence.of(labels, fitted.posterior)
    settings = {"rng": 1, "chains": 2, "draws": 20, "warmup": 20, "threads": 1}
    first = hierarchical_binary.fit(labels, **settings)
    yield hierarchical_binary.prune_and_refit(labels, first, **settings)
    yield first.predict_new_annotator(3, 4)


def test_a_result_shows_its_headline_and_its_summary():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits this small
        found = list(examples())
    for result in found:
        table = result.summary()
        assert isinstance(table, pd.DataFrame)
        assert not table.empty, result
        assert repr(result).startswith(f"{type(result).__name__}: ")
        assert "\n" not in repr(result)
        assert "<table" in result._repr_html_()
