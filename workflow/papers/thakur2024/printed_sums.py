"""What follows from printed numbers: sums of costs, human alignment, and leniency."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from annobench_replication.rounding import Rounded, propagate

#: Judges that the public files do not have.
NEW = ("llama31_8b", "llama31_70b")


def costs(printed: pd.DataFrame) -> dict[str, float]:
    """Sum Table 5 by column, and add the unreported experiments."""
    is_reported = printed["experiment"] != "unreported"
    values = {}
    for name in ("gpu", "credits", "human"):
        values[f"table5.total.{name}"] = float(printed.loc[is_reported, name].sum())
        values[f"costs.total.{name}"] = float(printed[name].sum())
    return values


def humans(studies: pd.DataFrame, judges: pd.DataFrame) -> dict[str, float]:
    """Average the two studies of human alignment, and compare judges with them."""
    mean = studies.drop(columns="study").mean()
    values = {f"human.{name}": float(mean[name]) for name in mean.index}
    of = judges.set_index("judge")
    agreement = of["true_positive"] + of["true_negative"]
    return values | {
        "best.behind": float(mean["pi"] - of["pi"].max()),
        "em.agreement_gap": float(mean["agreement"] - agreement["em"]),
        "em.pi_gap": float(mean["pi"] - of.loc["em", "pi"]),
        "llama3_8b.agreement": float(agreement["llama3_8b"]),
    }


def known(numbers: list[float]) -> float:
    """Compute P_c of equation 18 from both shares and the true score, in percent."""
    positive, negative, score = numbers[0], numbers[1], float(np.mean(numbers[2:]))
    return positive / score + negative / (100 - score) - 1


def guessed(numbers: list[float]) -> float:
    """Compute P_+ of equation 13 likewise."""
    negative, score = numbers[1], float(np.mean(numbers[2:]))
    return (1 - negative / (100 - score)) / (1 - known(numbers))


def leniency(printed: pd.DataFrame, scores: "pd.Series[float]") -> dict[str, Rounded]:
    """Compute P_c and P_+ of each language model from Figure 3, with the effect of rounding."""
    values: dict[str, Rounded] = {}
    for row in printed.itertuples(index=False):
        if row.judge in ("em", "contains"):
            continue
        numbers = [row.true_positive, row.true_negative, *map(float, scores)]
        values[f"figure16.{row.judge}.p_c"] = propagate(known, numbers)
        values[f"figure16.{row.judge}.p_plus"] = propagate(guessed, numbers)
    return values


def only(values: Mapping[str, Rounded], judges: Iterable[str]) -> dict[str, Rounded]:
    """Return the values of some judges."""
    names = set(judges)
    return {target: value for target, value in values.items() if target.split(".")[1] in names}


def of_figure16(printed: pd.DataFrame) -> dict[str, float]:
    """Return what the text says of the printed values of Figure 16."""
    return {
        "figure16.correlation": float(printed["pi"].corr(printed["p_c"])),
        "leniency.limit": float(printed["p_plus"].median()),
    }
