"""What `make` shows of a run: little, but every error."""

import importlib
import json
import logging
import os
import pty
import re
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import makefile
import pandas as pd
import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from annobench_replication.ledger import COMPARISON_COLUMNS, read_comparison, write_comparison
from commands import conclude
from pages.counts import sentences

pytestmark = pytest.mark.workflow

TOP = makefile.TOP

ENVIRONMENT = os.environ | {"PYTHONPATH": str(TOP / "workflow/logging"), "TERM": "xterm"}

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
        "echo the cause, in the log > {log}; sleep 3; exit 3"
"""


@pytest.fixture
def command(tmp_path):
    """Return a function that gives a command of make, for some targets of a small workflow."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (arguments,) = makefile.runs_of_snakemake("results", "CORES=2")

    def of(*targets):
        return [sys.executable, "-m", "snakemake", *arguments, *targets, "--show-failed-logs"]

    return of


@pytest.fixture
def brief(tmp_path, command):
    """Return a function that runs snakemake as make does; it returns the status and the output."""

    def run(*targets):
        done = subprocess.run(
            command(*targets), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
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


def test_a_terminal_shows_what_is_running_in_one_line_and_an_error_whole(tmp_path, command):
    ours, its = pty.openpty()
    process = subprocess.Popen(
        command("made/broken.txt"), cwd=tmp_path, env=ENVIRONMENT, stdout=its, stderr=its
    )
    os.close(its)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 1024)
        except OSError:  # the other end is closed
            break
    assert process.wait() == 1
    os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    # A terminal keeps of a line what follows its last erasure.
    kept = "\n".join(line.rpartition("\x1b[2K")[2] for line in text.split("\n"))
    assert text.count("running: break 0:0") >= 2
    assert "running" not in kept
    assert "\nError in rule break:\n" in kept
    assert "\nthe cause, in the log\n" in kept


@pytest.fixture
def handler(monkeypatch):
    """A handler that reports many times a second."""
    monkeypatch.syspath_prepend(TOP / "workflow/logging")
    plugin = importlib.import_module("snakemake_logger_plugin_brief")
    monkeypatch.setattr(plugin, "PAUSE", 0.02)
    handler = plugin.LogHandler(SimpleNamespace(dryrun=False), None)
    yield handler
    handler.close()


def tell(handler, event, **told):
    """Tell a handler of an event, as Snakemake does."""
    handler.handle(logging.makeLogRecord({"levelno": logging.INFO, "event": event, **told}))


def begin(handler, jobid, rule, **wildcards):
    tell(handler, LogEvent.JOB_INFO, jobid=jobid, rule_name=rule, wildcards=wildcards)


def reports(capsys):
    """Return what is said next of what is running, line by line, with `0:00` for all times."""
    capsys.readouterr()
    time.sleep(0.3)
    return re.sub(r"\d+:\d\d", "0:00", capsys.readouterr().err).splitlines()


def test_times_are_in_minutes_and_seconds(handler):
    plugin = sys.modules[type(handler).__module__]
    assert plugin.clock(time.monotonic() - 75) == "1:15"


def test_a_log_says_again_and_again_what_is_running_and_for_how_long(handler, capsys):
    assert reports(capsys) == []
    begin(handler, 4, "replicate_beigman_klebanov2008")
    begin(handler, 5, "measure_coverage", study="coverage_full", part="12")
    said = reports(capsys)
    assert len(said) > 1
    assert set(said) == {
        "0:00, running: replicate Beigman Klebanov (2008) 0:00, "
        "measure coverage: coverage full, part 12 0:00"
    }
    tell(handler, LogEvent.JOB_FINISHED, job_id=4)
    tell(handler, LogEvent.PROGRESS, done=1, total=10)
    assert set(reports(capsys)) == {
        " 10%, 1 of 10 jobs, 0:00, running: measure coverage: coverage full, part 12 0:00"
    }


def test_a_job_that_failed_is_not_running_and_reports_end_with_the_run(handler, capsys):
    begin(handler, 4, "trace_paper", paper="su2008")
    handler.setFormatter(logging.Formatter("%(msg)s"))
    tell(handler, LogEvent.JOB_ERROR, levelno=logging.ERROR, jobid=4)
    assert reports(capsys) == []
    begin(handler, 6, "trace_paper", paper="su2008")
    assert "running: trace paper: Su (2008) 0:00" in reports(capsys)[0]
    handler.close()
    assert handler.reporter not in threading.enumerate()
    assert reports(capsys) == []


def test_the_last_lines_say_what_reproduced_what_is_simulated_and_what_to_open(built):
    results = built[0].top / "results"
    papers = built[0].paper.parent
    told = conclude.main(results, papers)
    assert "SIMULATED, not real: 1 of 1 data sets (anesthesia)." in told
    assert "There is 1 added study. Of 4 values in print" in told
    assert f"Open {results / 'index.html'}." in told.splitlines()[-1]
    counts = conclude.counts_of(read_comparison(results / "comparison.csv"), papers)
    assert all(sentence in told for sentence in sentences(counts))


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
    assert ("--logger=brief" in told) == is_brief
    assert told.index("snakemake") < told.index("conclude.py")
