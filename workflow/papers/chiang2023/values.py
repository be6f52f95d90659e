"""ChatGPT's ratings by prompt and reading, and their correlation with people's."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.evaluation.correlations import correlation_draws, grouped_correlation
from annobench.resampling.clusters import cluster_draws
from annobench.resampling.intervals import percentile_interval
from annobench.resampling.ratios import ratio
from annobench_datasets.chiang2023 import N_ANSWERS, PROMPTS
from annobench_replication.analysis import Effort

ATTRIBUTES = ("naturalness", "coherence", "engagingness", "groundedness")
REPLICATES = {"full": 1_000, "quick": 30}
#: How an answer is read as a number, and whether one without a number counts as 0.
NUMBERS = ("digit", "decimal", "last", "within the scale")
READINGS = tuple((number, unread) for number in NUMBERS for unread in ("left out", "0"))
#: The reading that gives Tables 2 and 4, and the one that gives the added row of Table 3.
PAPER = ("digit", "left out")
UNREAD_AS_ZERO = ("digit", "0")
#: Rows of Tables 2 and 4, by the prompts of the files.
TABLE_ROWS = dict(
    zip(
        PROMPTS[:6],
        (
            "auto_cot",
            "score_only",
            "free_text",
            "rate_explain",
            "analyze_rate",
            "auto_cot_rate_explain",
        ),
        strict=True,
    )
)
#: Correlation over all items, its mean in documents, and Kendall's there.
MEASURES = ("r", "r_within", "tau")

#: What the row without auto CoT, which Tables 2 and 4 print twice, has there.
AGAIN = {"table2": ("r", "tau"), "table4": ("r_within", "tau")}

Reading = tuple[str, str]
Correlations = dict[tuple[str, str], dict[str, float]]
Intervals = dict[tuple[str, str], dict[str, tuple[float, float]]]


@dataclass(frozen=True, eq=False)
class Rated:
    """An attribute: people's averages, documents and systems by item, and ChatGPT's answers."""

    name: str
    people: np.ndarray
    document: np.ndarray
    system: np.ndarray
    item: np.ndarray
    prompt: np.ndarray
    answer: np.ndarray
    first: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, data: LoadedData) -> "Rated":
        """Take them from a data set."""
        labels, items = data.labels, data.items
        return cls(
            data.id.removeprefix("chiang2023_"),
            data.gold,
            pd.factorize(items["document"])[0],
            items["system"].to_numpy(dtype=object),
            pd.Index(items["item"]).get_indexer(pd.Index(labels["item"])),
            pd.Index(PROMPTS).get_indexer(pd.Index(labels["annotator"])),
            labels["answer"].to_numpy(),
            labels["label"].to_numpy(),
            labels["last"].to_numpy(),
        )

    @property
    def top(self) -> int:
        """The highest rating of the scale."""
        return 1 if self.name == "groundedness" else 3

    def read(self, number: str) -> np.ndarray:
        """Return the number that each answer is read as; NaN for none."""
        match number:
            case "digit":
                return np.floor(self.first)
            case "last":
                return self.last
            case "within the scale":
                lowest = 1 if self.top > 1 else 0
                inside = (self.first >= lowest) & (self.first <= self.top)
                return np.where(inside, self.first, np.nan)
        return self.first

    def ratings(self, reading: Reading = PAPER, n_answers: int = N_ANSWERS) -> np.ndarray:
        """Average the first answers, shape (prompts, items); NaN without a record."""
        number, unread = reading
        values = self.read(number)
        taken = (self.answer <= n_answers) & ~np.isnan(values)
        shape = len(PROMPTS), self.people.size
        place = np.ravel_multi_index((self.prompt, self.item), shape)
        size = shape[0] * shape[1]
        there = np.bincount(place, minlength=size)
        n = np.bincount(place[taken], minlength=size)
        total = np.bincount(place[taken], values[taken], size)
        if unread == "0":
            n = np.where(there > 0, n_answers, 0)
        found: np.ndarray = ratio(total, n).reshape(shape)
        return found


def correlations(rated: Mapping[str, Rated], reading: Reading) -> Correlations:
    """Correlate each prompt with people, by attribute and measure."""
    return {
        (name, prompt): _measures(scores, attribute)
        for name, attribute in rated.items()
        for prompt, scores in zip(PROMPTS, attribute.ratings(reading), strict=True)
    }


def _measures(scores: np.ndarray, rated: Rated) -> dict[str, float]:
    r, rho, tau = (
        grouped_correlation(scores, rated.people, rated.document, method)
        for method in ("pearson", "spearman", "kendall")
    )
    return {
        "r": r.pooled,
        "r_within": r.within,
        "tau": tau.within,
        "tau_pooled": tau.pooled,
        "rho": rho.pooled,
        "rho_within": rho.within,
        "n_items": r.n_items,
        "n_constant": r.n_constant,
    }


def draws_for(rated: Mapping[str, Rated], rng: np.random.Generator, effort: Effort) -> np.ndarray:
    """Draw documents, the same ones for every attribute and prompt."""
    n_documents = int(max(each.document.max() for each in rated.values())) + 1
    return cluster_draws(n_documents, REPLICATES[effort], rng=rng)


def drawn(scores: np.ndarray, rated: Rated, draws: np.ndarray) -> dict[str, np.ndarray]:
    """Compute the paper's three measures in samples of documents."""
    r = correlation_draws(scores, rated.people, rated.document, draws)
    tau = correlation_draws(scores, rated.people, rated.document, draws, "kendall")
    return {"r": r.pooled, "r_within": r.within, "tau": tau.within}


