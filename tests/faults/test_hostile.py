"""Names and texts that could do harm, in every command, and its pages in headless Chromium."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pyarrow.csv as pa_csv
import pytest
from browsing import DRAWN, chromium
from hostile import HOSTILE, NAMES, UNSEEN, Ran, labels_of, run_commands

import annobench as ab
from annobench.labels.annotations import Annotations

AREA = "Names and texts of others"
#: Whatever somebody who reads a page may do to it.
EVENTS = """() => {
  for (const button of document.querySelectorAll("button, summary")) button.click();
  for (const node of document.querySelectorAll("*"))
    for (const kind of ["mouseover", "click", "focus", "load", "error", "animationstart"])
      if (!(kind === "click" && node.closest("a"))) node.dispatchEvent(new Event(kind));
}"""
#: What a page must not show: a script of others ran, others' styles hold, or others' elements are.
HARM = """() => [
  ...("hit" in window ? ["a script ran"] : []),
  ...(getComputedStyle(document.body).display === "none" ? ["the page is hidden"] : []),
  ...[...document.querySelectorAll("iframe, object, embed, base, form, meta[http-equiv=refresh]")]
    .map((node) => `an element ${node.outerHTML.slice(0, 80)}`),
  ...[...document.querySelectorAll("*")].flatMap((node) => [...node.attributes])
    .filter((each) => each.name.startsWith("on") || /^\\s*javascript:/i.test(each.value))
    .filter((each) => !["title", "aria-label", "value"].includes(each.name))
    .map((each) => `an attribute ${each.name}=${each.value.slice(0, 80)}`),
]"""


@pytest.fixture(scope="module")
def browser() -> Iterator:
    pytest.importorskip("playwright", reason="make test-browser installs playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        launched = playwright.chromium.launch(executable_path=chromium(), args=options)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Return a function that runs the commands on the names of a kind, once."""
    known: dict[str, Ran] = {}

    def of(kind: str) -> Ran:
        if kind not in known:
            known[kind] = run_commands(HOSTILE[kind], tmp_path_factory.mktemp("hostile"))
        return known[kind]

    return of


def harm_of(browser, path) -> list[str]:
    """Open a page, do to it what a reader may do, and return what happened that must not."""
    context = browser.new_context()
    page = context.new_page()
    heard: list[str] = []

    def asked(request):
        if request.url != path.as_uri() and not request.url.startswith(("data:", "blob:")):
            heard.append(f"request: {request.url}")

    def opened(dialog):
        heard.append("a dialog")
        dialog.dismiss()

    page.on("console", lambda message: heard.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: heard.append(f"error: {error}"))
    page.on("popup", lambda _: heard.append("a window"))
    page.on("request", asked)
    page.on("dialog", opened)
    try:
        page.goto(path.as_uri())
        page.wait_for_selector(DRAWN, state="attached")
        page.evaluate(EVENTS)
        return [*heard, *page.evaluate(HARM)]
    finally:
        context.close()


@pytest.mark.parametrize("kind", HOSTILE)
def test_pages_of_commands_are_inert(browser, ran, tried, kind):
    pages = ran(kind).pages
    assert len(pages) == 9
    found = {path.name: harm for path in pages if (harm := harm_of(browser, path))}
    assert not found
    tried(AREA, f"{kind}: a page of a command, in Chromium", times=len(pages), same=len(pages))


def test_the_browser_would_see_harm(browser, tmp_path):
    page = tmp_path / "page.html"
    for name in (*HOSTILE["HTML"][:4], HOSTILE["HTML"][6], HOSTILE["CSS"][0]):
        page.write_text(f"<html><body><table><tr><td>{name}</td></tr></table></body></html>")
        assert harm_of(browser, page), name
    page.write_text(f"<html><body><p title='{HOSTILE['HTML'][4]}'>x</p></body></html>")
    assert "a script ran" in harm_of(browser, page)


def test_notebooks_are_inert(browser, tmp_path, tried):
    n = 0
    for kind, names in HOSTILE.items():
        labels = Annotations.from_frame(labels_of(names)[0].to_pandas())
        shown = [
            ab.models.fit(labels, "voting"),
            ab.agreement.krippendorff_alpha(labels),
            ab.consensus(labels, rng=1, replicates=3),
        ]
        page = tmp_path / f"{n}.html"
        html = "".join(each._repr_html_() for each in shown)
        page.write_text(f"<meta charset=utf-8><body>{html}</body>", encoding="utf-8")
        assert not harm_of(browser, page), kind
        n += len(shown)
    tried(AREA, "all: a result as a notebook shows it, in Chromium", times=n, same=n)


@pytest.mark.parametrize("kind", HOSTILE)
def test_terminals_and_tables(ran, tried, kind):
    done = ran(kind)
    n = len(done.printed)
    for command, printed in done.printed.items():
        assert not UNSEEN.search(printed), command
    tried(AREA, f"{kind}: what a command prints", times=n, same=n)
    known = set(labels_of(HOSTILE[kind])[0]["item"].to_pylist())
    tables = ("consensus/items.csv", "audit/items.csv", "converted.csv")
    for name in tables:
        with (done.folder / name).open(encoding="utf-8", newline="") as stream:
            assert {row["item"] for row in csv.DictReader(stream)} == known, name
    tried(AREA, f"{kind}: a table of names, read back", times=len(tables), same=len(tables))


def test_partitions_keep_names(tmp_path, tried):
    pytest.importorskip("dask", reason="the extra `scale` installs dask")
    table, _ = labels_of(NAMES, n_items=2 * len(NAMES))
    pa_csv.write_csv(table.drop_columns("text"), tmp_path / "labels.csv")
    done = Ran(tmp_path)
    done.run("partition", tmp_path / "labels.csv", tmp_path / "parts", "--partition-labels", 100)
    out = ("--out", tmp_path / "out", "--engine", "dask", "--model", "voting")
    done.run("consensus", tmp_path / "parts", *out)
    for command, printed in done.printed.items():
        assert not UNSEEN.search(printed), command
    with (tmp_path / "out/items.csv").open(encoding="utf-8", newline="") as stream:
        found = {row["item"] for row in csv.DictReader(stream)}
    assert found == set(table["item"].to_pylist())
    tried(AREA, "all: names in partitions on disk", times=len(NAMES), same=len(NAMES))
