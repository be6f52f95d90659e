"""A job of a paper records what is wrong with it, and what follows from it is not counted again."""

from types import SimpleNamespace

import pandas as pd
import pytest

from annobench.core.errors import PublicationError
from annobench_replication.ledger import COMPARISON_COLUMNS
from pages.broken import Fault, not_compared, read_faults, recording_paper
from scripts.papers import check


@pytest.fixture
def job(tmp_path):
    return SimpleNamespace(
        rule="compare_paper",
        wildcards=["a2008"],
        log=[str(tmp_path / "log")],
        output=SimpleNamespace(fault=str(tmp_path / "a2008/comparison.txt")),
    )


def test_a_job_without_a_fault_says_so(job):
    with recording_paper(job, pytest.fail, PublicationError):
        pass
    assert read_faults([job.output.fault]) == []


def test_a_fault_is_recorded_with_its_log(job, capfd):
    replaced = []
    with recording_paper(job, replaced.append, PublicationError):
        raise PublicationError("published.csv, line 3: 2 fields.")
    assert replaced == ["published.csv, line 3: 2 fields."]
    [fault] = read_faults([job.output.fault])
    assert fault[:2] == ("a2008", "comparison")
    assert fault.message == f"published.csv, line 3: 2 fields. (log: {job.log[0]})"
    assert capfd.readouterr().err.startswith("compare_paper a2008: published.csv, line 3")
    assert not_compared([fault]) == {"a2008"}


def test_an_error_that_is_no_fault_of_the_paper_fails(job):
    with pytest.raises(SystemExit), recording_paper(job, pytest.fail, PublicationError):
        raise ZeroDivisionError


def test_values_that_a_fault_left_missing_are_no_failures_of_their_own():
    result = {"verdict": "missing", "source": "§1", "published": "1"}
    row = dict.fromkeys(COMPARISON_COLUMNS, "") | result
    compared = pd.DataFrame([row | {"paper": p, "target": p} for p in ("a2008", "b2009")])
    failures = check.failures_of(compared, [Fault("a2008", "analysis", "no such item")])
    assert [failure[:3] for failure in failures] == [
        ("a2008", "analysis", "no such item"),
        ("b2009", "b2009", "§1 prints 1; no value was computed"),
    ]
