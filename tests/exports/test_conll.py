"""CoNLL and BIO columns: a token a line, its tag in the last column, a file an annotator."""

import pytest
from proposals import follow

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io import select_labels
from annobench.io.formats import read_export, recognise
from annobench.io.formats.layers import select_layer
from annobench.spans.f1 import pairwise_f1

#: A tag for each token of two annotators; bars end sentences.
TOKENS = "Ada met Mr. Babbage | in London | # 5 ."
TAGS = {
    "kim": "B-PER O B-PER I-PER | O B-LOC | O O O",
    "lou": "B-PER O O B-PER | O B-LOC | O O O",
}


def columns(tags, between="\t", tokens=TOKENS):
    pairs = zip(tokens.split(), tags.split(), strict=True)
    return "".join("\n" if token == "|" else f"{token}{between}{tag}\n" for token, tag in pairs)


@pytest.fixture
def home(write, tmp_path):
    for who, tags in TAGS.items():
        write(columns(tags), f"tagged/{who}.conll")
    return tmp_path / "tagged"


def by_hand(path):
    """The tokens of a file with tabs, and the limits of its spans, counted letter by letter."""
    tokens, spans, text = [], [], ""
    for sentence in path.read_text().rstrip("\n").split("\n\n"):
        text += "\n" if text else ""
        before = "O"
        for n, line in enumerate(sentence.split("\n")):
            token, tag = line.split("\t")
            tokens.append((token, tag))
            text += " " if n else ""
            if tag[0] == "B" or (tag[0] == "I" and before == "O"):
                spans.append([len(text), len(text) + len(token), tag[2:]])
            elif tag[0] == "I":
                spans[-1][1] = len(text) + len(token)
            text += token
            before = tag
    return tokens, [tuple(span) for span in spans], text


def test_tokens_are_items_and_tags_labels(home, monkeypatch):
    assert recognise(home) == {"conll": "a file per annotator"}
    selection = select_labels(home)
    labels = selection.labels
    frame = labels.to_frame()
    for who in TAGS:
        tokens, _, _ = by_hand(home / f"{who}.conll")
        rows = frame[frame["annotator"] == who]
        found = [selection.texts[item] for item in rows["item"]]
        assert list(zip(found, rows["label"], strict=True)) == tokens
    assert labels.items[3:5] == ("sentence 1, token 4", "sentence 2, token 1")
    # Of 9 pairs two differ; of 18 tags 11 are O, 4 B-PER, 1 I-PER, 2 B-LOC.
    disagreement = (18 * 18 - (11**2 + 4**2 + 1 + 2**2)) / (18 * 17)
    assert krippendorff_alpha(labels).estimate == pytest.approx(1 - 2 / 9 / disagreement)
    (home / "README").write_text("notes")
    monkeypatch.chdir(home)
    commands = follow(".", monkeypatch)
    assert "annobench report . --question spans" in commands


def test_tags_of_a_scheme_are_spans(home):
    marks = select_layer(read_export(home)).marks
    for j, who in enumerate(marks.annotators):
        _, spans, text = by_hand(home / f"{who}.conll")
        assert [tuple(span[:3]) for span in marks.spans[0, j]] == spans
        assert marks.texts == (text,)
    # Two of three spans, and of three, are the same.
    assert pairwise_f1(marks).estimate == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-A I-A E-A S-A O B-A E-A", [(0, 5, "A"), (6, 7, "A"), (10, 13, "A")]),
        ("B-A I-A L-A U-B O B-A L-A", [(0, 5, "A"), (6, 7, "B"), (10, 13, "A")]),
        ("B-A M-A E-A S-B O B-A E-A", [(0, 5, "A"), (6, 7, "B"), (10, 13, "A")]),
        # Of IOB1, where B begins only what touches another one.
        ("I-A I-A B-A I-B O O I-A", [(0, 3, "A"), (4, 5, "A"), (6, 7, "B"), (12, 13, "A")]),
    ],
)
def test_schemes_of_tags(write, tags, spans):
    path = write(columns(tags, tokens="a b c d e f g"), "tags.txt")
    [marked] = read_export(path).marks()
    assert [tuple(span[:3]) for span in marked.spans] == spans


