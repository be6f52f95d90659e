"""Snorkel's label model: ``adapter.py METHOD labels.csv probabilities.csv SEED``.

Its labelling functions are the annotators here. It wants three of them at least.
"""

import sys

PACKAGE = "snorkel"

METHODS = {"LabelModel": True}


def main(method: str, labels: str, probabilities: str, seed: str) -> None:
    """Fit the label model with its defaults, and write its probabilities."""
    import numpy as np
    import pandas as pd
    import torch
    from snorkel.labeling.model import LabelModel

    torch.set_num_threads(1)
    table = pd.read_csv(labels, dtype=str, keep_default_na=False)
    # Of repeated labels the first counts: its table has one cell for each.
    table = table.drop_duplicates(["item", "annotator"])
    names = sorted(table["label"].unique())
    table["label"] = table["label"].map({name: k for k, name in enumerate(names)})
    wide = table.pivot(index="item", columns="annotator", values="label").fillna(-1)
    # With one category it has nothing to learn, and refuses.
    model = LabelModel(cardinality=max(2, len(names)), verbose=False)
    matrix = wide.to_numpy(dtype=np.int64)
    model.fit(matrix, seed=int(seed), progress_bar=False)
    found = pd.DataFrame(model.predict_proba(matrix), index=wide.index)
    found = found.iloc[:, : len(names)].set_axis(names, axis=1)
    found.to_csv(probabilities, index_label="item")


if __name__ == "__main__":
    main(*sys.argv[1:])
