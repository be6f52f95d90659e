"""What holds for every session: its records, its source, its solutions and its empty edition."""

import copy
import functools
import os
import re
import time

import numpy as np
import pandas as pd
import pytest
import unrendered
from exam_words import EXAM

from annobench import datasets
from annobench_course import Choice, Function, Number, Simulation, sessions
from annobench_course.draws import draw
from annobench_course.student import NOBODY, Session
from annobench_course.teacher.questions import ChoiceQuestion
from editions.course_source import (
    faults,
    planned,
    read_source,
    solutions_edition,
    student_edition,
    tags,
)
from scripts.course.execute_course import execute
from scripts.course.render_course import PageExporter

STUDENTS = [NOBODY, "Åsa Öberg", "李 明", *(f"s{n:07d}" for n in range(3141592, 3141609))]
#: Seconds that a check may take in a notebook.
CHECK_SECONDS = 2.0
#: Seconds of this process that the solutions of a session may take.
SOLUTION_SECONDS = 120


def all_exercises(lesson):
    return {**lesson.exercises, **lesson.bank}


def test_there_are_enough_exercises_of_all_kinds(lesson):
    kinds = {type(exercise) for exercise in lesson.exercises.values()}
    if lesson.is_ours:
        assert len(lesson.exercises) >= 6
        assert kinds == {Number, Function, Choice, Simulation}
    assert len(lesson.exercises) >= 4
    assert kinds <= {Number, Function, Choice, Simulation}


def test_a_session_is_planned_for_90_minutes_a_worksheet_and_homework(lesson):
    syllabus, exercises = lesson.syllabus, list(lesson.exercises)
    assert sum(part.minutes for part in syllabus.timing) == 90
    assert all(part.minutes >= 5 and part.what for part in syllabus.timing)
    if not lesson.is_ours:
        return
    done = [*syllabus.worksheet, *syllabus.in_class]
    assert len(syllabus.worksheet) == 3
    assert 1 <= len(syllabus.in_class) <= 5
    assert len(set(done)) == len(done), "an exercise is done once"
    assert set(done) <= set(exercises)
    assert list(syllabus.in_class) == sorted(syllabus.in_class, key=exercises.index)
    # An exercise takes some five minutes at least
    assert all(part.minutes >= 5 * (1 + len(part.exercises)) for part in syllabus.timing[1:])


def test_notebook_and_notes_say_when_an_exercise_is_done(lesson, results):
    source = read_source(lesson.source)
    text = "\n".join(cell.source for cell in source.cells)
    assert not re.search(r"\d+ minutes|minutes for", text), "the timing stands in the syllabus"
    own = planned(source, lesson.syllabus, lesson.exercises)
    student, solutions = student_edition(own, results), solutions_edition(own, results)
    for edition in (student, solutions):
        stated = "\n".join(c.source for c in edition.cells if c.cell_type == "markdown")
        for id in lesson.exercises:
            when = lesson.syllabus.when(id)
            mark = rf"\*\*Exercise {re.escape(id)}\b[^*]*\*\* \*\({when}\)\*"
            assert bool(re.search(mark, stated)) == bool(lesson.syllabus.worksheet), id
    if lesson.syllabus.worksheet:
        notes = next(c.source for c in solutions.cells if "teacher" in tags(c))
        assert notes.count("\n| ") == 1 + len(lesson.syllabus.timing)
        assert "**Plan.** Before class" in student.cells[1].source
        assert not any("| minutes |" in c.source for c in student.cells)
        assert len({cell.id for cell in student.cells}) == len(student.cells)


@pytest.mark.slow
def test_no_page_shows_a_formula_as_typed(lesson, results):
    edition = solutions_edition(read_source(lesson.source), results)
    page, _ = PageExporter(template_name="basic").from_notebook_node(edition)
    assert not unrendered.in_page(page)


