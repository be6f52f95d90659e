"""What readers do on the site, in headless Chromium: search, sort, filter, press keys."""

import csv
import re
from collections import Counter

import pytest

pytest.importorskip("playwright", reason="make test-browser installs playwright")
from browsing import SHOWN, SITE

pytestmark = pytest.mark.browser


#: What readers look for, and the page that they mean.
SOUGHT = {
    "Beigman Klebanov 2009": "papers/beigman_klebanov2009/index.html",
    "Passonneau": "papers/passonneau2014/index.html",
    "Reidsma": "papers/reidsma2008/index.html",
    "label studio": "how-to/exports/label-studio.html",
    "which coefficient should I use": "coefficients/index.html",
    "missing labels": "how-to/own-labels.html",
    "add a method": "how-to/contributing.html",
    "benchmark aggregation": "studies/aggregation/index.html",
    "leaderboard": "studies/aggregation/index.html",
    "error in paper": "discrepancies.html",
    "Dawid and Skene 1979": "papers/dawid1979/index.html",
    "snow 2008": "papers/snow2008/index.html",
    "Carpenter 2008": "papers/carpenter2008/index.html",
    "cohen kappa": "coefficients/cohen_kappa.html",
    "krippendorff alpha": "coefficients/krippendorff_alpha.html",
    "gwet": "coefficients/gwet_ac1.html",
    "dawid skene": "models/dawid_skene.html",
    "mace": "models/mace.html",
    "majority vote": "models/voting.html",
    "carpenter multilevel": "papers/carpenter2008/index.html",
    "affective text": "papers/bhowmick2008/index.html",
    "conformance": "studies/conformance/index.html",
    "prodigy": "how-to/exports/prodigy.html",
    "alternative annotator test": "papers/calderon2025/index.html",
    "noise certificate": "how-to/noise-certificate.html",
    "how many annotators": "how-to/plan.html",
    "LLM as a judge": "how-to/judges.html",
    "inter-annotator agreement": "coefficients/index.html",
    "kappa paradox": "coefficients/gwet_ac1.html",
    "confidence interval of kappa": "coefficients/intervals.html",
    "pip install": "how-to/install.html",
    "glossary": "explanation/terms.html",
    "how to reproduce the results": "how-to/run.html",
    "unresolved": "how-to/verdicts.html",
    "exercises": "how-to/teach.html",
}


@pytest.mark.parametrize(("words", "page"), SOUGHT.items())
def test_the_search_finds(watched, words, page):
    window = watched.open("index.html")
    window.goto((SITE / "search.html").as_uri() + f"?q={words.replace(' ', '+')}")
    window.wait_for_selector("#search-results li a")
    window.locator("#search-results p").filter(has_text=re.compile(r"\d")).first.wait_for()
    links = window.eval_on_selector_all(
        "#search-results li a", "links => links.map(link => link.getAttribute('href'))"
    )
    found = list(dict.fromkeys(re.sub(r"[?#].*", "", link) for link in links))
    assert page in found[:3], found[:10]


def test_the_keyboard_leads_through_masthead_search_and_page(watched):
    window = watched.open("index.html")
    window.keyboard.press("Tab")
    assert "Skip to main content" in window.evaluate("document.activeElement.innerText")
    met = []
    for _ in range(40):
        window.keyboard.press("Tab")
        met.append(window.evaluate("document.activeElement.innerText?.trim() ?? ''"))
        if met[-1].startswith("See the results"):
            break
    assert "Papers" in met
    assert any("Search" in text for text in met)
    assert met[-1].startswith("See the results")
    window.keyboard.press("Control+k")
    window.keyboard.type("kappa")
    window.keyboard.press("Enter")
    window.wait_for_url("**/search.html?q=kappa*")


def test_a_column_of_papers_sorts_within_each_group(watched):
    window = watched.open("index.html")
    groups = (
        "bodies => bodies.map(body => [...body.rows].filter(row => row.id)"
        ".map(row => Number(row.cells[3].innerText) || 0))"
    )
    for reverse in (True, False):
        window.click("table.sortable thead th:nth-child(4) button")
        found = window.eval_on_selector_all("table.sortable tbody", groups)
        assert len(found) == 2
        assert found == [sorted(group, reverse=reverse) for group in found]
        # The heading of a group stays above its rows.
        first = "bodies => bodies.map(body => body.rows[0].cells[0].className)"
        assert window.eval_on_selector_all("table.sortable tbody", first) == ["group"] * 2


