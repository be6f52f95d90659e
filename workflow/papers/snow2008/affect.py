"""Sections 4.1 and 5.1 on affect: six experts and ten answers for each of 100 headlines.

A non-expert is the j-th answer of every headline in the order of the file. Headlines came in forms
of twenty, whose answers stand in the same order, so that each non-expert is five annotators, one a
form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.evaluation.panels import panel_correlations, smallest_panel
from annobench.resampling.weights import draw_counts
from annobench_replication.analysis import Effort
from annobench_replication.ledger import Computed
from annobench_replication.study import Study

EMOTIONS = ("anger", "disgust", "fear", "joy", "sadness", "surprise")
KINDS = (*EMOTIONS, "valence")
AVERAGES = {"avg_emo": EMOTIONS, "avg_all": KINDS}
DATASETS = tuple(f"{source}_{kind}" for source in ("snow2008", "semeval2007") for kind in KINDS)
#: The labels of the non-experts.
CROWD = tuple(f"snow2008_{kind}" for kind in KINDS)
#: Answers of each headline, which every item of the release has.
N_ANSWERS = 10
#: The headline that section 4.1 quotes, and whose answer it shows: the fourth.
QUOTED, SHOWN = "594", 3
#: Bootstrap samples of headlines, and orders of answers.
REPLICATES = {"full": 400, "quick": 20}
N_ORDERS = {"full": 12, "quick": 2}
Floats = np.ndarray


@dataclass(frozen=True)
class Affect:
    """The labels of one kind.

    Attributes
    ----------
    kind : str
        Of `KINDS`.
    items : list of str
        The headlines that both groups labelled, I of them.
    answers, annotators : ndarray, shape (10, I)
        The labels of the non-experts and who gave them.
    form : ndarray, shape (I,)
        The form of each headline.
    gold : ndarray, shape (I,)
        SemEval's score.
    experts : ndarray, shape (6, I)
        The released labels of the experts.
    test, test_items : ndarray, shape (6, T), and list of str
        The same of the other headlines.
    """

    kind: str
    items: list[str]
    answers: Floats
    annotators: np.ndarray
    form: np.ndarray
    gold: Floats
    experts: Floats
    test: Floats
    test_items: list[str]

    @cached_property
    def others(self) -> Floats:
        """For each expert the average of the other five, shape (6, I)."""
        return (self.experts.sum(axis=0) - self.experts) / (len(self.experts) - 1)

    @cached_property
    def test_others(self) -> Floats:
        """The same of the test headlines, shape (6, T)."""
        return (self.test.sum(axis=0) - self.test) / (len(self.test) - 1)


def read(study: Study) -> dict[str, Affect]:
    """Read the labels of all kinds, of the headlines that all sets have."""
    crowd = {kind: study.data(f"snow2008_{kind}") for kind in KINDS}
    experts = {kind: study.data(f"semeval2007_{kind}") for kind in KINDS}
    headlines, items = _shared(experts), _shared(crowd)
    known = set(headlines)
    if known.isdisjoint(items):
        # Simulated sets have other names; the first headlines then stand for those of the crowd.
        of_expert = headlines[: len(items)]
    else:
        items = of_expert = [item for item in items if item in known]
    taken = set(of_expert)
    split = Split(items, of_expert, [item for item in headlines if item not in taken])
    # Ten answers of each, unless annotators were left out.
    n_answers = min(
        each.labels["item"].value_counts().reindex(items, fill_value=0).min()
        for each in crowd.values()
    )
    return {
        kind: _read_one(
            kind, answers_of(crowd[kind], items, int(n_answers)), crowd[kind], experts[kind], split
        )
        for kind in KINDS
    }


class Split(NamedTuple):
    """Headlines: as the crowd's and as the experts' sets name those of both, and the others."""

    items: list[str]
    of_expert: list[str]
    rest: list[str]


def answers_of(crowd: LoadedData, items: list[str], n: int) -> pd.DataFrame:
    """Return the first n answers of every headline in the order of the file."""
    own = crowd.labels[crowd.labels["item"].isin(items)]
    labels = own.assign(place=own.groupby("item").cumcount())
    return labels[labels["place"] < n]


def _shared(data: Mapping[str, LoadedData]) -> list[str]:
    """Return the items of all sets, in the order of the first."""
    sets = [set(each.items["item"]) for each in data.values()]
    first = next(iter(data.values())).items["item"]
    return [item for item in first if all(item in own for own in sets)]


def _read_one(
    kind: str, labels: pd.DataFrame, crowd: LoadedData, experts: LoadedData, split: Split
) -> Affect:
    items, of_expert, rest = split
    by_expert = experts.labels.pivot(index="annotator", columns="item", values="label")
    wide = {
        column: labels.pivot(index="place", columns="item", values=column)[items]
        for column in ("label", "annotator", "annotation_id")
    }
    return Affect(
        kind=kind,
        items=of_expert,
        answers=wide["label"].to_numpy(dtype=float),
        annotators=wide["annotator"].to_numpy(),
        form=pd.factorize(wide["annotation_id"].to_numpy()[0])[0],
        gold=crowd.items.set_index("item")["gold"].loc[items].to_numpy(dtype=float),
        experts=by_expert[of_expert].to_numpy(dtype=float),
        test=by_expert[rest].to_numpy(dtype=float),
        test_items=rest,
    )


def quoted(study: Study) -> dict[str, float]:
    """Return the labels that section 4.1 shows beside its headline."""
    found = {}
    for kind in KINDS:
        labels = study.data(f"snow2008_{kind}").labels
        own = labels[labels["item"] == QUOTED]
        # A simulated set has no such headline.
        rows = own if len(own) > SHOWN else labels
        found[f"example.{kind}"] = float(rows["label"].iloc[SHOWN])
    return found


def paired_correlation(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Correlate rows with rows, pair by pair; return the mean over pairs, by sample of items."""
    share = weights / weights.sum(axis=1, keepdims=True)
    a = first - first.mean(axis=1, keepdims=True)
    b = second - second.mean(axis=1, keepdims=True)
    mean_a, mean_b = share @ a.T, share @ b.T
    covariance = share @ (a * b).T - mean_a * mean_b
    variance_a = share @ (a**2).T - mean_a**2
    variance_b = share @ (b**2).T - mean_b**2
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = covariance / np.sqrt(variance_a * variance_b)
    return np.nanmean(correlation, axis=1)


