"""Names that moved warn for a version, and those that left the library say where they are."""

from importlib import import_module
from pathlib import Path

import pytest

import annobench
from annobench.benchmark import external_methods, regimes


def test_former_names_of_the_benchmark_warn_and_are_what_they_were():
    with pytest.warns(DeprecationWarning, match=r"is now annobench\.benchmark\.external_methods\."):
        assert annobench.studies.doors.from_function is external_methods.from_function
    with pytest.warns(
        DeprecationWarning, match=r"studies\.benchmark\.regimes is now annobench\.benchmark\."
    ):
        assert annobench.studies.benchmark.regimes is regimes


@pytest.mark.parametrize("name", ["coverage", "conformance"])
def test_a_study_that_left_the_library_says_where_it_is(name):
    with pytest.raises(AttributeError, match="folder workflow/studies of the repository"):
        getattr(annobench.studies, name)


def test_a_module_that_moved_has_no_other_names():
    chunks = import_module("annobench.models.dawid_skene.chunks")
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        chunks.nonsense  # noqa: B018


#: By the former name of a module: its new one, as stability.md has both, and a name in it.
MOVED = {
    "annobench.replication.verdicts": ("annobench_replication.verdicts", "check"),
    "annobench.replication.printed": ("annobench.reporting.printed", "parse_printed"),
    "annobench.reporting.notebooks": ("annobench_replication.notebooks", "open_paper"),
    "annobench.reporting.printed_tables": ("annobench_replication.printed_tables", "read_layout"),
    "annobench.reporting.verdicts": ("annobench_replication.faces", "FACES"),
    "annobench.datasets.ami": ("annobench_datasets.ami", "DATASETS"),
    "annobench.datasets.masc_crowd": ("annobench_datasets.masc_crowd", "DATASETS"),
    "annobench.io.exports": ("annobench.io.formats", "read_export"),
    "annobench.studies.benchmark": ("annobench.benchmark", "regimes"),
    "annobench.studies.doors": ("annobench.benchmark.external_methods", "from_function"),
    "annobench.labels.partitions": ("annobench.scale.partitions", "PartitionedLabels"),
}


@pytest.mark.parametrize("old", MOVED)
def test_a_module_that_moved_warns_and_gives_what_it_gave(old):
    new, name = MOVED[old]
    package, _, module = old.rpartition(".")
    former = getattr(import_module(package), module, None) or import_module(old)
    with pytest.warns(DeprecationWarning, match=rf"{old}\.{name} is now {new}\.{name}"):
        found = getattr(former, name)
    assert found is getattr(import_module(new), name)


@pytest.mark.parametrize("old", MOVED)
def test_the_page_on_stability_names_what_moved(old):
    text = (Path(__file__).parents[2] / "docs/explanation/stability.md").read_text(encoding="utf-8")
    table = text.partition("## Names that moved")[2].partition("These are gone")[0]
    package, _, module = old.rpartition(".")
    assert f"`.{module}`" in table or f"`{old}" in table or f"`{package}.*`" in table