def test_a_span_ends_with_its_sentence(write):
    path = write("a B-X\nb I-X\n\nc I-X\n", "tags.txt")
    [marked] = read_export(path).marks()
    assert [tuple(span[:3]) for span in marked.spans] == [(0, 3, "X"), (4, 5, "X")]


def test_other_tags_are_labels_alone(write, tmp_path):
    for who, tags in (("kim", "DET NOUN VERB | DET NOUN"), ("lou", "DET NOUN VERB | DET VERB")):
        write(columns(tags, " ", "the dog barks | the bark"), f"tagged/{who}.pos")
    export = read_export(tmp_path / "tagged")
    assert list(export.questions["question"]) == ["tag"]
    assert export.labels().n_labels == 10


def test_columns_between_comments_and_documents(write, tmp_path):
    for who in ("kim", "lou"):
        write(
            "-DOCSTART- -X- O\n\n# text = Ada in\n1 Ada B-PER\n2 in O\n\n\n-DOCSTART- -X- O\n"
            "1 Ulm B-LOC\r\n",
            f"tagged/{who}.txt",
        )
    write("Read the guidelines first.\n", "tagged/README.txt")
    export = read_export(tmp_path / "tagged")
    assert export.items == (
        *("document 1, sentence 1, token 1", "document 1, sentence 1, token 2"),
        "document 2, sentence 1, token 1",
    )
    assert export.texts["document 2, sentence 1, token 1"] == "Ulm"
    assert export.documents == {"document 1": "Ada in", "document 2": "Ulm"}
    assert {each.reason: each.n for each in export.left_out} == {
        "lines that begin a document": 4,
        "comments": 2,
        "files of other kinds": 1,
    }
    assert export.totals()["records"] == 6 + 7


def test_folders_of_annotators_hold_documents(write, tmp_path):
    for who, tags in TAGS.items():
        write(columns(tags), f"tagged/{who}/one.conll")
        write("Ulm\tB-LOC\n", f"tagged/{who}/two.conll")
    export = read_export(tmp_path / "tagged")
    assert export.annotators == ("kim", "lou")
    assert list(export.documents) == ["one", "two"]
    assert export.items[-1] == "two, sentence 1, token 1"
    assert export.labels().n_labels == 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            columns(TAGS["lou"], tokens=TOKENS.replace("met", "meets")),
            "lou.conll, line 2: 'meets', token 2 of sentence 1, where kim.conll, line 2, has "
            "'met', token 2",
        ),
        (
            columns(TAGS["lou"]).replace("\n\n", "\n"),
            "lou.conll, line 5: 'in', token 5 of sentence 1, where kim.conll, line 6, has 'in', "
            "token 1 of sentence 2",
        ),
        (columns("O O", tokens="Ada met"), "lou.conll, line 2: ends after 2 tokens, where kim"),
        (columns(TAGS["lou"]) + "So\n", "lou.conll, line 12: 1 columns, not 2"),
    ],
)
def test_files_of_other_tokens_are_refused(write, home, text, said):
    write(text, "tagged/lou.conll")
    with pytest.raises(ReaderError, match=said):
        read_export(home)


def test_an_annotator_who_marked_nothing_is_one(write, home):
    write(columns("O O O O | O O | O O O"), "tagged/lou.conll")
    marks = select_layer(read_export(home)).marks
    assert [len(marks.spans[0, j]) for j in (0, 1)] == [3, 0]


def test_an_empty_tag_is_a_missing_label(write, home):
    write(columns(TAGS["lou"]).replace("met\tO", "met\t"), "tagged/lou.conll")
    export = read_export(home)
    assert list(export.questions["question"]) == ["tag"]
    assert export.labels().n_labels == 17


@pytest.mark.parametrize(
    "text",
    [
        "token\ttag\nAda\tB-PER\nmet\tO\n",
        "item\tannotator\tlabel\nx\ta\tyes\n\ny\ta\tyes\n",
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|f\n\n\n1-1\t0-3\tAda\tB-PER\t\n",
        "t1 0 d1 1\n\nt1 0 d2 1\n",
        "We met.\nThey left\n\nWe met.\n",
        "Ada,B-PER\nmet,O\n",
    ],
)
def test_other_texts_are_no_columns_of_tags(write, text):
    assert "conll" not in recognise(write(text, "labels.tsv"))
