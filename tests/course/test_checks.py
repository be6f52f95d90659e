"""What a check says of an answer, case by case; what a student holds."""

import contextlib
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from annobench_course import Choice, Function, Mistake, Number, Property, Simulation, session
from annobench_course.draws import draw
from annobench_course.errors import CourseError
from annobench_course.outcomes import Checked, as_number, same, shown, unanswered
from annobench_course.results import Results
from annobench_course.student import Session
from annobench_course.watch import TooSlowError, time_limit


def number(**changes):
    fields = {
        "id": "9.1",
        "title": "A share",
        "given": lambda rng: {"k": int(rng.integers(1, 9)), "n": 16},
        "solve": lambda given: given["k"] / given["n"],
        "mistakes": (Mistake("inverse", lambda given: given["n"] / given["k"], "Inverse."),),
    }
    return Number(**fields | changes)


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (0.4375, None),
        (0.438, None),
        ([0.4375], None),
        (np.float32(0.4375), None),
        (pd.Series([0.4375]), None),
        (16 / 7, "inverse"),
        (43.75, "percent for share"),
        (-0.4375, "sign"),
        (0.44, "rounding"),
        ("0,4375", "not a number"),
        ([1, 2], "not a number"),
        (True, "not a number"),
        (float("nan"), "not a number"),
        (1 + 0j, "not a number"),
        (None, "not answered"),
        (..., "not answered"),
    ],
)
def test_a_number(answer, mistake):
    outcome = number().check(answer, {"k": 7, "n": 16})
    assert (outcome.passed, outcome.mistake) == (mistake is None, mistake)


def test_a_check_says_how_to_get_a_hint():
    for answer in (..., 17.77):
        assert 'session.hint("9.1")' in number().check(answer, {"k": 7, "n": 16}).message


def test_tolerance_is_half_a_unit_of_the_last_digit():
    given = {"k": 7, "n": 16}
    for digits in (1, 2, 3):
        exercise = number(digits=digits)
        for offset, passed in ((0.499, True), (-0.499, True), (0.501, False), (-0.501, False)):
            outcome = exercise.check(0.4375 + offset * 10**-digits, given)
            assert outcome.passed == passed


def test_numbers_are_drawn_until_mistakes_differ():
    confused = number(mistakes=(Mistake("half", lambda given: 0.5, "Half."),))
    for student in map(str, range(50)):
        assert draw("9.1", {"9.1": confused}, student)["k"] != 8
    same_number = number(mistakes=(Mistake("none", lambda given: given["k"] / 16, "None."),))
    with pytest.raises(CourseError, match=r"exercise 9\.1: in 500 draws"):
        draw("9.1", {"9.1": same_number}, "Ann")


def test_exercises_that_share_numbers_are_drawn_together():
    first = number()
    second = number(
        id="9.2", given="9.1", solve=lambda g: g["k"], mistakes=(Mistake("2", lambda g: 2, "2."),)
    )
    both = {"9.1": first, "9.2": second}
    for student in map(str, range(50)):
        assert draw("9.1", both, student) == draw("9.2", both, student)
        assert draw("9.2", both, student)["k"] != 2
    with pytest.raises(CourseError, match=r"those of 9\.1"):
        second.propose(np.random.default_rng(1))


def function(**changes):
    fields = {
        "id": "9.3",
        "title": "A mean",
        "signature": "mean(values)",
        "reference": lambda values: sum(values) / len(values),
        "inputs": lambda rng: [(rng.normal(size=n).tolist(),) for n in (2, 5)],
        "mistakes": (
            Mistake("n - 1", lambda values: sum(values) / (len(values) - 1), "n - 1."),
            Mistake("median", np.median, "Median."),
        ),
        "properties": (
            Property(
                "moves along",
                lambda f, values: np.isclose(f([v + 1 for v in values]), f(values) + 1),
                "Add 1 to all values, and the mean grows by 1.",
            ),
        ),
    }
    return Function(**fields | changes)


