"""Files as people have them: each is read, or refused with the reason and a remedy."""

from __future__ import annotations

import gzip
import json
import zipfile
from itertools import permutations

import pytest
from typer.testing import CliRunner

from annobench import read_labels
from annobench.cli import app
from annobench.core.errors import ReaderError
from annobench.io import select_labels
from annobench.io.formats.headers import delimiter_of
from annobench.labels.annotations import Annotations
from annobench.labels.doubts import doubtful_categories

ROWS = "".join(f"i{i},{name},{'yes' if i % 2 else 'no'}\n" for i in range(6) for name in "ab")
CLEAN = f"item,annotator,label\n{ROWS}"


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(CLEAN.encode(), mtime=0), "packed with gzip.*gunzip"),
        (b"SQLite format 3\0" + bytes(100), "SQLite database.*db-out"),
        (b"%PDF-1.4\n\xe2\xe3", "a PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old workbook.*XLSX or CSV"),
        (b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument", "OpenDocument"),
        (b"PK\x03\x04 cut off", "zip archive or workbook that is damaged"),
        (b"ARROW1\0\0", "Arrow or Feather"),
        (b"\x80\x05\x95", "Python pickle"),
        (b"\n<!DOCTYPE html><html>", "a web page.*login"),
        (b"Dear all\n\nthis is a letter,\nnot labels.\n", "a text, not a table.*CSV file.*label.$"),
        ("item;annotator;label\nx;Böhm;1\n".encode("cp1252"), "line 2.*Latin-1 or Windows-1252"),
        (b"sep=;\nitem;annotator;label\nx;a;1\n", "line 1 is no header.*'sep=;'.*delete it"),
        (f"# made by us\n#\n{CLEAN}".encode(), "line 1 is no header. Line 3 looks like one"),
        (f"Our labels,,\n,,\n{CLEAN}".encode(), "line 1 is no header. Line 3 looks like one"),
        (
            b"x;a;no\nx;b;yes\ny;a;no\n",
            "line 1 is no header.*'x' comes again.*item;annotator;label",
        ),
        (b"x|a|no\ny|b|no\n", r"line 1 is no header.*item\|annotator\|label"),
        (
            b";annotator;label\nx;a;1\n",
            "Column 1 has no name: give it one in the header, such as item",
        ),
        (b"item,annotator,\nx,a,1\n", "Column 3 has no name: .* such as label"),
        (
            b"item,annotator,label\nx,Lee, Ann,1\n",
            "line 2: 4 fields.*contains ',' in quotation marks.$",
        ),
        (b"item,annotator,label\nx,a\n", "line 2: 2 fields.*may have been cut off.$"),
        (b"id,text,Ann,Bob\n1,x,yes,no\n", "'Ann', 'Bob' may be annotators.*format='wide'"),
        (b"item,annotator,label\nx,a,1\n,b,1\n,c,1\ny,a,2\n,b,1\n", "If cells were merged"),
        (b"item,annotator,label\nx,a,1\n,b,1\ny,a,2\ny,b,2\n", "Correct these rows.$"),
    ],
)
def test_what_is_no_table_is_refused_with_its_reason(tmp_path, content, message):
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(ReaderError, match=f"(?s){message}"):
        read_labels(path)


