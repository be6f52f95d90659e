"""Data sets of packages beside the library: found by their entry points, reported if unusable."""

import sys
import warnings
from importlib.metadata import entry_points

import pytest

from annobench import datasets
from annobench.core.errors import DatasetWarning
from annobench.datasets import discovery

OURS = """
from dataclasses import replace
from annobench_datasets.caries import DATASETS as CARIES
DATASETS = (replace(CARIES[0], id="{id}", title="Of our lab"),)
"""


@pytest.fixture(autouse=True)
def found_afresh():
    caches = (discovery.modules, discovery.public, datasets._known)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution: a package of one module beside what pip writes of it."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(source):
        folder = tmp_path / "our_lab_datasets"
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "ours.py").write_text(source)
        info = tmp_path / "our_lab_datasets-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-lab\nVersion: 1.0\n")
        points = f"[{discovery.GROUP}]\nours = our_lab_datasets\n"
        (info / "entry_points.txt").write_text(points)

    yield installed
    for name in [name for name in sys.modules if name.startswith("our_lab_datasets")]:
        del sys.modules[name]


def test_the_public_data_sets_are_a_package_of_our_own_distribution():
    assert discovery.public() == "annobench_datasets"
    assert {module.__package__ for module in discovery.modules().values()} == {discovery.public()}
    assert list(discovery.modules()) == list(datasets.names()) == sorted(datasets.names())


def test_another_package_adds_its_data_sets_by_an_entry_point(install):
    install(OURS.format(id="ours"))
    assert datasets.get("ours").title == "Of our lab"
    assert datasets.load("ours", mode="simulated").annotations.n_items == 3869


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import not_there", "ModuleNotFoundError: No module named 'not_there'"),
        (OURS.format(id="caries"), "ImportError: There is another data set 'caries'"),
    ],
)
def test_a_package_that_cannot_be_used_is_reported_and_the_others_are_found(install, source, why):
    install(source)
    expected = rf"^our_lab_datasets \(of our-lab\): the data sets .* not used\. {why}.*uninstall it"
    with pytest.warns(DatasetWarning, match=expected):
        found = datasets.names()
    assert "caries" in found
    assert datasets.get("caries").title != "Of our lab"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        datasets.names()


def test_an_installation_without_the_entry_point_says_what_to_do(monkeypatch):
    none = entry_points(group="annobench.no_such_group")
    monkeypatch.setattr(discovery, "entry_points", lambda group: none)
    with pytest.raises(ImportError, match=r"can't be found.*Install it again: pip install -e \."):
        datasets.names()