@pytest.mark.parametrize(
    ("answer", "passed", "mistake", "words"),
    [
        (np.mean, True, None, "Right on 2 inputs"),
        (lambda values: sum(values) / (len(values) - 1), False, "n - 1", "n - 1."),
        (lambda values: 0.0, False, "moves along", "grows by 1. mean(["),
        (lambda values: values[0], False, None, "but it should be"),
        (lambda values: values[9], False, "error", "raises IndexError (list index out of range)"),
        (lambda values: None, False, "not answered", "lack a `return`"),
        (lambda values: ..., False, "not answered", 'session.hint("9.3")'),
        (lambda: 1, False, "error", "raises TypeError"),
        (
            lambda values: [np.mean(values)] * 2,
            False,
            "shape",
            "(2,). Return a single value.",
        ),
        (lambda values: (np.mean(values), 1.5), False, "shape", "Return a single value."),
        (3.0, False, "not a function", "without parentheses"),
    ],
)
def test_a_function(answer, passed, mistake, words):
    exercise = function()
    given = draw("9.3", {"9.3": exercise}, "Ann")
    outcome = exercise.check(answer, given)
    assert (outcome.passed, outcome.mistake) == (passed, mistake), outcome
    assert words in outcome.message


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_a_function_that_rounds_is_told_so(decimals):
    exercise = function()
    given = draw("9.3", {"9.3": exercise}, "Ann")
    outcome = exercise.check(lambda values: round(sum(values) / len(values), decimals), given)
    assert (outcome.passed, outcome.mistake) == (False, "rounding")
    assert "Do you round inside the function?" in outcome.message


def test_a_function_that_is_right_but_has_not_its_properties_fails():
    exercise = function(properties=(Property("never", lambda f, values: False, "Never."),))
    outcome = exercise.check(np.mean, draw("9.3", {"9.3": exercise}, "Ann"))
    assert (outcome.passed, outcome.mistake) == (False, "never")


def test_a_function_that_changes_its_arguments_changes_copies():
    exercise = function()
    given = draw("9.3", {"9.3": exercise}, "Ann")
    before = repr(given)

    def greedy(values):
        total, n = 0, len(values)
        while values:
            total += values.pop()
        return total / n

    assert exercise.check(greedy, given).passed
    assert repr(given) == before


def test_a_function_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr("annobench_course.functions.FUNCTION_SECONDS", 0.1)
    exercise = function()
    given = draw("9.3", {"9.3": exercise}, "Ann")

    def endless(values):
        while True:
            try:
                pass
            except Exception:
                break

    assert exercise.check(endless, given).mistake == "too slow"


def spin():
    while True:
        pass


def test_a_limit_of_time_is_taken_back():
    with pytest.raises(TooSlowError), time_limit(0.05, elapsed=60):
        spin()
    with time_limit(0.05, elapsed=60):
        pass
    sum(range(3_000_000))


def test_waiting_is_no_time_on_the_processor():
    # As on a machine that is busy with something else
    with time_limit(0.1, elapsed=60):
        time.sleep(0.3)
    with pytest.raises(TooSlowError), time_limit(60, elapsed=0.05):
        time.sleep(60)


def test_a_limit_goes_on_after_one_inside_it():
    def within():
        with contextlib.suppress(TooSlowError), time_limit(0.05, elapsed=60):
            spin()
        spin()

    with pytest.raises(TooSlowError), time_limit(0.2, elapsed=60):
        within()


def choice(**changes):
    fields = {
        "id": "9.4",
        "title": "A choice",
        "options": {"one": "The first", "two": "The second", "six": "The sixth"},
        "right": "two",
        "reasons": {"one": "Not the first.", "six": "Not the sixth.", "two": "Indeed."},
    }
    return Choice(**fields | changes)


def letter(given, text):
    return next(letter for letter, option in given.items() if option == text)


