"""The text of a session: its cells, its title, its hints, and what students get of it."""

import jupytext
import pytest

from annobench_course import sessions
from annobench_course.errors import CourseError
from annobench_course.exercise import Lesson, Part
from annobench_course.source import TEACHERS, cells, heading, hints, students_text
from editions.course_source import planned, read_source, solutions_edition, student_edition, tags

TEXT = """---
kernelspec:
  display_name: Python 3
  name: python3
---

# Session 7. A title

Text.

+++ {"tags": ["teacher"]}

Ask them.

+++

```{code-cell}
import annobench_course as course
```

Between.

+++ {"tags": ["exercise"]}

**Exercise 7.1.** How many?

```{code-cell}
:tags: [exercise, noslide]

n = ...
```

```{code-cell}
:tags: [solution]

n = 3  # +++
```

+++ {"tags": ["hint", "asked"]}

More than
two.
"""


def test_cells_put_together_are_the_text(lesson):
    for text in (TEXT, lesson.source.read_text(encoding="utf-8")):
        assert "".join(cell.written for cell in cells(text)) == text


def test_cells_have_the_tags_and_texts_of_jupytext(lesson):
    for text in (TEXT, lesson.source.read_text(encoding="utf-8")):
        want = [(tags(c), c.source) for c in jupytext.reads(text, fmt="md:myst").cells if c.source]
        got = [cell for cell in cells(text) if cell.says.strip()]
        assert [cell.tags for cell in got] == [own for own, _ in want]
        assert not [
            source for cell, (_, source) in zip(got, want, strict=True) if source not in cell.says
        ]


def test_a_title_and_hints_are_read():
    assert heading(TEXT) == "A title"
    assert hints(TEXT) == {"7.1": "More than two."}
    with pytest.raises(CourseError, match="needs a heading"):
        heading("# Something")


def test_students_get_no_solution(lesson):
    text = students_text(lesson.source.read_text(encoding="utf-8"))
    notebook = jupytext.reads(text, fmt="md:myst")
    assert not TEACHERS & set().union(*map(tags, notebook.cells))
    full = jupytext.read(lesson.source, fmt="md:myst").cells
    kept = [cell.source for cell in full if cell.source and not tags(cell) & TEACHERS]
    assert [cell.source for cell in notebook.cells if cell.source] == kept
    assert hints(text) == lesson.hints


def write(folder, text=TEXT, exercises="LESSON = Lesson(summary='.')\nEXERCISES = []\n"):
    folder.mkdir(parents=True)
    (folder / "session.md").write_text(text)
    code = f"from annobench_course import Choice, Lesson\n{exercises}"
    (folder / "exercises.py").write_text(code)


def test_a_folder_of_ones_own_is_found(tmp_path, monkeypatch):
    write(tmp_path / "s77_own")
    monkeypatch.setattr(sessions, "__path__", [*sessions.__path__, str(tmp_path)])
    held = sessions.get("77_own")
    assert (held.lesson.id, held.lesson.title, held.exercises) == ("77_own", "A title", {})
    assert list(sessions.discover())[-1] == "77_own"


TWICE = """
one = Choice(id="1.1", title="t", options={}, right="a", reasons={})
LESSON, EXERCISES = Lesson(summary="."), [one, one]
"""


@pytest.mark.parametrize(
    ("name", "missing", "exercises", "message"),
    [
        ("s78_own", "session.md", "", "there is no file session.md"),
        ("s79_own", "exercises.py", "", "there is no file exercises.py"),
        ("s01_chance", None, "", "another session '01_chance'"),
        ("s80_own", None, TWICE, "two exercises have the same id"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(
    tmp_path, monkeypatch, name, missing, exercises, message
):
    write(tmp_path / name, exercises=exercises)
    if missing:
        (tmp_path / name / missing).unlink()
    monkeypatch.setattr(sessions, "__path__", [*sessions.__path__, str(tmp_path)])
    with pytest.raises(CourseError, match=message):
        sessions.get(name[1:])


PLANNED = Lesson(summary=".", worksheet=("7.1",), timing=(Part(90, "all of it", ("7.2",)),))


@pytest.mark.parametrize("note", ["Ask them.", None])
def test_teachers_get_the_timing_with_or_without_a_note_of_their_own(tmp_path, results, note):
    own = '+++ {"tags": ["teacher"]}\n\nAsk them.\n\n+++\n\n'
    assert own in TEXT
    write(tmp_path / "s77_own", TEXT if note else TEXT.replace(own, ""))
    source = planned(read_source(tmp_path / "s77_own" / "session.md"), PLANNED, ["7.1", "7.2"])
    student, solutions = student_edition(source, results), solutions_edition(source, results)
    timing = [cell.source for cell in solutions.cells if "| 90 | all of it | 7.2 |" in cell.source]
    assert len(timing) == 1
    assert timing[0].startswith("**Teacher's note.**")
    assert (note or "") in timing[0]
    assert not [cell for cell in student.cells if "all of it" in cell.source]
    assert (
        "Exercise 7.1, with the text before each. In class: Exercise 7.2."
        in student.cells[1].source
    )
    assert "**Exercise 7.1.** *(before class)*" in "".join(cell.source for cell in student.cells)


def test_a_session_without_a_worksheet_has_no_plan(tmp_path):
    write(tmp_path / "s77_own")
    source = read_source(tmp_path / "s77_own" / "session.md")
    assert planned(source, Lesson(summary="."), ["7.1"]) is source
    assert Lesson(summary=".").when("7.1") == ""
    assert [PLANNED.when(id) for id in ("7.1", "7.2", "7.3")] == [
        "before class",
        "in class",
        "homework",
    ]
