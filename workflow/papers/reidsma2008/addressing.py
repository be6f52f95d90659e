"""Section 2.1: who is addressed, and whether that is easier where the speaker looks at somebody."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import CategoricalNB

from annobench.datasets import LoadedData
from annobench.resampling import predictive_interval
from annobench_datasets import ami
from annobench_replication.ledger import PAPER_METHOD, Computed

SPEAKERS = "ABCD"
CONTEXTS = ("all", "focus", "no_focus")
#: What the gain and the loss of the focus would be if it were shuffled among the test acts.
AT_RANDOM = "focus at random"
#: Splits that "different train/test splits" speaks of, at least.
N_SPLITS_OF_PAPER = 2
ADDRESSING_CLAIMS = (
    *("experiment1.gain_focus", "experiment1.loss_no_focus", "experiment2.gain"),
    *("detection.precision_gain", "detection.recall_loss", "addressing.individual_share"),
)
#: Lexical features: whether an act has one of these words.
WORDS = {
    "you": {"you", "your", "yours"},
    "we": {"we", "us", "our", "let's"},
    "self": {"i", "i'm", "my", "me", "i'd", "i'll"},
    "question": {"?"},
    "all": {"everybody", "everyone", "guys", "anybody", "anyone"},
    "wh": {"what", "who", "why", "how", "which", "when"},
    "yes": {"yeah", "yes", "no", "okay"},
}


def addressed(acts: pd.DataFrame, focus: LoadedData) -> pd.DataFrame:
    """Return the acts with an addressee, its kind, and the context of the focus of attention."""
    rows = acts[acts["addressee"].notna()].reset_index(drop=True)
    n_addressees = rows["addressee"].str.count(",") + 1
    rows["kind"] = np.select([n_addressees == 1, n_addressees == 2], ["one", "two"], "group")
    gaze = ami.gaze_shares(rows, focus)
    someone = gaze[[f"speaker_{n}" for n in (1, 2, 3)]].sum(axis=1) > 0
    unknown = gaze["speaker_1"].isna()
    rows["context"] = np.select([unknown, someone], ["unknown", "focus"], "no_focus")
    return rows.join(gaze)


def facts(rows: pd.DataFrame) -> tuple[dict[str, float], pd.DataFrame]:
    """Count addressed acts by several readings of what the paper counts."""
    focused = rows["context"] != "unknown"
    listed = rows["real"] & (rows["meeting"].map(rows["meeting"].value_counts()) > 1)
    readings = {
        "all acts with an addressee": rows,
        "real acts": rows[rows["real"]],
        "real acts, listed meetings": rows[listed],
        "real acts, to one or to all": rows[listed & (rows["kind"] != "two")],
        "real acts, meetings with focus of attention": rows[rows["real"] & focused],
    }
    whole, clear, known = list(readings.values())[2:]
    someone = (known["context"] == "focus").mean()
    claims = {
        "addressing.n_annotated": len(whole),
        "addressing.n_individual": int((whole["kind"] == "one").sum()),
        "addressing.mostly_group.release": 100 * (clear["kind"] == "group").mean(),
        "addressing.no_focus_of_three": 3 - 3 * someone,
        "addressing.focus_of_three": 3 * someone,
    }
    table = pd.DataFrame(
        {
            "reading": name,
            "meetings": own["meeting"].nunique(),
            "addressed": len(own),
            **{f"to {kind}": (own["kind"] == kind).sum() for kind in ("one", "two")},
            "percent to one": 100 * (own["kind"] == "one").mean(),
        }
        for name, own in readings.items()
    )
    return claims, table


@dataclass(frozen=True)
class Addressing:
    """Acts to be classified: addressed to the group (0) or to the n-th participant (1 to 3)."""

    numbers: np.ndarray
    bins: np.ndarray
    gold: np.ndarray
    focus: np.ndarray
    group: np.ndarray

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Addressing":
        """Take real acts to one or all, where the focus of attention is known; make features."""
        own = rows[rows["real"] & (rows["kind"] != "two") & (rows["context"] != "unknown")]
        spoken = own["text"].str.lower().str.split()
        lexical = np.column_stack([[bool(w & set(t)) for t in spoken] for w in WORDS.values()])
        length = spoken.map(len).to_numpy()
        gaze = own.filter(regex="^(speaker|listener)_").to_numpy()
        speaker = own["speaker"].map(SPEAKERS.index).to_numpy()
        first = own["addressee"].str[0].map(SPEAKERS.index).to_numpy()
        duration = (own["end"] - own["start"]).to_numpy()
        looks = np.where(gaze > 0, np.where(gaze > 0.5, 2, 1), 0)
        return cls(
            np.column_stack([lexical, length, duration, gaze]),
            np.column_stack([lexical.astype(int), np.digitize(length, [3, 6, 11, 20]), looks]),
            np.where(own["kind"] == "one", (first - speaker) % 4, 0),
            (own["context"] == "focus").to_numpy(),
            own["group"].to_numpy(),
        )


def models(n_rounds: int) -> dict[str, Any]:
    """Return a Bayesian network whose features depend on the addressee alone, and boosted trees."""
    settings = {"max_leaf_nodes": 12, "learning_rate": 0.15, "early_stopping": False}
    trees = HistGradientBoostingClassifier(max_iter=n_rounds, random_state=0, **settings)
    return {"Bayesian network": CategoricalNB(min_categories=5), "gradient boosting": trees}


def experiments(
    data: Addressing, n_pairs: int, n_rounds: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Run both experiments for pairs of groups of meetings left out as test set.

    The first is scored with the focus shuffled among the test acts, too.
    """
    rows = []
    pairs = list(combinations(sorted(set(data.group)), 2))
    chosen = np.unique(np.linspace(0, len(pairs) - 1, n_pairs).round().astype(int))
    for pair in (pairs[n] for n in chosen):
        test = np.isin(data.group, pair)
        for name, model in models(n_rounds).items():
            features = data.bins if name == "Bayesian network" else data.numbers
            for experiment, train in (("1", ~test), ("2", ~test & data.focus)):
                answer = model.fit(features[train], data.gold[train]).predict(features[test])
                scored = {experiment: data.focus[test]}
                if experiment == "1":
                    scored[AT_RANDOM] = rng.permutation(data.focus[test])
                rows += [
                    {"test": "+".join(pair), "model": name, "experiment": by} | row
                    for by, focus in scored.items()
                    for row in context_scores(answer, data.gold[test], focus)
                ]
    return pd.DataFrame(rows)