def test_a_choice():
    exercise = choice()
    given = draw("9.4", {"9.4": exercise}, "Ann")
    right = letter(given, "The second")
    text = "The second"
    ways = [right, right.upper(), f" {right})", f"{right}.", f"({right})", f"{right}:"]
    ways += ["two", "two.", text, f"{text}.", text.lower(), " the  second ", f"{right}) {text}"]
    for answer in (*ways, [right], {"two"}, [f"{right}."], (text,)):
        assert exercise.check(answer, given).passed, answer
    assert exercise.check(right, given).message == "Right. Indeed."
    assert exercise.check(letter(given, "The first"), given).message == "Not the first."
    assert exercise.check("z", given).mistake == "no option"
    assert exercise.check("ab", given).mistake == "several options"
    assert exercise.check(3, given).message == "3 is not one of the options a, b, c."
    assert "a) " in repr(given)
    # By letters that no style sheet can make into numbers
    for own, text in given.items():
        assert f"<b>{own})</b> {text}<" in given._repr_html_()
    assert len({repr(draw("9.4", {"9.4": exercise}, s)) for s in "abcdefgh"}) > 1


def test_a_choice_of_several():
    exercise = choice(right={"two", "six"}, reasons={"one": "Not the first."})
    given = draw("9.4", {"9.4": exercise}, "Ann")
    both = letter(given, "The second") + ", " + letter(given, "The sixth")
    assert exercise.check(both, given).passed
    assert exercise.check({"six", "two"}, given).passed
    for answer in (
        ["The second", "the sixth."],
        both.replace(", ", ". ") + ".",
        both.replace(",", " and"),
    ):
        assert exercise.check(answer, given).passed, answer
    assert exercise.check("six", given).mistake == "too few options"
    assert exercise.check("abc", given).mistake == "one"
    praised = choice(right={"two", "six"}, reasons={"one": "No.", "six": "Yes.", "two": "Indeed."})
    assert praised.check({"six", "two"}, given).message == "Right. Indeed. Yes."


def test_a_simulation():
    exercise = Simulation(
        id="9.5",
        title="A coin",
        given=lambda rng: {"p": 0.5},
        interval=lambda given: (0.4, 0.6),
        mistakes=(
            Mistake("other side", lambda given: (0.1, 0.2), "Other."),
            Mistake("one", lambda given: 0.9, "One."),
        ),
    )
    given = draw("9.5", {"9.5": exercise}, "Ann")
    assert exercise.check(0.55, given).passed
    assert exercise.check(0.15, given).mistake == "other side"
    assert exercise.check(0.99, given).mistake == "one"
    assert exercise.check(55, given).mistake == "percent for share"
    assert exercise.check(0.39, given).mistake == "too small"
    assert exercise.check(0.7, given).mistake == "too large"
    assert exercise.check(7, given).mistake == "not a share"
    overlapping = {"9.5": Simulation(**vars(exercise) | {"interval": lambda given: (0.15, 0.6)})}
    with pytest.raises(CourseError, match="never all different"):
        draw("9.5", overlapping, "Ann")


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (0.1 + 0.2, 0.3, True),
        (0.1 + 0.2 + 1e-7, 0.3, False),
        (np.float32(0.1) + np.float32(0.2), 0.3, True),
        ([np.float32(1 / 3)], [1 / 3], True),
        (np.array([1 / 3], dtype=np.float32), [1 / 3 + 1e-4], False),
        ([1, 2], (1.0, 2.0), True),
        ([1, float("nan")], np.array([1, np.nan]), True),
        ({"a": [1]}, {"a": np.array([1])}, True),
        ({"a": 1}, {"b": 1}, False),
        ({1, 2}, {2, 1}, True),
        ("1", 1, False),
        (None, 0, False),
        (pd.DataFrame({"x": [1]}), [[1]], True),
        ([[1, 2]], [1, 2], False),
        (["a", None], ["a", None], True),
        (object(), 1, False),
    ],
)
def test_values_are_compared_by_what_they_mean(one, other, equal):
    assert same(one, other) is equal


