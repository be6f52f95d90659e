"""The gate of the guide on judges at work, run by a shell as a CI service runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import documented
import documented_files
import pytest
import yaml

PAGE = "docs/how-to/judges-at-work.md"
FILES = documented.files(PAGE)

pytestmark = [
    pytest.mark.commands,
    pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell"),
]


def gate(folder, answers=None, nightly=None):
    """Run the script in a folder with the two tables; return status and output."""
    (documented_files.answers() if answers is None else answers).to_csv(
        folder / "answers.csv", index=False
    )
    (documented_files.nightly() if nightly is None else nightly).to_csv(
        folder / "nightly.csv", index=False
    )
    (folder / "gate.sh").write_text(FILES["gate.sh"])
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "gate.sh", "gate"],
        cwd=folder,
        env=os.environ | {"PATH": programs},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_the_workflow_runs_the_script():
    job = yaml.safe_load(FILES[".github/workflows/evaluation.yml"])["jobs"]["gate"]
    assert "sh gate.sh gate" in [step.get("run") for step in job["steps"]]
    assert job["steps"][-1]["with"]["path"] == "gate"


def test_a_gain_that_the_labels_support_is_released(tmp_path):
    status, said = gate(tmp_path)
    assert status == 0, said
    assert said.endswith("Release.\n")
    assert (tmp_path / "gate" / "systems" / "requirements.json").is_file()
    assert (tmp_path / "gate" / "judge" / "requirements.json").is_file()


def test_no_gain_and_a_changed_judge_are_not(tmp_path):
    same = documented_files.answers()
    same["system"] = same["system"].map({"old": "new", "new": "old"})
    status, said = gate(tmp_path, answers=same)
    assert status == 3
    assert "The gain is not certain" in said
    worse = documented_files.nightly()
    last = worse["run"].eq("2026-11-08")
    worse.loc[last, "label"] = worse.loc[last, "label"].map(
        {"correct": "wrong", "wrong": "correct"}
    )
    status, said = gate(tmp_path, nightly=worse)
    assert status == 3
    assert "The judge may have changed" in said


def test_a_faulty_table_is_no_verdict(tmp_path):
    status, _ = gate(tmp_path, answers=documented_files.answers().drop(columns="system"))
    assert status == 1
