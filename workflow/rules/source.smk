# Where the rules are. Those of a repository, as `github(...)` names one, are unpacked first: scripts
# and rules read the files around them, and Snakemake itself fetches no file but those that it runs.

import os
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from snakemake.sourcecache import HostingProviderFile, LocalGitFile


def rules_of(basedir):
    """Return the folder of the rules of a workflow, beside this file or unpacked."""
    if isinstance(basedir, HostingProviderFile):
        repository = basedir.hosted_repo.repo
    elif isinstance(basedir, LocalGitFile):
        from git import Repo

        repository = Repo(basedir.repo_path)
    else:
        return "rules"
    commit = repository.commit(basedir.ref)
    # A commit has one content: what is there needs no second look.
    top = Path(".snakemake/annobench", commit.hexsha).absolute()
    if not top.is_dir():
        top.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=top.parent) as draft:
            write_files(repository, commit, Path(draft))
            declare(Path(draft))
            os.rename(draft, top)
            os.mkdir(draft)  # which the end of this block removes
    prefer([top / "workflow", top / "src"])
    return str(top / "workflow/rules")


def write_files(repository, commit, folder):
    """Write the files of a commit into a folder."""
    with tempfile.TemporaryFile() as file:
        repository.archive(file, treeish=commit.hexsha)
        file.seek(0)
        with tarfile.open(fileobj=file) as archive:
            archive.extractall(folder, filter="data")


def declare(top):
    """Write what an installer would: without it nobody finds the data sets and formats."""
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    ]
    folder = top / "src" / f"{project['name']}.egg-info"
    folder.mkdir()
    (folder / "PKG-INFO").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0\n"
    )
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


def prefer(folders):
    """Let this process, and the jobs that it starts, import what the workflow's commit has."""
    if str(folders[0]) not in sys.path:
        sys.path[:0] = map(str, folders)
        others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        os.environ.update(PYTHONPATH=os.pathsep.join([*map(str, folders), *filter(None, others)]))


RULES = rules_of(workflow.current_basedir)
