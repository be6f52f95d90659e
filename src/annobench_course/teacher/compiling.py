"""Compile what the course's notebooks use, once, so that no submission waits for it.

``python -m annobench_course.teacher.compiling`` compiles into the folder NUMBA_CACHE_DIR.
Submissions get copies: what one of them changes is run by no other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["FOLDER", "compile_apart", "compiled_folder", "copy_compiled"]

#: The variable that names the folder from which a submission copies.
FOLDER = "ANNOBENCH_COMPILED"

#: The models with compiled loops that the notebooks fit.
_MODELS = ("voting", "weighted_voting", "dawid_skene", "hierarchical_binary")


def compiled_folder() -> Path:
    """Return the folder in which compiled code is kept from one grading to the next.

    Returns
    -------
    Path
        In the library's cache.
    """
    from annobench.datasets.sources import cache_folder

    return cache_folder().absolute() / "compiled"


def compile_apart() -> None:
    """Compile in a process that runs nothing but the library; without a place to write, nothing."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(compiled_folder())}
    command = [sys.executable, "-m", "annobench_course.teacher.compiling"]
    subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603


def copy_compiled(target: Path) -> None:
    """Copy what was compiled to a folder of one's own, which compiles more as it needs.

    Parameters
    ----------
    target : path
        Need not exist.
    """
    source = Path(os.environ.get(FOLDER, ""))
    if os.environ.get(FOLDER) and source.is_dir():
        shutil.copytree(source, target)


def main() -> None:
    """Check every right answer, and fit the models that the notebooks fit."""
    from annobench import models
    from annobench.labels.annotations import Annotations
    from annobench_course import sessions
    from annobench_course.draws import draw

    for session in sessions.discover().values():
        for id, exercise in session.exercises.items():
            given = draw(id, session.exercises, "compiling")
            exercise.check(exercise.right_answer(given), given)
    items, annotators = [*range(12)] * 3, [0] * 12 + [1] * 12 + [2] * 12
    labels = ["yes", "no", "no"] * 4 + ["yes", "no"] * 6 + ["no", "yes", "yes"] * 4
    tiny = Annotations.from_arrays(items, annotators, labels)
    for name in _MODELS:
        draws = {"draws": 10, "warmup": 10, "rng": 1} if name == "hierarchical_binary" else {}
        models.fit(tiny, name, **draws)


if __name__ == "__main__":
    main()
