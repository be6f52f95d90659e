"""Run every benchmark of this folder, or those named: ``python -m benchmarks [name ...]``."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    """Run benchmarks one after the other, each in a process of its own; return the failures."""
    found = pkgutil.iter_modules([str(Path(__file__).parent)])
    known = [m.name for m in found if not m.ispkg and not m.name.startswith("_")]
    if unknown := sorted(set(names) - set(known)):
        raise SystemExit(f"benchmarks: {unknown[0]!r} is not one of {', '.join(known)}.")
    commands = ([sys.executable, "-m", f"benchmarks.{name}"] for name in names or known)
    return sum(subprocess.run(command, check=False).returncode != 0 for command in commands)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
