"""Rates of errors by rule, agreement of the votes, candidates by reading, and their ranking."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from annobench import agreement
from annobench.evaluation.error_detection import average_precision
from annobench.labels.annotations import Annotations
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.stratified import share_limits

from . import candidates, values

#: Votes on a candidate.
N_VOTES = 5


def rates(votes: Mapping[str, values.Checked], scale: Mapping[str, float]) -> pd.DataFrame:
    """Return errors in percent of each test set by rule; intervals where a sample was checked."""
    rows = []
    for name, each in votes.items():
        for rule in values.RULES:
            errors = int(each.errors(rule).sum())
            percent = values.percent_errors(each, scale, rule)
            row = {
                "dataset": values.NAMES[name],
                "rule": rule,
                "checked": each.n,
                "errors": errors,
                "share_of_candidates": errors / each.n,
                "percent_of_test_set": percent,
                "lower": np.nan,
                "upper": np.nan,
            }
            if name in values.SAMPLED and errors:
                ends = share_limits(errors, each.n, int(scale[f"{name}_guessed"]))
                row |= {
                    end: percent * value * each.n / errors
                    for end, value in zip(("lower", "upper"), ends, strict=True)
                }
            rows.append(row)
    table = pd.DataFrame(rows)
    mean = table.groupby("rule", sort=False)["percent_of_test_set"].mean()
    shares = table.groupby("rule", sort=False)["share_of_candidates"].mean()
    means = [
        {
            "dataset": "Mean",
            "rule": rule,
            "share_of_candidates": shares[rule],
            "percent_of_test_set": mean[rule],
        }
        for rule in values.RULES
    ]
    return pd.concat([table, pd.DataFrame(means)], ignore_index=True)


def agreement_table(votes: Mapping[str, values.Checked]) -> pd.DataFrame:
    """Return the agreement of the workers, and what it means for a majority against the label.

    Given votes follow a beta-binomial distribution; `expected_errors` is the share of candidates on
    which more than half of all workers would choose another answer than the given label.
    """
    rows = []
    for name, each in votes.items():
        columns = [c for c in map(str, each.items) if c.startswith("n_") and c != "n_test"]
        counts = each.items[columns].to_numpy()
        used = counts[:, counts.sum(axis=0) > 0]
        labels = Annotations.from_counts(used)
        alpha = agreement.krippendorff_alpha(labels)
        interval = alpha.interval()
        rows.append(
            {
                "dataset": values.NAMES[name],
                "candidates": each.n,
                "percent_agreement": agreement.percent_agreement(labels).estimate,
                "krippendorff_alpha": alpha.estimate,
                "lower": interval.lower,
                "upper": interval.upper,
                "errors": each.share(),
                "expected_errors": _expected(each),
            }
        )
    return pd.DataFrame(rows)


def _expected(votes: values.Checked) -> float:
    """Return the probability that a candidate's chance of a given vote is below one half."""
    if votes.name == "audioset":
        return float("nan")
    k = votes.items["n_given"].clip(upper=N_VOTES).to_numpy(float)
    mean = k.mean() / N_VOTES
    spread = k.var() / (N_VOTES * mean * (1 - mean)) if 0 < mean < 1 else 1.0
    within = min(max((spread - 1) / (N_VOTES - 1), 1e-6), 1 - 1e-6)
    size = 1 / within - 1
    return float(stats.beta.cdf(0.5, mean * size, (1 - mean) * size))


def by_votes(votes: Mapping[str, values.Checked]) -> pd.DataFrame:
    """Return the share of candidates by the number of workers who chose the given label."""
    rows = []
    for name, each in votes.items():
        if name == "audioset":
            continue
        k = each.items["n_given"].clip(upper=N_VOTES)
        share = k.value_counts(normalize=True)
        rows += [(values.NAMES[name], n, float(share.get(n, 0.0))) for n in range(N_VOTES + 1)]
    return pd.DataFrame(rows, columns=["dataset", "given_votes", "share"])


def candidates_table(
    votes: Mapping[str, values.Checked], probabilities: Mapping[str, candidates.Predicted]
) -> pd.DataFrame:
    """Return the candidates by each reading, how many were checked, and errors among these."""
    rows = []
    for name, predicted in probabilities.items():
        errors = votes[name].errors()
        for precision, each in (("as filed", predicted), ("half", predicted.in_half_precision())):
            for reading, found in candidates.readings(each).items():
                named = set(predicted.names[found])
                checked = errors[errors.index.isin(named)]
                others = errors[~errors.index.isin(named)]
                interval = proportion_interval(int(checked.sum()), len(checked))
                rows.append(
                    {
                        "dataset": values.NAMES[name],
                        "precision": precision,
                        "reading": reading,
                        "found": int(found.sum()),
                        "checked": len(errors),
                        "found_and_checked": len(checked),
                        "share_of_errors": checked.mean() if len(checked) else np.nan,
                        "lower": interval.lower,
                        "upper": interval.upper,
                        "share_of_errors_among_others": others.mean() if len(others) else np.nan,
                    }
                )
    return pd.DataFrame(rows)


def rankings(
    votes: Mapping[str, values.Checked], probabilities: Mapping[str, candidates.Predicted]
) -> pd.DataFrame:
    """Return average precision for errors among the checked candidates, by score."""
    rows = []
    for name, predicted in probabilities.items():
        errors = votes[name].errors()
        place = predicted.names.get_indexer(errors.index)
        known = place >= 0
        is_error, place = errors.to_numpy()[known], place[known]
        p = predicted.probability[place]
        own = predicted.self_confidence[place]
        rest = p.copy()
        rest[np.arange(len(place)), predicted.given[place]] = -np.inf
        scores = {
            "low probability of the given label": -own,
            "margin of the likeliest other label": rest.max(axis=1) - own,
            "entropy": stats.entropy(np.maximum(p, 0), axis=1),
        }
        for score, value in scores.items():
            rows.append(
                {
                    "dataset": values.NAMES[name],
                    "score": score,
                    "candidates": len(place),
                    "share_of_errors": is_error.mean() if len(place) else np.nan,
                    "average_precision": (
                        average_precision(is_error, value) if is_error.any() else np.nan
                    ),
                }
            )
    return pd.DataFrame(rows)
