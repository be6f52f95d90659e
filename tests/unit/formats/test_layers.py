"""Layers of spans: which is meant, and which of repeated documents is kept."""

from types import SimpleNamespace

import pytest

from annobench.core.errors import AnnotationError
from annobench.io.formats.layers import _unrepeated, select_layer

EXPORT = SimpleNamespace(path="spans.json")


def marked(document, place):
    return SimpleNamespace(document=document, annotator="ann", place=place)


@pytest.mark.parametrize(("repeats", "kept"), [("first", [0, 1]), ("last", [1, 2])])
def test_the_first_or_the_last_of_repeated_documents_is_kept(repeats, kept):
    documents = [marked("d", "1"), marked("e", "2"), marked("d", "3")]
    ledger = []
    assert _unrepeated(EXPORT, documents, repeats, ledger) == [documents[n] for n in kept]
    [(what, n, _)] = ledger
    assert (what.endswith(f"the {repeats} is kept"), n) == (True, 1)


@pytest.mark.parametrize(("layer", "says"), [(None, "Name one with --question"), ("C", "no 'C'")])
def test_a_layer_that_is_not_there_or_not_named_is_refused(layer, says, monkeypatch):
    monkeypatch.setattr("annobench.io.formats.layers.layers", lambda _: ["A", "B"])
    with pytest.raises(AnnotationError, match=rf"layers of spans: 'A', 'B'\..*{says}"):
        select_layer(EXPORT, layer)
