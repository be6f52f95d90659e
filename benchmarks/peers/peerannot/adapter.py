"""peerannot's aggregation: ``adapter.py METHOD labels.csv probabilities.csv SEED``.

Its weighted vote by Dawid and Skene (`WDS`) is left out: in the locked version it calls
`DawidSkene` with two values for one argument, and fails on any labels.
"""

import sys
from pathlib import Path

PACKAGE = "peerannot"

METHODS = {"NaiveSoft": False, "DawidSkene": False, "GLAD": False}


def main(method: str, labels: str, probabilities: str, seed: str) -> None:
    """Fit one class with its defaults, and write its probabilities."""
    import pandas as pd
    from peerannot import models

    table = pd.read_csv(labels, dtype=str, keep_default_na=False)
    item, items = pd.factorize(table["item"])
    worker, workers = pd.factorize(table["annotator"])
    names = sorted(table["label"].unique())
    code = {name: k for k, name in enumerate(names)}
    answers: dict[int, dict[int, int]] = {}
    for i, j, label in zip(item, worker, table["label"], strict=True):
        # Its answers hold one label of a worker for a task: of repeated ones the first counts.
        answers.setdefault(int(i), {}).setdefault(int(j), code[label])
    sizes = {"n_workers": len(workers), "n_classes": len(names)}
    fitted = getattr(models, method)(answers, **sizes)
    if method == "GLAD":
        # It writes a copy of its results below its folder, which by default is no path.
        fitted.folder = Path.cwd()
    if hasattr(fitted, "run"):
        fitted.run()
    found = pd.DataFrame(fitted.get_probas(), index=items, columns=names)
    found.to_csv(probabilities, index_label="item")


if __name__ == "__main__":
    main(*sys.argv[1:])
