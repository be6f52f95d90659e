"""Recompute Rumshisky and Batiukova (2008), and simulate the labels it does not show.

===========================  ======================================================
`reference_values`           sections 2 to 5: the numbers of the examples referred to
`bounds`, `chance_corrected` section 3.2: what 95% of the retained sentences can mean
`scenarios`                  section 3.2: N/A handled as printed and as it should be
`by_relation`                section 4: agreement by type of relation between senses
`coarser`                    section 4: agreement and information of coarser inventories
===========================  ======================================================

What the paper lists, its verbs, senses, relations and examples, is described in tables. Counting
a list that was typed in shows nothing of the study, so no count is compared with the paper.

The paper prints one agreement, 95%: the share of equal labels among the sentences that were
retained, averaged over 20 verbs. Neither annotator said N/A to these, and adjudication did not
throw them out. The labels were not published. What is simulated has the paper's design: 20 verbs,
200 sentences each, two annotators, the senses that the paper names, related as it says. It
is calibrated to the 95%, and to the disagreements that are shown: a pair of senses is
confused the more, the more often the paper shows it confused, and a verb has the more errors,
the more other senses it has and the more disagreements are shown. Senses have shares of 1, 1/2,
1/3, ...; a verb whose senses are not named has two. All of this is assumed, not known.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats
from matplotlib.ticker import PercentFormatter

from annobench import agreement, plotting
from annobench.core.files import recording, replacing
from annobench.evaluation import information
from annobench.labels.annotations import Annotations
from annobench.labels.hierarchy import Hierarchy
from annobench.replication.compare import CALIBRATION_METHOD, Computed, plain_rows, write_computed

LEVEL = 0.95
NA = "N/A"
#: Senses of a verb of which the paper names none.
UNNAMED = ("first", "second")
#: Every pair of senses counts as confused so often, and once more for each printed example.
BASE_WEIGHT = 0.5
GENERIC = "associated"
N_STUDIES = {"full": 40, "quick": 4}
N_RESAMPLED = {"full": 1000, "quick": 100}
N_RANDOM = {"full": 40, "quick": 4}


@dataclass(frozen=True)
class Printed:
    """The lists of the paper as tables.

    Attributes
    ----------
    verbs, senses, relations, examples, listings, references : DataFrame
        As in `tables/`.
    design : Series
        Numbers of section 3.
    """

    verbs: pd.DataFrame
    senses: pd.DataFrame
    relations: pd.DataFrame
    examples: pd.DataFrame
    listings: pd.DataFrame
    references: pd.DataFrame
    design: pd.Series

    def named(self, verb: str) -> tuple[str, ...]:
        """Return the senses that the paper names."""
        return tuple(self.senses.loc[self.senses["verb"] == verb, "sense"])

    def inventory(self, verb: str) -> tuple[str, ...]:
        """Return the senses of a verb, assumed ones if none is named."""
        return self.named(verb) or UNNAMED

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types of relation, in the order of the paper."""
        return tuple(self.relations["relation"].unique())

    @property
    def disagreements(self) -> pd.DataFrame:
        """The examples with two different senses."""
        e = self.examples
        return e[(e["first"] != e["second"]) & (e["second"] != NA)]


def read_printed(paths: Iterable[Path]) -> Printed:
    """Read the tables; every sense of a relation or example must be a sense of its verb."""
    frames = {path.stem: pd.read_csv(path, comment="#", keep_default_na=False) for path in paths}
    design = frames.pop("design").set_index("name")["value"]
    printed = Printed(design=design, **frames)
    for name in ("relations", "examples"):
        for row in getattr(printed, name).itertuples():
            strange = {row.first, row.second} - set(printed.named(row.verb)) - {NA}
            if strange:
                raise ValueError(
                    f"{name}.csv: {row.verb} has no sense {sorted(strange)}. Add it to senses.csv."
                )
    return printed


# --------------------------------------------------------------- lists and references


def reference_values(printed: Printed) -> dict[str, float]:
    """Return the number of the example in which each word stands that the text refers to."""
    number = pd.concat([printed.examples, printed.listings]).set_index("word")["number"]
    return {f"reference.{row.target}": number[row.word] for row in printed.references.itertuples()}