def test_records_are_complete(lesson):
    assert lesson.syllabus.summary.endswith(".")
    number = int(lesson.id.partition("_")[0])
    earlier = {id for id in sessions.discover() if id < lesson.id}
    for need in lesson.syllabus.needs:
        assert need in earlier or not need[:2].isdigit(), f"{need} is no earlier session"
    assert list(lesson.hints) == list(lesson.exercises), "each exercise needs a hint"
    for id, exercise in all_exercises(lesson).items():
        assert id.startswith(f"{number}."), id
        assert exercise.title
        if isinstance(exercise, Number | Function):
            assert len(exercise.mistakes) >= 3, id
        if isinstance(exercise, Number | Function | Simulation):
            names = [mistake.name for mistake in exercise.mistakes]
            assert len(set(names)) == len(names), id
            assert all(mistake.message.endswith((".", "?")) for mistake in exercise.mistakes), id
        if isinstance(exercise, Choice):
            assert len(exercise.options) >= 3, id
            assert len(set(exercise.options.values())) == len(exercise.options), id
            assert all(len(key) > 1 for key in exercise.options), id
            assert set(exercise.options) - exercise.keys <= set(exercise.reasons), id
            assert set(exercise.reasons) | exercise.keys <= set(exercise.options), id
        if isinstance(exercise, ChoiceQuestion):
            assert 2 <= len(exercise.cases) <= len(exercise.options), id
            assert set(exercise.cases) <= set(exercise.options), id
            assert len(set(exercise.options.values())) == len(exercise.options), id
        if isinstance(exercise, Simulation):
            assert exercise.interval.__doc__, f"{id}: say how its interval is derived"


def test_the_source_is_as_the_contract_wants_it(lesson):
    source = read_source(lesson.source)
    assert list(faults(source, list(lesson.exercises))) == []
    if lesson.is_ours:
        assert {"hint", "teacher"} <= set().union(*map(tags, source.cells))
        assert sum("open" in tags(cell) for cell in source.cells) == 2


def test_the_editions_hold_what_they_should(lesson, results):
    source = read_source(lesson.source)
    student, solutions = student_edition(source, results), solutions_edition(source, results)
    assert not {"solution", "teacher", "rubric"} & set().union(*map(tags, student.cells))
    assert not [cell.source for cell in student.cells if EXAM.search(cell.source.encode())]
    asked = [c for c in source.cells if "asked" in tags(c)]
    assert not [c.source for c in [*student.cells, *solutions.cells] if "asked" in tags(c)]
    assert len(student.cells) + len(asked) < len(source.cells)
    stubs = [c for c in solutions.cells if c.cell_type == "code" and "exercise" in tags(c)]
    assert not stubs
    assert not any("{{ result(" in cell.source for cell in [*student.cells, *solutions.cells])
    asked = {value.paper for value in results if f'("{value.paper}"' in lesson.source.read_text()}
    assert asked <= set(lesson.syllabus.papers)


@pytest.mark.parametrize(
    "student", [*STUDENTS[:4], *(pytest.param(s, marks=pytest.mark.slow) for s in STUDENTS[4:])]
)
def test_right_answers_pass_and_each_mistake_is_named(lesson, student):
    # Functions are drawn for few students: their mistakes are run on every input
    several = student in STUDENTS[:4]
    for known in (lesson.exercises, lesson.bank):
        for id, exercise in known.items():
            if isinstance(exercise, Function) and not several:
                continue
            given = draw(id, known, student)
            right = exercise.check(exercise.right_answer(given), given)
            assert right.passed, f"{student}: {right}"
            messages = set()
            for name, answer in exercise.wrong_answers(given):
                outcome = exercise.check(answer, given)
                assert (outcome.passed, outcome.mistake) == (False, name), f"{student}: {outcome}"
                assert len(outcome.message) > 10
                messages.add(outcome.message)
            assert len(messages) == len(list(exercise.wrong_answers(given))), id
            if isinstance(exercise, Number):
                rounded = round(exercise.right_answer(given), exercise.digits)
                assert exercise.check(rounded, given).passed, f"{student}, {id}: {rounded}"


