"""Pack a run into an RO-Crate: sources, results, verdicts, and what was made of what.

The crate conforms to the profile Provenance Run Crate: the run is an action of the workflow, and
the analysis of each paper an action of its own. Labels stay at their sources, whose addresses and
digests are given; the site in the crate offers those that anyone may pass on.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from annobench import datasets
from annobench_replication.ledger import read_comparison
from commands import release
from commands.crate_check import faults
from commands.crate_packing import PAPERS, WORKFLOW, Packing, tool_of
from pages.records import read_metas, read_record

SETTINGS = "config/config.yaml"
ENGINE = "https://snakemake.readthedocs.io"


def pack(
    results: Path, target: Path, top: Path = release.TOP, settings: Sequence[str] = ()
) -> None:
    """Write the crate of a run into a folder, in place of what is there.

    Parameters
    ----------
    results, target : Path
        The results, and the folder.
    top : Path
        The clone.
    settings : sequence of str
        Configurations that the run was given beside `SETTINGS`, by their places in the clone.

    Raises
    ------
    SystemExit
        If the clone differs from its last commit, or a result is missing.
    """
    commit = release.commit_of(top, "%H")
    records = [read_record(path) for path in sorted((top / PAPERS).glob("*/paper.yaml"))]
    keys = [record["key"] for record in records]
    needed = ["comparison.csv", *(f"papers/{key}/comparison.csv" for key in keys)]
    if gone := [name for name in needed if not (results / name).is_file()]:
        sys.exit(f"{results}: {', '.join(gone)} missing. `make crate` makes them.")
    comparison, run = read_comparison(results / "comparison.csv"), Packing(results, top)
    run.add_sources(map(tool_of, keys))
    made = run.add_results(keys)
    if unknown := [name for name in settings if name not in run.files]:
        sys.exit(f"{', '.join(unknown)}: not part of the commit. Commit it, so that it is packed.")
    paths = [results / f"data/{id}/meta.json" for id in datasets.names()]
    metas = read_metas(str(path) for path in paths if path.is_file())
    run.describe(comparison, metas, commit)
    sets = {meta["id"]: run.add_data(meta) for meta in metas}
    action = run.add(
        "#run",
        "CreateAction",
        name="Run of the workflow",
        description="Computes the values of all papers, compares them with those printed, "
        "and makes the site.",
        instrument=run.files[WORKFLOW],
        object=[*(run.files[name] for name in (SETTINGS, *settings)), *sets.values()],
        result=made,
        agent=run.crate.get("#runner"),
        **{
            term: time
            for term, time in run.times("results/index.html").items()
            if term == "endTime"
        },
    )
    run.crate.root_dataset.append_to("mentions", action)
    run.add(
        "#engine-run",
        "OrganizeAction",
        name="Run of Snakemake",
        instrument=run.add(
            ENGINE,
            "SoftwareApplication",
            name="Snakemake",
            version=version("snakemake"),
            url=ENGINE,
        ),
        object=[
            run.add_analysis(n, record, sets, comparison) for n, record in enumerate(records, 1)
        ],
        result=action,
    )
    shutil.rmtree(target, ignore_errors=True)
    run.crate.write(target)


def main() -> int:
    """Pack the results that the command line names, and check the crate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("settings", nargs="*", help="configurations that the run was given")
    parser.add_argument("--check", action="store_true", help="of a crate: only check it")
    given = parser.parse_args()
    folder = given.results
    if not given.check:
        folder = given.results / "crate"
        pack(given.results, folder, settings=given.settings)
    found = faults(folder)
    print("\n".join(found) or f"{folder}: digests and verdicts are those of its files.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