def test_a_number_is_a_number_or_a_reason():
    assert as_number(np.array(3)) == 3.0
    for odd in ("3", [1, 2], None, {"a": 1}, print, True, np.nan):
        assert isinstance(as_number(odd), str)


def test_values_are_shown_short():
    assert shown(np.float64(1 / 3)) == "0.333333"
    assert len(shown("x" * 10_000)) <= 300
    assert len(shown(np.zeros(10_000))) <= 300

    class Rude:
        def __repr__(self):
            raise RuntimeError

    assert "Rude" in shown(Rude())


def test_what_is_unanswered():
    assert all(map(unanswered, (None, ..., "", " ... ", NotImplemented)))
    assert not any(map(unanswered, (0, False, [], "a", np.zeros(3))))


def test_an_outcome_shows_itself_and_escapes():
    outcome = Checked("9.1", False, "<b>\nNo", "m")
    assert repr(outcome) == "Exercise 9.1, not yet: <b> No"
    assert "&lt;b&gt;" in outcome._repr_html_()


def test_a_session_says_what_there_is(folder, monkeypatch):
    monkeypatch.chdir(folder)
    held = Session("00_example", "Ann")
    assert repr(held).startswith("Session 0: An example (exercises of Ann; 0 of 6 passed)")
    assert not held.progress()["passed"].any()
    for call in (held.given, held.check, held.hint, held.rng):
        with pytest.raises(CourseError, match=r"no exercise '0\.66'\. Did you mean '0\.6'"):
            call("0.66")
    assert held.rng("0.6").random() == held.rng("0.6").random()
    assert held.hint("0.1") == "They agree on the cells of the diagonal."
    assert held.hint("0.2").startswith("Multiply"), "one that no notebook shows"
    value = held.result("example_paper", "section2.accuracy_of_three")
    assert (value.printed, value.published, value.rounded()) == (0.784, ".784", "0.784")
    assert float(value) == value.computed
    with pytest.raises(CourseError, match="Did you mean 'section2"):
        held.result("example_paper", "section2.accuracy_of_thre")
    with pytest.raises(CourseError, match="Did you mean 'example_paper'"):
        held.result("example_papr", "x")
    with pytest.raises(CourseError, match=r"no session '00_exampl'\. Did you mean '00_example'"):
        session("00_exampl", student="Ann")


def test_what_is_given_can_be_spoiled_without_harm():
    held = Session("00_example", "Ann")
    held.given("0.1")["matrix"][:] = 0
    assert held.given("0.1")["matrix"].sum() > 0


def test_results_that_are_missing_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match="there are no results here"):
        Session("00_example", "Ann").result("su2008", "x")
    (tmp_path / "r.csv").write_text("paper,target\na,b\n")
    with pytest.raises(CourseError, match="column 'computed' is missing"):
        Results.read(tmp_path / "r.csv")


