"""Small disks, made for a test: mounted, filled, read-only."""

import os
import subprocess
from contextlib import contextmanager

import pytest

PAGE = 4096


@contextmanager
def mounted(folder, *options):
    """Mount a file system, or skip the test where that isn't allowed."""
    done = subprocess.run(["mount", *options, folder], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"mounting, which takes root, is not allowed: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def filled(folder, pages):
    """Fill a small file system but for some pages."""
    ballast = folder / "ballast"
    state = os.statvfs(folder)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, (state.f_bavail - pages) * PAGE)
    try:
        yield
    finally:
        ballast.unlink()