def test_a_decimal_comma_is_named(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item;annotator;score\nx;a;1,5\nx;b;2\n")
    assert read_labels(path, scale="interval").categories == ("1.5", "2")
    assert "decimal comma" in doubtful_categories(read_labels(path))[0]
    # Both signs leave open which of them is decimal.
    path.write_text("item;annotator;score\nx;a;1,5\nx;b;2.5\n")
    with pytest.raises(ReaderError, match="'1,5' is not a number: write a decimal point"):
        read_labels(path, scale="interval")


def test_columns_without_a_name_are_passed_over(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(",item,annotator,label,,\n0,x,ann@mail.org,yes,,\n1,x,bob,no,,\n")
    assert read_labels(path).n_labels == 2
    wide = tmp_path / "wide.csv"
    wide.write_text("id,rater1,rater2,,\n1,a,b,,\n2,a,a,,\n")
    assert read_labels(wide).n_labels == 4


@pytest.mark.parametrize(("sign", "other"), list(permutations(",;\t|", 2)))
def test_the_sign_between_columns_is_the_one_that_rows_share_with_the_header(tmp_path, sign, other):
    """Names of annotators hold another sign, more often than the header has its own."""
    names = [f"Lee{other}{other} Ann", f'"Day{sign} Bo"', f"Roy{other} Cy"]
    rows = [["item", *names], ["x", "no", "no", "yes"], ["y", "yes", "yes", "yes"]]
    path = tmp_path / "wide.csv"
    path.write_text("".join(f"{sign.join(row)}\n" for row in rows))
    assert read_labels(path, format="wide").annotators == tuple(n.strip('"') for n in names)
    assert delimiter_of(path.read_text()) == sign


@pytest.mark.parametrize("sign", list(",;\t|"))
def test_the_commands_read_any_sign_between_columns(tmp_path, sign):
    (tmp_path / "labels.csv").write_text(CLEAN.replace(",", sign))
    (tmp_path / "pairs.csv").write_text("a,b,winner\nx,y,x\ny,z,y\nz,x,z\n".replace(",", sign))
    assert "12 labels" in run("inspect", tmp_path / "labels.csv").output
    assert run("rank", tmp_path / "pairs.csv", "--out", tmp_path / "ranked").exit_code == 0


@pytest.mark.parametrize(
    "header", ["doc,coder,score", "sentence,user,verdict", "text_id,reviewer,vote"]
)
def test_less_usual_names_are_known_where_no_usual_one_is(tmp_path, header):
    path = tmp_path / "labels.csv"
    path.write_text(f"{header}\nx,a,1\nx,b,2\n")
    assert read_labels(path).n_labels == 2
    # A usual name goes before.
    path.write_text(f"{header},label\nx,a,1,no\nx,b,2,yes\n")
    assert read_labels(path).categories == ("no", "yes")


@pytest.mark.parametrize("signed", [False, True])
def test_a_folder_with_a_table_an_annotator(tmp_path, signed):
    folder = tmp_path / "labels"
    folder.mkdir()
    for name in ("anna", "ben"):
        who = f",{name}-2" if signed else ""
        rows = "".join(f"{i},text {i},{'xy'[i % 2]}{who}\n" for i in range(4))
        (folder / f"{name}.csv").write_text(
            f"id,text,label{',annotator' if signed else ''}\n{rows}"
        )
    (folder / "README.txt").write_text("how we did it\n")
    found = select_labels(folder)
    assert found.labels.annotators == (("anna-2", "ben-2") if signed else ("anna", "ben"))
    assert found.labels.n_labels == 8
    assert found.texts["1"] == "text 1"
    assert (
        found.ledger.set_index("what").loc[
            "left out: files that are no table of items and labels", "rows"
        ]
        == 1
    )


def test_tables_of_a_folder_must_name_items_alike(tmp_path):
    (tmp_path / "ann.csv").write_text("id,label\n1,x\n")
    (tmp_path / "bob.csv").write_text("doc_id,label\n1,x\n")
    with pytest.raises(ReaderError, match=r"'doc_id', 'id'.*one name in all"):
        select_labels(tmp_path)


def test_the_empty_file_of_a_member_is_passed_over(tmp_path):
    path = tmp_path / "project.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("lena", "tom"):
            rows = (json.dumps({"id": i, "text": "t", "label": ["x"]}) for i in range(3))
            archive.writestr(f"{name}.jsonl", "\n".join(rows))
        archive.writestr("unknown.jsonl", "")
    assert select_labels(path).labels.n_annotators == 2


def test_records_of_an_unknown_shape_are_described(tmp_path):
    path = tmp_path / "verdicts.json"
    path.write_text(json.dumps([{"id": 1, "model": "gpt", "output": "Yes"}]))
    with pytest.raises(ReaderError, match=r"fields 'id', 'model', 'output'.*name the fields item"):
        read_labels(path)
    path.write_text(json.dumps({"item": {"0": "x"}, "label": {"0": "y"}}))
    with pytest.raises(ReaderError, match=r"orient='records'"):
        read_labels(path)


def labels_of(*names):
    return Annotations.from_arrays([str(n) for n, _ in enumerate(names)], ["a"] * len(names), names)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["yes", "Yes ", "no"], "“Yes ” and “yes” differ only by spaces, capitals"),
        (["yes", "**Yes**.", "no"], "differ only by spaces, capitals or punctuation"),
        (["yes", "no", "n/a"], "“n/a” may mean that there is no label"),
        (["yes", "no", " "], "“ ” may mean that there is no label"),
        (["yes", "no", "."], "“.” may mean that there is no label"),
        (["yes", "no", "Skipped"], "“Skipped” may mean that there is no label"),
        (["yes", "no", "#REF!"], "“#REF!” may mean that there is no label"),
        (["pos", "neg", "-99"], "“-99” may mean that there is no label"),
        (["pos", "neg", "999", "nan"], "“999”, “nan” may mean that there is no label"),
        (["pos", "neg", "-1.0"], "“-1” may mean that there is no label"),
        (["food", "price", "food, price"], '--separator ","'),
        ([f"w{n}" for n in range(60)], "60 categories: is this the column of labels?"),
    ],
)
def test_doubtful_categories_are_told_by_every_command(tmp_path, names, said):
    assert any(said in text for text in doubtful_categories(labels_of(*names)))
    path = tmp_path / "labels.csv"
    quoted = [f'"{name}"' for name in names]
    path.write_text(
        "item,annotator,label\n"
        + "".join(f"{n},{who},{name}\n" for n, name in enumerate(quoted) for who in "ab")
    )
    for words in (["inspect", path], ["convert", path, tmp_path / "out.csv"]):
        assert said in " ".join(run(*words).output.split())


