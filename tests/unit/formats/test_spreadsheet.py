"""Workbooks: any layout, a sheet an annotator, dates, formulas, damaged files."""

import datetime
import zipfile

import openpyxl
import pytest

from annobench.core.errors import ReaderError
from annobench.io import select_labels
from annobench.io.formats import read_export, recognise


def write(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    book.close()
    return path


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_a_row_per_label_below_two_rows_of_a_header(tmp_path, ending):
    rows = [
        ["item", "annotator", "label"],
        ["id", "name", "label"],
        ["1", "ann", "yes"],
        ["1", "b", "no"],
    ]
    path = tmp_path / f"labels.{ending}"
    if ending == "xlsx":
        write(path, {"labels": rows})
    else:
        path.write_text("".join(f"{','.join(row)}\n" for row in rows))
    options = {"item": "item / id", "annotator": "annotator / name"}
    labels = select_labels(path, header_rows=2, **options).labels
    assert labels.to_frame().values.tolist() == [["1", "ann", "yes"], ["1", "b", "no"]]
    with pytest.raises(ReaderError):
        select_labels(path, header_rows=1, **options)


def test_a_row_without_an_annotator_is_an_error_as_in_a_text(tmp_path):
    rows = [["item", "annotator", "label"], [1, "ann", "yes"], [], [3, None, "yes"]]
    path = write(tmp_path / "labels.xlsx", {"labels": rows})
    with pytest.raises(ReaderError, match="labels, row 4: no annotator"):
        read_export(path)


def test_a_plain_table_with_numbers_dates_and_truth_values(tmp_path):
    day = datetime.date(2024, 5, 1)
    path = write(
        tmp_path / "labels.xlsx",
        {
            "labels": [
                [],
                ["item", "annotator", "label", "text", None, "gold"],
                [1, "ann", True, "x", None, "true"],
                [2.0, "bob", False],
                [day, "bob", 0.5],
                [],
            ],
            "notes": [["what", "why"], ["a", "b"]],
        },
    )
    assert recognise(path) == {"spreadsheet": "a row per label"}
    selection = read_export(path).select()
    assert selection.labels.to_frame().values.tolist() == [
        ["1", "ann", "true"],
        ["2", "bob", "false"],
        ["2024-05-01T00:00:00", "bob", "0.5"],
    ]
    assert selection.gold == {"1": "true"}
    assert selection.texts == {"1": "x"}
    ledger = selection.ledger.set_index("what")
    assert ledger.rows["rows read"] == 4
    assert ledger["first"]["left out: sheets in no known layout"] == "sheet 2"


def test_an_export_that_was_saved_as_a_workbook_is_still_one(tmp_path):
    path = write(
        tmp_path / "batch.xlsx",
        {
            "Batch": [
                ["HITId", "WorkerId", "AssignmentStatus", "Input.id", "Answer.q"],
                ["h1", "W1", "Approved", 17, "a"],
                ["h1", "W2", "Rejected", 17, "b"],
            ]
        },
    )
    assert recognise(path) == {"spreadsheet": "Amazon Mechanical Turk"}
    assert read_export(path).labels().to_frame().values.tolist() == [["17", "W1", "a"]]


def test_a_sheet_an_annotator(tmp_path):
    rows = [["id", "label"], ["x", "yes"], ["y", "no"]]
    path = write(tmp_path / "labels.xlsx", {"Coder A": rows, "Coder B": [*rows[:2], ["y", "yes"]]})
    labels = read_export(path).labels()
    assert labels.annotators == ("Coder A", "Coder B")
    assert labels.to_frame().label.tolist() == ["yes", "no", "yes", "yes"]


def test_a_formula_that_was_never_computed_is_named(tmp_path):
    rows = [["item", "annotator", "label"], ["x", "ann", "=1+1"]]
    path = write(tmp_path / "labels.xlsx", {"s": rows})
    with pytest.raises(ReaderError, match=r"sheet 's', row 2: the formula '=1\+1' has no value"):
        read_export(path)


def test_the_error_of_a_formula_is_no_label(tmp_path):
    rows = [["item", "annotator", "label"], ["x", "ann", "#REF!"]]
    path = write(tmp_path / "labels.xlsx", {"s": rows})
    with pytest.raises(ReaderError, match="row 2: the formula of a cell gives #REF!"):
        read_export(path)


def test_a_workbook_in_no_layout_says_what_it_holds(tmp_path):
    path = write(tmp_path / "b.xlsx", {"s": [["a", "b"], [1, 2]], "empty": []})
    assert recognise(path) == {"spreadsheet": "unknown columns"}
    with pytest.raises(ReaderError, match="'s': 'a', 'b'"):
        read_export(path)


def test_a_column_that_is_named_twice_is_refused(tmp_path):
    path = write(
        tmp_path / "b.xlsx", {"s": [["item", "annotator", "label", "label"], [1, 2, 3, 4]]}
    )
    with pytest.raises(ReaderError, match="names 'label' twice"):
        read_export(path)


def rewrite(path, member, change):
    """Change one part of an archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[member] = change(parts[member])
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("member", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_a_damaged_workbook_is_refused(tmp_path, member):
    path = write(tmp_path / "b.xlsx", {"s": [["item", "annotator", "label"], [1, 2, 3]]})
    rewrite(path, member, lambda data: data[: len(data) // 2])
    assert recognise(path) == {"spreadsheet": "unknown columns"}
    with pytest.raises(ReaderError, match="Open it in a spreadsheet program and save it again"):
        read_export(path)


def test_a_workbook_that_defines_entities_is_refused(tmp_path):
    path = write(tmp_path / "b.xlsx", {"s": [["item", "annotator", "label"], [1, 2, 3]]})
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    rewrite(path, "xl/worksheets/sheet1.xml", lambda data: bomb + data)
    with pytest.raises(ReaderError, match="document type declaration"):
        read_export(path)


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "b.xlsx", {"s": [["item", "annotator", "label"], [1, 2, 3]]})
    monkeypatch.setattr("annobench.io.layouts.spreadsheet.MAX_BYTES", 100)
    with pytest.raises(ReaderError, match="unpacks to"):
        read_export(path)


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        (
            {"a": [["x", "y"], [1, 2]], "b": [["z"], [3]]},
            r"no sheet has a column per annotator \('a', 'b'\)",
        ),
        (
            {
                name: [
                    ["item", "annotator_1", "annotator_2", "annotator_3"],
                    *([f"i{n}", "x", "y", "x"] for n in range(9)),
                ]
                for name in "ab"
            },
            r"2 sheets have a column per annotator \('a', 'b'\)",
        ),
    ],
)
def test_a_sheet_is_chosen_where_none_or_several_have_the_layout(tmp_path, sheets, message):
    path = tmp_path / "book.xlsx"
    write(path, sheets)
    with pytest.raises(ReaderError, match=message + r"\. Choose one with --sheet\."):
        read_export(path, format="wide")
