"""How often cautions appear where a fit fails, and where it does not."""

import pandas as pd

from annobench.resampling.proportions import proportion_interval
from studies.guard import fits
from study_contract.running import OwnStudy, StudyResults

#: The cautions that compare a fit with the votes.
CAUTIONS = ("unanimous_overturned", "far_from_votes", "rare_category")
ANY = "any of these"


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Count alarms, with Wilson's intervals."""
    measured = study.measured
    checked, fitted, searched = (
        measured[measured["part"] == part] for part in ("dependence", "votes", "optima")
    )
    several = fitted[fitted["regime"] != fits.TWO]
    results.table("dependence", alarms(checked))
    results.table("cautions", by_caution(several))
    results.table("regimes", power(fitted, "regime"))
    results.table("models", power(several, "model"))
    results.table("optima", power(searched, "regime"))


def alarms(checked: pd.DataFrame) -> pd.DataFrame:
    """Count p-values below .05, with 95% intervals, and below .01, by model and errors."""
    rows = []
    for (model, errors), part in checked.groupby(["model", "regime"], sort=False):
        rows.append(
            {"model": model, "errors": errors, "n": len(part)}
            | _share("below_05", part["p_value"] < 0.05)
            | _share("below_01", part["p_value"] < 0.01)
        )
    return pd.DataFrame(rows)


def power(fitted: pd.DataFrame, by: str) -> pd.DataFrame:
    """Count how many fits that fail are warned of, and how many others, by a column."""
    rows = []
    for name, part in fitted.groupby(by, sort=False):
        fails, warned = part["fails"].astype(bool), part["said"] != ""
        rows.append(
            {by: name, "n_fails": int(fails.sum()), "n_others": int((~fails).sum())}
            | _share("power", warned[fails])
            | _share("false_alarms", warned[~fails])
        )
    return pd.DataFrame(rows)


def by_caution(fitted: pd.DataFrame) -> pd.DataFrame:
    """Count the same for each caution, and for any of them."""
    said = fitted["said"].str.split()
    tables = [
        power(fitted.assign(caution=name, said=["x" * (name in each) for each in said]), "caution")
        for name in CAUTIONS
    ]
    return pd.concat([*tables, power(fitted.assign(caution=ANY), "caution")], ignore_index=True)


def _share(name: str, hits: pd.Series) -> dict[str, float]:
    found = proportion_interval(int(hits.sum()), len(hits))
    ends = {f"{name}_lower": found.lower, f"{name}_upper": found.upper}
    return {name: found.estimate} | ends
