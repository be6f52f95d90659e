"""Marks, their matches, and F1: by hand, and against a slow definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.spans import Marks, Relation, Span, pairwise_f1
from annobench.spans.matching import Tokens, count_matches

TEXT = "Ada Lovelace met Charles Babbage in London."


def marks_of(*annotators, text=TEXT, relations=None):
    spans = {("d", f"a{j}"): own for j, own in enumerate(annotators)}
    return Marks.collect(spans, relations, texts=None if text is None else {"d": text})


def test_names_come_in_the_order_of_their_appearance():
    marks = Marks.collect(
        {("e", "bob"): [], ("d", "ann"): [Span(0, 3, "PER")]}, documents=["d"], annotators=["cat"]
    )
    assert marks.documents == ("d", "e")
    assert marks.annotators == ("cat", "bob", "ann")
    assert marks.opened_by(0) == (2,)
    assert marks.shared == ()
    assert marks.unmarked == (1,)
    assert marks.length(0) == 3
    assert repr(marks) == "Marks: 1 span in 1 label, 3 annotators, 2 documents"


def test_unmarked_documents_come_in_their_order():
    marks = Marks.collect(
        {("f", "ann"): [], ("e", "ann"): [], ("d", "ann"): []}, documents=["d", "e", "f"]
    )
    assert marks.unmarked == (0, 1, 2)


def test_selection_keeps_order_and_what_was_opened():
    marks = Marks.collect(
        {("d", "a"): [Span(0, 3, "x")], ("d", "b"): [], ("e", "a"): []},
        {("d", "a"): [Relation(Span(0, 3, "x"), Span(0, 3, "x"), "self")]},
        texts={"d": TEXT},
    )
    found = marks.select(documents=["e", "d"], annotators=["a"])
    assert found.documents == ("e", "d")
    assert found.spans == {(1, 0): (Span(0, 3, "x"),), (0, 0): ()}
    assert found.n_relations == 1
    assert found.texts == (None, TEXT)
    assert marks.select().spans == marks.spans
    with pytest.raises(AnnotationError, match="there is no annotator 'z'"):
        marks.select(annotators=["z"])


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (Span(3, 3, "x"), "has no width"),
        (Span(-1, 3, "x"), "begins before the text"),
        (Span(0, 99, "x"), "ends after the text, which has 43 characters"),
        (Span(0, 9, "x", ((0, 4), (4, 9))), "parts that touch, overlap or are not its own"),
        (Span(0, 9, "x", ((0, 4), (5, 8))), "parts that touch, overlap or are not its own"),
    ],
)
def test_impossible_spans_are_refused(span, said):
    with pytest.raises(AnnotationError, match=said):
        marks_of([span])
    with pytest.raises(AnnotationError, match=said):
        marks_of([], relations={("d", "a0"): [Relation(span, Span(0, 3, "x"), "r")]})


def test_relations_without_spans_and_empty_names_are_refused():
    link = Relation(Span(0, 3, "x"), Span(4, 5, "x"), "r")
    with pytest.raises(AnnotationError, match="relations, but no list of spans"):
        Marks.collect({("d", "a"): []}, {("d", "b"): [link]})
    with pytest.raises(AnnotationError, match="an empty name of annotator"):
        Marks.collect({("d", ""): []})


def test_parts_that_touch_are_one():
    assert Span.of_parts([(4, 9), (0, 4)], "x") == Span(0, 9, "x")
    assert Span.of_parts([(0, 4), (6, 9), (2, 5)], "x").limits == ((0, 5), (6, 9))


def test_the_frame_lists_spans_with_their_text():
    span = Span(0, 32, "PAIR", ((0, 3), (17, 32)))
    table = marks_of([span, Span(36, 42, "LOC")]).spans_frame()
    assert table.iloc[0].tolist() == ["d", "a0", "PAIR", 0, 32, "0-3;17-32", TEXT[:32]]
    assert table.loc[1, "text"] == "London"


def test_f1_by_hand():
    marks = marks_of(
        [Span(0, 12, "PER"), Span(17, 32, "PER"), Span(36, 42, "LOC")],
        [Span(0, 3, "PER"), Span(17, 32, "PER"), Span(36, 42, "ORG")],
    )
    # One of six marks' three possible matches; with overlap two; tokens: Ada, Charles, Babbage of
    # 2 + 2 + 1 and 1 + 2 + 1
    assert pairwise_f1(marks).estimate == pytest.approx(2 / 6)
    assert pairwise_f1(marks, "overlap").estimate == pytest.approx(4 / 6)
    assert pairwise_f1(marks, "token").estimate == pytest.approx(6 / 9)
    table = pairwise_f1(marks).by_label().set_index("label")
    assert table["f1"].to_dict() == {"LOC": 0, "ORG": 0, "PER": 0.5}
    assert table.loc["PER", ["matched", "marked"]].tolist() == [1, 4]


def test_a_span_marked_twice_needs_two_partners():
    twice, once = [Span(0, 3, "x"), Span(0, 3, "x")], [Span(0, 3, "x")]
    assert pairwise_f1(marks_of(twice, once)).estimate == pytest.approx(2 / 3)
    assert pairwise_f1(marks_of(twice, twice)).estimate == 1
    assert pairwise_f1(marks_of(twice, once), "overlap").estimate == pytest.approx(2 / 3)


def test_overlaps_are_matched_one_to_one_as_many_as_possible():
    # The long span meets all three, but the greedy choice of the first would cost one match
    first = [Span(0, 30, "x"), Span(0, 3, "x")]
    second = [Span(1, 2, "x"), Span(20, 25, "x")]
    assert pairwise_f1(marks_of(first, second), "overlap").estimate == 1
    assert pairwise_f1(marks_of(first[:1], [*second, Span(26, 28, "x")]), "overlap").estimate == 0.5


def test_parts_between_which_another_span_lies_do_not_overlap():
    apart = Span(0, 32, "x", ((0, 3), (17, 32)))
    assert pairwise_f1(marks_of([apart], [Span(4, 12, "x")]), "overlap").estimate == 0
    assert pairwise_f1(marks_of([apart], [Span(2, 12, "x")]), "overlap").estimate == 1
    assert pairwise_f1(marks_of([apart], [Span(0, 32, "x")])).estimate == 0
    # Ada, Charles, Babbage of these and of Ada, Lovelace, met, Charles, Babbage
    assert pairwise_f1(marks_of([apart], [Span(0, 32, "x")]), "token").estimate == 6 / 8


def test_relations_match_by_their_ends():
    ada, babbage, name = Span(0, 12, "PER"), Span(17, 32, "PER"), Span(0, 3, "NAME")
    marks = marks_of(
        [ada, babbage],
        [name, babbage],
        relations={
            ("d", "a0"): [Relation(ada, babbage, "met"), Relation(babbage, ada, "met")],
            ("d", "a1"): [
                Relation(name, babbage, "met"),
                Relation(babbage, ada._replace(label="X"), "met"),
            ],
        },
    )
    assert pairwise_f1(marks, relations=True).estimate == 0.5
    assert pairwise_f1(marks, "overlap", relations=True).estimate == 1
    with pytest.raises(AnnotationError, match="is not one of exact, overlap"):
        pairwise_f1(marks, "token", relations=True)


def test_a_document_nobody_marked_is_undefined_and_changes_nothing():
    spans = {("d", "a"): [Span(0, 3, "x")], ("d", "b"): [Span(0, 3, "x"), Span(4, 6, "x")]}
    one = pairwise_f1(Marks.collect(spans))
    two = pairwise_f1(Marks.collect(spans | {("e", "a"): [], ("e", "b"): []}))
    assert one.estimate == two.estimate == pytest.approx(2 / 3)
    table = two.by_document().set_index("document")
    assert np.isnan(table.loc["e", "f1"])
    assert table.loc["e", "n_pairs"] == 0
    assert two.by_pair().loc[0, "n_documents"] == 2


def test_a_document_opened_by_one_counts_nowhere():
    spans = {
        ("d", "a"): [Span(0, 3, "x")],
        ("d", "b"): [Span(0, 3, "x")],
        ("e", "a"): [Span(0, 3, "x")],
    }
    assert pairwise_f1(Marks.collect(spans)).estimate == 1
    opened = spans | {("e", "b"): []}
    assert pairwise_f1(Marks.collect(opened)).estimate == pytest.approx(2 / 3)


def random_marks(rng, n_documents=3, n_annotators=3, n_spans=6):
    spans, texts = {}, {}
    for d in range(n_documents):
        texts[f"d{d}"] = "".join(rng.choice(list("ab ,"), 60))
        for j in range(n_annotators):
            own = []
            for _ in range(rng.integers(0, n_spans)):
                start = int(rng.integers(0, 50))
                own.append(
                    Span(start, start + int(rng.integers(1, 10)), str(rng.choice(list("xy"))))
                )
            spans[f"d{d}", f"a{j}"] = own
    return Marks.collect(spans, texts=texts)


def most(first, second, fits):
    """Return the size of the largest matching, trying every order."""
    if len(first) > len(second):
        first, second = second, first
    orders = permutations(second, len(first))
    return max(sum(fits(a, b) for a, b in zip(first, order, strict=True)) for order in orders)


@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_every_order(seed):
    marks = random_marks(np.random.default_rng(seed))
    same = {
        "exact": lambda a, b: a == b,
        "overlap": lambda a, b: a.label == b.label and a.start < b.end and b.start < a.end,
    }
    for match, fits in same.items():
        counts = count_matches(marks, match)
        slow = sum(
            most(marks.spans[d, i], marks.spans[d, j], fits)
            for d in marks.shared
            for i, j in marks.pairs(d)
        )
        assert counts.matched.sum() == slow
    tokens = count_matches(marks, "token")
    assert tokens.matched.sum() <= tokens.marked.sum() / 2


def test_tokens_are_words_and_signs():
    found = Tokens.of(marks_of([]), 0)
    assert [TEXT[s:e] for s, e in zip(found.start, found.end, strict=True)][-2:] == ["London", "."]
    assert found.touched(Span(2, 5, "x")) == [0, 1]
    assert found.touched(Span(3, 4, "x")) == []
    with pytest.raises(AnnotationError, match="not a regular expression"):
        pairwise_f1(marks_of([], []), "token", token="(")


def test_without_a_text_characters_are_tokens():
    marks = marks_of([Span(0, 4, "x")], [Span(2, 4, "x")], text=None)
    assert pairwise_f1(marks, "token").estimate == pytest.approx(4 / 6)


def test_the_interval_resamples_documents(rng):
    found = pairwise_f1(random_marks(rng, n_documents=25), "overlap")
    interval = found.interval(replicates=300, rng=1)
    assert interval.lower < found.estimate < interval.upper
    assert interval.unit == "documents"
    assert found.interval(replicates=300, rng=1) == interval
    label = found.interval(label="x", replicates=300, rng=1)
    assert label.estimate == pytest.approx(found.by_label().set_index("label").loc["x", "f1"])
    with pytest.raises(AnnotationError, match="there is no label 'z'"):
        found.interval(label="z")


def test_one_document_has_no_interval():
    interval = pairwise_f1(marks_of([Span(0, 3, "x")], [Span(0, 3, "x")])).interval(rng=1)
    assert (interval.estimate, np.isnan(interval.lower)) == (1, True)


def test_means_are_over_pairs_and_sd_has_their_number_as_divisor(rng):
    found = pairwise_f1(random_marks(rng))
    pairs = found.by_pair()["f1"]
    assert found.estimate == pytest.approx(pairs.mean())
    assert found.sd == pytest.approx(pairs.std(ddof=0))
    assert found.summary().loc[0, "f1"] == found.estimate


def test_nothing_shared_is_refused():
    with pytest.raises(AnnotationError, match="no document of the layer 'spans' was opened by two"):
        pairwise_f1(marks_of([Span(0, 3, "x")]))
    with pytest.raises(AnnotationError, match="match='fuzzy' is not one of exact, overlap, token"):
        pairwise_f1(marks_of([], []), "fuzzy")