class Samples(NamedTuple):
    """Correlations of one kind: of all headlines in row 0, then of bootstrap samples, shape (S,).

    `curve` is that of n averaged non-experts with five experts, shape (S, 10).
    """

    e_e: Floats
    e_all: Floats
    ne_e: Floats
    ne_all: Floats
    ne_all_released: Floats
    curve: Floats


def correlations(affect: Affect, seed: int, effort: Effort) -> Samples:
    """Compute Tables 1 and 2 for one kind, with resampled headlines."""
    experts, answers, others = affect.experts, affect.answers, affect.others
    n_items = len(affect.items)
    # From one seed, so that all kinds have the same headlines in a sample.
    drawn = draw_counts(n_items, REPLICATES[effort], np.random.default_rng(seed))
    weights = np.vstack([np.ones(n_items), drawn])
    n_experts, n_answers = len(experts), len(answers)
    everybody = experts.sum(axis=0) + answers.sum(axis=0)
    with_gold = n_experts * affect.gold + answers.sum(axis=0)
    n_all = n_experts + n_answers - 1
    curve = panel_correlations(answers, others, weights=weights)
    return Samples(
        e_e=paired_correlation(experts, others, weights),
        e_all=paired_correlation(experts, (everybody - experts) / n_all, weights),
        ne_e=curve[:, 0],
        ne_all=paired_correlation(answers, (with_gold - answers) / n_all, weights),
        ne_all_released=paired_correlation(answers, (everybody - answers) / n_all, weights),
        curve=curve,
    )


