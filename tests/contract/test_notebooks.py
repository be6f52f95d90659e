"""Notebooks are thin: they show, and compute nothing that a rule has not computed."""

import ast
from pathlib import Path

import nbformat
import pytest

TOP = Path(__file__).parents[2]
NOTEBOOKS = [
    *sorted((TOP / "notebooks").rglob("*.ipynb")),
    *sorted((TOP / "tests" / "workflow").rglob("*.ipynb")),
]
LONGEST_CELL = 15


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


@pytest.fixture
def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_discovery_finds_notebooks():
    assert any(path.is_relative_to(TOP / "notebooks") for path in NOTEBOOKS)


def test_a_notebook_is_valid(notebook):
    nbformat.validate(notebook)


def test_nothing_computed_is_committed(code):
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_a_notebook_takes_parameters(code):
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1
    assert "paper_folder = " in tagged[0].source


def test_a_notebook_defines_nothing(code):
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    for cell in code:
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, definitions), f"line {node.lineno} of {cell.source}"


def test_a_cell_is_short(code):
    for cell in code:
        assert len(cell.source.splitlines()) <= LONGEST_CELL, cell.source
