"""What a notebook shows: figures with alternative text, tables in full, data, the banner."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from annobench import datasets
from annobench.core.errors import PublicationError
from annobench_replication.ledger import read_remarks
from annobench_replication.notebooks import open_paper, show

TOP = Path(__file__).parents[2]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300pt" height="150pt"></svg>'
NASTY = 'A "quoted" <b>caption</b> & more.'


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A repository with the results of one paper on simulated data."""
    top = tmp_path_factory.mktemp("clone")
    source, results = top / "workflow/papers/study", top / "results/papers/study"
    for folder in (source, results / "figures", results / "tables", top / "notebooks"):
        folder.mkdir(parents=True)
    record = {
        "key": "study",
        "random": False,
        "datasets": ["anesthesia"],
        "contents": ["Figure 1"],
        "figures": [{"name": "one", "source": "Figure 1", "title": "A <b>title</b>"}],
    }
    (source / "paper.yaml").write_text(json.dumps(record))
    (results / "figures/one.svg").write_text(SVG)
    (results / "tables/sizes.csv").write_text("name,n\na,1\n")
    about = {"caption": NASTY, "provenance": "printed_table", "seed": 1}
    (results / "captions.json").write_text(json.dumps({"one": about, "tables/sizes": about}))
    datasets.prepare("anesthesia", top / "results/data/anesthesia", mode="simulated")
    return top


@pytest.fixture(params=[".", "notebooks", "results"])
def paper(request, clone, monkeypatch):
    monkeypatch.chdir(clone / request.param)
    return open_paper("results/papers/study")


def test_results_are_found_from_wherever_a_notebook_lies(paper):
    assert paper.table("sizes")["n"].tolist() == [1]
    assert paper.labels("anesthesia").n_annotators == 5
    assert paper.provenance("sizes") == "printed_table"


def test_results_of_another_folder_are_of_papers_of_the_repository(tmp_path, monkeypatch):
    """As where the workflow is a module, or with --directory."""
    (tmp_path / "results/papers/baan2022").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    remarks = open_paper("results/papers/baan2022").remarks
    assert len(remarks) == len(read_remarks(TOP / "workflow/papers/baan2022/remarks.csv")) > 0


def test_a_folder_inside_the_repository_has_results_of_its_own(clone, monkeypatch):
    (clone / ".test/results").mkdir(parents=True)
    monkeypatch.chdir(clone / ".test")
    with pytest.raises(PublicationError, match=r"\.test/results/papers/study: there are no such"):
        open_paper("results/papers/study")


def test_outside_a_clone_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PublicationError, match="Open the notebook inside a clone"):
        open_paper("results/papers/study")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda paper: paper.figure("two"), "two.svg does not exist"),
        (lambda paper: paper.table("two"), "two.csv does not exist"),
        (lambda paper: paper.data("caries"), "no data set 'caries'; it has anesthesia"),
        (lambda paper: paper.labels("caries", annotator="1"), "no data set 'caries'"),
        (lambda paper: paper.labels("anesthesia", annotator="9"), "no label has"),
    ],
)
def test_what_is_not_there_is_named(paper, ask, message):
    with pytest.raises(PublicationError, match=message):
        ask(paper)


def test_a_paper_that_was_not_computed_is_an_error(clone, monkeypatch):
    monkeypatch.chdir(clone)
    with pytest.raises(PublicationError, match="Run `make results` first"):
        open_paper("results/papers/other")


def test_a_figure_has_its_size_and_its_caption_as_alternative_text(paper):
    html = paper.figure("one")._repr_html_()
    assert 'width="400" height="200"' in html
    assert 'alt="A &#34;quoted&#34; &lt;b&gt;caption&lt;/b&gt; &amp; more."' in html
    assert "Provenance: printed table" in html
    assert re.findall("<b>[^<]*", html) == ["<b>Figure 1. A &lt;b&gt;title&lt;/b&gt;."]
    assert NASTY in repr(paper.figure("one"))


def test_simulated_data_are_said_loudly(paper):
    html = paper._repr_html_()
    assert 'class="banner"' in html
    assert "anesthesia" in html
    assert "simulated, not real: anesthesia" in repr(paper)


def test_nothing_is_said_of_real_data(clone, paper, monkeypatch):
    path = clone / "results/data/anesthesia/meta.json"
    text = path.read_text()
    path.write_text(text.replace('"provenance": "simulated"', '"provenance": "real"'))
    try:
        assert paper._repr_html_() == ""
        assert repr(paper) == "Paper(study)"
    finally:
        path.write_text(text)


def test_a_part_of_the_labels_knows_only_its_own(paper):
    whole, part = paper.labels("anesthesia"), paper.labels("anesthesia", annotator="2")
    assert part.annotators == ("2",)
    assert part.n_labels == (whole.to_frame()["annotator"] == "2").sum()


def test_a_table_shows_long_texts_whole_and_numbers_shortly():
    evidence = "a <long> text, " * 40
    frame = pd.DataFrame({"evidence": [evidence], "x": [0.123456], "n": [12345.6], "none": [None]})
    html = show(frame)._repr_html_()
    assert evidence.replace("<", "&lt;").replace(">", "&gt;").strip() in html
    assert "white-space: normal" in html
    assert "<td>0.1235</td>" in html
    assert "<td>12,346</td>" in html
    assert "None" not in html
    assert "<th></th>" not in html
    assert "<td>0.12</td>" in show(frame["x"], digits=2)._repr_html_()
    assert "0.1235" in repr(show(frame))
