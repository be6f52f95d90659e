"""Each interval that a command writes has a row in a study, which holds or shows its caution."""

import fnmatch
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from studies.intervals.cautions import cautions
from studies.intervals.measuring import all_cases
from studies.intervals.printed import printed

TOP = Path(__file__).parents[2]
STORED = TOP / "benchmarks/measured"
WORDS = ("no", "yes")
#: Columns of limits and of p-values.
LIMIT = re.compile(r"(^|_)(lower|upper|p_value|p_adjusted)(95)?$")


def write_labels(folder: Path) -> None:
    """Write labels of four humans and two judges, and all that options may name."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(160):
        truth = rng.integers(2)
        for j, accuracy in enumerate((0.9, 0.85, 0.8, 0.75, 0.85, 0.8)):
            label = truth if rng.random() < accuracy else 1 - truth
            name = f"human {j}" if j < 4 else f"judge {j}"
            rows.append((f"i{i}", name, WORDS[label], WORDS[truth], i % 12))
    table = pd.DataFrame(rows, columns=["item", "annotator", "label", "right", "day"])
    n = table["item"].str[1:].astype(int)
    table["gold"] = table["right"].where(n < 80, "")
    table["part"] = np.where(n % 3 == 0, "first", "second")
    table["system"] = np.where(n % 2 == 0, "old", "new")
    table["length"] = n * 13 % 40 + 20
    table["family"] = np.where(n % 2 == 0, "openai", "meta")
    table.drop_duplicates("item")[["item", "gold"]].to_csv(folder / "gold.csv", index=False)
    table = table.drop(columns="right")
    table.to_csv(folder / "labels.csv", index=False)
    humans = table["annotator"].str.startswith("human")
    table[humans].to_csv(folder / "humans.csv", index=False)


def write_pairs(folder: Path) -> None:
    """Write comparisons of four systems by four annotators."""
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(300):
        a, b = rng.choice(4, 2, replace=False)
        winner = "left" if rng.random() < 1 / (1 + 2.0 ** (a - b)) else "right"
        rows.append((f"s{a}", f"s{b}", winner, f"h{rng.integers(4)}"))
    table = pd.DataFrame(rows, columns=["left", "right", "winner", "annotator"])
    table.to_csv(folder / "pairs.csv", index=False)


#: Commands with the options that make them print intervals.
COMMANDS = [
    "report humans.csv --over day --by part",
    "consensus humans.csv --gold gold.csv",
    "consensus humans.csv --model one_coin",
    "judge labels.csv --judge 'judge 4' --judge 'judge 5' --gold gold.csv --clusters part",
    "judge labels.csv --judge 'judge 4' --against system --category yes",
    "judge labels.csv --judge 'judge 4' --over day",
    "judge labels.csv --judge 'judge 4' --against system --category yes --length length "
    "--family family",
    "plan humans.csv --gold gold.csv",
    "audit humans.csv --checked humans_audit/to_check.csv",
    "certificate humans.csv",
    "rank pairs.csv --reliability",
    "compare --labels humans.csv --gold gold.csv --against voting,one_coin --replicates 20",
]


def columns_with_limits(folder: Path) -> set[tuple[str, str]]:
    """List table and quantity of each limit and p-value in the tables of a folder."""
    return {
        (path.stem, LIMIT.sub("", column))
        for path in folder.glob("*.csv")
        for column in pd.read_csv(path, nrows=1).columns
        if LIMIT.search(column)
    }


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_labels(tmp_path)
    write_pairs(tmp_path)
    return tmp_path


def run(arguments: str) -> None:
    result = CliRunner().invoke(app, shlex.split(arguments))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_each_interval_that_a_command_writes_is_listed_with_its_study(files, command):
    name, out = command.partition(" ")[0], files / "out"
    if name == "audit":
        out = files / "humans_audit"
        run("audit humans.csv --checks 60")
        checks = pd.read_csv(out / "to_check.csv")
        gold = pd.read_csv("gold.csv").set_index("item")["gold"]
        checks["gold"] = checks["item"].map(gold).fillna("yes")
        checks.to_csv(out / "to_check.csv", index=False)
    run(command if name == "audit" else f"{command} --out out")
    table = printed()
    listed = table[table["command"] == name]
    written = columns_with_limits(out)
    assert written <= set(zip(listed["table"], listed["quantity"], strict=True))
    assert written or name in ("plan", "certificate")


def test_each_interval_has_a_row():
    stored = pd.read_csv(STORED / "intervals/coverage.csv")
    rows = printed().query("study == 'intervals'")["interval"]
    assert [row for row in rows if not fnmatch.filter(set(stored["interval"]), row)] == []
    assert set(printed()["study"]) <= {"intervals", "coverage", "audit", "noise"}
    assert {case.interval for case in all_cases()} == set(stored["interval"])


def test_what_other_studies_have_is_stored():
    coefficients = set(pd.read_csv(STORED / "coverage/coverage.csv")["coefficient"])
    for study, name in printed()[["study", "interval"]].itertuples(index=False):
        if study == "coverage":
            assert name == "report.*" or name.partition(".")[2] in coefficients
    audited = set(pd.read_csv(STORED / "audit/coverage.csv")["statement"])
    rows = printed()
    of_audit = rows.loc[rows["study"] == "audit", "interval"].str.partition(".")[2]
    assert set(of_audit) <= audited
    assert len(pd.read_csv(STORED / "noise/simulated.csv"))


def test_the_stored_rows_are_those_of_the_cases_and_hold_or_have_a_caution():
    stored = pd.read_csv(STORED / "intervals/coverage.csv")
    keys = ["interval", "design", "kind", "data_sets"]
    cases = [(c.interval, c.design, c.kind, c.data_sets) for c in all_cases()]
    rows = list(stored[keys].itertuples(index=False, name=None))
    assert rows == [case for case in cases if case in rows]
    missed = set(
        stored.loc[stored["verdict"] != "holds", keys[:2]].itertuples(index=False, name=None)
    )
    assert missed == set(cautions()[keys[:2]].itertuples(index=False, name=None))


def test_a_caution_is_in_the_words_of_the_command():
    sources = " ".join(
        re.sub(r'"\s+f?"', "", path.read_text(encoding="utf-8"))
        for path in (TOP / "src/annobench").rglob("*.py")
    )
    for words in cautions()["caution"]:
        assert words in sources, words
