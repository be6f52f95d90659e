"""Disks that are full or read-only, under each rule in turn."""

import re
import shutil
from collections import defaultdict
from dataclasses import replace

import pytest
from clones import changes
from disks import PAGE, filled, mounted

AREA = "Workflow"

# Begun first, as they take longest.
pytestmark = pytest.mark.workflow

#: Rules whose tables hold how many seconds a fit took, which no two runs share.
TIMED = {"fit_models", "refit_models", "score_models", "render_baselines"}

#: How the names of rules begin that make pages and notebooks.
SHOW = ("render_", "run_notebook", "site")


def jobs_by_rule(clone):
    """Return the outputs of one job of each rule, in an order in which they can be made."""
    jobs = defaultdict(list)
    for line in clone.snakemake("--summary", "all").splitlines():
        fields = line.split("\t")
        if len(fields) == 6 and fields[0].startswith("results/"):
            output, _, rule, log = fields[:4]
            jobs[rule, log].append(clone.top / output)
    first = {}
    for (rule, _), outputs in jobs.items():
        first.setdefault(rule, outputs)
    return dict(sorted(first.items(), key=lambda job: job[1][0].stat().st_mtime))


def remove(paths):
    """Remove outputs of a job."""
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def pages_of(paths):
    """Return how many pages of a disk some outputs take."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    return sum(-(-file.stat().st_size // PAGE) for file in files if file.is_file())


@pytest.mark.parametrize("shows", [False, True], ids=["computes", "shows"])
def test_a_rule_that_fills_the_disk_says_so_and_leaves_nothing(built, tmp_path, tried, shows):
    top = tmp_path / "clone"
    shutil.copytree(built.top, top, symlinks=True, ignore=shutil.ignore_patterns("results"))
    clone = replace(built, top=top)
    jobs = [job for job in jobs_by_rule(built).items() if job[0].startswith(SHOW) == shows]
    (top / "results").mkdir()
    with mounted(top / "results", "-t", "tmpfs", "-o", "size=256m", "tmpfs") as results:
        shutil.copytree(built.top / "results", results, symlinks=True, dirs_exist_ok=True)
        # Its temporary files are on the full disk, too, but for those of Snakemake's scheduler.
        temporary = ["--default-resources", f"tmpdir={str(results / 'logs')!r}"]
        for rule, outputs in jobs:
            outputs = [top / output.relative_to(built.top) for output in outputs]
            run = [str(outputs[0].relative_to(top)), "--rerun-triggers", "code"]
            expected, half = clone.contents(), pages_of(outputs) // 2
            remove(outputs)
            kept = set(clone.contents())
            for room, own in ((0, []), (half, temporary)):
                shutil.rmtree(results / "logs")
                (results / "logs").mkdir()
                with filled(results, room):
                    output = clone.snakemake(*run, *own, fails=True)
                    left = set(clone.contents()) - {"ballast"}
                assert left <= kept, (rule, sorted(left - kept))
                assert "No space left on device" in output, (rule, output)
                assert f"rule {rule}" in output, (rule, output)
            clone.snakemake(*run)
            assert set(expected) == set(clone.contents()), rule
            if rule not in TIMED:
                assert not changes(expected, clone.contents()), rule
    kind = "makes pages" if shows else "computes"
    for room in ("nothing", "half of its files"):
        tried(
            AREA,
            f"Disk with room for {room}, in each rule in turn that {kind}",
            times=len(jobs),
            refused=len(jobs),
        )


def read_only(folder):
    """Mount a folder over itself, where nothing can be written."""
    return mounted(folder, "--bind", "-o", "ro", folder)


#: Folders into which the workflow writes.
WRITTEN = ["", "data", "logs", "notebooks", "pages", "papers"]


def test_results_that_can_not_be_written_are_refused_before_any_job(clone, tried):
    expected = clone.contents()
    for folder in WRITTEN:
        with read_only(clone.top / "results" / folder):
            output = clone.snakemake("--forceall", fails=True)
        assert "results: the workflow writes into this folder" in output, folder
        assert "mounted read-only: mount it for writing, or run in a copy" in output, folder
        assert "Traceback" not in output, folder
    assert "Nothing to be done" in clone.snakemake()
    assert not changes(expected, clone.contents())
    tried(
        AREA,
        "Read-only folder of results, or one in it",
        times=len(WRITTEN),
        refused=len(WRITTEN),
    )


def test_outputs_that_can_not_be_written_are_named_with_their_rule(clone, tried):
    expected, run = clone.contents(), ("papers", "--forcerun", "trace_paper")
    with read_only(clone.top / "results/papers/example_paper"):
        output = clone.snakemake(*run, fails=True)
    # The first of the rules to run that write there.
    assert re.search(r"Write-protected output files for rule \w+", output), output
    assert "results/papers/example_paper/comparison.csv" in output
    clone.snakemake(*run)
    assert not changes(expected, clone.contents())
    tried(AREA, "Read-only folder of one paper", times=1, refused=1)


def test_a_repository_that_can_not_be_written_is_refused(clone, tmp_path, tried):
    with read_only(clone.top):
        output = clone.snakemake(fails=True, XDG_CACHE_HOME=str(tmp_path))
    assert "mounted read-only: mount it for writing, or run in a copy" in output
    assert "Nothing to be done" in clone.snakemake()
    tried(AREA, "Read-only repository", times=1, refused=1)
