"""What is not promised: rows of the study that miss what is wanted, with the command's caution."""

from functools import cache
from pathlib import Path

import pandas as pd

CAUTIONS = Path(__file__).with_name("cautions.csv")


@cache
def cautions() -> pd.DataFrame:
    """Read the interval, the design, and the words that the command shows there."""
    return pd.read_csv(CAUTIONS, keep_default_na=False)


def caution_of(interval: str, design: str) -> str:
    """Return the caution of a row; empty if there is none."""
    table = cautions()
    of_row = table[(table["interval"] == interval) & (table["design"] == design)]
    return "; ".join(of_row["caution"])
