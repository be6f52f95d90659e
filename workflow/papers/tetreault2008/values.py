"""The computed values of Tetreault and Chodorow (2008), by target.

A value stands alone, with the range that its rounded inputs allow, or with its 95% interval.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import scipy.stats

from annobench import agreement
from annobench.evaluation import sampling
from annobench.evaluation.sampling import METHODS, StratifiedSample
from annobench.resampling import proportion_interval
from annobench_replication.ledger import Computed
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.rows import Value, value_row

from .approach import hours_per_label, sample_sizes
from .judgments import as_errors, labels_of, two_annotators


def native(table1: pd.DataFrame, texts: pd.Series) -> dict[str, Value]:
    """Compute section 3.2."""
    sizes = list(texts[["training_million", "test_million"]])
    return {
        "native.training_share": propagate(lambda x: 100 * x[0] / (x[0] + x[1]), sizes),
        "native.test_share": propagate(lambda x: 100 * x[1] / (x[0] + x[1]), sizes),
        "table1.n_better": table1["better"].sum(),
        "table1.n_shared": len(table1),
    }


def cloze(table2: pd.DataFrame, texts: pd.Series) -> dict[str, Rounded]:
    """Compute sections 4.1 and 4.2 from printed text."""
    agreed = table2.set_index("pair")["agreement"]
    raters = list(agreed[["encarta_rater1", "encarta_rater2"]])
    both, system = [agreed["rater1_rater2"]], [agreed["encarta_system"]]
    licensed = [*system, texts["licensed_percent"]]
    return {
        "cloze.annotator_agreement": propagate(lambda x: 100 * x[0], both),
        "cloze.encarta_agreement_lower": propagate(lambda x: 100 * min(x), raters),
        "cloze.encarta_agreement_upper": propagate(lambda x: 100 * max(x), raters),
        "cloze.annotator_disagreement": propagate(lambda x: 100 * (1 - x[0]), both),
        "choice.encarta_reuters_accuracy": propagate(lambda x: x[0], [texts["accuracy_percent"]]),
        "choice.corrected_accuracy": propagate(lambda x: 100 * x[0] + x[1] * (1 - x[0]), licensed),
        "choice.mismatch_rate": propagate(lambda x: 100 * (1 - x[0]), system),
        "choice.licensed_mismatches": propagate(lambda x: x[1] * (1 - x[0]), licensed),
    }


def of_table3(matrix: np.ndarray) -> dict[str, Value]:
    """Compute section 5.2."""
    labels = labels_of(matrix)
    kappa, share = agreement.cohen_kappa(labels), agreement.percent_agreement(labels)
    [[both, first], [second, _]] = as_errors(matrix)
    return {
        "table3.kappa": (kappa.estimate, *kappa.interval().limits),
        "table3.agreement": (share.estimate, *share.interval().limits),
        "table3.n_items": matrix.sum(),
        "table3.both_ok": matrix[2, 2],
        "table3.both_wrong_choice": matrix[1, 1],
        "table3.both_extraneous": matrix[0, 0],
        "table3.rater1_error_rater2_ok": first,
        "table3.rater1_disagreement": share_of(first, both + first),
        "table3.rater1_errors": both + first,
        "table3.rater2_error_rater1_ok": second,
        "table3.rater2_disagreement": share_of(second, both + second),
        "table3.rater2_errors": both + second,
        # Shown beside a share of corpora that were not published: the mean of both annotators.
        "motivation.error_rate": 100 * (2 * both + first + second) / (2 * matrix.sum()),
    }


def share_of(count: float, n: float) -> tuple[float, float, float]:
    """Return a share with Wilson's 95% interval."""
    return (count / n, *proportion_interval(int(count), int(n)).limits)


def differences(table4: pd.DataFrame) -> dict[str, Rounded]:
    """Compute what section 5.2 says of Table 4, in points, from printed text."""
    rows = two_annotators(table4)
    return {
        f"table4.{score}_difference": propagate(
            lambda x: 100 * (x[0] - x[1]), [row[score] for row in rows]
        )
        for score in ("precision", "recall")
    }


