"""Recompute Reidsma and op den Akker (2008) from the AMI corpus.

===========================  =======================================================
`addressing_facts`           section 2.1: dialogue acts with an addressee
`addressing_study`           section 2.1: both experiments, and the detection module
`definitions`                section 2.2: what a "yeah" utterance is
`table1`                     Table 1
`ratios`                     Tables 2 to 4: what is right among what
`repeated_analyses`          the same from other parts of the features
`difference_tests`           section 2.2: do annotators differ systematically?
`selective_models`           beyond the paper: models of annotation at equal coverage
`arithmetic`                 what printed numbers say of each other
===========================  =======================================================

The paper doesn't say which meetings it tested on. They were found: the counts of Table 1 are
those of utterances whose first token is "Yeah" with a capital, in whole groups of meetings
(`TEST_GROUPS`), to within 32 of 13,017, and for annotator S9 all eight counts are exact. Leave any
count out, and the others determine the same groups.

Nor does it print the features of its classifiers. Tables 2 to 4 are computed on its own test
meetings, from all features of three kinds; how far they hang on features shows in analyses of
random parts of them, which give the intervals.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import MaxAbsScaler

from annobench import datasets
from annobench.aggregation import learning
from annobench.aggregation.c45 import C45
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData, ami
from annobench.evaluation.selective import ABSTAIN, RiskCoverage, possible_answers, risk_coverage
from annobench.replication import rounding
from annobench.replication.compare import (
    CALIBRATION_METHOD,
    PAPER_METHOD,
    Computed,
    plain_rows,
    write_computed,
)
from annobench.reporting import plotting
from annobench.resampling.clusters import (
    cluster_draws,
    homogeneity_chi_square,
    permute_clusters,
    ratio_draws,
)
from annobench.resampling.intervals import predictive_interval

#: The paper's names of the annotators, and those of the release.
ANNOTATORS = {"dh": "dharshi", "s9": "s9553330", "vk": "vkaraisk"}
#: The categories of "yeah" utterances; every other type is "ot".
CATEGORIES = {"bck": "bc", "ass": "as", "inf": "in"}
CODES = ("bc", "as", "in", "ot")
NAMES = {"bc": "backchannel", "as": "assess", "in": "inform", "ot": "other"}
#: The groups of meetings that Table 1 tests on: the corpus's own development and test sets, less
#: ES2003, which is trained on.
TEST_GROUPS = (
    *("ES2004", "ES2011", "ES2014", "IS1008", "IS1009"),
    *("TS3003", "TS3004", "TS3006", "TS3007"),
)
#: Meetings that neither set of Table 1 has.
UNUSED = ("IB4003", "TS3007c", "TS3009c")
CLASSIFIERS = ("dh", "s9", "vk", "mix")
SPEAKERS = "ABCD"
CONTEXTS = ("all", "focus", "no_focus")
#: Analyses of random parts of the features, and one in so many utterances that classifiers see.
N_ANALYSES, ONE_IN = {"full": 32, "quick": 6}, {"full": 1, "quick": 8}
#: Of the features of each kind, an analysis has from this share to all.
LEAST_PART = 0.5
#: Pairs of groups of meetings tested on in section 2.1 (there are 21), and rounds of boosting.
N_PAIRS, N_ROUNDS = {"full": 21, "quick": 5}, {"full": 30, "quick": 4}
#: Splits that "different train/test splits" speaks of, at least.
N_SPLITS_OF_PAPER = 2
#: Exchanges of annotators with trees trained anew, exchanges without, bootstrap draws.
N_RETRAINED = {"full": 99, "quick": 9}
N_PERMUTED = {"full": 4999, "quick": 199}
N_BOOT = {"full": 1999, "quick": 99}
#: What the simulators follow: no finding where they stand in.
CALIBRATED = ("addressing.n_", "addressing.mostly_group.release", "yeah.share", "table1.")
#: Values that hang on the features, beside the cells of Tables 2 to 4.
SAMPLED_CLAIMS = ("voting.other_recall", "voting.precision_lead")
ADDRESSING_CLAIMS = (
    *("experiment1.gain_focus", "experiment1.loss_no_focus", "experiment2.gain"),
    *("detection.precision_gain", "detection.recall_loss", "addressing.individual_share"),
)
CAPTIONS = {
    "table1": (
        "Left: how far the counts by annotator and category are from those of Table 1, "
        "train and test together, by what counts as a “yeah” utterance. Right: the twelve "
        "counts of the closest reading."
    ),
    "table2": "Accuracy in percent of C4.5 trees, trained and tested by annotator.",
    "tables34": (
        "Accuracy and precision of maximum entropy classifiers and of their vote. Diamonds: "
        "printed. Dots: on the meetings of Table 1, with 95% intervals that resample test "
        "meetings. Bands: where analyses of other parts of the features lie, at the level "
        "at which they are compared."
    ),
    "differences": (
        "Do annotators differ, beyond what differs between meetings? Left and middle: the "
        "statistic, and what remains of it when annotators are exchanged between meetings "
        "or groups of meetings. Right: how much more often than a common classifier expects "
        "an annotator gives a category."
    ),
    "contexts": (
        "Who is addressed? Left: accuracy by context, one line a test set of two of seven "
        "groups of meetings, means as markers. Right: a module that answers always, and one "
        "that answers where the speaker looks at somebody, joined for each test set."
    ),
    "risk_coverage": (
        "Not in the paper: errors among the answers when a model answers only where it is "
        "surest, and the voting classifier, which can't choose how often it answers."
    ),
}


# ------------------------------------------------------------------ section 2.1: addressing


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


def addressing_facts(
    acts: pd.DataFrame, rows: pd.DataFrame
) -> tuple[dict[str, float], pd.DataFrame]:
    """Count addressed acts by several readings of what the paper counts."""
    focused = rows["context"] != "unknown"
    listed = rows["meeting"].map(rows["meeting"].value_counts()) > 1
    readings = {
        "all acts with an addressee": rows["kind"] != "",
        "real acts": rows["real"],
        "real acts, listed meetings": rows["real"] & listed,
        "real acts, to one or to all": rows["real"] & listed & (rows["kind"] != "two"),
        "real acts, meetings with focus of attention": rows["real"] & focused,
    }
    table = pd.DataFrame(
        [
            {"reading": name, "meetings": rows.loc[mask, "meeting"].nunique(),
             "addressed": int(mask.sum()),
             "to one": int((mask & (rows["kind"] == "one")).sum()),
             "to two": int((mask & (rows["kind"] == "two")).sum()),
             "percent to one": 100 * (rows.loc[mask, "kind"] == "one").mean()}
            for name, mask in readings.items()
        ]
    )  # fmt: skip
    whole = rows[readings["real acts, listed meetings"]]
    known = rows[rows["real"] & focused]
    someone = (known["context"] == "focus").mean()
    clear = whole[whole["kind"] != "two"]
    claims = {
        "addressing.n_annotated": len(whole),
        "addressing.n_individual": int((whole["kind"] == "one").sum()),
        "addressing.mostly_group.release": 100 * (clear["kind"] == "group").mean(),
        "addressing.no_focus_of_three": 3 - 3 * someone,
        "addressing.focus_of_three": 3 * someone,
    }
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
        words = {
            "you": {"you", "your", "yours"}, "we": {"we", "us", "our", "let's"},
            "self": {"i", "i'm", "my", "me", "i'd", "i'll"}, "question": {"?"},
            "all": {"everybody", "everyone", "guys", "anybody", "anyone"},
            "wh": {"what", "who", "why", "how", "which", "when"},
            "yes": {"yeah", "yes", "no", "okay"},
        }  # fmt: skip
        lexical = np.column_stack([[bool(w & set(t)) for t in spoken] for w in words.values()])
        length = spoken.str.len().to_numpy()
        gaze = own[[c for c in rows if c.startswith(("speaker_", "listener_"))]].to_numpy()
        speaker = own["speaker"].map(SPEAKERS.index).to_numpy()
        first = own["addressee"].str[0].map(SPEAKERS.index).to_numpy()
        gold = np.where(own["kind"] == "one", (first - speaker) % 4, 0)
        duration = (own["end"] - own["start"]).to_numpy()
        bins = np.column_stack([
            lexical.astype(int), np.digitize(length, [3, 6, 11, 20]),
            np.where(gaze > 0, np.where(gaze > 0.5, 2, 1), 0),
        ])  # fmt: skip
        return cls(np.column_stack([lexical, length, duration, gaze]), bins, gold,
                   (own["context"] == "focus").to_numpy(), own["group"].to_numpy())  # fmt: skip


def addressing_models(n_rounds: int) -> dict[str, Any]:
    """Return a Bayesian network whose features depend on the addressee alone, and boosted trees."""
    return {
        "Bayesian network": CategoricalNB(min_categories=5),
        "gradient boosting": HistGradientBoostingClassifier(
            max_iter=n_rounds,
            max_leaf_nodes=12,
            learning_rate=0.15,
            early_stopping=False,
            random_state=0,
        ),
    }


def addressing_study(data: Addressing, n_pairs: int, n_rounds: int) -> pd.DataFrame:
    """Run both experiments for pairs of groups of meetings left out as test set."""
    rows = []
    pairs = list(combinations(sorted(set(data.group)), 2))
    chosen = np.unique(np.linspace(0, len(pairs) - 1, n_pairs).round().astype(int))
    for pair in (pairs[n] for n in chosen):
        test = np.isin(data.group, pair)
        for name, model in addressing_models(n_rounds).items():
            features = data.bins if name == "Bayesian network" else data.numbers
            for experiment, train in (("1", ~test), ("2", ~test & data.focus)):
                answer = model.fit(features[train], data.gold[train]).predict(features[test])
                rows += [
                    {"test": "+".join(pair), "model": name, "experiment": experiment} | row
                    for row in context_scores(answer, data.gold[test], data.focus[test])
                ]
    return pd.DataFrame(rows)


def context_scores(answer: np.ndarray, gold: np.ndarray, focus: np.ndarray) -> list[dict[str, Any]]:
    """Score answers in the three contexts, and of the module that answers in the second alone."""
    rows = []
    for context, mask in zip(CONTEXTS, (focus | True, focus, ~focus), strict=True):
        a, g = answer[mask], gold[mask]
        one, right = g > 0, a == g
        rows.append(
            {
                "context": context, "acts": g.size, "accuracy": percent(right),
                "group or one": percent((a > 0) == one),
                "group precision": percent(g[a == 0] == 0), "group recall": percent(a[~one] == 0),
                "found as one": percent(a[one] > 0), "right one": percent(right[one]),
                "right one among found": percent(right[one & (a > 0)]),
                "recall of all": 100 * right.sum() / gold.size,
            }
        )  # fmt: skip
    return rows


def percent(which: np.ndarray) -> float:
    """Return the share of the true ones; 0 where there is none to be had."""
    return 100 * float(np.sum(which)) / max(which.size, 1)


def addressing_claims(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences that the paper speaks of, one row a split and model."""
    wide = table.pivot(index=["model", "test"], columns=["experiment", "context"])
    accuracy, found = wide["accuracy"]["1"], wide["found as one"]["1"]
    right, covered = wide["right one"]["1"], wide["recall of all"]["1"]
    choice = wide["right one among found"]["1"]
    recall, precision = wide["group recall"]["1"], wide["group precision"]["1"]
    gain = right["focus"] - right["all"]
    # Of the gain, what is due to choosing the right one among those found as one.
    by_choice = (choice["focus"] - choice["all"]) * (found["focus"] + found["all"]) / 200
    return pd.DataFrame(
        {
            "experiment1.gain_focus": accuracy["focus"] - accuracy["all"],
            "experiment1.loss_no_focus": accuracy["all"] - accuracy["no_focus"],
            "experiment2.gain": wide["accuracy"]["2", "focus"] - accuracy["focus"],
            "right_one_gain": gain,
            "right_one_gain_by_choice": by_choice,
            "addressing.individual_share": by_choice - gain / 2,
            "found_as_one_gain": found["focus"] - found["all"],
            "group_recall_gain": recall["focus"] - recall["all"],
            "group_precision_gain": precision["focus"] - precision["all"],
            "detection.precision_gain": accuracy["focus"] - accuracy["all"],
            "detection.recall_loss": accuracy["all"] - covered["focus"],
        }
    ).reset_index()  # fmt: skip


