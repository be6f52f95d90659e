"""The Pharaoh format: what is read, what is written, and what is refused on which line."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annobench.alignment.links import Alignments, Link, SentencePair
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import pharaoh
from annobench.io.pharaoh import read_pharaoh, write_pharaoh


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def test_sure_and_possible_links_are_read(write):
    gold = write("gold", "0-0 1-2 2?1\n\n0p0\n")
    other = write("other", "0-0\n0-0\n\n")
    a = read_pharaoh({"gold": gold, "x": other})
    assert a.annotators == ("gold", "x")
    assert [pair.n_nodes for pair in a.pairs] == [(3, 3), (1, 1), (1, 1)]
    found = {link[:3]: tuple(row) for link, row in zip(a.links, a.drawn.tolist(), strict=True)}
    assert found == {
        ("1", "0", "0"): (1, 1),
        ("1", "1", "2"): (1, 0),
        ("1", "2", "1"): (2, 0),
        ("2", "0", "0"): (0, 1),
        ("3", "0", "0"): (2, 0),
    }


def test_sentences_give_the_universe_and_words_may_count_from_one(write):
    links = write("x", "1-1 3-2\r\n1-1\r\n")
    source, target = write("de", "der Ball flog weg\nJa .\n"), write("en", "the ball\nYes\n")
    a = read_pharaoh({"x": links}, source=source, target=target, first_index=1)
    assert [pair.n_nodes for pair in a.pairs] == [(4, 2), (2, 1)]
    assert [link[:3] for link in a.links] == [("1", "0", "0"), ("1", "2", "1"), ("2", "0", "0")]


def test_words_are_parted_by_spaces_and_tabs_alone(write):
    source, target = write("fr", "non\u00a0:\tje\u2028dis oui\n"), write("en", "no :\n")
    a = read_pharaoh({"x": write("x", "0-0\n")}, source=source, target=target)
    assert a.pairs[0].n_nodes == (3, 2)


def test_a_few_links_can_not_fill_the_memory(write):
    with pytest.raises(ReaderError, match=r"3 links need sentences of 6,000,000 words in all"):
        read_pharaoh({"x": write("x", "999999-999999\n" * 3)})


def test_just_so_many_words_are_not_too_many(write, monkeypatch):
    monkeypatch.setattr(pharaoh, "_MANY", 10)
    monkeypatch.setattr(pharaoh, "_MANY_A_LINK", 6)
    for few, many in (("4-4", "4-5"), ("5-5 5-4", "5-6 5-4")):
        assert read_pharaoh({"x": write("x", few)}).pairs
        with pytest.raises(ReaderError, match="words in all"):
            read_pharaoh({"x": write("x", many)})


def test_a_sentence_without_a_link_is_taken_for_empty(write):
    a = read_pharaoh({"x": write("x", "0-1\n\n")})
    assert [pair.n_nodes for pair in a.pairs] == [(1, 2), (0, 0)]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("0-0\n1:1\n", {}, "line 2: '1:1' is no link"),
        ("0-\n", {}, "line 1: '0-' is no link"),
        ("-1-0\n", {}, "line 1: '-1-0' is no link"),
        ("9999999-0\n", {}, "is no link"),
        ("0-0 0?0\n", {}, "line 1: '0.0' links words that are linked already"),
        ("0-1\n", {"first_index": 1}, "line 1: '0-1' has a word 0, but words count from 1"),
        (b"\xff0-0\n", {}, "byte 0: not UTF-8"),
        ("0-0\n0-5\n", {"sides": True}, "line 2: link 0 to 5 leaves the sentence: there are 2"),
        ("2-0\n0-0\n", {"sides": True}, "line 1: link 2 to 0 leaves the sentence"),
        ("0-2\n0-0\n", {"sides": True}, "line 1: link 0 to 2 leaves the sentence"),
        ("0-0\n", {"sides": True}, "2 lines, but .* has 1"),
    ],
)
def test_what_is_no_alignment_is_refused_with_its_line(write, text, options, message):
    path = write("x", text)
    if options.pop("sides", False):
        options = {"source": write("de", "a b\nc d\n"), "target": write("en", "a b\nc d\n")}
    with pytest.raises(ReaderError, match=message):
        read_pharaoh({"x": path}, **options)


def test_arguments_are_checked(write, tmp_path):
    path = write("x", "0-0\n")
    for options, message in (
        ({"source": path}, "both source and target"),
        ({"first_index": 2}, "Give 0 or 1"),
    ):
        with pytest.raises(AnnotationError, match=message):
            read_pharaoh({"x": path}, **options)
    with pytest.raises(AnnotationError, match="no file"):
        read_pharaoh({})
    with pytest.raises(ReaderError, match="can't be read"):
        read_pharaoh({"x": tmp_path / "none"})
    a = read_pharaoh({"x": path})
    with pytest.raises(AnnotationError, match=r"Give '\?' or 'p'"):
        write_pharaoh(a, "x", tmp_path / "y", possible="/")
    named = Alignments.from_links(
        [SentencePair("s", {"Ball": "word"}, {"ball": "word"})], {"x": [Link("s", "Ball", "ball")]}
    )
    with pytest.raises(AnnotationError, match="holds numbers of words alone"):
        write_pharaoh(named, "x", tmp_path / "y")


def test_links_are_written_in_the_order_of_words(write, tmp_path):
    # In the order of numbers, and not of digits: word 10 comes after word 9.
    a = read_pharaoh({"x": write("x", "10-0 0-1 9-2 0-0\n")})
    write_pharaoh(a, "x", tmp_path / "y")
    assert (tmp_path / "y").read_text() == "0-0 0-1 9-2 10-0\n"


LINES = st.lists(
    st.dictionaries(st.tuples(st.integers(0, 8), st.integers(0, 8)), st.sampled_from("-?")),
    min_size=1,
    max_size=5,
)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=LINES, possible=st.sampled_from("?p"))
def test_what_is_written_is_read_again(tmp_path, lines, possible):
    text = "".join(
        " ".join(f"{i}{sign}{j}" for (i, j), sign in sorted(line.items())) + "\n" for line in lines
    )
    path, again = tmp_path / "first", tmp_path / "again"
    path.write_text(text)
    write_pharaoh(read_pharaoh({"x": path}), "x", again, possible=possible)
    assert again.read_text() == text.replace("?", possible)
