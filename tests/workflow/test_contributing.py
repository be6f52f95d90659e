"""CONTRIBUTING.md is followed to the letter with its worked examples."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
HERE = Path(__file__).parent

pytestmark = pytest.mark.workflow


@pytest.fixture
def clone(clone):
    """A copy of the built copy whose runs find modules that are added."""
    return replace(clone, server=None)


def python(clone, code):
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=clone.top,
        env=clone.environment(),
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_every_file_that_contributing_names_exists():
    text = (TOP / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"`((?:tests|src|workflow|config|docs|notebooks)/[\w./]+)`", text))
    assert {f"tests/workflow/{name}" for name in ("example_paper", "example_method")} <= named
    # What `make new-paper` would make.
    made = {"workflow/papers/smith2026", "notebooks/smith2026.ipynb"}
    assert {name for name in named if not (TOP / name).exists()} == made


@pytest.mark.slow
def test_a_new_method_is_found_by_its_file(clone):
    shutil.copy(
        HERE / "example_method" / "smoothed_votes.py", clone.top / "src" / "annobench" / "models"
    )
    output = python(
        clone,
        "from annobench import datasets, models\n"
        "data = datasets.load('anesthesia', mode='simulated')\n"
        "fit = models.discover()['smoothed_votes'].fit(data.annotations)\n"
        "print(fit.posterior.shape, fit.posterior.sum().round(9))\n",
    )
    assert output == "(45, 4) 45.0\n"
    # Nothing that was computed depends on it but the table of all models, which now has it.
    rules = ("fit_models", "refit_models", "score_models", "render_baselines")
    assert clone.ran() == dict.fromkeys((*rules, "render_stored_benchmarks", "site"), 1)
    baselines = clone.top / "results" / "studies" / "baselines"
    assert ",smoothed_votes,accuracy," in (baselines / "scores.csv").read_text()
    assert "smoothed_<wbr>votes" in _page(clone, "baselines")
    assert re.search("not in them: [^<]*smoothed_votes", _page(clone, "aggregation"))
    contracts = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            "smoothed_votes",
            TOP / "tests" / "contract" / "test_models.py",
        ],
        cwd=TOP,
        env=clone.environment(),
        capture_output=True,
        text=True,
    )
    assert contracts.returncode == 0, contracts.stdout


def _page(clone, study):
    return (clone.top / f"results/site/studies/{study}/index.html").read_text()


@pytest.mark.slow
def test_a_new_data_set_is_found_by_its_file_and_nothing_else_is_computed_again(clone):
    shutil.copy(
        HERE / "example_dataset" / "coin_flips.py", clone.top / "src" / "annobench_datasets"
    )
    rules = ("fetch_coin_flips", "render_datasets", "render_index", "site")
    assert clone.ran() == dict.fromkeys(rules, 1)
    assert "coin_flips" in (clone.top / "results" / "pages/datasets/index.html").read_text()


def test_a_second_data_set_of_one_id_is_refused(clone):
    modules = clone.top / "src" / "annobench_datasets"
    shutil.copy(modules / "anesthesia.py", modules / "anesthesia_again.py")
    output = clone.snakemake("--dry-run", fails=True)
    assert "annobench_datasets: the name 'anesthesia' stands in" in output