def with_averages(found: Mapping[str, Samples]) -> dict[str, Samples]:
    """Add the means over six and over seven kinds."""
    means = {
        name: Samples(
            *(np.mean(columns, axis=0) for columns in zip(*(found[k] for k in kinds), strict=True))
        )
        for name, kinds in AVERAGES.items()
    }
    return {**found, **means}


def interval(samples: Floats) -> tuple[float, float, float]:
    """Return the first number with the central 95% of the others."""
    lower, upper = np.nanquantile(samples[1:], [0.025, 0.975])
    value = float(samples[0])
    return value, min(float(lower), value), max(float(upper), value)


def needed(curve: Floats, reference: Floats) -> Floats:
    """Return how many non-experts equal an expert; one more than there are if all do not."""
    return np.minimum(smallest_panel(curve, reference), np.shape(curve)[-1] + 1)


def table_values(found: Mapping[str, Samples]) -> dict[str, float | tuple[float, float, float]]:
    """Return the cells of Tables 1 and 2, and the claims of section 4.1, by target."""
    values: dict[str, float | tuple[float, float, float]] = {}
    smallest = {}
    for kind, samples in found.items():
        for column in ("e_e", "e_all", "ne_e", "ne_all"):
            values[f"table1.{kind}.{column}"] = interval(getattr(samples, column))
        values[f"table2.{kind}.expert"] = interval(samples.e_e)
        values[f"table2.{kind}.ne10"] = interval(samples.curve[:, -1])
        if kind != "fear":
            k = smallest[kind] = float(needed(samples.curve, samples.e_e)[0])
            place = min(int(k), samples.curve.shape[1]) - 1
            values[f"table2.{kind}.k"] = k
            values[f"table2.{kind}.k_ne"] = interval(samples.curve[:, place])
    single = [smallest[kind] for kind in KINDS if kind != "fear"]
    return values | {
        "claim.max_k": max(single),
        "claim.frequent_k": float(pd.Series(single).mode().iloc[0]),
        "claim.average_k": smallest["avg_all"],
    }


def claim_row(target: str, samples: Floats) -> Computed:
    """Return a difference that is claimed to be positive; its interval decides."""
    value, lower, upper = interval(samples)
    ends = {"lower": lower, "upper": upper, "level": 0.95}
    return Computed(target, value, **ends, check_lower=lower, check_upper=upper)


def claims(found: Mapping[str, Samples]) -> list[Computed]:
    """Return how much better experts agree, and what adding non-experts does, on average."""
    of_all = found["avg_all"]
    return [
        claim_row("claim.experts_lead", of_all.e_e - of_all.ne_e),
        claim_row("claim.adding_non_experts", of_all.e_all - of_all.e_e),
    ]


def lead_over_ten(found: Mapping[str, Samples]) -> dict[str, float]:
    """Return the experts' lead over ten averaged non-experts, with whom it is none."""
    of_all = found["avg_all"]
    return {"claim.experts_lead": float(of_all.e_e[0] - of_all.curve[0, -1])}


def released_experts(found: Mapping[str, Samples]) -> dict[str, float]:
    """Return the last column of Table 1 with the released labels of the experts in the pool."""
    return {f"table1.{kind}.ne_all": float(found[kind].ne_all_released[0]) for kind in found}


def by_annotator(affect: Affect) -> Floats:
    """Return the correlation of each annotator with five experts, on the headlines they saw."""
    found = []
    for annotator in np.unique(affect.annotators):
        place, item = np.nonzero(affect.annotators == annotator)
        own = affect.answers[place, item]
        if np.ptp(own) > 0:
            every = np.ones((1, item.size))
            rows = np.repeat(own[None], len(affect.others), axis=0)
            found.append(paired_correlation(rows, affect.others[:, item], every)[0])
    return np.array(found)


