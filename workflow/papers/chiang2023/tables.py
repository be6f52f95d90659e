"""The tables of the study: correlations, readings, gains with intervals, and who wrote what."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from annobench.evaluation.correlations import grouped_correlation
from annobench.reporting.printed import parse_printed
from annobench_datasets.chiang2023 import N_ANSWERS, PROMPTS

from .claims import ANALYZE, BASE, EXPLAIN, PLAIN, Tests, p_value
from .values import (
    MEASURES,
    TABLE_ROWS,
    Correlations,
    Intervals,
    Rated,
    Reading,
    drawn,
    ends_of,
)

FREE = "llm_eval_no_cot"
#: What a reader takes from the tables: a prompt, and the one that it is compared with.
COMPARED = (
    ("auto CoT, score only", BASE, PLAIN),
    ("auto CoT, rate-explain", "rate_explain_auto_cot", EXPLAIN),
    ("auto CoT, analyze-rate", "analyze_rate_auto_cot", ANALYZE),
    ("free text", FREE, PLAIN),
    ("rate-explain", EXPLAIN, PLAIN),
    ("analyze-rate", ANALYZE, PLAIN),
    ("rate-explain over free text", EXPLAIN, FREE),
    ("analyze-rate over free text", ANALYZE, FREE),
    ("rate-explain over analyze-rate", EXPLAIN, ANALYZE),
)
#: Answers averaged.
SIZES = (1, 2, 5, 10, N_ANSWERS)
#: Units of the last place by which printed values are shifted, to see what matches by chance.
SHIFTS = [shift for shift in range(-9, 10) if shift]


def correlations(
    rated: Mapping[str, Rated], found: Correlations, intervals: Intervals
) -> pd.DataFrame:
    """One row per attribute and prompt: pooled and within documents, by three coefficients."""
    rows = []
    for (name, prompt), measures in found.items():
        row: dict[str, Any] = {"attribute": name, "prompt": prompt, **measures}
        for measure in MEASURES:
            ends = intervals[name, prompt][measure]
            row[f"{measure}_lower"], row[f"{measure}_upper"] = ends
        rows.append(row)
    return pd.DataFrame(rows)


def misplaced(printed: pd.DataFrame, found: Correlations) -> pd.DataFrame:
    """Put the last two rows of Table 2 beside what each prompt and method gives."""
    rows = []
    for cell in printed.itertuples(index=False):
        row: dict[str, Any] = {"row of Table 2": cell.row, "attribute": cell.attribute}
        row |= {"measure": cell.measure, "printed": cell.value}
        for prompt in (EXPLAIN, ANALYZE):
            measures = found[cell.attribute, prompt]
            keys = ("tau",) if cell.measure == "tau" else ("r", "r_within")
            row |= {f"{TABLE_ROWS[prompt]}, {key}": measures[key] for key in keys}
        rows.append(row)
    return pd.DataFrame(rows)


def _by_target(found: Correlations) -> dict[str, float]:
    return {
        f"{TABLE_ROWS[prompt]}.{name}.{measure}": measures[measure]
        for (name, prompt), measures in found.items()
        if prompt in TABLE_ROWS
        for measure in MEASURES
    }


def readings(searched: pd.DataFrame, by_reading: Mapping[Reading, Correlations]) -> pd.DataFrame:
    """Count the printed values that each reading gives, and what it would give by chance.

    The chance is the mean share of the same values, each shifted by as many units of its last
    place, that the reading gives.
    """
    numbers = {row.target: parse_printed(row.value) for row in searched.itertuples(index=False)}
    printed = np.array([float(number.value) for number in numbers.values()])
    unit = np.array([float(number.unit) for number in numbers.values()])
    added = np.array([target.startswith("auto_cot_") for target in numbers])
    rows = []
    for reading, found in by_reading.items():
        own = _by_target(found)
        off = np.array([own[target] for target in numbers]) / unit - printed / unit

        def share(shift: int, off: np.ndarray = off) -> np.ndarray:
            hits: np.ndarray = np.abs(off - shift) <= 0.5 * (1 + 1e-9)
            return hits

        rows.append(
            {
                "number": reading[0],
                "without a number": reading[1],
                "tables_2_and_4": int(share(0)[~added].sum()),
                "of_tables_2_and_4": int((~added).sum()),
                "table_3": int(share(0)[added].sum()),
                "of_table_3": int(added.sum()),
                "share": share(0).mean(),
                "share_by_chance": np.mean([share(shift).mean() for shift in SHIFTS]),
                "largest_difference": float(np.abs(off).max()),
            }
        )
    return pd.DataFrame(rows)


def gains(
    rated: Mapping[str, Rated], found: Correlations, tests: Tests, draws: np.ndarray
) -> pd.DataFrame:
    """One row per attribute and comparison: differences, from the same samples of documents.

    Two prompts are compared on the responses that both have.
    """
    rows = []
    for name, attribute in rated.items():
        scores = dict(zip(PROMPTS, attribute.ratings(), strict=True))
        for label, first, second in COMPARED:
            both = ~np.isnan(scores[first]) & ~np.isnan(scores[second])
            sides = [np.where(both, scores[prompt], np.nan) for prompt in (first, second)]
            again = [drawn(side, attribute, draws) for side in sides]
            row: dict[str, Any] = {
                "attribute": name,
                "comparison": label,
                "n_items": int(both.sum()),
            }
            for measure, method in (("r", "pearson"), ("r_within", "pearson"), ("tau", "kendall")):
                estimates = [
                    grouped_correlation(side, attribute.people, attribute.document, method)
                    for side in sides
                ]
                kind = "pooled" if measure == "r" else "within"
                row[measure] = getattr(estimates[0], kind) - getattr(estimates[1], kind)
                ends = ends_of(again[0][measure] - again[1][measure])
                row[f"{measure}_lower"], row[f"{measure}_upper"] = ends
            row["williams_p_value"] = p_value(tests, name, first, second)
            rows.append(row)
    return pd.DataFrame(rows)


def writers(rated: Mapping[str, Rated], draws: np.ndarray) -> pd.DataFrame:
    """Correlate over all responses, over generated ones alone, and over people's alone."""
    rows = []
    for name, attribute in rated.items():
        generated = np.array(["Decoding" in system for system in attribute.system])
        for prompt, scores in zip(PROMPTS, attribute.ratings(), strict=True):
            for label, kept in (
                ("all", np.ones_like(generated)),
                ("generated", generated),
                ("written by people", ~generated),
            ):
                own = np.where(kept, scores, np.nan)
                r = grouped_correlation(own, attribute.people, attribute.document)
                ends = ends_of(drawn(own, attribute, draws)["r"])
                rows.append((name, prompt, label, r.n_items, r.pooled, *ends))
    columns = ["attribute", "prompt", "responses", "n_items", "r", "lower", "upper"]
    table = pd.DataFrame(rows, columns=columns)
    human = {
        name: float(
            np.corrcoef(
                attribute.people, ["Decoding" not in system for system in attribute.system]
            )[0, 1]
        )
        for name, attribute in rated.items()
    }
    return table.assign(r_of_who_wrote_it=table["attribute"].map(human))


