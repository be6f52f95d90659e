"""Grades reach the person they are of, on Moodle and on Canvas, and nothing is lost in silence."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench_course.errors import CourseError
from annobench_course.teacher import gradebook
from annobench_course.teacher.grading import COLUMNS

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Essay (77)\n"
    "    Points Possible,,,,,10\n"
    '"Lovelace, Ada",11,A1,ada@u.org,A,7\n'
    '"Hopper, Grace",12,A2,grace@u.org,A,\n'
    '"Noether, Emmy",13,A3,emmy@u.org,B,\n'
)
MOODLE = (
    "\ufeffFirst name;Surname;ID number;Email address\n"
    "Ada;Lovelace;A1;ada@u.org\nGrace;Hopper;A2;grace@u.org\nEmmy;Noether;A3;emmy@u.org\n"
)
DUE = "01_chance=2026-10-01T12:00+00:00"


def grades(*rows):
    names = ("student", "session", "passed", "of", "file", "submitted")
    table = pd.DataFrame(rows, columns=names).assign(exercise="total", message="")
    return table[list(COLUMNS)]


HANDED_IN = grades(
    ("ada lovelace", "01_chance", 9, 10, "a.ipynb", "2026-10-01 11:59+00:00"),
    ("A2", "01_chance", 8, 10, "b.ipynb", "2026-10-01 14:05+02:00"),
    ("GRACE@u.org", "01_chance", 6, 10, "c.ipynb", "2026-09-30 14:00+02:00"),
    ("Somebody", "01_chance", 10, 10, "d.ipynb", ""),
    ("Emmy Noether", "02_family", 4, 10, "e_LATE_13.ipynb", ""),
)


@pytest.fixture
def files(tmp_path):
    def written(people, table=HANDED_IN):
        (tmp_path / "people.csv").write_text(people, encoding="utf-8")
        table.to_csv(tmp_path / "grades.csv", index=False)
        return tmp_path / "grades.csv", tmp_path / "people.csv"

    return written


def filled(paths, due=(DUE,)):
    table, people = (gradebook.read_grades(paths[0]), gradebook.read_list(paths[1]))
    return gradebook.fill(table, people, gradebook.read_due(list(due)))


@pytest.mark.parametrize("people", [CANVAS, MOODLE], ids=["canvas", "moodle"])
def test_everybody_gets_their_own_points_and_nobody_those_of_others(files, people):
    table, remarks = filled(files(people))
    name = "SIS User ID" if people is CANVAS else "ID number"
    by = table.set_index(name)
    assert by.loc[["A1", "A2", "A3"], "Session 1"].tolist() == ["9", "8", ""]
    assert by.loc[["A1", "A2", "A3"], "Session 2"].tolist() == ["", "", "4"]
    said = set(remarks[["session", "file", "remark"]].itertuples(index=False, name=None))
    assert said == {
        ("01_chance", "b.ipynb", "late by 0:05 hours"),
        ("01_chance", "b.ipynb", "the last of 2 notebooks counts"),
        ("01_chance", "d.ipynb", "not on the list, or not alone with this name"),
        ("01_chance", "", "missing"),
        ("02_family", "", "missing"),
        ("02_family", "e_LATE_13.ipynb", "late, as Canvas says"),
    }
    assert (remarks["remark"] == "missing").sum() == 3


def test_remarks_name_people_in_full_and_say_how_many_days_a_notebook_is_late(files):
    early = DUE.replace("=2026-10-01", "=2026-09-29")
    assert early != DUE
    _, remarks = filled(files(MOODLE), due=[early])
    missing = remarks.loc[remarks["remark"] == "missing", "student"]
    assert all(len(name.split()) > 1 for name in missing)
    late = remarks.loc[remarks["file"] == "b.ipynb", "remark"].tolist()
    assert "late by 2 days and 0:05 hours" in late


def test_canvas_gets_its_columns_and_the_points_that_can_be_reached(files):
    table, _ = filled(files(CANVAS))
    assert table.columns.tolist() == [*gradebook._CANVAS, "Session 1", "Session 2"]
    assert table.iloc[0].tolist() == ["    Points Possible", "", "", "", "", "10", "10"]
    assert len(table) == 4


def test_moodle_gets_no_row_of_points(files):
    table, _ = filled(files(MOODLE))
    assert table["ID number"].tolist() == ["A1", "A2", "A3"]


def test_a_name_of_two_people_is_nobodys(files):
    two = MOODLE + "Ada;Lovelace;A4;other@u.org\n"
    table, remarks = filled(files(two))
    assert table.set_index("ID number").loc[["A1", "A4"], "Session 1"].tolist() == ["", ""]
    assert "a.ipynb" in set(remarks.loc[remarks["remark"].str.startswith("not on"), "file"])


def test_a_notebook_that_was_not_graded_is_remarked_on(files):
    refused = grades(("", "", 0, 0, "x.ipynb", "")).assign(exercise="", message="Put in the name.")
    _, remarks = filled(files(MOODLE, pd.concat([HANDED_IN, refused])))
    assert ("Put in the name.", "x.ipynb") in set(
        zip(remarks["remark"], remarks["file"], strict=True)
    )


@pytest.mark.parametrize(
    ("people", "due", "message"),
    [
        ("name,mark\nAda,1\n", DUE, "not a list from Canvas"),
        (MOODLE + "Ada;Lovelace\n", DUE, "not all as long"),
        (MOODLE, "01_chanc=2026-10-01", "Did you mean '01_chance'"),
        (MOODLE, "01_chance", "no time behind"),
    ],
)
def test_what_can_not_be_read_is_refused(files, people, due, message):
    with pytest.raises(CourseError, match=message):
        filled(files(people), [due])


def test_the_command_writes_both_tables_and_says_what_is_missing(files, tmp_path):
    paths = files(CANVAS)
    words = ["course", "gradebook", *paths, "--due", DUE, "--out", tmp_path / "out" / "book.csv"]
    (tmp_path / "out").mkdir()
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert "Noether, Emmy: missing" in done.output
    book = pd.read_csv(tmp_path / "out" / "book.csv", dtype=str, keep_default_na=False)
    assert book["Session 1"].tolist() == ["10", "9", "8", ""]
    remarks = pd.read_csv(tmp_path / "out" / "book_remarks.csv")
    assert remarks.columns.tolist() == list(gradebook.REMARKS)


def test_a_table_of_something_else_is_no_table_of_grades(files, tmp_path):
    (tmp_path / "other.csv").write_text("student,mark\nAda,1\n")
    with pytest.raises(CourseError, match=r"column 'exercise' is missing.*annobench course grade"):
        gradebook.read_grades(tmp_path / "other.csv")