def intervals(rated: Mapping[str, Rated], draws: np.ndarray) -> Intervals:
    """Give each correlation a 95% interval from resampled documents."""
    found: Intervals = {}
    for name, attribute in rated.items():
        for prompt, scores in zip(PROMPTS, attribute.ratings(), strict=True):
            own = drawn(scores, attribute, draws)
            found[name, prompt] = {key: ends_of(values) for key, values in own.items()}
    return found


def ends_of(values: np.ndarray) -> tuple[float, float]:
    """Return the 95% percentile interval of samples; those without a correlation are left out."""
    known = values[~np.isnan(values)]
    if not known.size:
        return np.nan, np.nan
    interval = percentile_interval(float(known.mean()), known, 0.95)
    return float(interval.lower), float(interval.upper)


def printed_values(
    found: Correlations, intervals: Intervals
) -> dict[str, tuple[float, float, float]]:
    """Return the cells of Tables 2 to 4 by target, each with its interval."""
    cells: dict[str, tuple[float, float, float]] = {}
    for (name, prompt), own in found.items():
        if prompt not in TABLE_ROWS:
            continue
        row = TABLE_ROWS[prompt]
        for measure in MEASURES:
            cells[f"{row}.{name}.{measure}"] = (
                own[measure],
                *intervals[name, prompt][measure],
            )
        if prompt == "rate_explain":
            cells[f"table2.{row}.{name}.tau"] = cells[f"{row}.{name}.tau"]
    for name in ATTRIBUTES:
        for table, measures in AGAIN.items():
            for measure in measures:
                cells[f"{table}.score_only_again.{name}.{measure}"] = cells[
                    f"score_only.{name}.{measure}"
                ]
        for row in ("auto_cot", "rate_explain"):
            for measure in ("r", "tau"):
                cells[f"again.table3.{row}.{name}.{measure}"] = cells[f"{row}.{name}.{measure}"]
        for row in ("auto_cot", "score_only", "free_text", "analyze_rate"):
            cells[f"again.table4.{row}.{name}.tau"] = cells[f"{row}.{name}.tau"]
        # Table 3 prints no correlation within documents.
        del cells[f"auto_cot_rate_explain.{name}.r_within"]
    return cells


def auto_cot_values(found: Correlations) -> dict[str, float]:
    """Return the row that only Table 3 has."""
    row = "auto_cot_rate_explain"
    return {
        f"{row}.{name}.{measure}": found[name, "rate_explain_auto_cot"][measure]
        for name in ATTRIBUTES
        for measure in ("r", "tau")
    }


def sizes(rated: Mapping[str, Rated], data: LoadedData) -> dict[str, float]:
    """Count what Appendix E.2 says of Topical-Chat."""
    per_document = data.items.groupby("document")["system"]
    generated = data.items["system"].str.contains("Decoding")
    return {
        "topical_chat.pairs": len(data.items),
        "topical_chat.dialogues": per_document.ngroups,
        "topical_chat.generated": data.items.loc[generated, "system"].nunique(),
        "topical_chat.human": data.items.loc[~generated, "system"].nunique(),
        "answers.n": int(max(each.answer.max() for each in rated.values())),
    }
