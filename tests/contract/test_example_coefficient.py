"""A coefficient is one file: the worked example is found wherever coefficients are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
EXAMPLE = TOP / "tests" / "workflow" / "example_coefficient" / "rogot_goldberg.py"

FINDING = """
import sys
from pathlib import Path

from annobench import agreement
from annobench.labels.annotations import Annotations
from studies.coverage import interval_coverage
from study_contract.running import OwnStudy
from study_run import run_study

assert "rogot_goldberg" in dir(agreement)
table = Annotations.from_contingency([[60, 10], [10, 20]])
assert round(agreement.rogot_goldberg(table).estimate, 4) == 0.7619

report = agreement.report(table)
assert report.loc[report["coefficient"].eq("rogot_goldberg"), "estimate"].notna().all()
assert set(report.loc[report["coefficient"].eq("rogot_goldberg"), "breakdown"]) == {
    "overall", "category"
}

grid = [dict(unit="items", items=[20], annotators=[2], prevalences=[0.4], missing=[0.0],
             repetitions=2, replicates=20)]
mine = [case for case in interval_coverage.cases() if case.coefficient == "rogot_goldberg"]
task, = interval_coverage.plan(grid, mine)
assert task.run(seed=1, n_items=2_000)["coverage"].notna().any()

here = Path("tests/reference/agreement")
names = ("peers.csv", "datasets.py", "disagreements.csv")
study = OwnStudy({}, files={name.partition(".")[0]: here / name for name in names})
assert "rogot_goldberg" in run_study("conformance", study, Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Copy the package, compiled kernels included, and add the example."""
    source = tmp_path_factory.mktemp("copied")
    shutil.copytree(TOP / "src" / "annobench", source / "annobench")
    shutil.copy(EXAMPLE, source / "annobench" / "agreement" / "coefficients")
    paths = [source, TOP / "workflow", TOP / "tests"]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "MPLBACKEND": "agg"}


def run(environment, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments], cwd=TOP, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_in_the_face_the_report_the_coverage_study_and_the_conformance_page(
    environment, tmp_path
):
    run(environment, "-c", FINDING, tmp_path / "out")


def test_it_meets_the_contract_tests(environment):
    contracts = [
        TOP / "tests" / "contract" / f"test_{name}.py" for name in ("coefficients", "intervals")
    ]
    options = ("-q", "-p", "no:cacheprovider", "-k", "rogot_goldberg")
    said = run(environment, "-m", "pytest", *options, *contracts)
    assert int(said.split(" passed")[0].split()[-1]) >= 7
