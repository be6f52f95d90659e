"""The command `annobench certificate`, from a file to files."""

import re
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app

PAIRS = "item,annotator,label\n" + "".join(
    f"i{i},a,{'yes' if i % 2 else 'no'}\ni{i},b,{'yes' if i % 2 or i == 4 else 'no'}\n"
    for i in range(40)
)


HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "noise-certificate.md"


@pytest.fixture
def certify(tmp_path):
    def run(content, *words):
        path = tmp_path / "labels.csv"
        path.write_text(content, encoding="utf-8")
        result = CliRunner().invoke(app, ["certificate", str(path), *words])
        assert "Traceback" not in result.output
        return result, tmp_path / "labels_certificate"

    return run


def test_a_certificate_is_printed_and_written(certify):
    result, folder = certify(PAIRS, "--guess-distribution", "0.4,0.6")
    assert result.exit_code == 0, result.output
    assert "of the 39 retained labels" in result.output
    assert result.output.count("This holds if all annotators give an easy item the same") == 1
    assert "With the same confidence, guesses alone can't put one system" in result.output
    rules = pd.read_csv(folder / "rules.csv")
    assert rules["n_retained"].iloc[-1] == 39
    items = pd.read_csv(folder / "hard_items.csv", keep_default_na=False)
    assert items["item"].iloc[0] == "i4"
    assert "tied" in items["reasons"].iloc[0]


def test_where_nothing_is_certified_no_difference_is_named(certify):
    coins = "item,annotator,label\n" + "".join(
        f"i{i},{j},{(i * (j + 1)) % 2}\n" for i in range(12) for j in range(2)
    )
    result, _ = certify(coins, "--guess-distribution", "0.5")
    assert result.exit_code == 0, result.output
    assert "nothing is certified" in result.output
    assert "guesses alone" not in result.output


def test_numbers_are_split(certify):
    content = "item,annotator,label\n" + "".join(
        f"i{i},{j},{10 * i + j}\n" for i in range(12) for j in range(6)
    )
    result, folder = certify(content, "--threshold", "60", "--min-agreement", "0.8")
    assert result.exit_code == 0, result.output
    assert (folder / "rules.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "can't be estimated"),
        (("--guess-distribution", "1.5"), "not between 0 and 1"),
        (("--guess-distribution", "half"), "not a number"),
        (("--guess-distribution", "0.5", "--min-agreement", "0.6,0.7"), "one share"),
        (("--guess-distribution", "0.5", "--level", "2"), "level must be"),
        (("--threshold", "3"), "is not a num"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(certify, words, message):
    result, folder = certify(PAIRS, *words)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert not folder.exists()


def options_of(command):
    help_text = CliRunner(env={"COLUMNS": "200"}).invoke(app, [command, "--help"]).output
    return set(re.findall(r"--[a-z-]*[a-z]", re.sub(r"\x1b\[[0-9;]*m", "", help_text)))


def named_in(path):
    return set(re.findall(r"`(--[a-z-]*[a-z])", path.read_text(encoding="utf-8")))


def test_the_how_to_names_the_options_there_are():
    reading = named_in(HOW_TO.parent / "exports" / "README.md")
    reading -= {"--quiet", "--verbose", "--ledger", "--keep-names", "--key"}
    assert reading <= options_of("certificate")
    assert named_in(HOW_TO) <= options_of("certificate")
    assert options_of("certificate") - named_in(HOW_TO) - reading == {"--help"}


def test_an_agreement_that_is_no_share_is_quoted(certify):
    result, _ = certify(PAIRS, "--guess-distribution", "0.5", "--min-agreement", "0.5,0.6")
    assert result.exit_code == 1
    assert "one share, got '0.5,0.6'; such as 0.8." in result.output
