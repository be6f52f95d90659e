"""The pages say what runs, and leave out no coefficient."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from annobench import agreement, models

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md"))}
COEFFICIENTS = agreement.discover()
MODELS = models.discover()
#: Pages of the folder that are not about one coefficient.
OTHERS = {"README", "intervals"}

#: A formula, within a line or of its own.
FORMULA = re.compile(r"\$(\$?)[^$]+\$\1")
SECTIONS = [
    "Definition",
    "Source",
    "Assumptions",
    "Missing data",
    "Degenerate cases",
    "Synonyms",
    "When to use it",
    "Relations",
    "Example",
    "Standard error",
]
SECTIONS_OF_MODELS = [
    "Definition",
    "Source",
    "When to use it",
    "What it assumes",
    "When it fails",
    "How to read its output",
    "Example",
]


def examples(text: str, name: str) -> doctest.DocTest:
    """Read the examples of a page; a fence ends the output expected before it."""
    unfenced = re.sub(r"^```.*$", "", text, flags=re.M)
    return doctest.DocTestParser().get_doctest(unfenced, {}, name, name, 0)


def failures(text: str, name: str) -> int:
    return doctest.DocTestRunner(verbose=False).run(examples(text, name)).failed


def page(name: str) -> str:
    return (DOCS / "coefficients" / f"{name}.md").read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """Split a page at its headings of the second level."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def assert_is_referenced(source: str) -> None:
    """Check that a source has authors, a year, and well-formed DOIs."""
    assert re.search(r"\b(1[89]|20)\d\d\b", source)
    for words, target in re.findall(r"\[doi:([^\]]+)\]\((\S+)\)", source):
        assert re.fullmatch(r"10\.\d{4,9}/\S+", words)
        assert target.startswith(f"https://doi.org/{words}")


def index_rows() -> dict[str, list[str]]:
    """Read the cells of the table of who assumes what, by the page that a row links to."""
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \|(.+)\|$", page("README"), flags=re.M)
    assert all(name == target for name, target, _ in rows)
    return {name: [cell.strip() for cell in cells.split("|")] for name, _, cells in rows}


@pytest.mark.parametrize("name", PAGES)
def test_examples_of_a_page_give_what_they_show(name):
    assert failures(PAGES[name].read_text(encoding="utf-8"), name) == 0


def test_a_wrong_example_is_found(capsys):
    # The negative control
    assert failures("```python\n>>> 1 + 1\n3\n```\n", "wrong") == 1
    assert failures("```python\n>>> 1 + 1\n2\n```\n", "right") == 0


def test_every_coefficient_has_a_page_and_every_page_a_coefficient():
    pages = {path.stem for path in (DOCS / "coefficients").glob("*.md")}
    assert COEFFICIENTS
    assert pages - OTHERS == set(COEFFICIENTS)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_page_has_all_its_sections(name):
    found = sections(page(name))
    assert list(found) == SECTIONS
    assert all(found.values())


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_page_defines_its_coefficient_by_a_formula_and_says_where_it_is_from(name):
    found = sections(page(name))
    assert FORMULA.search(found["Definition"])
    assert_is_referenced(found["Source"])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_page_has_an_example_of_its_coefficient(name):
    read = examples(sections(page(name))["Example"], name)
    assert any(f"agreement.{name}(" in example.source for example in read.examples)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_page_names_every_alias(name):
    assert not [alias for alias in COEFFICIENTS[name].METHOD.aliases if alias not in page(name)]


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_the_index_says_how_many_annotators_a_coefficient_takes(name):
    cells = index_rows()[name]
    assert len(cells) == 6
    assert cells[0] == COEFFICIENTS[name].METHOD.annotators


def test_the_index_lists_coefficients_alone():
    assert set(index_rows()) == set(COEFFICIENTS)


def test_every_model_has_a_page_and_every_page_a_model():
    assert MODELS
    assert {path.stem for path in (DOCS / "models").glob("*.md")} - OTHERS == set(MODELS)


ILLUSTRATED = [
    *(f"models/{name}" for name in MODELS),
    *(f"coefficients/{name}" for name in [*COEFFICIENTS, "intervals"]),
]


@pytest.mark.parametrize("place", ILLUSTRATED)
def test_a_page_of_a_model_or_a_coefficient_has_a_picture_that_is_drawn_and_linked(place):
    text = PAGES[f"{place}.md"].read_text(encoding="utf-8")
    pictures = re.findall(r"^!\[[^\]]+\]\(([^)]+)\)$", text, flags=re.M)
    assert pictures == [f"{Path(place).name}.svg"]
    assert "<svg" in (DOCS / f"{place}.svg").read_text(encoding="utf-8")
    programs = (path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.py"))
    assert any(f'"{place}"' in program for program in programs)


@pytest.mark.parametrize("name", MODELS)
def test_a_page_of_a_model_has_all_its_sections(name):
    found = sections((DOCS / "models" / f"{name}.md").read_text(encoding="utf-8"))
    assert [title for title in found if title in SECTIONS_OF_MODELS] == SECTIONS_OF_MODELS
    assert all(found.values())
    assert FORMULA.search(found["Definition"])
    assert_is_referenced(found["Source"])
    assert name in found["Example"]
    assert examples(found["Example"], name).examples


@pytest.mark.parametrize("name", MODELS)
def test_the_index_of_models_says_how_many_categories_a_model_takes(name):
    text = (DOCS / "models/README.md").read_text(encoding="utf-8")
    (cells,) = re.findall(rf"^\| \[[^\]]+\]\({name}\.md\) \|(.+)\|$", text, flags=re.M)
    most = MODELS[name].METHOD.max_categories
    words = {None: "any", 2: "two"}.get(most, f"up to {most}")
    assert [cell.strip() for cell in cells.split("|")][-1] == words
