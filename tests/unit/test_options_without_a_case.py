"""What commands say of options and columns that find nothing to do, or are not what they seem."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench import Annotations
from annobench.agreement import krippendorff_alpha
from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.labels.doubts import doubtful_names

ROWS = [(f"i{n}", who, label) for n in range(6) for who, label in (("ann", "a"), ("m@x.org", "b"))]


@pytest.fixture
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(ROWS, columns=["item", "annotator", "label"])
    frame.to_csv("labels.csv", index=False)
    frame[frame["annotator"] == "ann"].to_csv("one.csv", index=False)
    frame.to_json("labels.jsonl", orient="records", lines=True)
    return tmp_path


def said(words):
    done = CliRunner().invoke(app, words.split())
    return done.exit_code, " ".join((done.output + done.stderr).split())


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("report labels.csv --empty category", "--empty category changes nothing"),
        ("report labels.csv --repeats first", "--repeats first changes nothing"),
        ("report labels.jsonl --repeats last", "--repeats last changes nothing"),
        ("report one.csv --key names.csv", "names.csv is empty"),
    ],
)
def test_a_note_says_that_an_option_found_no_case(labels, words, note):
    assert note in said(f"{words} --out out")[1]


def test_spans_say_it_too(labels):
    page = '{"text": "ab cd", "label": [[0, 2, "X"]], "id": 1}\n'
    for name in ("ann", "bob"):
        (labels / "spans").mkdir(exist_ok=True)
        (labels / "spans" / f"{name}.jsonl").write_text(page + page.replace("1}", "2}"))
    status, text = said("report spans --status done,rejected --out out --repeats first")
    assert status == 0
    assert "--status rejected adds none" in text
    assert "--repeats first changes nothing" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("audit labels.csv --error-rate 0.1", "--error-rate has no effect without --checked"),
        ("audit labels.csv --level 0.9", "--level has no effect without --checked"),
        ("certificate labels.csv --min-agreement 2", "certificate: --min-agreement must be"),
        ("partition labels.jsonl parts", "annobench convert"),
    ],
)
def test_a_refusal_names_the_option_that_mends_it(labels, words, message):
    status, text = said(words)
    assert status == 1
    assert message in text


def test_a_judge_is_found_by_the_name_that_a_pseudonym_hides(labels):
    status, text = said("judge labels.csv --judge m@x.org --out out")
    assert status == 0
    assert "person-1: accuracy and worth cannot be estimated" in text


def test_a_table_in_memory_gets_no_advice_for_the_command_line():
    frame = pd.DataFrame({"scan": ["x", "x", "y"], "ann": ["a", "b", "a"], "bob": ["a", "b", "b"]})
    with pytest.raises(AnnotationError, match=r"call Annotations\.from_wide") as refused:
        krippendorff_alpha(frame)
    assert "command line" not in str(refused.value)
    for wide in (frame.assign(item=frame["scan"]), frame.set_index("scan")):
        with pytest.raises(AnnotationError, match="'x' in several rows"):
            Annotations.from_wide(wide)


@pytest.mark.parametrize(
    "names", [["1|2", "1.0|2.0"], ["[1,2]", "[1.0, 2.0]"], ["1;2", "1 ; 2.00"], ["1, 2", "1.0,2"]]
)
def test_equal_lists_of_numbers_are_remarked_on(names):
    assert any("equal lists of numbers" in text for text in doubtful_names([*names, "x"]))
    assert not any("equal lists" in text for text in doubtful_names([names[0], "1.5|2", "v1.0"]))
