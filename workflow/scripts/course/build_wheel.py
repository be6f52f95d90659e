"""Build the wheels of the packages: the teacher's, and the students', without the teacher's part.

Each is built from a copy of the sources, so that these stay as they are.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from annobench.core.files import recording, replacing

#: What teachers alone need, in the folder of the packages.
TEACHERS = ("annobench_course/teacher",)


def build(top: Path, target: Path, readme: Path, without: Iterable[str] = ()) -> None:
    """Write a wheel; of equal sources it has equal bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(top / "LICENSE", folder)
        project = (top / "pyproject.toml").read_text("utf-8")
        (folder / "pyproject.toml").write_text(_without_entries(project, without), "utf-8")
        shutil.copy(readme, folder / "README.md")
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(top / "src", folder / "src", ignore=ignored)
        for pattern in without:
            for path in (folder / "src").glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
        command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", name, name]
        # The time that the files in a wheel bear: 1 January 1980, the first that a zip can.
        subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "315532800"})  # noqa: S603
        [wheel] = folder.glob("*.whl")
        with replacing(target) as draft:
            shutil.copy(wheel, draft)


def _without_entries(project: str, without: Iterable[str]) -> str:
    """Return `pyproject.toml` without the entry points of packages that are left out."""
    gone = [pattern.replace("/", ".") for pattern in without]
    lines = project.splitlines(keepends=True)
    return "".join(line for line in lines if not any(name in line for name in gone))


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        top = Path(snakemake.input.project[0]).parent
        build(top, Path(snakemake.output.teacher), top / "README.md")
        readme = Path(snakemake.input.readme)
        build(top, Path(snakemake.output.students), readme, without=TEACHERS)