def context_scores(answer: np.ndarray, gold: np.ndarray, focus: np.ndarray) -> list[dict[str, Any]]:
    """Score answers in the three contexts, and of the module that answers in the second alone."""
    rows = []
    for context, mask in zip(CONTEXTS, (focus | True, focus, ~focus), strict=True):
        a, g = answer[mask], gold[mask]
        one, right = g > 0, a == g
        shares = {
            "accuracy": right,
            "group or one": (a > 0) == one,
            "group precision": g[a == 0] == 0,
            "group recall": a[~one] == 0,
            "found as one": a[one] > 0,
            "right one": right[one],
            "right one among found": right[one & (a > 0)],
        }
        row = {"context": context, "acts": g.size, **{n: percent(s) for n, s in shares.items()}}
        rows.append(row | {"recall of all": 100 * right.sum() / gold.size})
    return rows


def percent(which: np.ndarray) -> float:
    """Return the share of true values in percent; 0 of no values."""
    return 100 * float(which.sum()) / max(which.size, 1)


def differences(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the differences that the paper speaks of, one row a split and model."""
    wide = scores.pivot(index=["model", "test"], columns=["experiment", "context"])

    def gain(score: str) -> pd.Series:
        return wide[score]["1"]["focus"] - wide[score]["1"]["all"]

    accuracy, found = wide["accuracy"]["1"], wide["found as one"]["1"]
    shuffled = wide["accuracy"][AT_RANDOM]
    # Of the gain, what is due to choosing the right one among those found as one.
    by_choice = gain("right one among found") * (found["focus"] + found["all"]) / 200
    return pd.DataFrame(
        {
            "experiment1.gain_focus": gain("accuracy"),
            "experiment1.loss_no_focus": accuracy["all"] - accuracy["no_focus"],
            "experiment2.gain": wide["accuracy"]["2", "focus"] - accuracy["focus"],
            "right_one_gain": gain("right one"),
            "right_one_gain_by_choice": by_choice,
            "addressing.individual_share": by_choice - gain("right one") / 2,
            "found_as_one_gain": gain("found as one"),
            "group_recall_gain": gain("group recall"),
            "group_precision_gain": gain("group precision"),
            "detection.precision_gain": gain("accuracy"),
            **{
                f"{target} {AT_RANDOM}": difference
                for target, difference in (
                    ("experiment1.gain_focus", shuffled["focus"] - shuffled["all"]),
                    ("experiment1.loss_no_focus", shuffled["all"] - shuffled["no_focus"]),
                )
            },
            "detection.recall_loss": accuracy["all"] - wide["recall of all"]["1"]["focus"],
        }
    ).reset_index()


def claims(table: pd.DataFrame, level: float) -> list[Computed]:
    """Return what section 2.1 says of the experiments: means over the splits, by model.

    The check interval is that of the mean of as many other splits as the paper speaks of, at
    least; the more it had, the shorter.
    """
    rows = []
    for model, own in table.groupby("model"):
        method = PAPER_METHOD if model == "Bayesian network" else str(model)
        n = len(own)
        narrower = np.sqrt((1 / max(N_SPLITS_OF_PAPER, 1) + 1 / n) / (1 + 1 / n))
        for target in ADDRESSING_CLAIMS:
            mean = own[target].mean()
            low, high = predictive_interval(own[target], level).limits
            low, high = mean - narrower * (mean - low), mean + narrower * (high - mean)
            rows.append(Computed(target, mean, check_lower=low, check_upper=high, method=method))
        if method == PAPER_METHOD:
            rows += [
                Computed(target, own[f"{target} {AT_RANDOM}"].mean(), method=AT_RANDOM)
                for target in ("experiment1.gain_focus", "experiment1.loss_no_focus")
            ]
    return rows
