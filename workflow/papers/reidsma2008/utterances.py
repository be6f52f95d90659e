"""Section 2.2: what a "yeah" utterance is, how many Table 1 has, and what classifiers see of it.

The paper doesn't say which meetings it tested on. They were found: the counts of Table 1 are
those of utterances whose first token is "Yeah" with a capital, in whole groups of meetings
(`TEST_GROUPS`), to within 32 of 13,017, and for annotator S9 all eight counts are exact. Leave any
count out, and the others determine the same groups.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import MaxAbsScaler

from annobench_datasets import ami
from annobench_replication.ledger import Computed
from annobench_replication.searches import searched_values, single_values
from annobench_replication.study import Study

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


def category(acts: pd.DataFrame) -> pd.Series:
    """Return the category of each act as Table 1 has it."""
    return acts["label"].map(CATEGORIES).fillna("ot")


def annotator(acts: pd.DataFrame) -> pd.Series:
    """Return the paper's name of the annotator of each act."""
    return acts["annotator"].map({name: key for key, name in ANNOTATORS.items()})


def readings(acts: pd.DataFrame) -> dict[str, pd.Series]:
    """Return which acts are "yeah" utterances by several definitions, that of Table 1 first."""
    tokens = acts["text"].str.split()
    first = tokens.str[0].fillna("")
    words = tokens.map(lambda t: next((w for w in t if w[0].isalpha()), ""))
    real, used = ~acts["label"].isin(["stl", "fra"]), ~acts["meeting"].isin(UNUSED)
    return {
        "first token Yeah, capital, meetings of Table 1": (first == "Yeah") & used,
        "first token Yeah, capital": first == "Yeah",
        "first token begins with Yeah, capital": first.str.startswith("Yeah"),
        "first token yeah, any case": first.str.lower() == "yeah",
        "first token begins with yeah, any case": first.str.lower().str.startswith("yeah"),
        "first word yeah, punctuation skipped": words.str.lower() == "yeah",
        "yeah anywhere": acts["text"].str.lower().str.contains(r"\byeah\b"),
        "yeah alone": acts["text"].str.fullmatch(r"[Yy]eah( [.,?])?"),
        "first token Yeah, real acts and backchannels": (first == "Yeah") & real,
        "first token yeah, no capital": first == "yeah",
    }


def definitions(
    acts: pd.DataFrame, masks: Mapping[str, pd.Series], printed: pd.DataFrame
) -> pd.DataFrame:
    """Count utterances by several definitions against the sums of Table 1."""
    sums = printed.T.groupby(printed.columns.str[:2]).sum().T
    wanted = pd.Series({f"{who} {code}": n for who in sums for code, n in sums[who].items()})
    cells = annotator(acts) + " " + category(acts)
    counts = pd.DataFrame({name: cells[mask].value_counts() for name, mask in masks.items()})
    counts = counts.reindex(wanted.index).fillna(0).astype(int)
    counts["printed in Table 1"] = wanted
    chosen = pd.DataFrame(masks)
    table = pd.DataFrame(
        {
            "definition": counts.columns,
            "utterances": [*chosen.sum(), wanted.sum()],
            "percent of all acts": [*100 * chosen.mean(), np.nan],
            "absolute difference": counts.sub(wanted, axis=0).abs().sum().to_numpy(),
        }
    )
    return table.join(counts.T.reset_index(drop=True))


