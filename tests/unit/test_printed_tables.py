"""Printed tables beside computed values: layouts, their faults, and what is drawn of them."""

import re

import pandas as pd
import pytest

from annobench.core.errors import PublicationError
from annobench_replication.printed_tables import read_layout

LAYOUT = """\
annotator,TEST | A,TEST | B,n
first group,,,
X,{t.x.a},{t.x.b},({t.x.n}/{t.x.m})
Y & Z,{t.y.a},,none
"""


def comparison(**changed):
    rows = [
        ("t.x.a", "eq", ".66", 0.661, "reproduced"),
        ("t.x.b", "lt", ".5", 0.52, "deviates"),
        ("t.x.n", "eq", "1393", 1396.0, "unresolved"),
        ("t.x.m", "eq", "7", 7.0, "given"),
        ("t.y.a", "eq", ".10", float("nan"), "not_public"),
    ]
    table = pd.DataFrame(
        rows, columns=["target", "relation", "published", "computed", "verdict"]
    ).assign(label="a value", provenance="real")
    return table.assign(**changed)


@pytest.fixture
def path(tmp_path):
    layout = tmp_path / "table2.csv"
    layout.write_text(LAYOUT, encoding="utf-8")
    return layout


@pytest.fixture
def table(path):
    return read_layout(path, comparison(), source="Table 2", title="Accuracy by <annotator>")


def test_headings_of_several_levels_are_over_their_columns(table):
    levels = [[(each.words, each.columns) for each in level] for level in table.headings]
    assert levels == [
        [("", 1), ("TEST", 2), ("", 1)],
        [("annotator", 1), ("A", 1), ("B", 1), ("n", 1)],
    ]
    assert (table.n_columns, table.n_stubs) == (4, 1)


def test_a_cell_has_what_is_printed_and_what_was_computed(table):
    heading, first, second = table.rows
    assert [cell.printed for cell in heading] == ["first group"]
    assert [cell.printed for cell in first] == ["X", ".66", "< .5", "(1393/7)"]
    computed = [value.computed for cell in first for value in cell.numbers]
    assert computed == ["0.6610", "0.520", "1,396", ""]
    assert [cell.printed for cell in second] == ["Y & Z", ".10", "", "none"]
    assert table.verdicts == ["reproduced", "unresolved", "deviates", "not_public", "given"]


def test_every_number_is_drawn_once_with_its_mark_and_leads_to_its_record(table, path):
    html = str(table.html("index.html"))
    assert re.findall(r'href="index.html#([^"]*)"', html) == re.findall(
        r"{(.*?)}", path.read_text()
    )
    drawn = re.findall(r'class="mark v-(\w+)"', html.partition("</table>")[0])
    assert drawn == ["reproduced", "deviates", "unresolved", "given", "not_public"]
    assert "Accuracy by &lt;annotator&gt;" in html
    assert "t.x.a" not in re.sub(r"<[^>]*>", "", html)


def test_a_table_becomes_one_row_a_number(table, path):
    frame = table.frame()
    assert list(frame["target"]) == re.findall(r"{(.*?)}", path.read_text())
    assert list(frame["row"]) == ["first group: X"] * 4 + ["first group: Y & Z"]
    assert list(frame["column"]) == ["TEST A", "TEST B", "n", "n", "TEST A"]


def test_latex_escapes_words_and_names_the_marks(table):
    text = table.latex()
    assert r"\multicolumn{2}{c}{TEST}" in text
    assert r"Y \& Z" in text
    assert r"\makecell[r]{< .5 \\ 0.520 $\neq$}" in text
    assert text.count(r" \\" + "\n") == 5


def test_a_value_that_is_not_published_is_refused_with_its_place(path):
    with pytest.raises(PublicationError, match=r"table2.csv, line 3: .* no value 't.x.a'"):
        read_layout(path, comparison(target="other"), source="Table 2", title="")


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\nx\n", "line 2: 1 cells below 2 headings"), ("", "the file is empty")],
)
def test_a_faulty_layout_is_refused(tmp_path, text, message):
    layout = tmp_path / "table1.csv"
    layout.write_text(text, encoding="utf-8")
    with pytest.raises(PublicationError, match=message):
        read_layout(layout, comparison(), source="Table 1", title="")


def test_a_caption_has_values_too(path):
    caption = "tested on {t.y.a} items"
    table = read_layout(path, comparison(), source="Table 2", title="", caption=caption)
    assert table.caption.printed == "tested on .10 items"
    assert list(table.frame()["target"])[-1] == "t.y.a"
    assert str(table.html()).count('href="#t.y.a"') == 2
    with pytest.raises(PublicationError, match=r"table2.csv, caption: .* no value 'other'"):
        read_layout(path, comparison(), source="", title="", caption="{other}")


def test_columns_of_words_are_set_from_the_left(tmp_path):
    layout = tmp_path / "table1.csv"
    layout.write_text("a,b,c\nx,{t.x.a},some words\ny,{t.x.b},\nz,-,-\n", encoding="utf-8")
    table = read_layout(layout, comparison(), source="Table 1", title="")
    assert [table.is_words(n) for n in range(3)] == [True, False, True]
    words = str(table.html()).count('class="words"')
    assert words == 4, "two headings, and two cells that are not empty"
