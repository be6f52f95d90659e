"""Notebooks are thin: they show what rules have computed, and let the reader play."""

import ast
import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import yaml

from annobench import datasets

TOP = Path(__file__).parents[2]
NOTEBOOKS = [
    *sorted((TOP / "notebooks").rglob("*.ipynb")),
    *sorted((TOP / "tests" / "workflow").rglob("*.ipynb")),
]
LONGEST_CELL = 15
#: The first line of a cell that the reader is to change, and how many of these there are at least.
INVITATION = "# Change"
FEWEST = 2


def read(path):
    return nbformat.read(path, as_version=4)


#: The notebooks of papers; the others say in their metadata what they show.
OF_PAPERS = [path for path in NOTEBOOKS if "annobench" not in read(path).metadata]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return read(request.param)


@pytest.fixture
def code(notebook):
    return code_of(notebook)


@pytest.fixture(params=OF_PAPERS, ids=lambda path: path.stem)
def paper_path(request):
    return request.param


@pytest.fixture
def paper_code(paper_path):
    return code_of(read(paper_path))


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_discovery_finds_notebooks():
    assert any(path.is_relative_to(TOP / "notebooks") for path in NOTEBOOKS)


@pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if path not in OF_PAPERS], ids=lambda path: path.stem
)
def test_a_notebook_of_no_paper_names_papers_and_data_that_there_are(path):
    """The workflow leaves a notebook out if it lacks one of its papers."""
    named = read(path).metadata["annobench"]
    assert all((TOP / "workflow/papers" / key / "paper.yaml").is_file() for key in named["papers"])
    assert set(named["datasets"]) <= set(datasets.names())


def test_a_notebook_is_valid(notebook):
    nbformat.validate(notebook)


def test_nothing_computed_is_committed(code):
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_a_notebook_takes_parameters(code):
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1


def test_a_papers_notebook_takes_its_folder(paper_code):
    [tagged] = [cell for cell in paper_code if "parameters" in cell.metadata.get("tags", [])]
    assert tagged.source.startswith("paper_folder = ")


def test_a_papers_notebook_defines_nothing(paper_code):
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    for cell in paper_code:
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, definitions), f"line {node.lineno} of {cell.source}"


def test_a_cell_is_short(code):
    for cell in code:
        assert len(cell.source.splitlines()) <= LONGEST_CELL, cell.source


def plays(cell):
    return "play" in cell.metadata.get("tags", [])


def test_a_papers_notebook_finds_its_results_and_says_what_is_simulated(paper_code):
    [setup] = [cell for cell in paper_code if "open_paper(" in cell.source]
    assert re.search(r"^paper = open_paper\(paper_folder(, \w+=\w+)*\)$", setup.source, re.M)
    assert setup.source.splitlines()[-1] == "paper"
    assert paper_code.index(setup) == 1, "nothing but the parameters comes before it"


def test_a_notebook_takes_what_its_paper_can_vary(paper_path, paper_code):
    """The seed of an analysis that draws, and what `variations` in `paper.yaml` names."""
    key = paper_path.stem
    folder = paper_path.parent if key == "example_paper" else TOP / "workflow/papers" / key
    record = yaml.safe_load((folder / "paper.yaml").read_text("utf-8"))
    offered = record.get("variations", {})
    names = {"seed"} if record["random"] else set()
    names |= {name for name in ("per_item",) if offered.get(name)} | set(
        offered.get("settings", {})
    )
    [setup] = [cell for cell in paper_code if "open_paper(" in cell.source]
    assert set(re.findall(r"(\w+)=\1\b", setup.source)) - {"effort"} == names


def test_figures_and_tables_are_shown_by_the_library(paper_code):
    own = ("display(", "SVG(", "read_csv(", "set_option(", "open(")
    for cell in paper_code:
        found = [way for way in own if re.search(rf"\b{re.escape(way)}", cell.source)]
        assert not found, f"{found[0]} in {cell.source}"
        last = cell.source.rstrip().splitlines()[-1]
        if not plays(cell) and "paper.table(" in last:
            assert last.startswith("show("), cell.source


def test_a_reader_can_play_in_some_places_with_parameters(paper_code):
    [tagged] = [cell for cell in paper_code if "parameters" in cell.metadata.get("tags", [])]
    parameters = assigned(tagged.source)
    invited = [cell for cell in paper_code if plays(cell)]
    assert len(invited) >= FEWEST
    for cell in paper_code:
        assert cell.source.startswith(INVITATION) == plays(cell), cell.source
    for cell in invited:
        names = {node.id for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Name)}
        assert names & parameters, f"no parameter in {cell.source}"
        assert any("ab." in line or "paper." in line for line in cell.source.splitlines())


def test_every_parameter_is_used(notebook):
    code = code_of(notebook)
    [tagged] = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    others = "\n".join(cell.source for cell in code if cell is not tagged)
    used = {node.id for node in ast.walk(ast.parse(others)) if isinstance(node, ast.Name)}
    assert assigned(tagged.source) <= used


def assigned(source):
    """Return the names that a cell assigns to."""
    targets = [t for node in ast.parse(source).body for t in node.targets]
    return {
        node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
    }


#: What is no result: a place in a paper, the level of an interval, a year.
_PLACES = re.compile(
    r"\b(Sections?|Tables?|Figures?|Equations?|Eq\.|[Ff]ootnotes?|Experiments?|Groups?|Raters?|§)\s*"
    r"\d[\d.]*((,| and| to| or|–)\s*\d[\d.]*)*"
)
_LEVELS = re.compile(
    r"\b(80|90|95|99)% (credible |confidence |exact |bootstrap )?(intervals?|level)"
)
_NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|^#.*$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.-])[-−]?\.?\d[\d,]*(?:\.\d+)?")


def typed_results(text, printed):
    """Return the numbers of a text that are neither printed nor places, years or levels."""
    prose = _LEVELS.sub("", _PLACES.sub("", _NOT_PROSE.sub("", text)))
    found = [number.strip(",") for number in _NUMBER.findall(prose)]
    return [number for number in found if as_number(number) not in printed and not is_year(number)]


def as_number(text):
    return abs(float(text.replace(",", "").replace("−", "-")))


def is_year(text):
    return bool(re.fullmatch(r"(19|20)\d\d", text))


def test_results_are_not_typed_into_the_prose(paper_path):
    """A typed result goes stale with the next data; a cell can compute the sentence."""
    key = paper_path.stem
    folder = paper_path.parent if key == "example_paper" else TOP / "workflow/papers" / key
    values = pd.read_csv(folder / "published.csv", dtype=str, keep_default_na=False)["value"]
    printed = {as_number(n) for value in values for n in _NUMBER.findall(value)}
    typed = {
        cell.id: found
        for cell in read(paper_path).cells
        if cell.cell_type == "markdown" and (found := typed_results(cell.source, printed))
    }
    assert not typed


def test_a_typed_result_is_found_and_what_is_none_is_not():
    text = (
        "Of the 45 words 28 agree (Table 2, Section 3.1), by .66 and 1,234 labels, with 95% "
        "intervals, in 2008, on MUC-6 and `x = 3` and $p = 4$."
    )
    assert typed_results(text, {45.0}) == ["28", ".66", "1,234"]


def test_a_cell_to_play_with_gives_the_same_twice(code):
    drawn = ("subsample(", "panels.", "ab.report(", "tree_pairs(", "pool(", "ebcc.fit(")
    for cell in filter(plays, code):
        if any(name in cell.source for name in drawn):
            assert "rng" in cell.source or "seed" in cell.source, f"no seed in {cell.source}"