@pytest.mark.parametrize(
    "names",
    [["yes", "no"], ["-1", "1"], ["+", "-"], ["1", "2", "3"], ["low", "5", "9"], ["9", "99"]],
)
def test_sound_categories_raise_no_doubt(names):
    assert doubtful_categories(labels_of(*names)) == []


def test_inspect_says_what_to_type(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(CLEAN + "i0,gpt-4o,yes\ni0,a,no\n")
    said = run("inspect", path).output
    assert f"annobench report {path} --repeats first" in said
    assert f"annobench consensus {path}" in said
    assert f"annobench judge {path} --judge gpt-4o" in said


def test_inspect_proposes_one_option_of_several(tmp_path):
    path = tmp_path / "tasks.json"
    tasks = [
        {
            "id": n,
            "data": {"text": "t"},
            "annotations": [
                {
                    "id": 10 * n + who,
                    "completed_by": who,
                    "was_cancelled": False,
                    "result": [
                        {
                            "from_name": "topic of it",
                            "to_name": "text",
                            "type": "choices",
                            "value": {"choices": ["food", "price"] if n else ["price"]},
                        }
                    ],
                }
                for who in (1, 2)
            ],
        }
        for n in range(3)
    ]
    path.write_text(json.dumps(tasks))
    said = " ".join(run("inspect", path).output.split())
    proposed = "--question 'topic of it=price'"
    assert f"annobench report {path} annobench consensus {path} {proposed}" in said
    assert "several options at once" in said
    done = run("consensus", path, "--question", "topic of it=price", "--model", "voting")
    assert done.exit_code == 0, done.output


def test_report_shows_the_texts_of_items_that_divide_annotators(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,annotator,label,what\n"
        + "".join(
            f"i{i},{who},{who if i == 3 else 'x'},<b>text {i}</b>\n"
            for i in range(5)
            for who in "ab"
        )
    )
    done = run("report", path, "--text", "what", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "report.html").read_text()
    assert "&lt;b&gt;text 3&lt;/b&gt;" in page
    assert "text 1" not in page


def test_consensus_refuses_free_text_and_warns_of_noise(tmp_path):
    path = tmp_path / "labels.csv"
    rows = "".join(f"{i},{who},{who} {i}\n" for i in range(1_200) for who in "ab")
    path.write_text(f"item,annotator,label\n{rows}")
    done = run("consensus", path)
    assert done.exit_code == 1
    assert "2,400 categories" in done.output
    assert "voting or mace" in " ".join(done.output.split())
    path.write_text("item,annotator,label\n1,a,x\n1,b,y\n2,a,x\n")
    done = run("consensus", path, "--replicates", 0, "--out", tmp_path / "out")
    assert "Only 1 item has labels of two annotators" in " ".join(done.output.split())
    assert "1 item has tied votes" in done.output


@pytest.mark.parametrize("role", ["item", "annotator"])
def test_a_column_is_not_both_a_role_and_a_group(tmp_path, role):
    path = tmp_path / "labels.csv"
    path.write_text(CLEAN)
    done = run("report", path, "--by", role)
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert f"Column '{role}', given as --by, is that of the {role}s. Name another column" in said


@pytest.mark.parametrize("command", ["report", "consensus", "certificate", "plan", "audit"])
def test_no_labels_are_no_result(tmp_path, command):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label\n1,a,\n1,b,\n")
    done = run(command, path)
    assert done.exit_code == 1
    assert "no label is left" in done.output
    path.write_text("item,annotator,label\n1,a,9\n1,b,9\n")
    done = run(command, path, "--missing", "9")
    assert done.exit_code == 1
    assert "correct --missing" in " ".join(done.output.split())
    assert [file.name for file in tmp_path.iterdir()] == ["labels.csv"]


QUESTIONS = "".join(
    f"i{i},{who},{question},{label}\n"
    for question, labels in (("tone", "pqpq"), ("topic", "qqpp"))
    for i, label in enumerate(labels)
    for who in "ab"
)


def test_a_column_that_distinguishes_repeats_is_named(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"item,annotator,aspect,label\n{QUESTIONS}")
    together = "--item item,aspect"
    done = run("inspect", path)
    assert "Column 'aspect' distinguishes them" in done.output
    assert f"report {path} {together}" in " ".join(done.output.split())
    refused = run("report", path)
    assert refused.exit_code == 1
    assert together in " ".join(refused.output.split())
    assert run("report", path, *together.split()).exit_code == 0
    assert select_labels(path, item="item,aspect").labels.n_items == 8
    # Without a first comes no hint: a time or the number of a row names no question.
    rows = "".join(f"{line},{n}\n" for n, line in enumerate(QUESTIONS.splitlines()))
    path.write_text("item,annotator,kind,label,row\n" + rows.replace("topic", "tone"))
    refused = run("report", path)
    assert refused.exit_code == 1
    assert "distinguishes them" not in refused.output
