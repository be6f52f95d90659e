"""Pages that commands write, in headless Chromium: figures are shown whole at every width."""

import pandas as pd
import pytest
from typer.testing import CliRunner

pytest.importorskip("playwright", reason="make test-browser installs playwright")
from browsing import DESKTOP, PHONE

from annobench import simulation
from annobench.cli import app
from annobench.io.table import write_labels

pytestmark = pytest.mark.browser

#: Widths of a phone, a tablet, a laptop and a large screen, in CSS pixels.
WIDTHS = (PHONE, 768, DESKTOP, 1700)

#: What of a figure no reader sees, however wide the window is scrolled.
CLIPPED = """
() => [...document.querySelectorAll("[role=img] > svg, svg.plot")].flatMap((svg) => {
  const drawn = svg.getBoundingClientRect();
  if (!drawn.width) return [];
  const cut = [];
  for (let box = svg.parentElement; box; box = box.parentElement) {
    const style = getComputedStyle(box);
    const around = box.getBoundingClientRect();
    const moves = box.matches(".scroll");  // a table that is wider than its place
    if (style.overflowX !== "visible" && !moves && drawn.right > around.right + 1)
      cut.push(`${drawn.right - around.right} pixels cut by ${box.className || box.tagName}`);
    if (moves) return cut;
  }
  const beyond = drawn.right - innerWidth;
  if (beyond > 1) cut.push(`${beyond} pixels beyond the window`);
  return cut.map((what) => `${svg.id || svg.parentElement.className}: ${what}`);
})
"""

COMMANDS = ("report", "consensus", "certificate", "plan")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages of labels by enough annotators that every figure is drawn."""
    folder = tmp_path_factory.mktemp("pages")
    drawn = simulation.panels.binary(
        n_items=60,
        n_annotators=60,
        prevalence=0.4,
        sensitivity=(16, 4),
        specificity=(16, 4),
        missing=0.3,
        rng=1,
    )
    write_labels(drawn.annotations, folder / "labels.csv")
    for command in COMMANDS:
        asked = [command, str(folder / "labels.csv"), "--out", str(folder / command)]
        done = CliRunner().invoke(app, asked)
        assert done.exit_code == 0, done.output
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_no_figure_is_clipped_at_any_width(browser, folder, command):
    page = browser.new_page()
    page.goto((folder / command / f"{command}.html").as_uri())
    assert page.locator("[role=img] > svg").count()
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"at {width}: {cut}" for cut in page.evaluate(CLIPPED)]
    page.close()
    assert not found


def test_a_figure_that_is_cut_is_found(browser, folder):
    page = browser.new_page(viewport={"width": PHONE, "height": 900})
    page.goto((folder / "report" / "report.html").as_uri())
    page.add_style_tag(content=".histogram { overflow: auto } .histogram svg { min-width: 40rem }")
    found = page.evaluate(CLIPPED)
    page.close()
    assert {cut.partition(" pixels ")[2] for cut in found} == {
        "cut by histogram",
        "beyond the window",
    }


def test_items_are_checked_on_the_page_and_the_file_is_taken_back(browser, folder):
    out = folder / "audit"
    asked = ["audit", str(folder / "labels.csv"), "--checks", "12", "--out", str(out)]
    drawn = CliRunner().invoke(app, asked)
    assert drawn.exit_code == 0, drawn.output
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((out / "to_check.html").as_uri())
    page.keyboard.press("1")  # keys are off until they are wanted
    assert page.text_content("#count") == "0 checked"
    page.click("#choices button:nth-child(2)")
    page.check("#keys")
    for _ in range(3):
        page.keyboard.press("1")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("2")
    page.reload()
    assert page.text_content("#count") == "4 checked"
    assert page.text_content("#place") == "Item 5 of 12"
    for _ in range(6):
        page.click("#choices button:nth-child(2)")
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(folder / "checked.csv")
    context.close()
    assert not said
    checked = pd.read_csv(folder / "checked.csv", dtype=str, keep_default_na=False)
    to_check = pd.read_csv(out / "to_check.csv", dtype=str)
    assert checked["item"].tolist() == to_check["item"].tolist()
    assert checked["gold"].tolist() == ["1", "0", "0", "1", *["1"] * 6, "", ""]
    back = [*asked[:2], "--checked", str(folder / "checked.csv"), "--out", str(out)]
    done = CliRunner().invoke(app, back)
    assert done.exit_code == 0, done.output
    assert "10 items checked" in done.output