def sampling_approach(sample: StratifiedSample, printed: Mapping[str, float]) -> dict[str, Value]:
    """Compute Figure 1, Table 5 and section 6.3."""
    found = sampling.estimate(sample)
    hits = sample.hits / sample.flagged_sample
    misses = sample.misses / sample.passed_sample
    flagged = sample.flagged / (sample.flagged + sample.passed)
    wrong = sample.flagged_sample - sample.hits
    wrong_share = wrong / sample.flagged_sample
    z = float(scipy.stats.norm.ppf(0.5 + printed["level_percent"] / 200))
    half = z * np.sqrt(hits * (1 - hits) / sample.flagged_sample)
    lower, upper = hits - half, hits + half
    table5: dict[str, Value] = {}
    for name, of_sample, of_corpus in (
        ("hits", hits, flagged),
        ("false_positives", wrong_share, flagged),
        ("misses", misses, 1 - flagged),
    ):
        table5[f"table5.{name}.sample_proportion"] = of_sample
        table5[f"table5.{name}.sub_corpus_proportion"] = of_corpus
        table5[f"table5.{name}.rate"] = rate(getattr(found, name))
    return {
        "figure1.ok_share": 100 * (1 - flagged),
        "figure1.error_sampled_share": 100 * sample.flagged_sample / sample.flagged,
        "figure1.ok_sampled_share": 100 * sample.passed_sample / sample.passed,
        "figure1.hits_share": hits,
        "figure1.false_positives": wrong,
        "figure1.false_positives_share": wrong_share,
        "figure1.misses_share": misses,
        "step6.hits_share": hits,
        "step6.error_size": flagged,
        "step6.hits_rate": hits * flagged,
        **table5,
        "table5.precision.hits": found.hits.value,
        "table5.precision.false_positives": found.false_positives.value,
        "table5.precision": rate(found.precision),
        "table5.recall.hits": found.hits.value,
        "table5.recall.misses": found.misses.value,
        "table5.recall": rate(found.recall),
        **{f"intervals.hits.{name}": hits for name in ("p", "p_again", "q")},
        "intervals.hits.n": sample.hits + wrong,
        "intervals.hits.lower": lower,
        "intervals.hits.upper": upper,
        # The rate of hits over the size of the sub-corpus, which cancels.
        "intervals.precision.lower": lower,
        "intervals.precision.upper": upper,
        "intervals.normal_quantile": z,
        "intervals.hits.quantile": z,
    }


def rate(found: sampling.Estimate) -> tuple[float, float, float]:
    """Return a rate with its interval."""
    return found.value, found.lower, found.upper


def application(printed: Mapping[str, float]) -> dict[str, float]:
    """Compute sections 6 and 6.2, and the samples of section 6.3."""
    sampled = sum(sample_sizes(printed))
    contexts = 100 * printed["wanted_errors"] / printed["assumed_error_percent"]
    return {
        "effort.hours": contexts * hours_per_label(printed),
        "application.annotation_set": sampled,
        "application.hours": sampled * hours_per_label(printed),
        "intervals.sample_ratio": printed["ok_sample"] / printed["error_sample"],
    }


def sets(draws: pd.DataFrame) -> list[Computed]:
    """Return the smallest and the largest kappa of the sets, with intervals that decide.

    Two values are sampled, so each of those has the level 1 - 0.05 / 2.
    """
    tail = 0.05 / 2 / 2
    rows = []
    for target, end in (("sets.kappa_min", "smallest"), ("sets.kappa_max", "largest")):
        low, high, *check = np.quantile(draws[end], [0.025, 0.975, tail, 1 - tail])
        row = value_row(target, (draws[end].median(), low, high))
        rows.append(replace(row, check_lower=float(check[0]), check_upper=float(check[1])))
    return rows


def simulations(cloze: pd.DataFrame, application: pd.DataFrame) -> dict[str, Value]:
    """Return what stands beside numbers that rest on unpublished data: mean and 95% range."""
    repeated = {f"table2.{pair}.kappa": row.kappa for pair, row in cloze.iterrows()}
    for name in ("precision", "recall"):
        repeated[f"table6.sampling.{name}"] = application[name]
    return {
        target: (np.mean(draws), *np.quantile(draws, [0.025, 0.975]))
        for target, draws in repeated.items()
    }


def other_readings(
    sample: StratifiedSample, table2: pd.DataFrame, printed: Mapping[str, float]
) -> list[Computed]:
    """Return other readings and better methods, shown beside the paper's."""
    found = {method: sampling.estimate(sample, method=method) for method in METHODS}
    system = table2.set_index("pair").loc["encarta_system", "agreement"]
    missed = 100 - printed["accuracy_percent"]
    corrected = 100 - missed + missed * printed["licensed_percent"] / 100
    per_label = printed["batch_hours_lower"] / printed["batch"]
    contexts = 100 * printed["wanted_errors"] / printed["assumed_error_percent"]
    hours = sum(sample_sizes(printed)) * per_label
    share = 100 * sample.passed_sample // sample.passed
    readings = [
        ("choice.encarta_reuters_accuracy", "cloze_test", 100 * system),
        ("choice.corrected_accuracy", "from_encarta_reuters", corrected),
        ("figure1.ok_sampled_share", "cut_off", share),
        ("intervals.hits.lower", "times_sub_corpus_share", found["paper"].hits.lower),
        ("intervals.hits.upper", "times_sub_corpus_share", found["paper"].hits.upper),
        ("effort.hours", "three_hours_a_batch", contexts * per_label),
        ("application.hours", "three_hours_a_batch", hours),
    ]
    readings += [
        (f"table5.{name}", f"interval_{method}", rate(getattr(estimate, name)))
        for method, estimate in found.items()
        if method != sampling.RECOMMENDED
        for name in ("precision", "recall")
    ]
    readings += [
        (f"intervals.precision.{end}", f"interval_{method}", getattr(found[method].precision, end))
        for end in ("lower", "upper")
        for method in ("stratified", "wilson")
    ]
    return [value_row(target, value, method=method) for target, method, value in readings]