def test_students_have_numbers_of_their_own(lesson):
    for id, exercise in lesson.exercises.items():
        drawn = [draw(id, lesson.exercises, student) for student in STUDENTS[:6]]
        assert len({repr(given) for given in drawn}) > 1, id
        again = draw(id, lesson.exercises, STUDENTS[0])
        assert repr(again) == repr(drawn[0])
        assert repr(exercise.handed_out(again))


@pytest.mark.parametrize("nothing", [None, ..., "", "..."])
def test_no_answer_gets_no_hint_until_it_is_asked_for(lesson, nothing):
    session = Session(lesson.id, "nobody")
    for id in lesson.exercises:
        outcome = session.check(id, nothing)
        assert not outcome.passed
        assert lesson.hints[id] not in outcome.message
        assert f'session.hint("{id}")' in outcome.message
        assert session.hint(id) == lesson.hints[id]


def in_single(value):
    """Return a result with its numbers in single precision."""
    if isinstance(value, dict):
        return {key: in_single(part) for key, part in value.items()}
    if isinstance(value, float | np.ndarray | pd.Series) and np.asarray(value).dtype.kind == "f":
        return np.float32(value) if isinstance(value, float) else value.astype(np.float32)
    if isinstance(value, list | tuple):
        return type(value)(map(in_single, value))
    return value


def test_a_right_function_in_single_precision_is_right(lesson):
    for id, exercise in lesson.exercises.items():
        if isinstance(exercise, Function):
            given = draw(id, lesson.exercises, "Ann")
            outcome = exercise.check(lambda *a, e=exercise: in_single(e.reference(*a)), given)
            assert outcome.passed, outcome