# --------------------------------------------------------------------- section 2.2: "yeah"


def readings(acts: pd.DataFrame) -> dict[str, pd.Series]:
    """Return which acts are "yeah" utterances by several definitions, that of Table 1 first."""
    tokens = acts["text"].str.split()
    first = tokens.str[0].fillna("")
    alone = acts["text"].str.fullmatch(r"[Yy]eah( [.,?])?")
    words = tokens.map(lambda t: next((w for w in t if w[0].isalpha()), ""))
    used = ~acts["meeting"].isin(UNUSED)
    return {
        "first token Yeah, capital, meetings of Table 1": (first == "Yeah") & used,
        "first token Yeah, capital": first == "Yeah",
        "first token begins with Yeah, capital": first.str.startswith("Yeah"),
        "first token yeah, any case": first.str.lower() == "yeah",
        "first token begins with yeah, any case": first.str.lower().str.startswith("yeah"),
        "first word yeah, punctuation skipped": words.str.lower() == "yeah",
        "yeah anywhere": acts["text"].str.lower().str.contains(r"\byeah\b"),
        "yeah alone": alone,
        "first token Yeah, real acts and backchannels": (first == "Yeah")
        & ~acts["label"].isin(["stl", "fra"]),
        "first token yeah, no capital": first == "yeah",
    }


