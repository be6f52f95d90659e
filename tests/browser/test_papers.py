"""Pages and notebooks of the papers: in the paper's order, within the width, and short."""

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="make test-browser installs playwright")
import yaml
from browsing import DESKTOP, PHONE, SITE, TOP

pytestmark = pytest.mark.browser

RECORDS = {
    path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((TOP / "workflow/papers").glob("*/paper.yaml"))
}
SEEDS = [key for key, record in RECORDS.items() if record["collection"] == "seed"]
#: The height of a window, and how many of it a notebook has at most.
SCREEN, MOST_SCREENS = 900, 8
#: What the page of a paper has, in its order; some papers have no such part.
ORDER = ["discrepancies", "printed", "ours", "not-public", "values"]

WIDTHS = """() => [...document.querySelectorAll(".side-by-side table")].map(
  (table) => [table.getBoundingClientRect().width, table.parentElement.clientWidth])"""


@pytest.mark.parametrize("key", RECORDS)
def test_a_page_is_in_the_papers_order_and_its_tables_within_the_width(watched, key):
    window = watched.open(f"papers/{key}/index.html")
    found = window.eval_on_selector_all(
        "section[id] > h2", "all => all.map((h) => h.parentElement.id)"
    )
    parts = [part for part in found if part in ORDER]
    assert parts == [part for part in ORDER if part in parts]
    items = window.eval_on_selector_all(".printed-item > h3", "all => all.map((h) => h.innerText)")
    contents = RECORDS[key].get("contents", [])
    assert len(items) == len(contents)
    for item, source in zip(items, contents, strict=True):
        assert item == source or item.startswith((f"{source}. ", f"{source}, "))
    tables = window.query_selector_all(".side-by-side table")
    assert len(tables) == len(RECORDS[key].get("layouts", []))
    for width in (DESKTOP, PHONE):
        watched.resize(width)
        for own, room in window.evaluate(WIDTHS):
            assert own <= room + 1, (width, own, room)


@pytest.mark.parametrize("key", SEEDS)
def test_what_differs_is_on_the_first_screens(watched, key):
    window = watched.open(f"papers/{key}/index.html")
    place = window.query_selector("#discrepancies")
    if place is not None:
        assert place.bounding_box()["y"] <= 1.5 * SCREEN


def test_a_number_of_a_table_leads_to_its_record(watched):
    window = watched.open("papers/reidsma2008/index.html")
    number = window.query_selector(".side-by-side a.number")
    target = number.get_attribute("href")
    number.click()
    assert window.url.endswith(target)
    record = window.query_selector(f'[id="{target[1:]}"]')
    assert record.is_visible()


def test_no_table_that_is_read_has_ids(watched):
    for key, record in RECORDS.items():
        if record.get("layouts"):
            window = watched.open(f"papers/{key}/index.html")
            words = window.eval_on_selector_all(
                ".side-by-side", "all => all.map((e) => e.innerText)"
            )
            published = (TOP / f"workflow/papers/{key}/published.csv").read_text(encoding="utf-8")
            targets = {line.partition(",")[0] for line in published.splitlines()[1:]}
            shown = set(re.findall(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+", "\n".join(words)))
            assert not shown & targets, key


@pytest.mark.parametrize("key", SEEDS)
def test_a_notebook_is_short(watched, key):
    assert Path(SITE, f"papers/{key}/notebook.html").is_file()
    window = watched.open(f"papers/{key}/notebook.html")
    height = window.query_selector("article").bounding_box()["height"]
    assert height <= MOST_SCREENS * SCREEN, f"{height / SCREEN:.1f} screens"
