"""The intervals and p-values that commands print, and the studies that have their rows."""

from functools import cache
from pathlib import Path

import pandas as pd

PRINTED = Path(__file__).with_name("printed.csv")


@cache
def printed() -> pd.DataFrame:
    """Read what is printed, a row each.

    `command`; `table` of its folder, or "page"; `quantity`, the column without `_lower` or
    `_p_value`, empty if there is none; `study`, which has it; and `interval`, the id of its rows
    in this study.
    """
    return pd.read_csv(PRINTED, keep_default_na=False)
