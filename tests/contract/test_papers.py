"""What every paper's folder promises, found by discovery and not by a list."""

import ast
import re
from pathlib import Path

import pytest

from annobench import datasets
from annobench.replication.compare import read_errata, read_published, read_standing
from catalogue import read_paper

TOP = Path(__file__).parents[2]
EXAMPLE = TOP / "tests" / "workflow" / "example_paper"
FOLDERS = sorted(path.parent for path in (TOP / "workflow" / "papers").glob("*/paper.yaml"))
FILES = {
    *("paper.yaml", "published.csv", "errata.csv", "standing.csv"),
    *("rules.smk", "analysis.py"),
}


@pytest.fixture(params=[*FOLDERS, EXAMPLE], ids=lambda folder: folder.name)
def folder(request):
    return request.param


@pytest.fixture
def paper(folder):
    return read_paper(folder / "paper.yaml", datasets.names())


def test_discovery_finds_a_paper():
    assert FOLDERS


def test_a_paper_has_every_file_and_no_other(folder):
    found = {path.name for path in folder.iterdir()} - {"__pycache__"}
    assert found >= FILES
    extra = found - FILES - {"tables"}
    assert extra == ({"example_paper.ipynb"} if folder == EXAMPLE else set())


def test_a_paper_has_a_notebook(folder, paper):
    home = folder if folder == EXAMPLE else TOP / "notebooks"
    assert (home / f"{paper.notebook}.ipynb").is_file()


def test_published_values_keep_their_contract(folder, paper):
    assert read_published(folder / "published.csv").empty == (paper.results == "none")


def test_explanations_are_of_published_values(folder):
    published = set(read_published(folder / "published.csv")["target"])
    assert set(read_errata(folder / "errata.csv")["target"]) <= published


def test_a_standing_is_of_a_published_result_and_names_a_test_that_exists(folder):
    published = read_published(folder / "published.csv").set_index("target")
    for row in read_standing(folder / "standing.csv").itertuples():
        assert published.loc[row.target, "kind"] == "result", row.target
        if row.counts == "yes":
            file, _, name = row.test.partition("::")
            assert f"def {name}(" in (TOP / file).read_text(), row.test


def test_every_analysis_has_the_one_entry(folder):
    tree = ast.parse((folder / "analysis.py").read_text())
    [main] = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "main"]
    assert not main.args.args
    names = [argument.arg for argument in main.args.kwonlyargs]
    assert names[:5] == ["data", "printed_tables", "folder", "seed", "effort"]
    # More arguments than these have defaults: any paper can be run without knowing it.
    assert all(default is not None for default in main.args.kw_defaults[4:])


def test_a_printed_table_says_in_its_first_line_what_it_is(paper):
    for table in paper.printed_tables:
        assert table.read_text().startswith("# "), table


def test_a_rule_of_the_papers_own_name_makes_its_results(folder, paper):
    text = (folder / "rules.smk").read_text()
    assert f"rule replicate_{paper.key}:" in text
    assert f'**paper_inputs("{paper.key}")' in text
    assert f'**paper_outputs("{paper.key}")' in text


@pytest.fixture
def analysis(folder):
    return ast.parse((folder / "analysis.py").read_text())


def test_an_analysis_never_reads_what_it_is_compared_with(analysis):
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(analysis)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(analysis):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = "published.csv" in node.value or node.value == "published"
            assert not named or id(node) in docstrings, f"line {node.lineno}: {node.value!r}"
        names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        assert not {"read_published", "read_comparison"} & set(names), f"line {node.lineno}"


def test_an_analysis_maps_the_workflow_to_arguments_in_its_last_block_alone(analysis):
    *functions, last = analysis.body
    assert isinstance(last, ast.If)
    assert ast.unparse(last.test) == "'snakemake' in globals()"
    used = [
        node.lineno
        for part in functions
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and node.id == "snakemake"
    ]
    assert not used


def test_an_analysis_keeps_a_log(analysis):
    [first] = analysis.body[-1].body
    assert isinstance(first, ast.With)
    assert ast.unparse(first.items[0].context_expr).startswith("recording(snakemake.log[0]")


def scripts():
    found = sorted((TOP / "workflow").rglob("*.py"))
    return [path for path in found if re.search(r"^if .*\bglobals\(\)", path.read_text(), re.M)]


@pytest.mark.parametrize("path", scripts(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_script_has_no_future_import(path):
    # Snakemake puts lines of its own before a script's, and such an import must be the first.
    imports = [
        n.module for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)
    ]
    assert "__future__" not in imports
