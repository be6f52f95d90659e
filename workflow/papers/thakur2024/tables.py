"""The tables: judges with intervals, exam-takers, odd verdicts, and corrected scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from annobench.judges.groups import MEASURES, bias_of_errors
from annobench.judges.panel import NO_LABEL
from annobench.judges.prevalence import JudgedCounts, joint, judged, ppi_plus
from annobench_replication.analysis import Effort
from annobench_replication.rounding import Rounded
from annobench_replication.rows import interval_columns

from .values import JUDGES, REPLICATES, TRUE, Judged, leniency_of

#: Answers of each exam-taker that a human checks, and the methods that use them.
N_CHECKED = 50
ROUNDS = {"full": 25, "quick": 3}
CORRECTIONS = {"judge alone": judged, "joint model": joint, "PPI++": ppi_plus}


def judges(first: Judged, second: Judged, rng: np.random.Generator, effort: Effort) -> pd.DataFrame:
    """One row per file and judge: mean agreement, ranks and errors, with intervals by question."""
    rows = []
    for file in (first, second):
        for name, found in file.found.items():
            again = found.bootstrap(replicates=REPLICATES[effort], rng=rng)
            row: dict[str, Any] = {"file": file.name, "judge": name}
            for measure in (*MEASURES, "rank_correlation"):
                estimate = found.rank_correlation if measure == "rank_correlation" else None
                row[measure] = found.mean(measure) if estimate is None else estimate
                row |= interval_columns(again[measure], f"{measure}_")
            row["largest_difference"] = float(abs(found.by_group["score_difference"]).max())
            row["sd_of_pi"] = float(found.by_group["scott_pi"].std())
            rates = file.rates[name]
            for side in ("sensitivity", "specificity", "youden"):
                interval = getattr(rates, side)
                row[side] = float(interval.estimate[TRUE])
                row[f"{side}_lower"] = float(interval.lower[TRUE])
                row[f"{side}_upper"] = float(interval.upper[TRUE])
            row["precision"] = float(rates.confusion[TRUE, TRUE] / rates.confusion[:, TRUE].sum())
            row["leniency"] = float(bias_of_errors(row["sensitivity"], row["specificity"]))
            rows.append(row)
    return pd.DataFrame(rows)


def exam_takers(first: Judged, second: Judged) -> pd.DataFrame:
    """One row per file, judge and exam-taker."""
    parts = []
    for file in (first, second):
        for name, found in file.found.items():
            own = found.by_group.rename(columns={"group": "exam_taker"})
            own.insert(0, "judge", name)
            own.insert(0, "file", file.name)
            parts.append(own)
    return pd.concat(parts, ignore_index=True)


def coefficients(judged: Judged, printed: pd.DataFrame) -> pd.DataFrame:
    """Put the printed values of Figure 1 beside pi and kappa, averaged and pooled."""
    of = printed.set_index("judge")["pi"]
    rows = []
    for name, found in judged.found.items():
        whole = judged.agreement(judged.judges[name])
        pooled = type(whole)(("all",), whole.counts.sum(axis=1, keepdims=True), whole.category)
        rows.append(
            {
                "judge": name,
                "printed": of[JUDGES[name]],
                "mean pi": 100 * found.mean("scott_pi"),
                "pooled pi": 100 * pooled.mean("scott_pi"),
                "mean kappa": 100 * found.mean("cohen_kappa"),
                "pooled kappa": 100 * pooled.mean("cohen_kappa"),
            }
        )
    return pd.DataFrame(rows)


def figure16(
    judged: Judged, printed: pd.DataFrame, from_figure3: Mapping[str, Rounded]
) -> pd.DataFrame:
    """Put Figure 16 beside the first file and what follows from Figure 3 of the same version."""
    rows = []
    names = {key: name for name, key in JUDGES.items()}
    for cell in printed.itertuples(index=False):
        own = leniency_of(judged, names[cell.judge]) if cell.judge in names else {}
        row: dict[str, Any] = {"judge": cell.judge, "printed pi": cell.pi}
        if own:
            row["pi of the file"] = judged.found[names[cell.judge]].mean("scott_pi")
        for name in ("p_c", "p_plus"):
            target = f"figure16.{cell.judge}.{name}"
            row[f"printed {name}"] = getattr(cell, name)
            row[f"{name} of the file"] = own.get(target, np.nan)
            row[f"{name} from Figure 3"] = from_figure3[target].value
        rows.append(row)
    return pd.DataFrame(rows)


def odd_ones(judged: Judged) -> pd.DataFrame:
    """Correlate each judge's verdicts with the human's and the other judges', by exam-taker."""
    rows = []
    for taker in judged.takers:
        own = judged.taker == taker
        table = pd.DataFrame(
            {"human": judged.human[own]}
            | {name: verdicts[own] for name, verdicts in judged.judges.items()}
        )
        table = table.where(table != NO_LABEL).astype(float)
        varied = table.columns[table.std() > 0]
        phi = table[varied].corr()
        for name in judged.judges:
            if name not in phi:
                rows.append((taker, name, np.nan, np.nan, float(table[name].mean())))
                continue
            others = phi[name].drop(["human", name])
            rows.append((taker, name, phi.loc["human", name], others.median(), table[name].mean()))
    columns = ["exam_taker", "judge", "phi_with_human", "median_phi_with_judges", "share_true"]
    return pd.DataFrame(rows, columns=columns)


def impossible(judged: Judged) -> pd.DataFrame:
    """Count answers that equal a reference but do not contain one, which can't be."""
    em, contains = judged.judges["EM"], judged.judges["Contains"]
    wrong = (em == TRUE) & (contains != TRUE) & (contains != NO_LABEL)
    return pd.DataFrame(
        [
            {
                "exam_taker": taker,
                "EM": judged.scores(em)[taker],
                "Contains": judged.scores(contains)[taker],
                "EM without Contains": int((wrong & (judged.taker == taker)).sum()),
            }
            for taker in judged.takers
        ]
    )


def corrected(judged: Judged, rng: np.random.Generator, effort: Effort) -> pd.DataFrame:
    """Let a human check some answers of each exam-taker, and estimate its score with a judge."""
    rows = []
    for name, verdicts in judged.judges.items():
        for taker in judged.takers:
            own = (judged.taker == taker) & (verdicts != NO_LABEL)
            said, truth = verdicts[own], judged.human[own]
            score = float((truth == TRUE).mean())
            off: dict[str, list[float]] = {method: [] for method in ("human alone", *CORRECTIONS)}
            for _ in range(ROUNDS[effort]):
                checked = rng.permutation(truth.size)[:N_CHECKED]
                known = np.full(truth.size, NO_LABEL)
                known[checked] = truth[checked]
                counts = JudgedCounts.of(said, known, TRUE)
                off["human alone"].append(float((truth[checked] == TRUE).mean()) - score)
                for method, estimate in CORRECTIONS.items():
                    off[method].append(estimate(counts).estimate - score)
            for method, errors in off.items():
                rms = float(np.sqrt(np.nanmean(np.square(errors))))
                rows.append((name, taker, method, float(np.nanmean(errors)), rms))
    columns = ["judge", "exam_taker", "method", "bias", "rms_error"]
    return pd.DataFrame(rows, columns=columns)
