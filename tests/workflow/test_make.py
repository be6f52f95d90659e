"""What `make` shows of a run: little, but every error."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import conclude
from annobench.replication.ledger import COMPARISON_COLUMNS, read_comparison, write_comparison

pytestmark = pytest.mark.workflow

TOP = Path(__file__).parents[2]

SNAKEFILE = """
rule all:
    input:
        expand("made/{n}.txt", n=range(40)),

rule make:
    output:
        "made/{n}.txt",
    shell:
        "echo told by {wildcards.n} && touch {output}"

rule break:
    output:
        "made/broken.txt",
    log:
        "broken.log",
    shell:
        "echo the cause, in the log > {log}; exit 3"
"""


@pytest.fixture
def brief(tmp_path):
    """Return a function that runs snakemake as make does; it returns the status and the output."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    environment = os.environ | {"PYTHONPATH": str(TOP / "workflow/logging")}
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--logger", "brief"]

    def run(*arguments):
        done = subprocess.run(
            [*command, "--show-failed-logs", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stderr

    return run


def test_a_run_says_how_much_is_done_and_a_second_one_that_nothing_is(brief):
    status, output = brief()
    assert status == 0
    assert len(output.splitlines()) <= 25
    assert "rule make" not in output
    assert "100%, 41 of 41 jobs" in output
    assert "Nothing to be done" in brief()[1]


def test_an_error_is_shown_whole(brief):
    status, output = brief("made/broken.txt")
    assert status == 1
    assert "Error in rule break" in output
    assert "the cause, in the log" in output
    assert "exit 3" in output


def test_an_error_of_the_workflow_itself_is_shown(brief):
    status, output = brief("made/unknown")
    assert status == 1
    assert "MissingRuleException" in output


def test_the_last_lines_say_what_reproduced_what_is_simulated_and_what_to_open(built):
    results = built[0].top / "results"
    told = conclude.main(results)
    assert "SIMULATED, not real: 1 of 1 data sets (anesthesia)." in told
    assert "Of 4 printed values" in told
    assert f"Open {results / 'index.html'}." in told.splitlines()[-1]
    assert conclude.verdicts(read_comparison(results / "comparison.csv")) in told


def test_many_simulated_data_sets_are_counted_and_a_few_named(tmp_path):
    for n in range(12):
        meta = tmp_path / f"data/set{n:02}/meta.json"
        meta.parent.mkdir(parents=True)
        about = {"id": meta.parent.name, "provenance": "simulated", "why_simulated": "HTTP 503."}
        meta.write_text(json.dumps(about))
    write_comparison(pd.DataFrame(columns=list(COMPARISON_COLUMNS)), tmp_path / "comparison.csv")
    told = conclude.main(tmp_path)
    assert (
        "SIMULATED, not real: 12 of 12 data sets (set00, set01, set02, set03, set04, ...). "
        "set00: HTTP 503.\n"
    ) in told


@pytest.mark.parametrize(("how", "is_brief"), [([], True), (["VERBOSE=1"], False)])
def test_make_is_brief_unless_asked(how, is_brief):
    command = ["make", "--dry-run", "results", "INSTALLED=", *how]
    told = subprocess.run(command, cwd=TOP, check=True, capture_output=True, text=True).stdout
    assert ("--logger brief" in told) == is_brief
    assert told.index("snakemake") < told.index("conclude.py")
