"""Runs that are killed, that meet one another, and whose clock is set back."""

import os
import random
import shutil
import signal
import time
from dataclasses import replace

import psutil
import pytest
from clones import Server, changes, make_clone

AREA = "Workflow"

# Begun first, as they take longest.
pytestmark = pytest.mark.workflow

#: Kills of each of the two tests, and the part of an undisturbed run's time within which they come,
#: most of them early, as a kill costs the time before it.
ROUNDS, WITHIN = 50, 0.5

#: Of so many kills one is followed by the refusal of the next run and by `--unlock`; after the
#: others the test removes what `--unlock` removes, which takes no time.
UNLOCKED = 5

#: Seconds that a run may take that is not killed.
LIMIT = 600

#: Data, analysis, tracing, comparison, notebook, a study by simulation, and pages of all of them.
FROM_NOTHING = [
    *("data", "papers", "notebooks"),
    *(
        f"results/pages/{page}.html"
        for page in (
            *("index", "discrepancies", "papers/example_paper/index", "datasets/index"),
            "studies/coverage/index",
        )
    ),
]

#: What is made again when the site is: all but data, values, studies and their pages.
SHOWN = [
    *("site", "notebooks", "index.html", "discrepancies.csv", "comparison.csv"),
    *(f"pages/{page}.html" for page in ("index", "discrepancies", "values", "figures")),
    "pages/papers",
]


def kill_again_and_again(clone, begin, targets, seed):
    """Kill runs at random moments, give the same command again, compare what finished runs left.

    A finished run is begun anew, and after the last kill the run is let finish. Returned is what
    an undisturbed run leaves.
    """
    rng = random.Random(seed)
    kills, refused, finished = 0, False, False
    begin()
    begun = time.monotonic()
    clone.snakemake(*targets)
    latest = WITHIN * (time.monotonic() - begun)
    expected = clone.contents()
    begin()
    while kills < ROUNDS or not finished:
        moment = latest * rng.random() ** 2 if kills < ROUNDS else LIMIT
        status, output = clone.killed_after(moment, *targets)
        where = f"seed {seed}, after {kills} kills, run of at most {moment:.2f} s"
        finished = status == 0
        if finished:
            assert not changes(expected, clone.contents()), where
            if kills < ROUNDS:
                begin()
        elif status == -signal.SIGKILL:
            kills += 1
            if kills % UNLOCKED:
                shutil.rmtree(clone.top / ".snakemake/locks", ignore_errors=True)
        else:
            assert not refused, f"{where}: --unlock did not help\n{output}"
            assert "--unlock" in output, f"{where}\n{output}"
            clone.snakemake("--unlock")
        refused = status > 0
    assert "Nothing to be done" in clone.snakemake(*targets)
    assert not left_running(clone)
    return expected


def left_running(clone):
    """Return processes that still work in a copy, when they had time to end."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = []
        for process in psutil.process_iter(["cwd", "cmdline"]):
            if str(process.info["cwd"]).startswith(str(clone.top)):
                found.append(process.info["cmdline"])
        # The one that started all runs.
        found = [command for command in found if not any("server.py" in part for part in command)]
        if not found:
            break
        time.sleep(0.2)
    return found


def test_runs_from_nothing_that_are_killed_are_resumed(tmp_path, tried):
    clone = make_clone(tmp_path / "clone")
    server = Server(clone)
    with server.process:
        clone = replace(clone, server=server)

        def begin():
            for folder in ("results", ".snakemake", "cache"):
                shutil.rmtree(clone.top / folder, ignore_errors=True)

        kill_again_and_again(clone, begin, FROM_NOTHING, seed=1)
        server.process.stdin.close()
    tried(
        AREA,
        "SIGKILL of all its processes at a random moment of a run from nothing (data, analysis, "
        "tracing, comparison, notebook, a study, pages)",
        times=ROUNDS,
        same=ROUNDS,
    )


def test_runs_that_are_killed_while_the_site_is_made_are_resumed(built, clone, tried):
    def begin():
        for folder in ("results", ".snakemake"):
            shutil.rmtree(clone.top / folder, ignore_errors=True)
            shutil.copytree(built.top / folder, clone.top / folder)
        for name in SHOWN:
            path = clone.top / "results" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    undisturbed = kill_again_and_again(clone, begin, [], seed=2)
    assert not changes(built.contents(), undisturbed)
    tried(
        AREA,
        "SIGKILL of all its processes at a random moment of a run that makes notebooks, pages and "
        "the site",
        times=ROUNDS,
        same=ROUNDS,
    )


@pytest.mark.parametrize("apart", [0, 1])
def test_of_two_runs_in_one_folder_one_finishes_and_the_other_says_that_it_waits(
    clone, tried, apart
):
    expected = clone.contents()
    rounds, refused = 2, 0
    for n in range(rounds):
        shutil.rmtree(clone.top / "results/papers")
        (clone.top / "results/comparison.csv").unlink()
        runs = [clone.start("papers")]
        time.sleep(apart)
        runs.append(clone.start("papers"))
        outputs = [run.communicate(timeout=600)[0] for run in runs]
        done = [run.returncode == 0 for run in runs]
        assert any(done), (n, outputs)
        refused += sum("cannot be locked" in output for output in outputs)
        assert not [
            o for o, ok in zip(outputs, done, strict=True) if not ok and "--unlock" not in o
        ]
        assert not changes(expected, clone.contents()), n
    tried(
        AREA,
        f"Two runs begun in one folder, {apart:g} s apart",
        times=2 * rounds,
        same=2 * rounds - refused,
        refused=refused,
    )


#: What a run wrote, and what it reads.
WRITTEN, READ = ("results", ".snakemake"), ("src", "workflow", "config", "notebooks", "docs")


def shift(clone, folders, seconds):
    """Move the times of all files of some folders."""
    for path in (path for folder in folders for path in (clone.top / folder).rglob("*")):
        if not path.is_symlink():
            times = path.stat()
            os.utime(path, (times.st_atime + seconds, times.st_mtime + seconds))


@pytest.mark.parametrize("folders", [WRITTEN, WRITTEN + READ], ids=["results", "all"])
def test_a_run_after_the_clock_was_set_back_warns_and_leaves_the_same_results(
    clone, tried, folders
):
    expected = clone.contents()
    shift(clone, folders, 86400)
    output = clone.snakemake()
    assert "ahead of the clock" in output
    assert "Nothing to be done" in output
    assert not changes(expected, clone.contents())
    what = "all files" if READ[0] in folders else "what the run wrote"
    tried(AREA, f"Clock set back by a day after a run; {what} in the future", times=1, same=1)


def test_sources_in_the_future_are_named_and_once_touched_make_the_same_results(clone, tried):
    expected = clone.contents()
    shift(clone, READ, 86400)
    output = clone.snakemake("data", fails=True)
    assert "has older modification time" in output
    assert "clock skew" in output
    shift(clone, READ, -86400)
    clone.snakemake("data")
    assert not changes(expected, clone.contents())
    tried(AREA, "Clock set back by a day before a run; sources in the future", times=1, refused=1)
