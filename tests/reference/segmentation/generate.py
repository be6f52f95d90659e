"""Compare segmentations by nltk and segeval, and store what they find.

Run from a clone, in an environment with nltk and segeval:

    python tests/reference/segmentation/generate.py
"""

from __future__ import annotations

import datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
#: Units, boundaries per unit of reference and hypothesis, window (None: the packages' own), seed.
CASES = {
    "short": (12, 0.3, 0.3, 2, 1),
    "long": (200, 0.1, 0.1, 5, 2),
    "missed": (150, 0.15, 0.03, 3, 3),
    "many": (150, 0.05, 0.4, 10, 4),
    "none": (40, 0.1, 0.0, 4, 5),
    "own_window": (300, 0.08, 0.1, None, 6),
}


def pair(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Draw whether a segment ends after each unit but the last, by reference and hypothesis."""
    n, reference, hypothesis, _, seed = CASES[name]
    rng = np.random.default_rng(seed)
    return rng.random(n - 1) < reference, rng.random(n - 1) < hypothesis


def masses(boundaries: np.ndarray) -> list[int]:
    """Return the lengths of segments."""
    ends = [0, *(np.flatnonzero(boundaries) + 1).tolist(), boundaries.size + 1]
    return np.diff(ends).tolist()


def main() -> None:
    """Write values.csv."""
    import segeval
    from nltk.metrics import segmentation

    lines = ["case,package,pk,window_diff"]
    for name, (*_, window, _) in CASES.items():
        reference, hypothesis = pair(name)
        if window is not None:
            texts = ["".join(map(str, each.astype(int))) for each in (reference, hypothesis)]
            found = (f(*texts, window) for f in (segmentation.pk, segmentation.windowdiff))
            lines.append(f"{name},nltk," + ",".join(f"{float(x):.15g}" for x in found))
        both = masses(hypothesis), masses(reference)
        found = (f(*both, window_size=window) for f in (segeval.pk, segeval.window_diff))
        lines.append(f"{name},segeval," + ",".join(f"{float(x):.15g}" for x in found))
    header = [
        "# edit: do not, run the script",
        "# script: tests/reference/segmentation/generate.py",
        f"# packages: nltk=={version('nltk')} segeval=={version('segeval')}",
        f"# date: {datetime.datetime.now(datetime.UTC).date()}",
    ]
    (HERE / "values.csv").write_text("\n".join([*header, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
