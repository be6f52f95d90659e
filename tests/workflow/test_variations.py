"""Notebooks with other parameters, named in the configuration."""

import json

import pytest

pytestmark = pytest.mark.workflow

THINNED = 'variations={"few": {"paper": "example_paper", "per_item": 2}}'


def test_a_variation_is_made_and_the_published_results_stay(clone):
    results = clone.top / "results/papers/example_paper"
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    clone.snakemake("variations", "--config", THINNED)
    path = clone.top / "results/variations/few.ipynb"
    text = path.read_text()
    assert "A variation, not the published analysis: at most 2 labels per item" in text
    assert "Variation: at most 2 labels per item." in text
    [injected] = [cell for cell in json.loads(text)["cells"] if cell["id"] == "variation"]
    # Snakemake hands numbers that are given on the command line on as texts.
    assert 'per_item = "2"' in "".join(injected["source"])
    assert before == {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}


def test_without_variations_no_notebook_is_run(clone):
    assert "run_variation" not in clone.snakemake("variations")


def test_a_parameter_that_the_notebook_does_not_have_is_refused(clone):
    named = 'variations={"few": {"paper": "example_paper", "per_itme": 2}}'
    output = clone.snakemake("variations", "--config", named, fails=True)
    assert "has no parameter per_itme; it has" in output


def test_a_paper_that_is_not_there_is_refused(clone):
    named = 'variations={"few": {"paper": "other_paper"}}'
    output = clone.snakemake("variations", "--config", named, fails=True)
    assert "config, key variations: there is no paper other_paper." in output
