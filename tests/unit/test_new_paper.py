"""A paper begins as a copy of the worked example under a key of its own."""

import json
import shutil

import pytest
from makefile import TOP

from annobench import datasets
from catalogue import read_papers
from commands import new_paper


@pytest.fixture
def top(tmp_path):
    """A repository without papers."""
    shutil.copytree(TOP / "workflow/rules", tmp_path / "workflow/rules")
    shutil.copy(TOP / "workflow/Snakefile", tmp_path / "workflow")
    (tmp_path / "workflow/papers").mkdir()
    (tmp_path / "notebooks").mkdir()
    return tmp_path


def test_the_copy_is_a_whole_paper(top):
    said = new_paper.main("smith2026", top)
    assert "snakemake --cores all smith2026" in said
    papers, faults = read_papers(top / "workflow/papers", datasets.names(), top / "notebooks")
    assert (list(papers), faults) == (["smith2026"], {})
    notebook = (top / "notebooks/smith2026.ipynb").read_text()
    assert 'paper_folder = "results/papers/smith2026"' in "".join(
        json.loads(notebook)["cells"][1]["source"]
    )
    assert "example_paper" not in notebook


@pytest.mark.parametrize("key", ["", "Smith2026", "smith 2026", "../smith2026", "site", "check"])
def test_what_is_no_key_is_refused(top, key):
    with pytest.raises(SystemExit, match=r"KEY=.* author and year, as in KEY=smith2026"):
        new_paper.main(key, top)
    assert list((top / "workflow/papers").iterdir()) == []


@pytest.mark.parametrize(
    "path", ["workflow/papers/smith2026/paper.yaml", "notebooks/smith2026.ipynb"]
)
def test_nothing_that_exists_is_overwritten(top, path):
    (top / path).parent.mkdir(exist_ok=True)
    (top / path).write_text("mine")
    with pytest.raises(SystemExit, match="there is already"):
        new_paper.main("smith2026", top)
    assert (top / path).read_text() == "mine"
    assert len(list(top.rglob("*smith2026*"))) == 1