def is1003d(acts: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    """Count what the release has of the meeting that three annotators labelled."""
    rows = []
    for name, own in acts[acts["meeting"] == "IS1003d"].groupby("annotator"):
        yeah = category(own)[chosen[own.index]]
        counts = {NAMES[code]: (yeah == code).sum() for code in CODES}
        rows.append({"annotator": name, "dialogue acts": len(own), "yeah": len(yeah)} | counts)
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Utterances:
    """The "yeah" utterances of Table 1: features and categories, who labelled them, and where."""

    features: sp.csr_matrix
    category: np.ndarray
    annotator: np.ndarray
    meeting: np.ndarray
    ends: tuple[int, ...]  # of the columns of words, of times, and of acts before

    @classmethod
    def of(cls, acts: pd.DataFrame, chosen: pd.Series) -> "Utterances":
        """Make the features: words, times, and the dialogue acts before."""
        own = acts[chosen]
        vectors = CountVectorizer(binary=True, min_df=5, analyzer=word_features)
        by_meeting = acts.groupby("meeting")
        same = by_meeting["speaker"].shift() == acts["speaker"]
        own_before = acts.groupby(["meeting", "speaker"])["label"].shift()
        before = pd.DataFrame({"previous": by_meeting["label"].shift(), "own": own_before})
        before = pd.get_dummies(before.fillna("none")[chosen]).assign(same=same[chosen])
        times = ami.speech_times(acts)[chosen].assign(words=own["text"].str.split().map(len))
        times[["pause_before", "pause_after"]] += 5  # scaled by their largest value, from 0
        parts = [vectors.fit_transform(own["text"]), times.to_numpy(), before.to_numpy(float)]
        return cls(
            MaxAbsScaler().fit_transform(sp.hstack(parts).tocsr()),
            category(own).map(CODES.index).to_numpy(),
            annotator(own).to_numpy(),
            own["meeting"].to_numpy(),
            tuple(np.cumsum([part.shape[1] for part in parts])),
        )

    def one_in(self, n: int) -> "Utterances":
        """Return every n-th utterance."""
        names = ("features", "category", "annotator", "meeting")
        return replace(self, **{name: getattr(self, name)[::n] for name in names})

    def with_features(self, features: sp.csr_matrix) -> "Utterances":
        """Return the same utterances with other features."""
        return replace(self, features=features, ends=())

    @cached_property
    def group(self) -> np.ndarray:
        """The group of meetings of each utterance."""
        return np.array([name[:6] for name in self.meeting])

    @cached_property
    def site(self) -> np.ndarray:
        """The place of the recording of each utterance: ES, IS or TS."""
        return np.array([name[:2] for name in self.meeting])

    @property
    def test(self) -> np.ndarray:
        """Which utterances Table 1 tests on."""
        return np.isin(self.group, TEST_GROUPS)

    def cells(self, test: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
        """Yield the row and the column of each cell of Table 1, and which utterances it counts."""
        for n, code in enumerate(CODES):
            for who in ANNOTATORS:
                own = (self.category == n) & (self.annotator == who)
                yield code, f"{who}_train", own & ~test
                yield code, f"{who}_test", own & test


def word_features(text: str) -> list[str]:
    """Return names for the length, for words and their places, and for the last token."""
    tokens = text.lower().split()
    rest = tokens[1:]
    places = [f"{n}:{token}" for n, token in enumerate(rest[:4], 1)]
    return [f"length:{min(len(tokens), 12)}", f"last:{tokens[-1]}", *places, *rest]


def table1(yeah: Utterances) -> dict[str, int]:
    """Count categories by annotator in train and test meetings."""
    return {f"table1.{code}.{part}": int(own.sum()) for code, part, own in yeah.cells(yeah.test)}


def searched(
    study: Study, acts: pd.DataFrame, masks: Mapping[str, pd.Series], rng: np.random.Generator
) -> list[Computed]:
    """Return what the nearest definition gives for the share and for each cell of Table 1."""
    printed = study.printed("table1", index_col="category", dtype="str")
    code, who = category(acts), annotator(acts)
    part = acts["meeting"].str[:6].isin(TEST_GROUPS).map({True: "test", False: "train"})
    cell = "table1." + code + "." + who + "_" + part
    counts = pd.DataFrame({name: cell[mask].value_counts() for name, mask in masks.items()})
    texts = {
        f"table1.{row}.{column}": text
        for column in printed
        for row, text in printed[column].items()
    }
    cells = counts.reindex(list(texts)).fillna(0)
    shares = {"yeah.share": [100 * mask.mean() for mask in masks.values()]}
    as_printed = searched_values(study)
    return [
        *single_values(texts, dict(zip(cells.index, cells.to_numpy(), strict=True)), rng),
        *single_values(as_printed, shares, rng),
    ]


def excess(
    yeah: Utterances, test: np.ndarray, printed: pd.DataFrame, rng: np.random.Generator
) -> np.ndarray:
    """Choose as many utterances of each cell of Table 1 as the release has more than it printed."""
    chosen = []
    for code, part, mask in yeah.cells(test):
        own = np.flatnonzero(mask)
        more = max(own.size - int(printed.loc[code, part]), 0)
        chosen.append(rng.choice(own, more, replace=False))
    return np.concatenate(chosen)
