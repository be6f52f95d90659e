"""Session 11: its corpus, what its text says of it, and mistakes as students make them."""

import math

import numpy as np
import pytest

import annobench as ab
from annobench_course import sessions
from annobench_course.draws import draw
from annobench_course.sessions.s11_spans import exercises as session
from annobench_course.student import Session

EXERCISES = {exercise.id: exercise for exercise in session.EXERCISES}
PAIRS = [("ann", "bob"), ("ann", "cem"), ("bob", "cem")]


@pytest.fixture(scope="module")
def marks():
    folder = Session("11_spans", "nobody").folder
    assert folder == sessions.get("11_spans").folder
    return ab.io.select_layer(ab.io.read_export(folder / "corpus")).marks


def f1(marks, pair, match):
    return ab.spans.pairwise_f1(marks.select(annotators=pair), match).estimate


def test_the_marks_are_those_of_the_text(marks):
    frame = marks.spans_frame()
    assert frame["text"].str.fullmatch(r"\S.*\S").all()
    corpus = Session("11_spans", "nobody").folder / "corpus"
    lines = [line for path in corpus.rglob("*.ann") for line in path.read_text().splitlines()]
    assert sorted(line.rpartition("\t")[2] for line in lines) == sorted(frame["text"])
    assert [marks.documents[d] for d in marks.unmarked] == ["d05"]
    alone = [d for n, d in enumerate(marks.documents) if n not in marks.shared]
    assert alone == ["d12"]


def test_pairs_differ_as_the_text_says(marks):
    gained = {pair: f1(marks, pair, "overlap") - f1(marks, pair, "exact") for pair in PAIRS}
    assert gained["ann", "bob"] > 0.2
    assert gained["ann", "cem"] < 0.05
    assert f1(marks, ("bob", "cem"), "exact") == min(f1(marks, p, "exact") for p in PAIRS)


def test_alpha_for_unitizing_forgives_limits_and_blames_bobs_labels(marks):
    flat = marks.select(documents=[d for d in marks.documents if d != "d04"])
    alpha = {p: ab.spans.unitizing_alpha(flat.select(annotators=p)) for p in PAIRS}
    assert alpha["ann", "bob"].u > f1(flat, ("ann", "bob"), "exact") + 0.1
    assert alpha["ann", "bob"].cu < alpha["ann", "cem"].cu
    with pytest.raises(ab.core.errors.AnnotationError, match=r"'d04'.*overlap"):
        ab.spans.unitizing_alpha(marks)


def test_the_table_of_links_is_off_by_one(results):
    def printed(target):
        return results.value("volk2008", f"strengths.{target}").printed

    off = {
        part: printed(f"{part}.total")
        - (printed(f"{part}.exact") + printed(f"{part}.fuzzy") - printed(f"{part}.both"))
        for part in ("sophie", "economy")
    }
    assert off == {"sophie": 0, "economy": 1}


@pytest.mark.parametrize("student", ["Ann", "Bob", "s3141592"])
def test_two_spans_of_other_labels_are_put_together(student):
    # As the teacher's note says: they cost less together than alone
    given = draw("11.7", EXERCISES, student)
    start, end, _ = given["u"]
    assert 1 < EXERCISES["11.7"].right_answer(given) < 2
    by_hand = (abs(start - given["v"][0]) + abs(end - given["v"][1])) ** 2
    by_hand /= (end - start + given["v"][1] - given["v"][0]) ** 2
    assert EXERCISES["11.7"].right_answer(given) == pytest.approx(by_hand + 1)


@pytest.mark.parametrize("student", ["Ann", "Bob", "s3141592"])
def test_kappa_of_tokens_is_below_f1(student):
    given = draw("11.3", EXERCISES, student)
    a, b, c, d = given.values()
    kappa = 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    right = EXERCISES["11.3"].right_answer(given)
    assert right == pytest.approx(2 * a / (2 * a + b + c) - kappa)
    assert right > 0


def test_marks_at_random_agree_as_the_interval_says():
    exercise = EXERCISES["11.4"]
    given = draw("11.4", EXERCISES, "Ann")
    low, high = exercise.interval(given)
    n = 400_000
    rng = np.random.default_rng(1)
    t, a, b = given["n_places"], given["ann"], given["bob"]
    f1s = 2 * rng.hypergeometric(b, t - b, a, n) / (a + b)
    middle, spread = (low + high) / 2, (high - low) / 2
    assert abs(f1s.mean() - middle) < 5 * f1s.std() / math.sqrt(n)
    assert spread == pytest.approx(4.2 * f1s.std() / math.sqrt(given["runs"]), rel=0.01)
