"""The program is the same by its name and by that of the package."""

from __future__ import annotations

import subprocess
import sys

import annobench


def test_python_runs_the_package_as_the_program():
    done = subprocess.run(
        [sys.executable, "-m", "annobench", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == annobench.__version__
    assert not done.stderr
