"""The page of the campaign of faults: its two tables, and what stands in them as text."""

import re
from pathlib import Path

from scripts.studies import render_faults

SITE = Path(__file__).parents[2] / "workflow/site"


def test_both_tables_are_shown_and_escaped(tmp_path):
    tried, memory = tmp_path / "tried.csv", tmp_path / "memory.csv"
    tried.write_text(
        "# measured today\narea,fault,times,same,refused,lost\n"
        "Reader,a <script>,100000,99990,10,0\nReader,b,1,1,0,0\nWorkflow,c,100,100,0,0\n"
    )
    memory.write_text("# measured today\nwhat,peak,limit\nannobench <report>,727,1074\n")
    page = render_faults.main(tried, memory, SITE)
    assert page.count('<h2 id="reader">') == page.count('<h2 id="workflow">') == 1
    assert "<td>a &lt;script&gt;</td>" in page
    assert "99,990" in page
    assert "Measured today." in page
    row = page[page.index("annobench &lt;report&gt;") :].split("</tr>")[0]
    assert "727" in row
    assert "1,074" in row


def test_the_stored_tables_make_a_page_whose_headings_are_told_apart():
    stored = SITE.parents[1] / "benchmarks/measured/faults"
    page = render_faults.main(stored / "tried.csv", stored / "memory.csv", SITE)
    # The generator of the site makes an id of each heading's words.
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(set(headings)) == len(headings) > 3
    assert len(set(ids)) == len(ids)
