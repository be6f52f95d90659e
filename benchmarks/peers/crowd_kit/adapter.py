"""crowd-kit's aggregation: ``adapter.py METHOD labels.csv probabilities.csv SEED``."""

import sys

PACKAGE = "crowd-kit"

#: Classes of `crowdkit.aggregation`, and whether they draw random numbers.
METHODS = {
    "MajorityVote": False,
    "Wawa": False,
    "ZeroBasedSkill": False,
    "DawidSkene": False,
    "OneCoinDawidSkene": False,
    "GLAD": False,
    "MACE": True,
    "MMSR": True,
}


def main(method: str, labels: str, probabilities: str, seed: str) -> None:
    """Fit one class with its defaults, and write what it gives."""
    import pandas as pd
    from crowdkit import aggregation

    table = pd.read_csv(labels, dtype=str, keep_default_na=False)
    table.columns = ["task", "worker", "label"]
    options = {"random_state": int(seed)} if METHODS[method] else {}
    fitted = getattr(aggregation, method)(**options)
    if hasattr(fitted, "fit_predict_proba"):
        found = fitted.fit_predict_proba(table)
    else:
        found = fitted.fit_predict(table).rename("label")
    found.to_csv(probabilities, index_label="item")


if __name__ == "__main__":
    main(*sys.argv[1:])
