"""cleanlab's majority vote: ``adapter.py METHOD labels.csv probabilities.csv SEED``.

CROWDLAB, its own method, combines labels with the predictions of a classifier that was trained on
features of the items. Labels alone have none, so that of its consensus the vote is left, whose
ties go to the category that annotators chose more often on all items.
"""

import sys

PACKAGE = "cleanlab"

METHODS = {"majority vote": False}


def main(method: str, labels: str, probabilities: str, seed: str) -> None:
    """Take the vote, and write the labels."""
    import pandas as pd
    from cleanlab.multiannotator import get_majority_vote_label

    table = pd.read_csv(labels, dtype=str, keep_default_na=False)
    names = sorted(table["label"].unique())
    table["label"] = table["label"].map({name: k for k, name in enumerate(names)})
    # Of repeated labels the first counts: its table has one cell for each.
    first = table.drop_duplicates(["item", "annotator"])
    wide = first.pivot(index="item", columns="annotator", values="label")
    codes = get_majority_vote_label(wide.reset_index(drop=True), verbose=False)
    found = pd.Series([names[int(k)] for k in codes], wide.index, name="label")
    found.to_csv(probabilities, index_label="item")


if __name__ == "__main__":
    main(*sys.argv[1:])
