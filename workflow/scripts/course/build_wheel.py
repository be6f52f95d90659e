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
from annobench_course.source import students_text

#: What teachers alone need, in the folder of the packages.
TEACHERS = ("annobench_course/teacher", "annobench_course/sessions/*/bank.py")


def build(
    top: Path, target: Path, readme: Path, *, students: bool, own: Iterable[Path] = ()
) -> None:
    """Write a wheel, with the folders of further sessions; of equal sources it has equal bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("pyproject.toml", "setup.py", "LICENSE"):
            shutil.copy(top / file, folder)
        shutil.copy(readme, folder / "README.md")
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(top / "src", folder / "src", ignore=ignored)
        for session in own:
            place = folder / "src" / "annobench_course" / "sessions" / session.name
            shutil.copytree(session, place, ignore=ignored)
        if students:
            _leave_out(folder)
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
        command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", name, name]
        # The time that the files in a wheel bear: 1 January 1980, the first that a zip can.
        subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "315532800"})  # noqa: S603
        [wheel] = folder.glob("*.whl")
        with replacing(target) as draft:
            shutil.copy(wheel, draft)


def _leave_out(folder: Path) -> None:
    """Leave out what teachers alone need: modules, their entry point, solutions and rubrics."""
    for pattern in TEACHERS:
        for path in (folder / "src").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in (folder / "src").glob("annobench_course/sessions/*/session.md"):
        path.write_text(students_text(path.read_text("utf-8")), "utf-8")
    project = folder / "pyproject.toml"
    lines = project.read_text("utf-8").splitlines(keepends=True)
    project.write_text("".join(each for each in lines if "annobench_course.teacher" not in each))


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        top = Path(snakemake.input.project[0]).parent
        own = [Path(folder) for folder in snakemake.params.own]
        teachers, readme = top / "README.md", Path(snakemake.input.readme)
        build(top, Path(snakemake.output.teacher), teachers, students=False, own=own)
        build(top, Path(snakemake.output.students), readme, students=True, own=own)