def readings(
    data: Mapping[str, Affect],
    found: Mapping[str, Samples],
    rng: np.random.Generator,
    effort: Effort,
) -> pd.DataFrame:
    """Compare what a non-expert may be: an answer in the file's order, in others, an annotator."""
    rows = []
    for kind, affect in data.items():
        orders = [
            panel_correlations(in_another_order(affect, rng), affect.others)
            for _ in range(N_ORDERS[effort])
        ]
        first = [curve[0] for curve in orders]
        reference = np.full(len(orders), found[kind].e_e[0])
        k = needed(np.array(orders), reference)
        rows.append(
            {
                **{"kind": kind, "file_order": found[kind].curve[0, 0]},
                **{"lowest": min(first), "highest": max(first)},
                **{"annotators": by_annotator(affect).mean(), "n": len(by_annotator(affect))},
                **{"k": needed(found[kind].curve, found[kind].e_e)[0]},
                **{"k_lowest": k.min(), "k_highest": k.max()},
            }
        )
    return pd.DataFrame(rows)


def in_another_order(affect: Affect, rng: np.random.Generator) -> Floats:
    """Permute the answers of each form, so that other annotators become one non-expert."""
    mixed = affect.answers.copy()
    for form in np.unique(affect.form):
        own = affect.form == form
        mixed[:, own] = mixed[rng.permutation(len(mixed))][:, own]
    return mixed


def table_of_k(found: Mapping[str, Samples]) -> pd.DataFrame:
    """Return how many non-experts equal an expert, in all headlines and in samples of them."""
    rows = []
    for kind, samples in found.items():
        k = needed(samples.curve, samples.e_e)
        lower, upper = np.quantile(k[1:], [0.025, 0.975], method="inverted_cdf")
        lead = interval(samples.curve[:, -1] - samples.e_e)
        adding = interval(samples.e_all - samples.e_e)
        rows.append(
            {
                **{"kind": kind, "k": k[0], "lower": lower, "upper": upper},
                "share_never": float((k[1:] > samples.curve.shape[1]).mean()),
                **dict(zip(("ten_less_expert", "ten_lower", "ten_upper"), lead, strict=True)),
                **dict(zip(("adding", "adding_lower", "adding_upper"), adding, strict=True)),
            }
        )
    return pd.DataFrame(rows)


def table_of_curves(found: Mapping[str, Samples]) -> pd.DataFrame:
    """Return the curves of Figure 1 with intervals, and the experts' line."""
    rows = []
    for kind, samples in found.items():
        for n in range(samples.curve.shape[1]):
            estimate, lower, upper = interval(samples.curve[:, n])
            rows.append(
                {
                    **{"kind": kind, "n": n + 1, "estimate": estimate},
                    **{"lower": lower, "upper": upper, "expert": samples.e_e[0]},
                }
            )
    return pd.DataFrame(rows)


def scores_of_semeval(data: Mapping[str, Affect]) -> pd.DataFrame:
    """Compare SemEval's scores with the mean of the experts, as released and each stretched.

    Stretched: labels above and below 0 are divided by the largest of their sign that the expert
    gave to any headline, times 100.
    """
    rows = []
    for kind, affect in data.items():
        every = np.hstack([affect.experts, affect.test])
        top, bottom = every.max(axis=1)[:, None], -every.min(axis=1)[:, None]
        stretched = np.where(
            affect.experts > 0,
            affect.experts / np.where(top > 0, top, 1),
            affect.experts / np.where(bottom > 0, bottom, 1),
        )
        row: dict[str, float | str] = {"kind": kind, "headlines": len(affect.items)}
        for name, labels in (("released", affect.experts), ("stretched", 100 * stretched)):
            apart = abs(labels.mean(axis=0) - affect.gold)
            row |= {f"{name}_equal": int((apart <= 0.5 + 1e-9).sum()), f"{name}_most": apart.max()}
        largest = dict(zip(("e1", "e2", "e3", "e4", "e5", "e6"), top[:, 0], strict=False))
        rows.append({**row, **largest})
    return pd.DataFrame(rows)