def definitions(
    acts: pd.DataFrame, masks: Mapping[str, pd.Series], printed: pd.DataFrame
) -> pd.DataFrame:
    """Count utterances by several definitions against the sums of Table 1."""
    wanted = printed.set_index("category").T
    wanted = wanted.groupby(wanted.index.str[:2]).sum()
    category = acts["label"].map(CATEGORIES).fillna("ot")
    key = acts["annotator"].map({name: k for k, name in ANNOTATORS.items()})
    rows = []
    for name, mask in masks.items():
        counts = pd.crosstab(key[mask], category[mask]).reindex(
            index=wanted.index, columns=wanted.columns, fill_value=0
        )
        rows.append(
            {"definition": name, "utterances": int(mask.sum()),
             "percent of all acts": 100 * mask.mean(),
             "absolute difference": int((counts - wanted).abs().to_numpy().sum())}
            | {f"{k} {c}": int(counts.loc[k, c]) for k in counts.index for c in CODES}
        )  # fmt: skip
    rows.append(
        {"definition": "printed in Table 1", "utterances": int(wanted.to_numpy().sum()),
         "absolute difference": 0}
        | {f"{k} {c}": int(wanted.loc[k, c]) for k in wanted.index for c in CODES}
    )  # fmt: skip
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Yeah:
    """The "yeah" utterances of Table 1: features and categories, who labelled them, and where."""

    features: sp.csr_matrix
    category: np.ndarray
    annotator: np.ndarray
    meeting: np.ndarray
    ends: tuple[int, ...]  # of the columns of words, of times, and of acts before

    def one_in(self, n: int) -> "Yeah":
        """Return every n-th utterance."""
        return Yeah(self.features[::n], self.category[::n], self.annotator[::n],
                    self.meeting[::n], self.ends)  # fmt: skip

    @cached_property
    def group(self) -> np.ndarray:
        """The group of meetings of each utterance."""
        return np.array([name[:6] for name in self.meeting])

    @cached_property
    def site(self) -> np.ndarray:
        """The place of the recording of each utterance: ES, IS or TS."""
        return np.array([name[:2] for name in self.meeting])


def yeah_utterances(acts: pd.DataFrame, chosen: pd.Series) -> Yeah:
    """Make the features: words, times, and the dialogue acts before."""
    own = acts[chosen]
    vectors = CountVectorizer(binary=True, min_df=5, analyzer=word_features)
    words = vectors.fit_transform(own["text"])
    before = pd.DataFrame(
        {
            "previous": acts.groupby("meeting")["label"].shift(),
            "own": acts.groupby(["meeting", "speaker"])["label"].shift(),
        }
    ).fillna("none")
    same = acts.groupby("meeting")["speaker"].shift() == acts["speaker"]
    context = pd.get_dummies(before[chosen]).assign(same=same[chosen]).to_numpy(float)
    times = ami.speech_times(acts)[chosen].assign(words=own["text"].str.split().str.len())
    times[["pause_before", "pause_after"]] += 5  # scaled by their largest value, from 0
    parts = [words, times.to_numpy(), context]
    features = sp.hstack(parts).tocsr()
    key = {name: k for k, name in ANNOTATORS.items()}
    return Yeah(
        MaxAbsScaler().fit_transform(features),
        own["label"].map(CATEGORIES).fillna("ot").map(CODES.index).to_numpy(),
        own["annotator"].map(key).to_numpy(),
        own["meeting"].to_numpy(),
        tuple(np.cumsum([part.shape[1] for part in parts])),
    )


def word_features(text: str) -> list[str]:
    """Return names for the length, for words and their places, and for the last token."""
    tokens = text.lower().split()
    rest = tokens[1:]
    places = [f"{n}:{token}" for n, token in enumerate(rest[:4], 1)]
    return [f"length:{min(len(tokens), 12)}", f"last:{tokens[-1]}", *places, *rest]


def table1(yeah: Yeah) -> dict[str, float]:
    """Count categories by annotator in train and test meetings."""
    test = np.isin(yeah.group, TEST_GROUPS)
    return {
        f"table1.{code}.{who}_{part}": int(
            ((yeah.annotator == who) & mask & (yeah.category == n)).sum()
        )
        for n, code in enumerate(CODES)
        for who in ANNOTATORS
        for part, mask in (("train", ~test), ("test", test))
    }


# ------------------------------------------------------------------------- Tables 2 to 4


def tree() -> C45:
    """Return J48 as Weka has it by default, but for subtree raising."""
    return C45(min_cases=2, confidence=0.25)


def maximum_entropy() -> LogisticRegression:
    """Return a maximum entropy classifier."""
    return LogisticRegression(C=1.0, max_iter=200, tol=1e-3)


def trained(make: Any, yeah: Yeah, train: np.ndarray) -> dict[str, Any]:
    """Train on each annotator's utterances, and on all."""
    masks = {who: train & (yeah.annotator == who) for who in ANNOTATORS} | {"mix": train}
    return {who: make().fit(yeah.features[m], yeah.category[m]) for who, m in masks.items()}


Ratio = tuple[np.ndarray, np.ndarray]


def ratios(yeah: Yeah, train: np.ndarray, test: np.ndarray) -> dict[str, Ratio]:
    """Return, for every value of Tables 2 to 4, what is right and among what, by utterance."""
    gold, annotator = yeah.category[test], yeah.annotator[test]
    features = yeah.features[test]
    found: dict[str, Ratio] = {}
    for who, model in trained(tree, yeah, train).items():
        right = model.predict(features) == gold
        for other in (*ANNOTATORS, "mixed"):
            among = np.ones(gold.size, bool) if other == "mixed" else annotator == other
            found[f"table2.{who}.{other}"] = (right & among, among)
    answers = {w: m.predict(features) for w, m in trained(maximum_entropy, yeah, train).items()}
    answers["voting"] = learning.unanimous(np.stack([answers[who] for who in ANNOTATORS]))
    for who, answer in answers.items():
        right = answer == gold
        found[f"table3.{who}.accuracy"] = (right, np.ones(gold.size, bool))
        for n, code in enumerate(CODES):
            found[f"table4.{code}.{who}"] = (right & (answer == n), answer == n)
    for n, code in enumerate(CODES):
        is_right = (answers["voting"] == gold) & (gold == n)
        found[f"voting.{NAMES[code]}_recall"] = (is_right, gold == n)
    found["voting.coverage"] = (answers["voting"] != ABSTAIN, np.ones(gold.size, bool))
    return found


def summary(found: Mapping[str, Ratio]) -> dict[str, float]:
    """Return the values in percent, and by how much the vote is the most precise at least.

    A category that is never answered has precision 0.
    """
    values = {name: 100 * top.sum() / max(bottom.sum(), 1) for name, (top, bottom) in found.items()}
    precision = np.array(
        [[values[f"table4.{code}.{who}"] for who in ("voting", *CLASSIFIERS)] for code in CODES]
    )
    values["voting.precision_lead"] = float((precision[:, 0] - precision[:, 1:].max(axis=1)).min())
    return values


