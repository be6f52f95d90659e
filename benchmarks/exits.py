"""How a short script that reads labels ends, run again and again on a machine with other work.

A thread that outlives the interpreter ends some runs with SIGABRT, and the more so the busier the
machine is: several runs at once and a busy process a core make it so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from benchmarks._record import Record

RUNS = 500
#: At once, so many a core.
CROWD = 3
SCRIPT = "import sys, annobench as ab; print(ab.read_labels(sys.argv[1]).n_labels)"
#: Two annotators of so many items.
ITEMS = 50

RECORD = Record("exits", "pyarrow")


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep so many processes busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def ending(path: Path) -> str:
    """Run the script, and say how it ended."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode == 0 and done.stdout == f"{2 * ITEMS}\n" and not done.stderr:
        return "well"
    return f"status {done.returncode}: {(done.stderr or done.stdout).strip()[-200:]}"


def main() -> int:
    """Run the script, count its endings, and store how many were not as they should be."""
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as name, load(cores):
        path = Path(name) / "labels.csv"
        rows = (f"{i},{j},{(i + j) % 3}\n" for i in range(ITEMS) for j in range(2))
        path.write_text("item,annotator,label\n" + "".join(rows), encoding="utf-8")
        with ThreadPoolExecutor(CROWD * cores) as pool:
            endings = Counter(pool.map(ending, [path] * RUNS))
    failed = RUNS - endings["well"]
    for how, n in endings.most_common():
        print(f"  {n:>5} ended {how}")
    RECORD.add(f"{RUNS} runs of a script that reads labels", "annobench", "failed", "", failed, "0")
    RECORD.save()
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
