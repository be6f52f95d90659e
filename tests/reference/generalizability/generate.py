"""Fit crossed variance components by statsmodels' REML, and store what it finds.

Run from a clone, in an environment with statsmodels and pandas:

    python tests/reference/generalizability/generate.py
"""

from __future__ import annotations

import datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent


class Case(NamedTuple):
    """Simulated labels: sizes, standard deviations, share that is missing, seed."""

    items: int
    annotators: int
    deviations: tuple[float, float, float]
    missing: float
    seed: int


CASES = {
    "complete": Case(25, 4, (1.0, 0.5, 0.7), 0.0, 1),
    "some_missing": Case(40, 6, (1.2, 0.6, 0.8), 0.4, 2),
    "most_missing": Case(60, 12, (0.8, 0.4, 1.0), 0.75, 3),
    "no_bias": Case(40, 5, (1.0, 0.0, 0.5), 0.3, 4),
}


def labels(case: Case) -> pd.DataFrame:
    """Draw a long table of labels."""
    rng = np.random.default_rng(case.seed)
    shape = (case.items, case.annotators)
    of_items, of_annotators, of_errors = case.deviations
    x = 5 + of_items * rng.normal(size=(case.items, 1)) + of_annotators * rng.normal(size=shape[1])
    x = x + of_errors * rng.normal(size=shape)
    item, annotator = np.nonzero(rng.random(shape) >= case.missing)
    return pd.DataFrame({"item": item, "annotator": annotator, "label": x[item, annotator]})


def main() -> None:
    """Write values.csv."""
    import statsmodels.formula.api as smf

    rows = []
    for name, case in CASES.items():
        formulas = {"item": "0 + C(item)", "annotator": "0 + C(annotator)"}
        model = smf.mixedlm(
            "label ~ 1", labels(case).assign(one=1), groups="one", vc_formula=formulas
        )
        found = model.fit(reml=True, method=["lbfgs", "bfgs"])
        components = dict(zip(model.exog_vc.names, found.vcomp, strict=True))
        rows.append((name, components["item"], components["annotator"], found.scale))
    with (HERE / "values.csv").open("w", encoding="utf-8") as out:
        out.write("# edit: do not, run the script\n")
        out.write("# script: tests/reference/generalizability/generate.py\n")
        out.write(f"# packages: statsmodels=={version('statsmodels')}\n")
        out.write(f"# date: {datetime.datetime.now(datetime.UTC).date()}\n")
        columns = ["case", "items", "annotators", "residual"]
        pd.DataFrame(rows, columns=columns).to_csv(out, index=False, float_format="%.10g")


if __name__ == "__main__":
    main()
