"""Comparisons and remarks of a study that does not exist, whose texts are attacks."""

import pandas as pd

from annobench_replication import ledger, schemas

ATTACK = "<script>alert('x')</script>"
DAY = "2026-11-26"


def comparison_of(*rows):
    """Return a comparison of rows that say what differs from a plain deviation."""
    blank = dict.fromkeys(ledger.COMPARISON_COLUMNS, "") | dict.fromkeys(
        ledger.NUMBERS, float("nan")
    )
    plain = {"paper": "study", "source": "Table 1", "relation": "eq", "published": "0.50"}
    plain |= {"computed": 0.75, "verdict": "deviates", "label": "kappa", "erratum": "slip"}
    plain |= {"cause": "misprint", "weight": "value", "explanation": "why", "evidence": "sums"}
    plain |= {"status": "not_contacted", "date": DAY}
    return pd.DataFrame([blank | plain | {"target": f"a.{n}"} | row for n, row in enumerate(rows)])


def remarks_of(path, *rows):
    pd.DataFrame(rows, columns=list(schemas.REMARKS.columns)).to_csv(path, index=False)
    return path
