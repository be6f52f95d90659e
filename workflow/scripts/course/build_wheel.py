"""Build the wheel of the package, from a copy of the sources, so that these stay as they are."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from annobench.core.files import recording, replacing


def build(top: Path, target: Path) -> None:
    """Write the wheel; of equal sources it has equal bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(top / file, folder)
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(top / "src", folder / "src", ignore=ignored)
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
        command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", name, name]
        # The time that the files in a wheel bear: 1 January 1980, the first that a zip can.
        subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "315532800"})  # noqa: S603
        [wheel] = folder.glob("*.whl")
        with replacing(target) as draft:
            shutil.copy(wheel, draft)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        build(Path(snakemake.input.project[0]).parent, Path(snakemake.output.wheel))