ODD = {
    "text": "yes",
    "list": [1, 2],
    "nan": float("nan"),
    "infinity": float("inf"),
    "truth": True,
    "array": np.zeros((2, 2)),
    "function of nothing": lambda: 1,
    "raising function": lambda *arguments: 1 / 0,
    "type": object,
    "html": "<script>alert(1)</script>",
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_answer_gets_a_message_and_no_error(lesson, odd):
    session = Session(lesson.id, "nobody")
    for id in lesson.exercises:
        outcome = session.check(id, ODD[odd])
        assert not outcome.passed, id
        assert outcome.message
        assert "<script>" not in outcome._repr_html_()


def test_a_check_takes_no_time(lesson):
    session = Session(lesson.id, "nobody")
    for id, exercise in lesson.exercises.items():
        answer = exercise.right_answer(session._drawn(id))
        session.check(id, answer)  # compilers and imports, once in a notebook
        start = time.process_time()
        session.check(id, answer)
        assert time.process_time() - start < CHECK_SECONDS, id


def asked_data(monkeypatch):
    """Return the list to which every data set is added that a session asks for."""
    asked, data = [], Session.data

    def recorded(self, id):
        asked.append(id)
        return data(self, id)

    monkeypatch.setattr(Session, "data", recorded)
    return asked


def codes(notebook):
    """Yield tags and code of the code cells, without lines for IPython."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            lines = cell.source.splitlines()
            yield (
                tags(cell),
                "\n".join(line for line in lines if not line.startswith(("%", "!"))),
            )


@pytest.fixture
def checked(monkeypatch, folder):
    """What the checks of this test say, beside the course's data; no figure is left."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    monkeypatch.chdir(folder)
    mpl.use("Agg")
    outcomes, check = {}, Session.check

    def recorded(self, id, answer=...):
        outcomes[id] = check(self, id, answer)
        return outcomes[id]

    monkeypatch.setattr(Session, "check", recorded)
    yield outcomes
    plt.close("all")


def run(notebook, before=lambda own, code, names: None):
    """Run the code cells of a notebook in this process."""
    names = {"__name__": "__main__", "display": lambda *values: None}
    for number, (own, code) in enumerate(codes(notebook)):
        before(own, code, names)
        exec(compile(code, f"<{notebook.cells[0].id}, code cell {number}>", "exec"), names)


@pytest.fixture(scope="session")
def loaded(request):
    """Return a function that loads a data set once: of some it takes long."""
    if not os.environ.get("ANNOBENCH_DATA_MIRROR"):
        return functools.cache(datasets.load)
    folder = request.getfixturevalue("real_folder")
    return functools.cache(lambda id: datasets.read(folder(id)))


@pytest.fixture
def offline(monkeypatch, tmp_path, loaded):
    """Without a mirror, let the simulators stand in, and no network be asked."""
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ANNOBENCH_DATA_URL", "http://127.0.0.1:9")
    # A session may do with its data as it likes.
    monkeypatch.setattr(datasets, "load", lambda id: copy.deepcopy(loaded(id)))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_an_empty_student_edition_fails_every_check_with_a_message(
    lesson, results, checked, offline
):
    run(student_edition(read_source(lesson.source), results))
    assert list(checked) == list(lesson.exercises)
    for id, outcome in checked.items():
        assert not outcome.passed
        assert outcome.mistake == "not answered", outcome
        assert lesson.hints[id] not in outcome.message


@pytest.mark.filterwarnings("default")
def test_the_solutions_pass(lesson, results, checked, monkeypatch, offline):
    asked = asked_data(monkeypatch)
    start = time.process_time()
    run(solutions_edition(read_source(lesson.source), results))
    # The first cell asks for all that the lesson lists, and a later one for each.
    assert {id for id in asked if asked.count(id) > 1} == set(lesson.syllabus.data)
    assert set(asked) == set(lesson.syllabus.data)
    assert list(checked) == list(lesson.exercises)
    assert [str(outcome) for outcome in checked.values() if not outcome.passed] == []
    assert time.process_time() - start < SOLUTION_SECONDS


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_solutions_pass_for_twenty_students(lesson, results, checked, offline):
    # The whole notebook once; then, for each student, the cells that depend on who it is, with all
    # names as they were there. (So a solution reads what is given, and not what another one left.)
    places, cells = [], []

    def note(own, code, names):
        if own & {"solution", "check"} or re.search(r"session\.(given|rng)\(", code):
            if not cells:
                places.append((dict(names), cells))
            cells.append(code)
        if "check" in own:
            places[-1] = (places[-1][0], cells.copy())
            cells.clear()

    run(solutions_edition(read_source(lesson.source), results), note)
    assert len(places) == len(lesson.exercises)
    for student in STUDENTS:
        checked.clear()
        session = Session(lesson.id, student)
        for names, own in places:
            names = names | {"session": session}
            for code in own:
                exec(code, names)
        assert list(checked) == list(lesson.exercises)
        failed = [str(outcome) for outcome in checked.values() if not outcome.passed]
        assert (student, failed) == (student, [])


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_solutions_run_in_a_kernel(lesson, results, folder, other_processes):
    notebook = solutions_edition(read_source(lesson.source), results)
    executed = execute(notebook, folder, seconds=SOLUTION_SECONDS)
    errors = [o for c in executed.cells for o in c.get("outputs", ()) if o.output_type == "error"]
    assert not errors


def test_a_broken_source_is_found(lesson):
    # The negative control
    source = read_source(lesson.source)
    solution = next(n for n, cell in enumerate(source.cells) if "solution" in tags(cell))
    source.cells[0].source += "\n\nKappa is 0.75 here."
    source.cells[0].metadata["tags"] = ["explanation"]
    del source.cells[solution]
    hint = next(cell for cell in source.cells if "hint" in tags(cell))
    hint.source += "\n\n## A section folded into the hint"
    code = next(cell for cell in source.cells if cell.cell_type == "code")
    code.source += "\nfrom annobench.noise import plan"
    found = " ".join(faults(source, list(lesson.exercises)))
    for fault in (
        "0.75",
        "unknown tags explanation",
        "no solution follows",
        "end the cell",
        "from annobench.noise import plan",
    ):
        assert fault in found