def answers(rated: Mapping[str, Rated]) -> pd.DataFrame:
    """Correlate means of fewer answers, and of both prompts with reasons together."""
    rows = []
    for name, attribute in rated.items():
        for n in SIZES:
            scores = dict(zip(PROMPTS, attribute.ratings(n_answers=n), strict=True))
            scores["both with reasons"] = (scores[EXPLAIN] + scores[ANALYZE]) / 2
            for prompt, own in scores.items():
                r = grouped_correlation(own, attribute.people, attribute.document)
                tau = grouped_correlation(own, attribute.people, attribute.document, "kendall")
                rows.append((name, prompt, n, r.pooled, tau.within, tau.n_constant))
    columns = ["attribute", "prompt", "answers", "r", "tau", "n_constant"]
    return pd.DataFrame(rows, columns=columns)


def records(rated: Mapping[str, Rated]) -> pd.DataFrame:
    """Count records, answers without a number, decimals, and numbers outside the scale."""
    rows = []
    for name, attribute in rated.items():
        inside = ~np.isnan(attribute.read("within the scale"))
        for k, prompt in enumerate(PROMPTS):
            own = attribute.prompt == k
            n_records = np.unique(attribute.item[own]).size
            asked = n_records * N_ANSWERS
            rows.append(
                {
                    "attribute": name,
                    "prompt": prompt,
                    "records": n_records,
                    "missing": attribute.people.size - n_records,
                    "without a number": asked - int(own.sum()),
                    "with decimals": int((attribute.first[own] % 1 > 0).sum()),
                    "outside the scale": int((own & ~inside).sum()),
                    "another last number": int((own & (attribute.first != attribute.last)).sum()),
                }
            )
    return pd.DataFrame(rows)
