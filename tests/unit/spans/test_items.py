"""Spans as items for models of annotation."""

from __future__ import annotations

import pytest

from annobench import agreement
from annobench.aggregation.consensus import consensus
from annobench.core.errors import AnnotationError
from annobench.spans import Marks, Span, candidate_items, spans_of_items, token_items

TEXT = "Ada Lovelace met Charles Babbage in London."
SPANS = {
    ("d", "ann"): [Span(0, 12, "PER"), Span(17, 32, "PER"), Span(36, 42, "LOC")],
    ("d", "bob"): [Span(0, 3, "PER"), Span(17, 32, "PER"), Span(36, 42, "ORG")],
    ("d", "cat"): [Span(0, 12, "PER"), Span(17, 32, "PER"), Span(36, 42, "LOC")],
}
MARKS = Marks.collect(
    SPANS | {("e", "ann"): [], ("e", "bob"): []}, texts={"d": TEXT, "e": "Nobody here"}
)


def rows(annotations):
    return {
        (annotations.items[i], annotations.annotators[j]): annotations.categories[k]
        for i, j, k in zip(annotations.item, annotations.annotator, annotations.label, strict=True)
    }


def test_every_token_has_a_label_of_everyone_who_opened_the_document():
    annotations, document = token_items(MARKS)
    found = rows(annotations)
    # Eight tokens by three annotators, two by the two who opened the other document
    assert len(found) == 8 * 3 + 2 * 2
    assert annotations.categories == ("O", "LOC", "ORG", "PER")
    assert document.tolist() == [0] * 8 + [1] * 2
    assert found["d:4-12", "ann"] == "PER"
    assert found["d:4-12", "bob"] == "O"
    assert found["d:42-43", "ann"] == "O"
    assert ("e:0-6", "cat") not in found


def test_every_stretch_that_anybody_marked_is_voted_on():
    annotations, document = candidate_items(MARKS)
    found = rows(annotations)
    assert annotations.items == ("d:0-3", "d:0-12", "d:17-32", "d:36-42")
    assert document.tolist() == [0] * 4
    assert [found["d:0-3", name] for name in ("ann", "bob", "cat")] == ["O", "PER", "O"]
    assert [found["d:36-42", name] for name in ("ann", "bob", "cat")] == ["LOC", "ORG", "LOC"]


@pytest.mark.parametrize(("make", "join"), [(token_items, True), (candidate_items, False)])
def test_a_consensus_gives_spans(make, join):
    annotations, _ = make(MARKS)
    table = consensus(annotations, model="voting", rng=1).items
    found = spans_of_items(table["item"], table["category"], join=join)
    assert found["d"] == [Span(0, 12, "PER"), Span(17, 32, "PER"), Span(36, 42, "LOC")]


def test_candidates_that_follow_each_other_stay_apart():
    names, labels = ["d:0-3", "d:4-8"], ["PER", "PER"]
    assert len(spans_of_items(names, labels, join=False)["d"]) == 2
    assert spans_of_items(names, labels, join=True)["d"] == [Span(0, 8, "PER")]
    apart = spans_of_items(["d:0-3", "d:4-8", "d:9-11"], ["PER", "O", "PER"], join=True)
    assert len(apart["d"]) == 2
    other = spans_of_items(["d:0-3", "e:0-3"], labels, join=True)
    assert other == {"d": [Span(0, 3, "PER")], "e": [Span(0, 3, "PER")]}


def test_several_spans_of_one_place_are_one_category():
    marks = Marks.collect(
        {("d", "a"): [Span(0, 12, "PER"), Span(0, 3, "NAME")], ("d", "b"): []}, texts={"d": TEXT}
    )
    annotations, _ = token_items(marks)
    assert rows(annotations)["d:0-3", "a"] == "NAME + PER"
    assert spans_of_items(["d:0-3"], ["NAME + PER"], join=True)["d"] == [
        Span(0, 3, "NAME"),
        Span(0, 3, "PER"),
    ]


def test_a_discontinuous_span_is_one_candidate_and_no_token_between():
    span = Span(0, 32, "PAIR", ((0, 3), (17, 32)))
    marks = Marks.collect({("d", "a"): [span], ("d", "b"): []}, texts={"d": TEXT})
    assert candidate_items(marks)[0].items == ("d:0-3+17-32",)
    assert spans_of_items(["d:0-3+17-32"], ["PAIR"], join=False)["d"] == [span]
    found = rows(token_items(marks)[0])
    assert [found[f"d:{at}", "a"] for at in ("0-3", "4-12", "25-32")] == ["PAIR", "O", "PAIR"]


def test_characters_stand_in_for_tokens_without_a_text():
    marks = Marks.collect({("d", "a"): [Span(1, 3, "x")], ("d", "b"): []})
    assert token_items(marks)[0].items == ("d:0-1", "d:1-2", "d:2-3")


def test_agreement_of_tokens_is_that_of_ordinary_labels():
    annotations, _ = token_items(MARKS.select(annotators=["ann", "cat"]))
    assert agreement.percent_agreement(annotations).estimate == 1


def test_a_label_o_is_refused():
    marks = Marks.collect({("d", "a"): [Span(0, 3, "O")]})
    with pytest.raises(AnnotationError, match="a label is 'O'"):
        token_items(marks)


def test_nothing_opened_gives_no_items():
    with pytest.raises(AnnotationError, match="there are no items"):
        candidate_items(Marks.collect({("d", "a"): []}))


@pytest.mark.parametrize("name", ["d", "d:1", "d:1-x", "d:1-2-3"])
def test_other_names_of_items_are_refused(name):
    with pytest.raises(AnnotationError, match="not the name of a token or span"):
        spans_of_items([name], ["PER"], join=True)