def inventory_table(printed: Printed) -> pd.DataFrame:
    """Count, for each verb, named senses, related pairs by type, and printed disagreements."""
    shown = printed.disagreements["verb"].value_counts()
    rows = []
    for row in printed.verbs.itertuples():
        of_verb = printed.relations[printed.relations["verb"] == row.verb]
        counts = of_verb["relation"].value_counts()
        n = len(printed.named(row.verb))
        rows.append(
            {"verb": row.verb, "position": row.position, "named_senses": n,
             "pairs": n * (n - 1) // 2}
            | {kind: int(counts.get(kind, 0)) for kind in printed.kinds}
            | {"printed_disagreements": int(shown.get(row.verb, 0))}
        )  # fmt: skip
    return pd.DataFrame(rows)


def examples_table(printed: Printed) -> pd.DataFrame:
    """List the printed examples with the relations of the two senses."""
    kinds = (
        printed.relations.assign(
            pair=[frozenset(p) for p in printed.relations[["first", "second"]].to_numpy()]
        )
        .groupby(["verb", "pair"])["relation"]
        .agg(lambda kinds: ", ".join(dict.fromkeys(kinds)))
    )
    table = printed.examples.copy()
    table["relation"] = [
        kinds.get((row.verb, frozenset((row.first, row.second))), "") for row in table.itertuples()
    ]
    same = table["first"] == table["second"]
    table["in_agreement"] = np.select(
        [same, table["second"] == NA], ["equal", "left out"], "unequal"
    )
    return table


# --------------------------------------------------------------- what 95% can mean


def bounds(printed: Printed) -> pd.DataFrame:
    """Bound the agreement on all sentences, N/A being a label, by the share retained.

    At the lower end all sentences left out are disagreements, at the upper end all are
    agreements on N/A.
    """
    kept = np.round(np.arange(0.5, 1.001, 0.05), 2)
    equal = kept * printed.design["agreement"] / 100
    return pd.DataFrame(
        {"retained": kept, "sentences": kept * printed.design["sentences_per_verb"],
         "equal_retained": equal, "lower": equal, "upper": equal + 1 - kept}
    )  # fmt: skip


def most_agreement(printed: Printed) -> float:
    """Return the largest average that the printed disagreements leave, in percent."""
    shown = printed.disagreements["verb"].value_counts()
    share = shown.reindex(printed.verbs["verb"], fill_value=0)
    return float(100 - 100 * (share / printed.design["sentences_per_verb"]).mean())


def chance_corrected(printed: Printed) -> pd.DataFrame:
    """Compute kappa at the printed agreement, by number of senses and share of the first.

    Both annotators use the senses alike, and the other senses equally.
    """
    observed = printed.design["agreement"] / 100
    rows = []
    for n in (2, 3, 5, 10):
        for share in np.round(np.arange(1 / n, 0.9501, 0.01), 4):
            expected = share**2 + (1 - share) ** 2 / (n - 1)
            rows.append({"senses": n, "first_share": share, "expected_agreement": expected,
                         "kappa": (observed - expected) / (1 - expected)})  # fmt: skip
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- the simulation


@dataclass(frozen=True)
class Scenario:
    """What is assumed about N/A.

    Attributes
    ----------
    unclear : float
        Share of sentences that no sense fits, or several do.
    says_so : float
        Probability that an annotator gives N/A to such a sentence; else the label is a guess.
    needless : float
        Probability of N/A for a clear sentence.
    thrown_out : float
        Probability that adjudication drops an unclear sentence with two different senses.
    """

    unclear: float
    says_so: float = 0.8
    needless: float = 0.01
    thrown_out: float = 0.5


#: The scenario of the simulated labels, and shares of unclear sentences to compare.
USUAL = Scenario(unclear=0.1)
UNCLEAR = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb with its senses, their shares, how they are confused, and how much is to confuse."""

    name: str
    senses: tuple[str, ...]
    share: np.ndarray
    spread: np.ndarray
    burden: float

    @classmethod
    def of(cls, printed: Printed, name: str) -> "Verb":
        """Make a verb: errors go to other senses as often as the paper shows them confused."""
        senses = printed.inventory(name)
        weight = np.full((len(senses), len(senses)), BASE_WEIGHT)
        shown = printed.disagreements.query("verb == @name")
        for row in shown.itertuples():
            one, two = senses.index(row.first), senses.index(row.second)
            weight[[one, two], [two, one]] += 1
        np.fill_diagonal(weight, 0)
        share = 1 / np.arange(1, len(senses) + 1)
        spread = weight / weight.sum(axis=1, keepdims=True)
        return cls(name, senses, share / share.sum(), spread, len(senses) - 1 + len(shown))

    def confusion(self, error: float) -> np.ndarray:
        """Return the confusion matrix on clear sentences, shape (K, K)."""
        return (1 - error) * np.eye(len(self.senses)) + error * self.spread

    def joint(self, error: float, scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
        """Return the chance of each pair of labels, N/A last: kept, and thrown out."""
        s = scenario
        clear = np.column_stack(
            [(1 - s.needless) * self.confusion(error), np.full(len(self.senses), s.needless)]
        )
        guess = np.append((1 - s.says_so) * self.share, s.says_so)
        pairs = (1 - s.unclear) * np.einsum("k,kl,km->lm", self.share, clear, clear)
        unclear = s.unclear * np.outer(guess, guess)
        dropped = s.thrown_out * unclear
        np.fill_diagonal(dropped, 0)
        dropped[-1], dropped[:, -1] = 0, 0
        return pairs + unclear - dropped, dropped


def verbs_of(printed: Printed) -> list[Verb]:
    """Make all verbs."""
    return [Verb.of(printed, name) for name in printed.verbs["verb"]]


def errors_of(verbs: list[Verb], error: float) -> np.ndarray:
    """Return each verb's error rate, in proportion to its burden."""
    burden = np.array([verb.burden for verb in verbs])
    return np.minimum(error * burden / burden.mean(), 0.5)


def as_printed(table: np.ndarray) -> float:
    """Return the share of equal labels among those without N/A (section 3.2)."""
    senses = table[:-1, :-1]
    return float(np.trace(senses) / senses.sum())


def calibrate(verbs: list[Verb], scenario: Scenario, wanted: float) -> float:
    """Find the error rate at which the expected average is the printed one, at least 0."""

    def excess(error: float) -> float:
        tables = (v.joint(e, scenario)[0] for v, e in zip(verbs, errors_of(verbs, error),
                                                          strict=True))  # fmt: skip
        return float(np.mean([as_printed(table) for table in tables])) - wanted

    return 0.0 if excess(0.0) <= 0 else float(scipy.optimize.brentq(excess, 0.0, 0.4))


def draw(
    verbs: list[Verb], error: float, scenario: Scenario, n: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw n sentences of each verb: counts of pairs of labels, kept and thrown out."""
    tables = []
    for verb, own in zip(verbs, errors_of(verbs, error), strict=True):
        chance = np.stack(verb.joint(own, scenario))
        kept, dropped = rng.multinomial(n, chance.ravel() / chance.sum()).reshape(chance.shape)
        tables.append((kept, dropped))
    return tables


def kappa(table: np.ndarray) -> float:
    """Return Cohen's kappa of a table of counts or chances."""
    p = table / table.sum()
    expected = p.sum(axis=1) @ p.sum(axis=0)
    return float((np.trace(p) - expected) / (1 - expected)) if expected < 1 else np.nan


MEASURES: Mapping[str, object] = {
    # Everything is averaged over verbs but the pooled one.
    "retained": lambda kept, dropped: kept[:-1, :-1].sum() / (kept + dropped).sum(),
    "as_printed": lambda kept, dropped: as_printed(kept),
    "with_thrown_out": lambda kept, dropped: as_printed(kept + dropped),
    "na_is_a_label": lambda kept, dropped: np.trace(kept + dropped) / (kept + dropped).sum(),
    "kappa_retained": lambda kept, dropped: kappa(kept[:-1, :-1]),
    "kappa_na_is_a_label": lambda kept, dropped: kappa(kept + dropped),
}


def measure(tables: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, float]:
    """Average every measure over the verbs, and pool the printed one over sentences."""
    values = {
        name: float(np.nanmean([function(*pair) for pair in tables]))
        for name, function in MEASURES.items()
    }
    senses = [kept[:-1, :-1] for kept, _ in tables]
    values["pooled_as_printed"] = sum(map(np.trace, senses)) / sum(s.sum() for s in senses)
    return values


def scenarios(
    printed: Printed, verbs: list[Verb], rng: np.random.Generator, *, n_studies: int
) -> pd.DataFrame:
    """Compare ways to handle N/A, by the share of unclear sentences.

    In each scenario errors are calibrated so that the paper's rule gives 95%. Where unclear
    sentences alone make it less, there are no errors and the 95% is not reached.
    """
    wanted, n = printed.design["agreement"] / 100, int(printed.design["sentences_per_verb"])
    rows = []
    for unclear in UNCLEAR:
        for thrown_out in (0.0, USUAL.thrown_out, 1.0):
            scenario = Scenario(unclear=unclear, thrown_out=thrown_out)
            error = calibrate(verbs, scenario, wanted)
            expected = measure([v.joint(e, scenario) for v, e in
                                zip(verbs, errors_of(verbs, error), strict=True)])  # fmt: skip
            runs = pd.DataFrame(
                [measure(draw(verbs, error, scenario, n, rng)) for _ in range(n_studies)]
            )
            low, high = runs["as_printed"].quantile([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            rows.append({"unclear": unclear, "thrown_out": thrown_out, "error": error,
                         **expected, "as_printed_lower": low,
                         "as_printed_upper": high})  # fmt: skip
    return pd.DataFrame(rows)


# ------------------------------------------------------------- relations and coarser senses


def labels_of(verb: Verb, table: np.ndarray) -> Annotations:
    """Return the retained labels of a verb as annotations."""
    return Annotations.from_contingency(table[:-1, :-1], categories=verb.senses)


def verbs_table(verbs: list[Verb], tables: list[tuple[np.ndarray, np.ndarray]]) -> pd.DataFrame:
    """Give each verb's agreement by the paper's rule with intervals, and corrected for chance."""
    rows = []
    for verb, (kept, dropped) in zip(verbs, tables, strict=True):
        found = labels_of(verb, kept)
        percent, cohen = agreement.percent_agreement(found), agreement.cohen_kappa(found)
        equal = round(percent.estimate * found.n_items)
        one = scipy.stats.binomtest(equal, found.n_items).proportion_ci(LEVEL, "exact")
        two = cohen.interval()
        rows.append(
            {
                "verb": verb.name, "senses": len(verb.senses), "retained": found.n_items,
                "agreement": percent.estimate, "lower": one.low, "upper": one.high,
                "kappa": cohen.estimate, "kappa_lower": two.lower, "kappa_upper": two.upper,
                "na_is_a_label": MEASURES["na_is_a_label"](kept, dropped),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def by_relation(
    printed: Printed,
    verbs: list[Verb],
    tables: list[tuple[np.ndarray, np.ndarray]],
    rng: np.random.Generator,
    *,
    n_resampled: int,
) -> pd.DataFrame:
    """Compute agreement within related pairs of senses, by type of relation.

    Of the sentences that both annotators gave one of the two senses, the share with equal labels.
    Intervals resample verbs, for errors differ by verb.
    """
    counts = {}
    for verb, (kept, _) in zip(verbs, tables, strict=True):
        of_verb = printed.relations[printed.relations["verb"] == verb.name]
        kinds = {
            frozenset((verb.senses.index(row.first), verb.senses.index(row.second))): set()
            for row in of_verb.itertuples()
        }
        for row in of_verb.itertuples():
            pair = frozenset((verb.senses.index(row.first), verb.senses.index(row.second)))
            kinds[pair].add(row.relation)
        for pair in combinations(range(len(verb.senses)), 2):
            block = kept[np.ix_(pair, pair)]
            for kind in kinds.get(frozenset(pair), {"none named"}):
                total = counts.setdefault((kind, verb.name), np.zeros(3))
                total += [1, np.trace(block), block.sum()]
    frame = pd.DataFrame(counts, index=["pairs", "equal", "both"]).T
    rows = []
    for kind in (*printed.kinds, "none named"):
        part = frame.loc[kind]
        drawn = rng.integers(len(part), size=(n_resampled, len(part)))
        values = part["equal"].to_numpy()[drawn].sum(axis=1) / part["both"].to_numpy()[drawn].sum(
            axis=1
        )
        several = len(part) > 1
        low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        rows.append(
            {
                "relation": kind, "verbs": len(part), "pairs": int(part["pairs"].sum()),
                "sentences": int(part["both"].sum()),
                "unequal": int(part["both"].sum() - part["equal"].sum()),
                "agreement": part["equal"].sum() / part["both"].sum(),
                # One verb can't say how verbs differ.
                "lower": low if several else np.nan, "upper": high if several else np.nan,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def hierarchy(printed: Printed, verb: Verb) -> Hierarchy:
    """Make the levels of a verb: senses merged that are related in one way, or in any."""
    of_verb = printed.relations[printed.relations["verb"] == verb.name]
    pairs = {kind: of_verb[of_verb["relation"] == kind] for kind in printed.kinds}
    pairs["any relation"] = of_verb
    return Hierarchy({
        level: merge(verb.senses, zip(rows["first"], rows["second"], strict=True))
        for level, rows in pairs.items()
    })  # fmt: skip


def merge(senses: tuple[str, ...], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each sense to the first sense that it is connected with."""
    parent = {sense: sense for sense in senses}
    for first, second in pairs:
        one, two = sorted((parent[first], parent[second]), key=senses.index)
        parent = {sense: one if top == two else top for sense, top in parent.items()}
    return parent


def random_merge(
    senses: tuple[str, ...], level: Mapping[str, str], rng: np.random.Generator
) -> dict[str, str]:
    """Give a level's groups to other senses, at random."""
    shuffled = [senses[k] for k in rng.permutation(len(senses))]
    return {sense: level[other] for sense, other in zip(senses, shuffled, strict=True)}


def indicator(senses: tuple[str, ...], level: Mapping[str, str]) -> np.ndarray:
    """Return which sense goes to which parent, shape (K, parents)."""
    parents = list(dict.fromkeys(level[sense] for sense in senses))
    return np.array(
        [[level[sense] == parent for parent in parents] for sense in senses], dtype=float
    )


def level_measures(verb: Verb, error: float, table: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Return agreement, kappa (NaN for one sense) and bits a label of collapsed labels."""
    merged = to.T @ table @ to
    share = verb.share @ to
    confusion = (verb.share[:, None] * verb.confusion(error)) @ to
    confusion = (to.T @ confusion) / share[:, None]
    bits = information.mutual_information(share, confusion[None])
    return np.array([np.trace(merged) / merged.sum(), kappa(merged), float(np.squeeze(bits))])


def coarser(
    printed: Printed,
    verbs: list[Verb],
    error: float,
    rng: np.random.Generator,
    *,
    n_random: int,
) -> pd.DataFrame:
    """Average agreement, kappa and information over the verbs that each level changes.

    Expected values of retained labels; beside each level, random merges to as many senses.
    """
    own = errors_of(verbs, error)
    rows = []
    for level in (*printed.kinds, "any relation"):
        before, after, by_chance = [], [], []
        for verb, e in zip(verbs, own, strict=True):
            parents = hierarchy(printed, verb).levels[level]
            to = indicator(verb.senses, parents)
            # A verb left with one sense has no agreement to speak of.
            if not 1 < to.shape[1] < len(verb.senses):
                continue
            table = verb.joint(e, USUAL)[0][:-1, :-1]
            before.append(level_measures(verb, e, table, np.eye(len(verb.senses))))
            after.append(level_measures(verb, e, table, to))
            by_chance.append([
                level_measures(verb, e, table, indicator(verb.senses,
                                                         random_merge(verb.senses, parents, rng)))
                for _ in range(n_random)
            ])  # fmt: skip
        changed = sum(
            len(set(hierarchy(printed, verb).levels[level].values())) < len(verb.senses)
            for verb in verbs
        )
        row = {"level": level, "verbs_changed": changed, "verbs_compared": len(after)}
        for k, name in enumerate(("agreement", "kappa", "bits")):
            if after:
                row[f"{name}_before"] = np.mean([v[k] for v in before])
                row[name] = np.mean([v[k] for v in after])
                chance = [np.mean([v[k] for v in runs]) for runs in by_chance]
                row[f"{name}_random"] = np.mean(chance)
        rows.append(row)
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------- figures


def figure_not_applicable(limits: pd.DataFrame, found: pd.DataFrame, stem: Path) -> None:
    """Section 3.2: bounds, and scenarios."""
    with plotting.house_figure(2, height=3.7) as (figure, (left, right)):
        left.fill_between(limits["retained"], limits["lower"], limits["upper"], color="#A6C8DD",
                          label="possible agreement on all")  # fmt: skip
        left.axhline(
            0.95, color=plotting.VERMILION, linestyle="--", label="printed: 95% of the retained"
        )
        left.set(xlabel="share of sentences retained", ylabel="agreement", ylim=(0.4, 1.02),
                 xlim=(0.5, 1), title="N/A as a label: bounds")  # fmt: skip
        left.legend(loc="lower right")
        for thrown_out, marker, line in ((0.0, "s", ":"), (0.5, "o", "-"), (1.0, "^", "--")):
            part = found[found["thrown_out"] == thrown_out]
            right.plot(part["unclear"], part["na_is_a_label"], marker=marker, linestyle=line,
                       markersize=4, color=plotting.BLUE,
                       label=f"on all, {thrown_out:.0%} thrown out")  # fmt: skip
        # The three scenarios are calibrated to one line.
        right.plot(part["unclear"], part["as_printed"], color=plotting.VERMILION, linestyle="--",
                   label="of the retained (calibrated)")  # fmt: skip
        right.set(xlabel="share of unclear sentences", ylim=(0.7, 1.0),
                  title="Simulated: N/A as a label")  # fmt: skip
        right.legend(loc="lower left")
        for axes in (left, right):
            axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        plotting.save_figure(figure, stem)


def figure_chance(found: pd.DataFrame, verbs: pd.DataFrame, stem: Path) -> None:
    """95% agreement corrected for chance, and the simulated verbs."""
    with plotting.house_figure(2, height=4.0) as (figure, (left, right)):
        for n, line, colour in zip((2, 3, 5, 10), ("-", "--", "-.", ":"),
                                   (plotting.INK, plotting.BLUE, plotting.GREEN, plotting.GREY),
                                   strict=True):  # fmt: skip
            part = found[found["senses"] == n]
            left.plot(part["first_share"], part["kappa"], linestyle=line, color=colour,
                      label=f"{n} senses")  # fmt: skip
        left.set(xlabel="share of the most frequent sense", ylabel="kappa", ylim=(0.4, 1),
                 title="Kappa at 95% agreement")  # fmt: skip
        left.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        left.legend(loc="lower left")
        shown = verbs.sort_values("agreement", ignore_index=True)
        right.hlines(shown.index, shown["lower"], shown["upper"], color=plotting.GREY)
        right.plot(shown["agreement"], shown.index, "o", color=plotting.BLUE, markersize=4,
                   label="agreement (paper's rule)")  # fmt: skip
        right.plot(shown["kappa"], shown.index, "x", color=plotting.VERMILION, markersize=5,
                   label="Cohen's kappa")  # fmt: skip
        right.set_yticks(shown.index, shown["verb"], fontsize=7.5)
        right.set(title="Simulated verbs", xlim=(None, 1.01), xlabel="agreement or kappa")
        handles, labels = right.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower right", ncols=2)
        plotting.save_figure(figure, stem)


def figure_relations(
    printed: Printed, examples: pd.DataFrame, found: pd.DataFrame, stem: Path
) -> None:
    """Printed disagreements and simulated agreement by type of relation."""
    kinds = list(found["relation"])
    unequal = examples[examples["in_agreement"] == "unequal"]["relation"]
    shown = [sum(kind in names.split(", ") for names in unequal) for kind in kinds[:-1]]
    shown.append(int((unequal == "").sum()))
    y = -np.arange(len(kinds))
    with plotting.house_figure(2, height=3.6) as (figure, (left, right)):
        left.barh(y, shown, color="#A6C8DD", edgecolor=plotting.INK, linewidth=0.6)
        left.set_yticks(y, kinds)
        left.set(xlabel="printed examples with two senses", title="Disagreements shown",
                 xticks=range(max(shown) + 1))  # fmt: skip
        right.hlines(y, found["lower"], found["upper"], color=plotting.INK)
        right.plot(found["agreement"], y, "o", color=plotting.BLUE, markersize=5)
        right.axvline(printed.design["agreement"] / 100, color=plotting.VERMILION, linestyle="--")
        right.set_yticks(y, [""] * len(kinds))
        right.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        right.set(xlabel="equal labels within related pairs", title="Simulated agreement")
        for axes in (left, right):
            axes.set_ylim(y[-1] - 0.6, 0.6)
        plotting.save_figure(figure, stem)


def figure_coarser(found: pd.DataFrame, stem: Path) -> None:
    """What merging gains and loses, against random merges."""
    shown = found[found["verbs_compared"] > 0].reset_index(drop=True)
    y = -np.arange(len(shown))
    titles = {
        "agreement": "Agreement (paper's rule)",
        "kappa": "Cohen's kappa",
        "bits": "Bits a label",
    }
    note = "Simulated, calibrated to 95% and to the printed disagreements"
    with plotting.house_figure(3, height=3.6, stand_in=note) as (figure, axes):
        for panel, (name, title) in zip(axes, titles.items(), strict=True):
            panel.hlines(y, shown[f"{name}_before"], shown[name], color=plotting.GREY)
            panel.plot(shown[f"{name}_before"], y, "|", color=plotting.INK, markersize=9,
                       label="all senses")  # fmt: skip
            panel.plot(shown[name], y, "o", color=plotting.BLUE, markersize=5, label="merged")
            panel.plot(shown[f"{name}_random"], y, "x", color=plotting.VERMILION, markersize=5,
                       label="merged at random")  # fmt: skip
            labels = [f"{r.level} ({r.verbs_compared})" for r in shown.itertuples()]
            panel.set_yticks(y, labels if name == "agreement" else [""] * len(shown))
            panel.set(title=title, ylim=(y[-1] - 0.5, 0.5))
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        plotting.save_figure(figure, stem)


# --------------------------------------------------------------------------------- output


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Compute everything and write values, tables, figures and captions.

    Parameters
    ----------
    data : mapping of str to Path
        Not used: the labels were never published.
    printed_tables : iterable of Path
        The printed tables.
    folder : Path
        Where the results go.
    seed : int
        Of the simulations.
    effort : {"full", "quick"}
        With "quick" simulations are repeated less often.
    """
    printed = read_printed(printed_tables)
    target = "agreement.macro_average"
    write_computed(
        [
            *plain_rows(reference_values(printed), "printed_table"),
            Computed(target, printed.design["agreement"], method=CALIBRATION_METHOD,
                     provenance="simulated"),
            Computed(target, most_agreement(printed), provenance="printed_table",
                     method="upper bound from the printed disagreements"),
        ],
        folder / "computed.csv",
    )  # fmt: skip

    rng = np.random.default_rng(seed)
    verbs = verbs_of(printed)
    error = calibrate(verbs, USUAL, printed.design["agreement"] / 100)
    n = int(printed.design["sentences_per_verb"])
    tables = draw(verbs, error, USUAL, n, rng)
    of_lists = {"inventory": inventory_table(printed), "examples": examples_table(printed)}
    closed = {"bounds": bounds(printed), "chance_corrected": chance_corrected(printed)}
    simulated = {
        "scenarios": scenarios(printed, verbs, rng, n_studies=N_STUDIES[effort]),
        "verbs": verbs_table(verbs, tables),
        "relations": by_relation(printed, verbs, tables, rng, n_resampled=N_RESAMPLED[effort]),
        "coarser": coarser(printed, verbs, error, rng, n_random=N_RANDOM[effort]),
    }
    provenance = (
        dict.fromkeys(of_lists, "printed_table")
        | dict.fromkeys(closed, "closed_form")
        | dict.fromkeys(simulated, "simulated")
    )
    everything = of_lists | closed | simulated
    for name, table in everything.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    figure_not_applicable(everything["bounds"], everything["scenarios"], stems / "not_applicable")
    figure_chance(everything["chance_corrected"], everything["verbs"], stems / "chance")
    figure_relations(printed, everything["examples"], everything["relations"], stems / "relations")
    figure_coarser(everything["coarser"], stems / "coarser")
    captions = {n: c | {"provenance": "simulated", "seed": seed} for n, c in CAPTIONS.items()}
    of_tables = {f"tables/{name}": {"provenance": source} for name, source in provenance.items()}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions | of_tables, indent=1) + "\n")


CAPTIONS = {
    "not_applicable": {
        "caption": "Left: what 95% of the retained sentences leaves possible for all sentences, "
        "with N/A as a label; no simulation. Right: simulated scenarios, each calibrated "
        "to 95% by the paper's rule, by the share of sentences that no sense or several senses "
        "fit, and by how many of their disagreements adjudication "
        "throws out."
    },
    "chance": {
        "caption": "Left: Cohen's kappa if 95% of labels are equal, by number of senses and share "
        "of the most frequent one; no simulation. Right: 20 simulated verbs with 95% intervals, "
        "in order of agreement."
    },
    "relations": {
        "caption": "Left: printed examples in which the annotators chose two senses, by the "
        "relation that the paper names between them (a pair may have two). Right: simulated "
        "agreement among sentences that got one of two related senses from both, with 95% "
        "intervals over verbs; the simulation confuses pairs as the printed examples do."
    },
    "coarser": {
        "caption": "Averages over the verbs (in brackets) that a level makes coarser and leaves "
        "with two senses at least. Random merges have as many senses of the same sizes. "
        "Simulated: expected values."
    },
}


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={},
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
