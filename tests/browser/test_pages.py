"""Pages of the finished site and of the course, in headless Chromium.

Each is opened once, at the width of a phone, and then widened. Nothing may be told to the console
or asked of a server at either width, nothing may be wider than the window, and `faults.js` looks at
every element. axe-core then audits one element of each kind of neighbours, which `thin.js` leaves,
half of the pages in the light, half in the dark, and one of each make in both. Slides, which are
no pages of the site's make, are not audited. A few pages of each folder stand for the others, which
`make nightly` opens as well.
"""

import json
import math
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="make test-browser installs playwright")
import links
import unrendered
from axe_playwright_python.base import AXE_SCRIPT
from browsing import COURSE, DESKTOP, PAGES, PHONE, SHOWN, SITE

pytestmark = pytest.mark.browser

FAULTS, THIN = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("faults.js", "thin.js")
)
#: Tables are unpacked slowly, whatever the machine.
SLOW = """
const text = Response.prototype.text;
Response.prototype.text = async function () {
  await new Promise((unpacked) => setTimeout(unpacked, 100));
  return text.call(this);
};
"""

#: Of later releases of axe, and off in earlier ones: names differ from the words that are seen.
RULES = {"label-content-name-mismatch": {"enabled": True}}

#: So many pages are visited by one test, in one window.
BATCH = 6

#: Of a folder so many pages stand for the others, which `make nightly` opens as well.
CHOSEN_OF_FOLDER = 6


def batches():
    """Return the pages by windows: a few of each folder, and then all others."""
    folders = defaultdict(list)
    for page in PAGES:
        at_top = "/".join(page.split("/")[: 3 if page.startswith("../") else 1])
        folders[at_top].append(page)
    chosen = sorted(
        page
        for pages in folders.values()
        for page in pages[:: math.ceil(len(pages) / CHOSEN_OF_FOLDER)]
    )
    others = sorted({*PAGES} - {*chosen})
    for pages, marks in ((chosen, ()), (others, pytest.mark.slow)):
        for start in range(0, len(pages), BATCH):
            yield pytest.param(pages[start : start + BATCH], marks=marks, id=pages[start])


def violations(window):
    """Return what axe-core finds serious, each with up to three elements."""
    window.evaluate(AXE_SCRIPT)
    found = window.evaluate(
        "axe.run({resultTypes: ['violations'], preload: false, rules: RULES})"
        ".then(run => run.violations)".replace("RULES", json.dumps(RULES))
    )
    return [
        f"{each['id']}: {node['html'][:160]}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"][:3]
    ]


@pytest.mark.parametrize("pages", list(batches()))
def test_pages_are_quiet_fit_the_window_and_have_no_fault(watched, pages):
    found = {}
    for n, page in enumerate(pages):
        watched.page.emulate_media(color_scheme=("light", "dark")[n % 2])
        window = watched.open(page, PHONE)
        faults = window.evaluate(FAULTS)
        watched.resize(DESKTOP)
        faults += window.evaluate(FAULTS) + watched.heard
        if not page.startswith("../course/slides/"):
            window.evaluate(THIN)
            faults += violations(window)
        if faults:
            found[page] = list(dict.fromkeys(faults))
    assert not found


def test_a_page_is_open_when_its_script_has_drawn_it(watched):
    watched.page.add_init_script(SLOW)
    window = watched.open("studies/peers_snorkel/index.html")
    assert window.evaluate("document.querySelectorAll('#scores-table tr').length") > 1
    assert not watched.heard


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", SHOWN)
def test_a_page_of_each_make_can_be_read_in_both_themes(watched, page, theme):
    watched.page.emulate_media(color_scheme=theme)
    window = watched.open(page)
    assert window.evaluate("document.documentElement.dataset.theme") == theme
    window.evaluate(THIN)
    assert not violations(window)


@pytest.mark.parametrize("folder", [SITE, COURSE], ids=["site", "course"])
def test_links_lead_somewhere_and_nothing_comes_from_a_server(folder):
    assert not list(links.broken(folder))
    assert not list(links.fetched(folder))


@pytest.mark.parametrize("folder", [SITE, COURSE], ids=["site", "course"])
def test_no_formula_stands_as_typed(folder):
    assert not list(unrendered.in_folder(folder))