def excess(
    yeah: Yeah, test: np.ndarray, printed: pd.DataFrame, rng: np.random.Generator
) -> np.ndarray:
    """Choose as many utterances of each cell of Table 1 as the release has more than it printed."""
    counts, chosen = printed.set_index("category"), []
    for n, code in enumerate(CODES):
        for who in ANNOTATORS:
            for part, side in (("train", ~test), ("test", test)):
                own = np.flatnonzero((yeah.category == n) & (yeah.annotator == who) & side)
                more = max(own.size - int(counts.loc[code, f"{who}_{part}"]), 0)
                chosen.append(rng.choice(own, more, replace=False))
    return np.concatenate(chosen)


def repeated_analyses(
    yeah: Yeah,
    test: np.ndarray,
    printed: pd.DataFrame,
    rng: np.random.Generator,
    n: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute everything anew from random parts of the features, on the paper's own meetings.

    Which features the paper used is not printed. An analysis has some of the features of each
    kind, from `LEAST_PART` of them to all, and lacks utterances that Table 1 doesn't count.
    Returns the values, and those that are shares as log odds, which an interval can't leave.
    """
    columns, values, odds = yeah.features.tocsc(), [], []
    for _ in range(n):
        used = np.concatenate([
            rng.random(end - start) < rng.uniform(LEAST_PART, 1)
            for start, end in pairwise((0, *yeah.ends))
        ])  # fmt: skip
        own = np.ones(yeah.category.size, bool)
        own[excess(yeah, test, printed, rng)] = False
        part = Yeah(columns[:, used].tocsr(), yeah.category, yeah.annotator, yeah.meeting, ())
        found = ratios(part, ~test & own, test & own)
        values.append(summary(found))
        odds.append({name: log_odds(*ratio) for name, ratio in found.items()})
    return pd.DataFrame(values), pd.DataFrame(odds)


def log_odds(top: np.ndarray, bottom: np.ndarray) -> float:
    """Return the log odds of a share, half an item added to either side; NaN of no items."""
    right, rest = float(np.sum(top)), float(np.sum(bottom) - np.sum(top))
    return float(np.log((right + 0.5) / (rest + 0.5))) if right + rest else np.nan


def interval_of(
    target: str, values: pd.DataFrame, odds: pd.DataFrame, level: float
) -> tuple[float, float]:
    """Return where one more analysis lies, among those that have the value at all."""
    is_share = target in odds
    seen = (odds if is_share else values)[target].dropna()
    if seen.size < 2:  # next to no analysis answers the category: anything is possible
        return (0.0 if is_share else -100.0), 100.0
    found = predictive_interval(seen, level)
    low, high = found.lower, found.upper
    return (100 * float(expit(low)), 100 * float(expit(high))) if is_share else (low, high)


# ------------------------------------------------------------- do annotators differ at all?


def own_advantage(yeah: Yeah, annotator: np.ndarray, test: np.ndarray) -> float:
    """Return by how much trees do better on test data of their own annotator, in points."""
    gold = yeah.category[test]
    accuracy = np.zeros((3, 3))
    for n, who in enumerate(ANNOTATORS):
        train = ~test & (annotator == who)
        answer = tree().fit(yeah.features[train], yeah.category[train]).predict(yeah.features[test])
        for m, other in enumerate(ANNOTATORS):
            accuracy[n, m] = 100 * np.mean((answer == gold)[annotator[test] == other])
    own = np.eye(3, dtype=bool)
    return float(accuracy[own].mean() - accuracy[~own].mean())


def difference_tests(
    yeah: Yeah, rng: np.random.Generator, effort: str = "full"
) -> tuple[pd.DataFrame, dict[str, np.ndarray], pd.DataFrame]:
    """Test whether annotators differ beyond what differs between meetings.

    A meeting has one annotator, so that whole meetings are exchanged, not utterances. Two
    statistics: the advantage of trees on their own annotator's test data, and how far annotators
    depart from what a common classifier, not trained on the group, expects of their utterances.
    """
    place, names = pd.factorize(yeah.meeting)
    first = np.unique(place, return_index=True)[1]
    who, site, group = yeah.annotator[first], yeah.site[first], yeah.group[first]
    test = np.isin(yeah.group, TEST_GROUPS)
    side = test[first].astype(int)
    nulls = {}
    observed = {"own advantage": own_advantage(yeah, yeah.annotator, test)}
    nulls["own advantage"] = np.array([
        own_advantage(yeah, permute_clusters(who, strata=side, rng=rng)[place], test)
        for _ in range(N_RETRAINED[effort])
    ])  # fmt: skip
    residual = residuals(yeah)
    sums = np.column_stack([np.bincount(place, r, names.size) for r in residual.T])
    sizes = np.bincount(place)
    rates = np.bincount(yeah.category, minlength=len(CODES)) / place.size
    departure = homogeneity_chi_square(sums, sizes, rates, who[None])
    for name, strata in (("departure", np.zeros(names.size)), ("departure, within site", site)):
        drawn = np.stack(
            [permute_clusters(who, strata=strata, rng=rng) for _ in range(N_PERMUTED[effort])]
        )
        observed[name] = float(departure[0])
        nulls[name] = homogeneity_chi_square(sums, sizes, rates, drawn)
    name = "departure, whole groups of one annotator"
    observed[name], nulls[name] = group_departures(
        who, group, sums, sizes, rates, rng, N_PERMUTED[effort]
    )
    single = np.stack([rng.permutation(yeah.annotator) for _ in range(199)])
    name = "departure, utterances exchanged"
    observed[name] = float(departure[0])
    nulls[name] = homogeneity_chi_square(residual, np.ones(place.size), rates, single)
    rows = [
        {"statistic": name, "observed": value, "mean under exchange": nulls[name].mean(),
         "95% point": np.quantile(nulls[name], 0.95), "exchanges": nulls[name].size,
         "p_value": (1 + (nulls[name] >= value).sum()) / (1 + nulls[name].size)}
        for name, value in observed.items()
    ]  # fmt: skip
    return pd.DataFrame(rows), nulls, tendencies(who, sums, sizes, rng, N_BOOT[effort])


def group_departures(
    who: np.ndarray,
    group: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
    rates: np.ndarray,
    rng: np.random.Generator,
    n_permuted: int,
) -> tuple[float, np.ndarray]:
    """Exchange annotators between groups of meetings, whose participants are the same people.

    Groups that annotators share are left out. Returns the observed departure and those exchanged.
    """
    place, groups = pd.factorize(group)
    whole = np.array([np.unique(who[place == n]).size == 1 for n in range(groups.size)])
    first = np.unique(place, return_index=True)[1]
    totals = np.column_stack([np.bincount(place, column) for column in sums.T])[whole]
    n, own = np.bincount(place, sizes)[whole], who[first][whole]
    drawn = np.stack([rng.permutation(own) for _ in range(n_permuted)])
    observed = homogeneity_chi_square(totals, n, rates, own[None])
    return float(observed[0]), homogeneity_chi_square(totals, n, rates, drawn)


def tendencies(
    who: np.ndarray, sums: np.ndarray, sizes: np.ndarray, rng: np.random.Generator, n_boot: int
) -> pd.DataFrame:
    """Return which labels an annotator gives more often than a common classifier expects.

    In percentage points, with 95% intervals that resample the annotator's meetings.
    """
    rows = []
    for name in ANNOTATORS:
        own = who == name
        n = int(own.sum())
        weights = rng.multinomial(n, np.full(n, 1 / n), size=n_boot)
        drawn = 100 * (weights @ sums[own]) / (weights @ sizes[own])[:, None]
        value = 100 * sums[own].sum(axis=0) / sizes[own].sum()
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        rows += [
            {"annotator": name.upper(), "category": NAMES[code], "meetings": n,
             "excess": value[k], "lower": low[k], "upper": high[k]}
            for k, code in enumerate(CODES)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def residuals(yeah: Yeah) -> np.ndarray:
    """Return labels less the probabilities of a classifier not trained on the group."""
    expected = np.zeros((yeah.category.size, len(CODES)))
    for train, test in GroupKFold(5).split(yeah.features, groups=yeah.group):
        model = maximum_entropy().fit(yeah.features[train], yeah.category[train])
        expected[test] = learning.probabilities(model, yeah.features[test], len(CODES))
    return np.eye(len(CODES))[yeah.category] - expected


# -------------------------------------------------------------------- beyond the paper


def selective_models(
    yeah: Yeah, rng: np.random.Generator, n_boot: int
) -> tuple[pd.DataFrame, dict[str, RiskCoverage]]:
    """Compare abstention by vote with models of annotation that rank their own answers.

    Each gives probabilities of the label of a test utterance; where it is surest, it answers,
    as often as the vote does. Intervals of differences resample the test meetings.
    """
    test = np.isin(yeah.group, TEST_GROUPS)
    gold, features = yeah.category[test], yeah.features[test]
    who, train_who = (pd.Index(ANNOTATORS).get_indexer(yeah.annotator[m]) for m in (test, ~test))
    data = (yeah.features[~test], yeah.category[~test], train_who, features)
    models = trained(maximum_entropy, yeah, ~test)
    single = {n: learning.probabilities(m, features, len(CODES)) for n, m in models.items()}
    apart = learning.AnnotatorClassifier(np.stack([single[name] for name in ANNOTATORS]))
    shared = learning.fit_feature_augmentation(*data)
    confusion, _ = learning.fit_raykar(*data)
    vote = learning.unanimous(apart.by_annotator.argmax(axis=2))
    answered = vote != ABSTAIN
    chosen = {"voting": (answered, vote == gold)}
    curves, log_score = {}, {}
    for name, p in {
        "all annotators pooled": single["mix"],
        "soft labels of three classifiers": apart.soft,
        "soft labels, shared and own weights": shared.soft,
        "soft labels, confusion matrices": confusion.soft,
        "annotator known, own classifier": apart.of(who),
        "annotator known, shared and own weights": shared.of(who),
        "annotator known, confusion matrices": confusion.of(who),
    }.items():
        sure, right = p.max(axis=1), p.argmax(axis=1) == gold
        curves[name] = risk_coverage(sure, right)
        rank = np.argsort(np.argsort(-sure, kind="stable"))
        chosen[name] = (rank < answered.sum(), right)
        own = p[np.arange(gold.size), gold]
        log_score[name] = -float(np.log(np.maximum(own, 1e-12)).mean())
    place, names = pd.factorize(yeah.meeting[test])
    sides = {name: (right & given, given) for name, (given, right) in chosen.items()}
    drawn = ratio_draws(sides, place, cluster_draws(names.size, n_boot, rng=rng))
    accuracy = {name: 100 * top.sum() / bottom.sum() for name, (top, bottom) in sides.items()}
    rows = []
    for name, value in accuracy.items():
        low, high = np.quantile(100 * (drawn[name] - drawn["voting"]), [0.025, 0.975])
        curve = curves.get(name)
        rows.append(
            {"model": name, "coverage": 100 * answered.mean(), "accuracy of answers": value,
             "less voting": value - accuracy["voting"], "lower": low, "upper": high,
             "accuracy of all": 100 * (1 - curve.risk[-1]) if curve else np.nan,
             "area under risk": 100 * curve.area if curve else np.nan,
             "log score": log_score.get(name, np.nan)}
        )  # fmt: skip
    return pd.DataFrame(rows), curves


def variants(yeah: Yeah) -> pd.DataFrame:
    """Compute Tables 2 and 3 from fewer features, and with smaller and larger leaves."""
    test = np.isin(yeah.group, TEST_GROUPS)
    gold, annotator = yeah.category[test], yeah.annotator[test]
    features = ("words", "words and times", "words, times and acts before")
    makers = {"maximum entropy": maximum_entropy} | {
        f"tree, leaves of {n}": lambda n=n: C45(min_cases=n) for n in (2, 5, 20, 50)
    }
    rows = []
    for name, end in zip(features, yeah.ends, strict=True):
        part = Yeah(yeah.features[:, :end], yeah.category, yeah.annotator, yeah.meeting, (end,))
        for classifier, make in makers.items():
            row: dict[str, Any] = {"features": name, "classifier": classifier}
            for who, model in trained(make, part, ~test).items():
                answer = model.predict(part.features[test])
                right = answer == gold
                row |= {f"{who} on {w}": percent(right[annotator == w]) for w in ANNOTATORS}
                row[f"{who} on all"] = percent(right)
                row[f"{who} precision of other"] = percent(right[answer == CODES.index("ot")])
            rows.append(row)
    return pd.DataFrame(rows)


def coincidence(analyses: pd.DataFrame) -> pd.DataFrame:
    """Say how often trees and maximum entropy have one accuracy, as Tables 2 and 3 print it."""
    tree, entropy = (
        pd.DataFrame({who: analyses[name.format(who)] for who in ANNOTATORS})
        for name in ("table2.{}.mixed", "table3.{}.accuracy")
    )
    same = tree.round() == entropy.round()
    table = pd.DataFrame(
        {"entropy less tree": (entropy - tree).mean(), "percent equal": 100 * same.mean()}
    )
    every = {"entropy less tree": np.nan, "percent equal": 100 * same.all(axis=1).mean()}
    table.loc["all three"] = every
    return table.reset_index(names="trained on")


# ------------------------------------------------------------------- printed numbers alone


def arithmetic(printed: Mapping[str, pd.DataFrame]) -> list[Computed]:
    """Compute what printed numbers, as text, say of each other."""
    counts = printed["table1"].set_index("category").astype(int)
    cells, precision = printed["table2"].set_index("train"), printed["table4"].set_index("category")
    accuracy = printed["table3"].set_index("classifier")["accuracy"]
    text = printed["text"].set_index("name")["value"].astype(float)
    columns = {part: [f"{who}_{part}" for who in ANNOTATORS] for part in ("train", "test")}
    sizes = counts[columns["test"]].sum().to_numpy()
    trained_on = dict(zip(ANNOTATORS, counts[columns["train"]].sum(), strict=True))
    trained_on |= dict.fromkeys(("mix", "voting"), counts[columns["train"]].to_numpy().sum())

    def weighted(of_row: Sequence[float]) -> float:
        return float(np.average(of_row, weights=sizes))

    def n_led(of_rows: Sequence[float]) -> float:
        table = np.reshape(of_rows, precision.shape)
        return float((table[:, 0] > table[:, 1:].max(axis=1)).sum())

    def loss(of_column: Sequence[float]) -> float:
        return min(of_column[1:]) - of_column[0]

    first = ["voting", *CLASSIFIERS]
    rounded = {
        **{f"table2.{who}.mixed.arithmetic":
           rounding.propagate(weighted, list(cells.loc[who, list(ANNOTATORS)]))
           for who in ANNOTATORS},
        "voting.accuracy_loss": rounding.propagate(loss, list(accuracy.loc[first])),
        "voting.n_more_precise": rounding.propagate(n_led, list(precision[first].to_numpy().flat)),
    }  # fmt: skip
    exact = {
        "addressing.mostly_group": 100 - 100 * text["individual"] / text["annotated"],
        **{f"table1.{code}.{part}_total": counts.loc[code, columns[part]].sum()
           for code in CODES for part in columns},
        **{f"table3.{who}.n_train": n for who, n in trained_on.items()},
        "table3.n_test": sizes.sum(),
    }  # fmt: skip
    return plain_rows(exact, "printed_table") + [
        Computed(target, found.value, rounding_lower=found.lower, rounding_upper=found.upper,
                 provenance="printed_table")
        for target, found in rounded.items()
    ]  # fmt: skip


def implied_coverage(printed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return which coverage the printed accuracy and precision allow, in percent."""
    counts = printed["table1"].set_index("category").astype(int)
    gold = counts[[f"{who}_test" for who in ANNOTATORS]].sum(axis=1)
    precision = printed["table4"].set_index("category").loc[gold.index].astype(float) / 100
    rows = []
    for who, accuracy in printed["table3"].itertuples(index=False):
        (low, high), _ = possible_answers(gold, float(accuracy) / 100, precision[who])
        rows.append({"classifier": who, "least": 100 * low, "most": 100 * high})
    return pd.DataFrame(rows)


# ----------------------------------------------------------------------------- the results


def addressing_rows(claims: pd.DataFrame, n_sampled: int, provenance: str) -> list[Computed]:
    """Return what section 2.1 says of the experiments: means over the splits, by model.

    The check interval is that of the mean of as many other splits as the paper speaks of, at
    least; the more it had, the shorter.
    """
    rows = []
    for model, own in claims.groupby("model"):
        method = PAPER_METHOD if model == "Bayesian network" else str(model)
        n = len(own)
        narrower = np.sqrt((1 / max(N_SPLITS_OF_PAPER, 1) + 1 / n) / (1 + 1 / n))
        for target in ADDRESSING_CLAIMS:
            mean = own[target].mean()
            next_one = predictive_interval(own[target], 1 - 0.05 / n_sampled)
            low, high = next_one.lower, next_one.upper
            rows.append(Computed(target, mean, check_lower=mean - narrower * (mean - low),
                                 check_upper=mean + narrower * (high - mean),
                                 method=method, provenance=provenance))  # fmt: skip
    return rows


def table_rows(
    values: Mapping[str, float],
    analyses: tuple[pd.DataFrame, pd.DataFrame],
    drawn: Mapping[str, np.ndarray],
    sampled: list[str],
    n_sampled: int,
    provenance: str,
) -> list[Computed]:
    """Return Tables 2 to 4 from all features, with the intervals of analyses of parts of them."""
    rows = []
    for target in sampled:
        low, high = interval_of(target, *analyses, 1 - 0.05 / n_sampled)
        lower = upper = None
        # A category never answered in a sample has no precision there.
        if target in drawn and not np.isnan(drawn[target]).all():
            lower, upper = 100 * np.nanquantile(drawn[target], [0.025, 0.975])
        rows.append(Computed(target, float(values[target]), lower=lower, upper=upper,
                             level=None if lower is None else 0.95, check_lower=low,
                             check_upper=high, provenance=provenance))  # fmt: skip
    return rows


def as_stand_in(rows: list[Computed]) -> list[Computed]:
    """Mark what a simulation was calibrated to."""
    return [
        Computed(row.target, row.value, method=CALIBRATION_METHOD, provenance=row.provenance)
        if row.provenance == "simulated" and row.target.startswith(CALIBRATED)
        else row
        for row in rows
    ]


def is1003d_table(acts: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    """Count what the release has of the meeting that three annotators labelled."""
    own = acts[(acts["meeting"] == "IS1003d")]
    category = own["label"].map(CATEGORIES).fillna("ot")
    return pd.DataFrame(
        [
            {"annotator": name, "dialogue acts": len(rows), "yeah": int(chosen[rows.index].sum())}
            | {
                NAMES[c]: int((chosen[rows.index] & (category[rows.index] == c)).sum())
                for c in CODES
            }
            for name, rows in own.groupby("annotator")
        ]
    )


# --------------------------------------------------------------------------------- figures


def printed_values(printed: Mapping[str, pd.DataFrame]) -> dict[str, float]:
    """Return the cells of Tables 2 to 4 by target."""
    cells, precision = printed["table2"].set_index("train"), printed["table4"].set_index("category")
    return {
        **{f"table2.{a}.{b}": float(cells.loc[a, b]) for a in cells.index for b in cells},
        **{f"table3.{who}.accuracy": float(value) for who, value in printed["table3"].to_numpy()},
        **{f"table4.{c}.{who}": float(precision.loc[c, who]) for c in CODES for who in precision},
    }


def figure_table1(table: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw how far definitions are from Table 1, and the closest one cell by cell."""
    with plotting.house_figure(2, height=3.9, stand_in=stand_in) as (figure, (left, right)):
        figure.set_size_inches(9.6, 3.9)
        own = table.iloc[:-1].sort_values("absolute difference", ascending=False)
        left.barh(own["definition"], own["absolute difference"], color="#A6C8DD",
                  edgecolor=plotting.INK, linewidth=0.5)  # fmt: skip
        for n, value in enumerate(own["absolute difference"]):
            left.text(value * 1.1, n, f"{value:,}", va="center", fontsize=8)
        left.set(xscale="log", xlim=(10, 60000), xlabel="utterances off Table 1 (log scale)")
        left.set_title("Readings of a “yeah” utterance")
        best, printed = table.iloc[0], table.iloc[-1]
        styles = (("o", plotting.BLUE), ("s", plotting.VERMILION), ("D", plotting.GREEN))
        for who, (marker, colour) in zip(ANNOTATORS, styles, strict=True):
            cells = [f"{who} {code}" for code in CODES]
            right.plot([printed[c] for c in cells], [best[c] - printed[c] for c in cells], marker,
                       color=colour, label=who.upper(), markerfacecolor="white")  # fmt: skip
        right.axhline(0, color=plotting.GREY, linestyle="--", linewidth=0.9)
        right.set(
            xlabel="printed count, train and test", ylabel="counted less printed", ylim=(-1, 9)
        )
        right.set_title("The closest reading, twelve counts")
        right.legend(loc="upper left")
        plotting.save_figure(figure, stem)


def figure_table2(
    values: Mapping[str, float], printed: Mapping[str, float], stem: Path, stand_in: str | None
) -> None:
    """Draw Table 2 as printed and as recomputed."""
    columns = (*ANNOTATORS, "mixed")
    with plotting.house_figure(2, height=2.9, stand_in=stand_in) as (figure, panels):
        for axes, title, source in zip(
            panels, ("Table 2 as printed", "Recomputed"), (printed, values), strict=True
        ):
            cells = np.array([[source[f"table2.{a}.{b}"] for b in columns] for a in ANNOTATORS])
            axes.imshow(cells, cmap="Blues", vmin=35, vmax=85, aspect="auto")
            for (i, j), value in np.ndenumerate(cells):
                axes.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=11,
                          fontweight="bold" if i == j else "normal")  # fmt: skip
            axes.set(xticks=range(4), yticks=range(3), xlabel="tested on", ylabel="trained on")
            axes.set_xticklabels([*map(str.upper, ANNOTATORS), "all"])
            axes.set_yticklabels(map(str.upper, ANNOTATORS))
            axes.set_title(title)
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
        plotting.save_figure(figure, stem)


def figure_tables34(
    rows: Mapping[str, Computed], printed: Mapping[str, float], stem: Path, stand_in: str | None
) -> None:
    """Draw accuracy and precision with the intervals of other analyses, and what is printed."""
    order = ("voting", "mix", "dh", "s9", "vk")
    panels_of = {"Accuracy (Table 3)": "table3.{}.accuracy"} | {
        f"Precision: {NAMES[code]}": f"table4.{code}.{{}}" for code in CODES
    }
    with plotting.house_figure(5, height=3.0, stand_in=stand_in) as (figure, panels):
        figure.set_size_inches(11.5, 3.0)
        for axes, (title, pattern) in zip(panels, panels_of.items(), strict=True):
            for y, who in enumerate(order):
                row = rows[pattern.format(who)]
                axes.hlines(y, row.check_lower, row.check_upper, color="#C9D9E4", linewidth=6)
                if row.level:
                    axes.hlines(y, row.lower, row.upper, color=plotting.BLUE, linewidth=1.3)
                axes.plot(row.value, y, "o", color=plotting.BLUE, markersize=5)
                axes.plot(printed[pattern.format(who)], y, "D", color=plotting.VERMILION,
                          markerfacecolor="white", markersize=6)  # fmt: skip
            axes.set(yticks=range(5), ylim=(4.6, -0.6), xlabel="percent", title=title)
            names = {"voting": "voting", "mix": "all pooled"}
            axes.set_yticklabels(
                [names.get(w, w.upper()) for w in order] if axes is panels[0] else []
            )
            axes.set_xlim(10, 105) if axes is not panels[0] else axes.set_xlim(25, 80)
        plotting.save_figure(figure, stem)


def figure_differences(
    tests: pd.DataFrame,
    nulls: Mapping[str, np.ndarray],
    tendency: pd.DataFrame,
    stem: Path,
    stand_in: str | None,
) -> None:
    """Draw both permutation tests, and what each annotator labels more often than expected."""
    observed = tests.set_index("statistic")["observed"]
    with plotting.house_figure(3, height=3.4, stand_in=stand_in) as (figure, (left, middle, right)):
        name = "own advantage"
        plotting.histogram(left, nulls[name], bins=15, marks=[(observed[name], "observed", "-")])
        left.set(xlabel="advantage on own test data, points", ylabel="exchanges of annotators")
        left.set_title("Trees trained anew")
        name = "departure, whole groups of one annotator"
        plotting.histogram(middle, nulls[name], bins=25, marks=[(observed[name], "observed", "-")])
        middle.set(xlabel="departure from common expectation", ylabel="exchanges")
        middle.set_title("Whole groups of meetings")
        styles = (("o", plotting.BLUE), ("s", plotting.VERMILION), ("D", plotting.GREEN))
        for n, ((who, own), (marker, colour)) in enumerate(
            zip(tendency.groupby("annotator"), styles, strict=True)
        ):
            y = np.arange(len(CODES)) + 0.2 * (n - 1)
            right.hlines(y, own["lower"], own["upper"], color=colour)
            right.plot(own["excess"], y, marker, color=colour, markerfacecolor="white", label=who)
        right.axvline(0, color=plotting.GREY, linestyle="--", linewidth=0.9)
        right.set(yticks=range(len(CODES)), ylim=(3.5, -0.9), xlabel="percentage points")
        right.set_yticklabels([NAMES[code] for code in CODES])
        right.set_title("Given more often than expected")
        right.legend(loc="upper center", ncols=3, columnspacing=0.8, handletextpad=0.2)
        plotting.save_figure(figure, stem)


def figure_contexts(scores: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw accuracy in the three contexts, and precision and recall of the detection module."""
    names = {"all": "all", "focus": "somebody\nin focus", "no_focus": "nobody\nin focus"}
    styles = {
        "Bayesian network": ("o", plotting.BLUE),
        "gradient boosting": ("s", plotting.VERMILION),
    }
    with plotting.house_figure(2, height=3.4, stand_in=stand_in) as (figure, (left, right)):
        for n, (model, (marker, colour)) in enumerate(styles.items()):
            own = scores[(scores["model"] == model) & (scores["experiment"] == "1")]
            wide = own.pivot(index="test", columns="context", values="accuracy")[list(names)]
            x = np.arange(3) + 0.16 * (2 * n - 1)
            left.plot(x, wide.to_numpy().T, color=colour, alpha=0.18, linewidth=0.8)
            left.plot(x, wide.mean(), marker, color=colour, label=model, markersize=7)
            recall = own.pivot(index="test", columns="context", values="recall of all")
            for x, y in zip(
                recall[["all", "focus"]].to_numpy(), wide[["all", "focus"]].to_numpy(), strict=True
            ):
                right.plot(x, y, color=colour, alpha=0.25, linewidth=0.8)
            for context, fill, what in (
                ("all", colour, "always"),
                ("focus", "white", "somebody in focus"),
            ):
                right.plot(recall[context], wide[context], marker, color=colour, linestyle="none",
                           markerfacecolor=fill, label=f"{model}, {what}")  # fmt: skip
        left.set(xticks=range(3), ylabel="accuracy, percent")
        left.set_xticklabels(names.values())
        left.set_title("Trained on all contexts")
        left.legend(loc="lower left")
        right.set(xlabel="recall, percent", ylabel="precision, percent", ylim=(54, 82))
        right.set_title("The detection module answers ...")
        right.legend(loc="upper right")
        plotting.save_figure(figure, stem)


def figure_risk(
    table: pd.DataFrame, curves: Mapping[str, RiskCoverage], stem: Path, stand_in: str | None
) -> None:
    """Draw risk against coverage of the models, and the one point of the vote."""
    shown = (
        ("all annotators pooled", "-", plotting.INK),
        ("soft labels of three classifiers", "--", plotting.GREEN),
        ("soft labels, confusion matrices", "-.", plotting.BLUE),
        ("annotator known, shared and own weights", "-", plotting.VERMILION),
    )
    with plotting.house_figure(1, height=4.0, stand_in=stand_in) as (figure, (axes,)):
        figure.set_size_inches(6.0, 4.0)
        for name, line, colour in shown:
            curve = curves[name]
            late = curve.coverage >= 0.03
            axes.plot(
                100 * curve.coverage[late], 100 * curve.risk[late], line, color=colour, label=name
            )
        vote = table.iloc[0]
        axes.plot(vote["coverage"], 100 - vote["accuracy of answers"], "D", color=plotting.INK,
                  markerfacecolor="white", markersize=8, label="voting classifier")  # fmt: skip
        axes.set(xlabel="coverage, percent", ylabel="errors among answers, percent", xlim=(0, 101))
        axes.legend(loc="upper left")
        plotting.save_figure(figure, stem)


# ------------------------------------------------------------------------------------ main


def summaries(
    scores: pd.DataFrame, claims: pd.DataFrame, analyses: pd.DataFrame, values: Mapping[str, float]
) -> dict[str, pd.DataFrame]:
    """Return the tables that summarise what was computed for many splits and analyses."""
    by_context = scores.groupby(["model", "experiment", "context"]).mean(numeric_only=True)
    by_model = claims.drop(columns="test").groupby("model").agg(["mean", "std"]).T
    spread = analyses.describe().T[["mean", "std", "min", "max"]].assign(here=pd.Series(values))
    return {
        "contexts": by_context.reset_index(),
        "context_differences": by_model.reset_index(names=["difference", "over splits"]),
        "analyses": spread.reset_index(names="value"),
        "coincidence": coincidence(analyses),
    }


def write_exhibits(
    tables: Mapping[str, pd.DataFrame], folder: Path, about: Mapping[str, Any]
) -> None:
    """Write the tables, and what is to be said of them and of the figures."""
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
    captions = {name: {"caption": text, **about} for name, text in CAPTIONS.items()}
    captions |= {f"tables/{name}": {"provenance": about["provenance"]} for name in tables}
    captions["tables/implied_coverage"] = {"provenance": "printed_table"}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Prepared:
    """What is made of the corpus before anything is counted or learned."""

    data: tuple[LoadedData, LoadedData]
    acts: pd.DataFrame
    rows: pd.DataFrame
    addressing: Addressing
    readings: dict[str, pd.Series]
    yeah: Yeah

    @classmethod
    def of(cls, acts_data: LoadedData, focus: LoadedData) -> "Prepared":
        """Prepare both data sets; those prepared last are kept."""
        if not (_KEPT and _KEPT[0].data[0] is acts_data and _KEPT[0].data[1] is focus):
            acts = ami.in_order(acts_data)
            rows = addressed(acts, focus)
            masks = readings(acts)
            yeah = yeah_utterances(acts, next(iter(masks.values())))
            made = cls((acts_data, focus), acts, rows, Addressing.of(rows), masks, yeah)
            _KEPT[:] = [made]
        return _KEPT[0]


_KEPT: list[Prepared] = []


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions, figures and tables."""
    printed = {Path(p).stem: pd.read_csv(p, comment="#", dtype="str") for p in printed_tables}
    counts = printed["table1"].set_index("category").astype(int).reset_index()
    loaded = [datasets.read(data[name]) for name in ("ami_dialogue_acts", "ami_focus")]
    simulated = any(each.provenance == "simulated" for each in loaded)
    source = "simulated" if simulated else "real"
    rng = np.random.default_rng(seed)

    corpus = Prepared.of(*loaded)
    acts, yeah, chosen = corpus.acts, corpus.yeah, next(iter(corpus.readings.values()))
    facts, addressing_counts = addressing_facts(acts, corpus.rows)
    scores = addressing_study(corpus.addressing, N_PAIRS[effort], N_ROUNDS[effort])
    claims = addressing_claims(scores)
    learned = yeah.one_in(ONE_IN[effort])
    test = np.isin(learned.group, TEST_GROUPS)
    found = ratios(learned, ~test, test)
    values = summary(found)
    analyses = repeated_analyses(learned, test, counts, rng, N_ANALYSES[effort])
    place, names = pd.factorize(learned.meeting[test])
    drawn = ratio_draws(found, place, cluster_draws(names.size, N_BOOT[effort], rng=rng))

    cells = printed_values(printed)
    sampled = [*cells, *SAMPLED_CLAIMS]
    n_sampled = len(sampled) + len(ADDRESSING_CLAIMS)
    facts |= {"yeah.share": 100 * float(chosen.mean())} | table1(yeah)
    of_tables = table_rows(values, analyses, drawn, sampled, n_sampled, source)
    computed = plain_rows(facts, source) + addressing_rows(claims, n_sampled, source) + of_tables
    write_computed(as_stand_in(computed) + arithmetic(printed), folder / "computed.csv")

    definition = definitions(acts, corpus.readings, counts)
    tests, nulls, tendency = difference_tests(learned, rng, effort)
    selective, curves = selective_models(learned, rng, N_BOOT[effort])
    tables = {
        "addressing_counts": addressing_counts,
        "definitions": definition,
        "variants": variants(learned),
        "is1003d": is1003d_table(acts, chosen),
        "difference_tests": tests,
        "tendencies": tendency,
        "selective": selective,
        "implied_coverage": implied_coverage(printed),
        **summaries(scores, claims, analyses[0], values),
    }
    write_exhibits(tables, folder, {"provenance": source, "seed": seed})
    stand_in = "SIMULATED dialogue acts" if simulated else None
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    figure_table1(definition, figures / "table1", stand_in)
    figure_table2(values, cells, figures / "table2", stand_in)
    figure_tables34({r.target: r for r in of_tables}, cells, figures / "tables34", stand_in)
    figure_differences(tests, nulls, tendency, figures / "differences", stand_in)
    figure_contexts(scores, figures / "contexts", stand_in)
    figure_risk(selective, curves, figures / "risk_coverage", stand_in)


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={
                name: Path(snakemake.input[name][0]).parent
                for name in ("ami_dialogue_acts", "ami_focus")
            },
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