def test_verdicts_filter_all_values_and_count_what_the_table_has(watched):
    with (SITE / "comparison.csv").open(encoding="utf-8") as file:
        counts = Counter(row["verdict"] for row in csv.DictReader(file))
    window = watched.open("values.html")
    shown = window.locator("form.filter output")
    assert shown.inner_text() == f"{counts.total():,} of {counts.total():,} shown"
    for verdict, n in counts.items():
        chip = window.locator(f'form.filter button[data-key="verdict"][data-value="{verdict}"]')
        chip.click()
        assert shown.inner_text() == f"{n:,} of {counts.total():,} shown"
        seen = "rows => rows.filter(row => row.checkVisibility()).length"
        assert window.eval_on_selector_all("[data-row]", seen) == n
        chip.click()


def test_all_values_answer_a_key_within_a_tenth_of_a_second(watched):
    window = watched.open("values.html")
    window.focus("form.filter input[type=search]")
    taken = window.evaluate(
        """() => {
          const field = document.querySelector("form.filter input[type=search]");
          const took = (text) => {
            const begun = performance.now();
            field.value = text;
            field.dispatchEvent(new Event("input", { bubbles: true }));
            document.body.offsetHeight;
            return performance.now() - begun;
          };
          // A computer that does something else for a moment is not the page's fault.
          const least = (text) => Math.min(...[...Array(8)].map(() => (took(""), took(text))));
          return ["k", "ka", "kappa", "kappa of two annotators", "0.9"].map(least);
        }"""
    )
    assert max(taken) < 100


def press_until(window, key, reached, most=80):
    """Press a key until an expression is true of the element that has the focus."""
    for _ in range(most):
        window.keyboard.press(key)
        if window.evaluate(f"(element => {reached})(document.activeElement)"):
            return
    raise AssertionError(f"{key} leads nowhere where {reached}")


def test_the_keyboard_filters_values(watched):
    window = watched.open("values.html")
    output = window.locator("form.filter output")
    everything = output.inner_text()
    press_until(window, "Tab", "element.matches('form.filter button[data-value=deviates]')")
    window.keyboard.press("Space")
    assert window.evaluate("document.activeElement.ariaPressed") == "true"
    assert output.inner_text() != everything
    window.keyboard.press("Enter")
    assert output.inner_text() == everything
    press_until(window, "Tab", "element.matches('form.filter input[type=search]')")
    window.keyboard.type("kappa")
    assert output.inner_text() != everything


def test_the_keyboard_opens_a_figure_as_svg(watched):
    window = watched.open("papers/carpenter2008/index.html")
    press_until(window, "Tab", "element.matches('figure a')", most=200)
    window.keyboard.press("Enter")
    window.wait_for_url("**/*.svg")


def test_the_keyboard_leads_through_the_explorer_of_the_benchmark(watched):
    window = watched.open("studies/aggregation/index.html")
    press_until(window, "Tab", "element.matches('select#score')", most=300)
    before = window.inner_text("#scores-table tbody")
    window.keyboard.press("ArrowDown")
    window.keyboard.press("Enter")
    assert window.inner_text("#scores-table tbody") != before
    press_until(window, "Tab", "element.matches('#scores-table thead button')", most=60)
    press_until(window, "Tab", "element.matches('#scores-table tbody td button')", most=300)
    window.keyboard.press("Enter")
    assert window.inner_text("#detail").strip()


def test_every_table_that_scrolls_can_be_scrolled_by_key(watched):
    for page in ("index.html", "studies/aggregation/index.html", "papers/carpenter2008/index.html"):
        window = watched.open(page, 390)
        stuck = window.evaluate(
            """() => [...document.querySelectorAll("table")]
              .map((table) => table.closest(".scroll") ?? table)
              .filter((box) => box.scrollWidth > box.clientWidth + 1 && box.tabIndex < 0)
              .map((box) => box.outerHTML.slice(0, 120))"""
        )
        assert not stuck, page


@pytest.mark.parametrize("page", SHOWN)
def test_pages_are_drawn(watched, page):
    folder = SITE.parent / "screenshots"
    folder.mkdir(exist_ok=True)
    stem = re.sub(r"/index|\.html", "", page).replace("/", "_")
    for name, width, theme in (
        ("light", 1280, "light"),
        ("dark", 1280, "dark"),
        ("phone", 390, "light"),
    ):
        watched.page.emulate_media(color_scheme=theme)
        watched.open(page, width).screenshot(
            animations="disabled", path=folder / f"{stem}_{name}.png"
        )
        assert (folder / f"{stem}_{name}.png").stat().st_size > 10_000
