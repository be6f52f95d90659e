"""What annotators said: labels, explanations, and judgements of them in the second round."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from annobench.agreement import krippendorff_alpha
from annobench.agreement.result import Agreement
from annobench.datasets import LoadedData
from annobench.evaluation.error_detection import average_precision, average_precision_replicates
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.resampling.intervals import percentile_interval
from annobench.resampling.weights import draw_counts
from annobench_replication.rows import interval_columns

from .values import PER_CENT, Scored

#: The pairs of sentences of the paper's Table 1, by part.
EXAMPLES = {"a": "28306c", "b": "72870c"}
LABELS = ("entailment", "neutral", "contradiction")
#: The counters that the table prints, by part and step; those of 0 are left out.
COUNTERS = {
    ("a", "before"): ("entailment", "contradiction"),
    ("a", "own"): ("contradiction",),
    ("a", "peers"): ("contradiction",),
    ("b", "before"): LABELS,
    ("b", "own"): ("neutral",),
    ("b", "peers"): ("neutral", "contradiction"),
}
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Round2:
    """Explanations with the judgements of their own author and of the three peers.

    `explanations` has a row for each: `pair`, `label`, `author`, `own` (1 "yes", 0 "no", NaN "I
    don't know"), `peers_yes` and `peers_no`; it is indexed by id.
    """

    data: LoadedData

    @cached_property
    def explanations(self) -> pd.DataFrame:
        """One row per explanation."""
        found = self.data.items.set_index("item")[["pair", "label", "author"]]
        said = self.data.labels.merge(found["author"], left_on="item", right_index=True)
        yes, is_own = said["label"] == "yes", said["annotator"] == said["author"]
        own = yes[is_own].astype(float).set_axis(said.loc[is_own, "item"])
        peers = pd.crosstab(said.loc[~is_own, "item"], yes[~is_own])
        counts = peers.reindex(index=found.index, columns=[True, False], fill_value=0)
        return found.assign(
            own=own.reindex(found.index), peers_yes=counts[True], peers_no=counts[False]
        )

    @cached_property
    def labels(self) -> pd.DataFrame:
        """One row per label of a pair: `count`, `is_error` and what peers said of it."""
        grouped = self.explanations.groupby(["pair", "label"], sort=False)
        return pd.DataFrame(
            {
                "key": grouped.apply(key_of, include_groups=False),
                "count": grouped.size(),
                "is_error": ~(grouped["own"].max() == 1),
                "peers_yes": grouped["peers_yes"].sum(),
                "peers_no": grouped["peers_no"].sum(),
                "ratio_each": grouped[["peers_yes", "peers_no"]].apply(_mean_ratio),
            }
        ).reset_index()

    @cached_property
    def peers(self) -> Annotations:
        """The judgements of peers alone."""
        author = self.data.labels["item"].map(self.explanations["author"])
        return self.data.annotations.select(
            labels=(author != self.data.labels["annotator"]).to_numpy()
        )


def key_of(explanations: pd.DataFrame) -> str:
    """Return the name under which a label has scores, such as 664-e."""
    number, label, _ = explanations.index[0].split("-")
    return f"{number}-{label[0]}"


def _mean_ratio(peers: pd.DataFrame) -> float:
    ratio = peers["peers_yes"] / (peers["peers_yes"] + peers["peers_no"])
    return float(ratio.fillna(0).mean())


def size_values(labels: LoadedData, found: Round2) -> dict[str, float]:
    """Return the sizes that the abstract prints.

    "I don't know" is a judgement that the file leaves out: each explanation has four.
    """
    n_judges = found.data.labels["annotator"].nunique()
    return {
        "sizes.judgements": len(found.explanations) * n_judges,
        "sizes.explanations": len(labels.labels),
        "sizes.items": len(labels.items),
    }


def example_values(found: Round2) -> dict[str, float]:
    """Return the counters of Table 1: explanations before, and those that are validated.

    Peers validate an explanation that makes sense to most of them.
    """
    own = found.explanations
    most = own["peers_yes"] > (own["peers_yes"] + own["peers_no"]) / 2
    steps = {"before": own["pair"].notna(), "own": own["own"] == 1, "peers": most}
    return {
        f"table1.{part}_{step}_{label[0]}": float(
            (kept & (own["pair"] == EXAMPLES[part]) & (own["label"] == label)).sum()
        )
        for (part, step), labels in COUNTERS.items()
        for label, kept in ((each, steps[step]) for each in labels)
    }


def marks_table(found: Round2, printed: pd.DataFrame) -> pd.DataFrame:
    """Put the marks of Table 1 beside those of the file; annotators are counted from 1."""
    said = found.data.labels.merge(found.explanations, left_on="item", right_index=True)
    said["judge"] = said["annotator"].astype(int) + 1
    said["author"] = said["author"].astype(int) + 1
    keys = ["pair", "label_y", "author", "judge"]
    marks = said.set_index(keys)["label_x"]
    rows = [
        (
            *(row.part, row.label, row.author, judge, getattr(row, f"judge_{judge}")),
            marks.get((EXAMPLES[row.part], row.label, row.author, judge), "IDK"),
        )
        for row in printed.itertuples(index=False)
        for judge in (1, 2, 3, 4)
    ]
    columns = ["part", "label", "author", "judge", "printed", "in_the_file"]
    return pd.DataFrame(rows, columns=columns)


def labels_table(labels: LoadedData, found: Round2, scored: Scored) -> pd.DataFrame:
    """Count what the release holds, beside what is printed or follows from it."""
    own = found.explanations
    wrong = scored.labels["is_error"]
    again = found.labels.set_index("key")["is_error"].reindex(wrong.index)
    once = scored.labels["count"] == 1
    several = scored.labels.groupby("pair")["ambiguous"].first()
    scores = scored.scores.notna()
    n_said = len(found.data.labels)
    rows = [
        ("pairs of sentences", len(labels.items)),
        ("explanations, which are labels of an annotator", len(labels.labels)),
        ("judgements in the file", n_said),
        (
            'judgements "I don\'t know", which the file leaves out',
            4 * len(own) - len(found.data.labels),
        ),
        ("explanations without a judgement of their author", int(own["own"].isna().sum())),
        ("labels of pairs", len(wrong)),
        ("labels whose explanations all fail their authors' judgement", int(again.sum())),
        ("labels listed as errors", int(wrong.sum())),
        ("labels on which these differ", int((again != wrong).sum())),
        (
            "errors among labels that one annotator gave",
            int(wrong[once].sum()),
        ),
        (
            "pairs with several valid labels",
            int(several.sum()),
        ),
        (
            "labels without a score in at least one file",
            int((~scores.all(axis=1)).sum()),
        ),
        ("files with a score of every label", int(scores.all().sum())),
    ]
    return pd.DataFrame(rows, columns=["what", "count"])


def peers_table(found: Round2, scored: Scored) -> pd.DataFrame:
    """Compute the peer heuristics from the judgements, beside the files of scores."""
    own = found.labels.set_index("key")
    again = {
        "peer_Heruistic_ratio_per_exp": own["ratio_each"],
        "peer_heuristic_ratio_all_exp": own["peers_yes"] / (own["peers_yes"] + own["peers_no"]),
        "peer_heuristic_sum_all_exp": own["peers_yes"],
        "peer_heuristic_sum_per_exp": own["peers_yes"] / own["count"],
    }
    wrong, rows = own["is_error"].to_numpy(), []
    for name, values in again.items():
        file = scored.scores[name].reindex(own.index) if name in scored.scores else values * np.nan
        known = file.notna().to_numpy()
        in_file = average_precision(wrong[known], file[known]) if wrong[known].any() else np.nan
        rows.append(
            {
                "scores": name,
                "without_a_score": int((~known).sum()),
                "other_scores": int((known & ~np.isclose(file, -values)).sum()),
                "ap_of_the_file": PER_CENT * in_file,
                "ap_of_the_judgements": PER_CENT * average_precision(wrong, -values.fillna(0)),
            }
        )
    return pd.DataFrame(rows)


def agreement_table(labels: LoadedData, found: Round2) -> pd.DataFrame:
    """Estimate Krippendorff's alpha of labels and of judgements, before and after validation."""
    own = found.explanations
    kept = {
        "all labels": own,
        "labels that their annotator validated": own[own["own"] == 1],
        "labels that most peers validated": own[own["peers_yes"] > own["peers_no"]],
    }
    rows = []
    for name, explanations in kept.items():
        pairs, authors, sets = _sets(explanations)
        rows.append(
            (name, "sets, MASI", krippendorff_alpha(Annotations.from_sets(pairs, authors, sets)))
        )
        for label in LABELS:
            has = ["yes" if label in each else "no" for each in sets]
            binary = Annotations.from_arrays(pairs, authors, has)
            rows.append((name, label, krippendorff_alpha(binary)))
    rows += [
        ("judgements of all four", "yes or no", krippendorff_alpha(found.data.annotations)),
        ("judgements of peers", "yes or no", krippendorff_alpha(found.peers)),
    ]
    return pd.DataFrame([_alpha_row(*row) for row in rows])


def _sets(explanations: pd.DataFrame) -> tuple[list[str], list[str], list[set[str]]]:
    """Return the labels that each annotator gave a pair."""
    grouped = explanations.groupby(["pair", "author"], sort=False)["label"].agg(set)
    pairs, authors = (list(level) for level in zip(*grouped.index, strict=True))
    return pairs, authors, list(grouped)


def _alpha_row(of: str, compared: str, alpha: Agreement) -> dict[str, object]:
    return {
        "of": of,
        "compared": compared,
        "alpha": alpha.estimate,
        **interval_columns(alpha.interval()),
    }


def detectors(found: Round2) -> Iterator[tuple[str, np.ndarray]]:
    """Score labels by what annotators said, without the judgement of the authors themselves."""
    own = found.labels
    yield "annotators who gave the label", -own["count"].to_numpy(float)
    yield "peers to whom it makes sense", -own["peers_yes"].to_numpy(float)
    yield (
        "peers to whom it makes sense, less those to whom it does not",
        (own["peers_no"] - own["peers_yes"]).to_numpy(float),
    )
    fit = dawid_skene.fit(found.peers)
    no = fit.posterior[:, fit.categories.index("no")]
    invalid = pd.Series(np.log(np.maximum(no, np.finfo(float).tiny)), index=list(fit.items))
    of_label = found.explanations.assign(invalid=invalid)
    summed = of_label.groupby(["pair", "label"], sort=False)["invalid"].sum().to_numpy()
    yield "Dawid and Skene: probability that no explanation is valid", summed


def detectors_table(found: Round2, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Compute average precision of scores made of judgements, with intervals over pairs."""
    wrong = found.labels["is_error"].to_numpy()
    codes, pairs = pd.factorize(found.labels["pair"])
    counts = draw_counts(len(pairs), replicates, rng)[:, codes]
    once = (found.labels["count"] == 1).to_numpy()
    rows = []
    for name, score in detectors(found):
        row: dict[str, object] = {"score": name}
        for part, which in (("all", np.ones_like(once)), ("once", once)):
            estimate = average_precision(wrong[which], score[which])
            drawn = average_precision_replicates(wrong[which], score[which], counts[:, which])
            limits = percentile_interval(estimate, drawn, LEVEL)
            row[f"{part}_ap"] = PER_CENT * estimate
            row[f"{part}_lower"] = PER_CENT * limits.lower
            row[f"{part}_upper"] = PER_CENT * limits.upper
        rows.append(row)
    return pd.DataFrame(rows)