def test_simulated_data_say_so(tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ANNOBENCH_DATA_URL", "http://127.0.0.1:9")
    held = session("00_example", student="Ann")
    said = capsys.readouterr().out
    assert said.startswith("anesthesia: SIMULATED")
    assert said.count("need not hold") == 1
    assert not caplog.records  # no second warning with all addresses that were tried
    assert held.data("anesthesia").provenance == "simulated"
    assert capsys.readouterr().out == ""


def test_a_failed_cell_clears_what_it_assigns_in_jupyter_too(folder):
    # In a process of its own, as IPython has one shell
    cells = [
        "import annobench_course as course",
        "session = course.session('01_chance', 'Ann')",
        "answer = other = 1",
        "import math\nanswer = 1 / 0",
        "answer = 2\nother = (",
    ]
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in {cells!r}:\n"
        "    shell.run_cell(cell)\n"
        "    print('now', sorted({'answer', 'other', 'math'} & shell.user_ns.keys()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    now = [line for line in done.stdout.splitlines() if line.startswith("now")]
    assert now[2:] == ["now ['answer', 'other']", "now ['math', 'other']", "now ['math']"]
    assert "is cleared (answer)" in done.stdout


def course_exercise(id):
    """Return an exercise of session 6."""
    return Session("06_dawid_skene", "Ann").exercises[id]


def drawn_exercise(id):
    """Return an exercise of session 6, and what Ann is given."""
    exercise = course_exercise(id)
    return exercise, draw(id, {id: exercise}, "Ann")


def test_a_count_for_a_share_is_told_to_be_one():
    simulation = course_exercise("6.1")
    given = draw("6.1", {"6.1": simulation}, "Ann")
    low, high = simulation.interval(given)
    count = given["n_items"] * (low + high) / 2
    outcome = simulation.check(count, given)
    assert (outcome.passed, outcome.mistake) == (False, "not a share")
    assert "between 0 and 1" in outcome.message
    # Where the right result may be beyond 1, large is only too large
    wide = Simulation(id="1.1", title="t", given=lambda rng: {}, interval=lambda given: (2.0, 3.0))
    assert wide.check(40, {}).mistake == "too large"


def test_an_answer_that_names_no_option_is_quoted_as_a_whole():
    choice = course_exercise("6.9")
    given = draw("6.9", {"6.9": choice}, "Ann")
    outcome = choice.check("the first", given)
    assert outcome.mistake == "no option"
    assert "'the first' is not one of the options a, b, c" in outcome.message


def test_an_array_of_another_shape_is_told_so():
    exercise, given = drawn_exercise("6.3")

    def both(*arguments):
        return exercise.reference(*arguments), 1

    def transposed(*arguments):
        return exercise.reference(*arguments).T

    checked = exercise.check(both, given)
    assert checked.mistake == "shape"
    assert "returns a tuple of 2 values. Return an array of shape (2, 2)." in checked.message
    checked = exercise.check(transposed, given)
    assert "returns an array of shape (2, 4). Return an array of shape (4, 2)." in checked.message


def iterated(votes, *, n=None, hard=False):
    """EM of Exercise 6.6 as a student writes it, with a `return` in the loop or a hard start."""
    m_step, e_step = (course_exercise(id).reference for id in ("6.5", "6.3"))

    def dawid_skene(item, annotator, label, n_iterations, smoothing):
        posterior = votes(item, label)
        if hard:
            posterior = np.eye(posterior.shape[1])[posterior.argmax(axis=1)]
        for _ in range(n or n_iterations):
            prevalence = posterior.sum(axis=0) + smoothing
            confusion = m_step(item, annotator, label, posterior, smoothing)
            posterior = e_step(item, annotator, label, prevalence / prevalence.sum(), confusion)
        return posterior

    return dawid_skene


def shares_of_votes(item, label):
    table = np.zeros((item.max() + 1, label.max() + 1))
    np.add.at(table, (item, label), 1)
    return table / table.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("changes", "mistake"),
    [({}, None), ({"n": 1}, "one iteration alone"), ({"hard": True}, "hard start")],
)
def test_usual_mistakes_in_em_are_named(changes, mistake):
    exercise, given = drawn_exercise("6.6")
    assert exercise.check(iterated(shares_of_votes, **changes), given).mistake == mistake


def test_agreement_on_the_truth_and_mean_probabilities_are_named():
    exercise, given = drawn_exercise("6.1")
    one, other = (np.diag(matrix) for matrix in given["confusion"])
    assert exercise.check(given["prevalence"] @ (one * other), given).mistake == "both right"
    exercise, given = drawn_exercise("6.2")
    rows = [m[:, label] for m, label in zip(given["confusion"], given["labels"], strict=True)]
    weight = given["prevalence"] * np.mean(rows, axis=0)
    assert exercise.check(weight[1] / weight.sum(), given).mistake == "sum for product"
