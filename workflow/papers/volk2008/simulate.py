"""The simulated students of section 5, and what is computed of their links.

Twelve students are simulated whose numbers of links lie in the printed ranges; what they have in
common is calibrated to the intersection ("about 50%") and the number of rival links to the union.
What the paper leaves open is settled so: overlap and own links of the eight are evenly spread over
their ranges, in an order that lets nobody exceed the printed maximum; the four excluded students
are spread below them, with the smallest number of own links among the eight. Sentences have
the printed mean length in both languages, and six phrases for ten words.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annobench import agreement
from annobench.alignment.links import LINKED, UNIVERSES, Alignments, compare
from annobench.simulation.alignments import (
    GOLD,
    lay_links,
    rival_links,
    simulate_links,
    tree_pairs,
)
from annobench_replication.ledger import CALIBRATION_METHOD, PAPER_METHOD, Computed
from annobench_replication.rows import interval_columns, value_row

from .calibration import all_and_none, calibrate, calibrate_strength, skill_and_strictness
from .printed import PARTS, Printed, design_values

LEVEL = 0.95
#: Phrases for each word, and the standard deviation of students' leanings towards fuzzy links.
PHRASES, LEANINGS = 0.6, 0.3


@dataclass(frozen=True)
class Group:
    """The students of one part: what is assumed of each, and what follows."""

    part: str
    #: Expected links in the gold standard and outside it, shape (12,); the eight come first.
    hits: np.ndarray
    own: np.ndarray
    n_gold: int
    #: Share of the variance that students have in common, in [0, 1).
    shared: float
    n_rivals: int
    #: Students who were not excluded: eight.
    n_kept: int

    @classmethod
    def of(cls, printed: Printed, part: str) -> "Group":
        """Spread the students over the printed ranges, and calibrate what they share."""
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        eight = int(design_values(printed)["remaining.n"])
        ends = printed.overlaps(part, "min")[0], printed.overlaps(part, "max")[-1]
        hits = np.linspace(*ends, eight).round().astype(int)
        own = np.linspace(row["min_own"], row["max_own"], eight).round().astype(int)
        # Own links grow with the overlap up to the middle, and fall from there on.
        half = eight // 2
        own = np.minimum(np.r_[own[:half], own[half:][::-1]], row["max_links"] - hits)
        smallest = (hits + own).min()
        union = float(printed.strengths.loc[part, "total"])
        intersection = printed.number["intersection_share"] / 100 * smallest
        shared, n_rivals = calibrate(hits, own, n_gold, intersection=intersection, union=union)
        others = int(printed.number["n_students"]) - eight
        sizes = np.linspace(row["min_links"], smallest, others + 1)[:-1].round()
        few = np.full(others, own.min())
        hits, own = np.concatenate([hits, sizes - few]), np.concatenate([own, few])
        return cls(part, hits, own, n_gold, shared, n_rivals, eight)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the twelve; the four excluded ones end in x."""
        excluded = [""] * self.n_kept + ["x"] * (len(self.hits) - self.n_kept)
        return tuple(f"s{n}{mark}" for n, mark in enumerate(excluded, start=1))

    @property
    def eight(self) -> list[str]:
        """The students who were not excluded."""
        return [name for name in self.names if not name.endswith("x")]

    @cached_property
    def abilities(self) -> tuple[np.ndarray, np.ndarray]:
        """Skill and strictness of each student."""
        return skill_and_strictness(self.hits / self.n_gold, self.own / self.n_rivals)

    def leaning(self, mean: float) -> np.ndarray:
        """Spread the students' leanings towards fuzzy links about a mean."""
        places = (np.arange(len(self.hits)) * 5 % len(self.hits) + 0.5) / len(self.hits)
        return mean + LEANINGS * stats.norm.ppf(places)

    def calibrated_leaning(self, printed: Printed) -> tuple[float, float]:
        """Calibrate the mean leaning, and what is common in it, to the second table."""
        gold, eight = printed.gold, self.n_kept
        n_fuzzy = int(gold.loc[gold["part"] == self.part, "fuzzy"].sum())
        hits, own = self.hits[:eight] / self.n_gold, self.own[:eight] / self.n_rivals
        of_gold = [(self.n_gold - n_fuzzy, False, hits), (n_fuzzy, True, hits)]
        drawn = [*of_gold, (self.n_rivals, True, own)]
        wanted = printed.strengths.loc[self.part, ["fuzzy", "both"]]
        return calibrate_strength(drawn, self.leaning(0.0)[:eight], self.shared, **wanted)

    def draw(
        self,
        printed: Printed,
        leaning: tuple[float, float],
        rng: np.random.Generator,
        *,
        independent: bool = False,
    ) -> Alignments:
        """Simulate all students once, sentences included."""
        row = printed.students.loc[self.part]
        pairs = tree_pairs(int(row["tree_pairs"]), row["tokens"], PHRASES, rng, name=self.part)
        gold = lay_links(pairs, *printed.shape_of(self.part), rng)
        skill, strictness = self.abilities
        mean, shared_strength = leaning
        return simulate_links(
            pairs,
            gold,
            rival_links(pairs, gold, self.n_rivals, rng),
            skill=skill,
            strictness=strictness,
            leaning=self.leaning(mean),
            shared=0.0 if independent else self.shared,
            shared_strength=shared_strength,
            names=self.names,
            rng=rng,
        )

    def counts(self, links: Alignments) -> dict[str, float]:
        """Count what the paper says of the eight and of the twelve."""
        eight = links.of_annotators(self.eight)
        drawn = eight.drawn > 0
        with_gold = links.of_annotators([*self.eight, GOLD]).drawn > 0
        every, in_gold = with_gold[:, :-1], with_gold[:, -1]
        shared = (every & in_gold[:, None]).sum(axis=0)
        own = (every & ~in_gold[:, None]).sum(axis=0)
        all_eight, everybody = every.all(axis=1), drawn.all(axis=1)
        words = np.array([kind == "word" for kind in eight.kind])
        sizes = (links.drawn[:, 1:] > 0).sum(axis=0)
        exact, fuzzy = ((eight.drawn == code).any(axis=1) for code in (1, 2))
        return {
            "students.max_links": sizes.max(),
            "students.min_links": sizes.min(),
            "overlap.max": 100 * shared.max() / self.n_gold,
            "overlap.min": 100 * shared.min() / self.n_gold,
            "own.min": own.min(),
            "own.max": own.max(),
            "intersection.share": 100 * everybody.sum() / drawn.sum(axis=0).min(),
            "intersection.in_gold": 100 * (in_gold & all_eight).sum() / max(1, all_eight.sum()),
            "intersection.words": 100 * words[everybody].mean() if everybody.any() else math.nan,
            "union": len(drawn),
            "exact": exact.sum(),
            "fuzzy": fuzzy.sum(),
            "both": (exact & fuzzy).sum(),
            "missed_by_all": (in_gold & ~every.any(axis=1)).sum(),
        }


@dataclass(frozen=True)
class Simulation:
    """The calibrated students of each part, and what was drawn."""

    groups: dict[str, Group]
    #: Mean leaning towards fuzzy links, and what is common in it.
    leanings: dict[str, tuple[float, float]]
    #: What many repetitions have for each number of the paper.
    predictions: pd.DataFrame
    #: One further draw of each part: as it is, and with independent students.
    links: dict[str, Alignments]
    independent: dict[str, Alignments]


def simulate(printed: Printed, rng: np.random.Generator, n: int, n_independent: int) -> Simulation:
    """Calibrate the students of each part, and simulate them many times.

    Raises `AnnotationError` where no students have the printed numbers.
    """
    groups = {part: Group.of(printed, part) for part in PARTS}
    leanings = {part: group.calibrated_leaning(printed) for part, group in groups.items()}
    repeated, alone, links, independent = {}, {}, {}, {}
    for part, group in groups.items():
        common = printed, leanings[part], rng
        repeated[part] = pd.DataFrame(group.counts(group.draw(*common)) for _ in range(n))
        alone[part] = pd.DataFrame(
            group.counts(group.draw(*common, independent=True)) for _ in range(n_independent)
        )
        links[part] = group.draw(*common)
        independent[part] = group.draw(*common, independent=True)
    predicted = predictions(repeated, alone, printed)
    return Simulation(groups, leanings, predicted, links, independent)


def both_parts(runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what the paper says of both parts at once: mean shares, and links in all."""
    first, second = runs.values()
    shares = first.columns.str.startswith("intersection")
    found = (first.loc[:, shares] + second.loc[:, shares]) / 2
    return found.assign(missed_by_all=first["missed_by_all"] + second["missed_by_all"])


def targets(printed: Printed, part: str) -> dict[str, float]:
    """Return the printed numbers of a part, or of both, that the simulation has as well."""
    if part not in PARTS:
        return {"intersection.share": printed.number["intersection_share"]}
    students, strengths = printed.students.T[part], printed.strengths.T[part]
    keys = {"links": "students.{}_links", "overlap": "overlap.{}", "own": "own.{}"}
    found: dict[str, float] = {
        key.format(end): students[f"{end}_{group}"]
        for group, key in keys.items()
        for end in ("max", "min")
    }
    return found | {"union": strengths["total"], **strengths[["exact", "fuzzy", "both"]]}


def predictions(
    runs: Mapping[str, pd.DataFrame], independent: Mapping[str, pd.DataFrame], printed: Printed
) -> pd.DataFrame:
    """Summarise the repetitions: the mean of each number, and the range of 95% of them."""
    rows = []
    runs, independent = (dict(each) | {"both": both_parts(each)} for each in (runs, independent))
    for part, found in runs.items():
        wanted = targets(printed, part)
        for name in found:
            values = found[name].dropna()
            lower, upper = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            row = (part, name, wanted.get(name, math.nan), values.mean(), lower, upper, LEVEL)
            rows.append((*row, independent[part][name].mean(), name in wanted))
    columns = ["part", "quantity", "printed", "mean", "lower", "upper", "level"]
    return pd.DataFrame(rows, columns=[*columns, "mean_if_independent", "calibrated"])


def prediction_rows(table: pd.DataFrame) -> list[Computed]:
    """Return the simulated values beside printed ones; what was calibrated to is no result."""
    rows = []
    for row in table.itertuples():
        group, _, end = row.quantity.partition(".")
        if row.part == "both" and group == "intersection":
            target = row.quantity
        elif row.part != "both" and group in ("students", "overlap", "own"):
            target = f"{group}.{row.part}.{end}"
        else:
            continue
        method = CALIBRATION_METHOD if row.calibrated else PAPER_METHOD
        value = row.mean, row.lower, row.upper
        rows.append(value_row(target, value, level=LEVEL, method=method))
    return rows


def calibration_table(simulation: Simulation) -> pd.DataFrame:
    """Lay out the simulated students."""
    parts = []
    for part, group in simulation.groups.items():
        skill, strictness = group.abilities
        mean, shared_strength = simulation.leanings[part]
        kept = group.hits[: group.n_kept] / group.n_gold
        students = {
            "part": part,
            "student": group.names,
            "excluded": [name.endswith("x") for name in group.names],
            "shared_links": group.hits.astype(int),
            "own_links": group.own.astype(int),
            "skill": skill,
            "strictness": strictness,
            "leaning": group.leaning(mean),
            "shared": group.shared,
            "shared_strength": shared_strength,
            "n_rivals": group.n_rivals,
            "intersection_if_independent": group.n_gold * all_and_none(kept, 0.0)[0],
        }
        parts.append(pd.DataFrame(students))
    return pd.concat(parts, ignore_index=True)


def students_table(links: Mapping[str, Alignments], rng: np.random.Generator) -> pd.DataFrame:
    """Compare each simulated student with the gold standard, with intervals."""
    rows = []
    for part, found in links.items():
        for name in found.annotators[1:]:
            one = compare(found, name, GOLD, rng=rng)
            row: dict[str, Any] = {"part": part, "student": name}
            row |= {count: getattr(one, count) for count in ("shared", "own", "missed")}
            for measure in ("recall", "precision", "f_score", "kappa"):
                value = getattr(one, measure)
                row |= {measure: value.estimate} | interval_columns(value, f"{measure}_")
            rows.append(row)
    return pd.DataFrame(rows)


def agreement_table(
    simulation: Simulation, rng: np.random.Generator, replicates: int
) -> pd.DataFrame:
    """Measure the agreement of the students by coefficient and universe, over sentence pairs."""
    rows = []
    for part, links in simulation.links.items():
        group = simulation.groups[part]
        for students, names in (("eight", group.eight), ("twelve", list(group.names))):
            for universe, pair, one in coefficients(links.of_annotators(names)):
                row = {"part": part, "students": students, "universe": universe}
                found = with_intervals(one, pair, rng, replicates)
                rows.append(row | {"candidates": one.n_items} | found)
    return pd.DataFrame(rows)


def coefficients(links: Alignments) -> Iterator[tuple[str, np.ndarray, agreement.Agreement]]:
    """Compute agreement by universe: its name, the sentence pair of each link, a coefficient."""
    for universe in UNIVERSES:
        labels, pair = links.to_annotations(universe)
        yield universe, pair, agreement.specific_agreement(labels, LINKED)
        yield universe, pair, agreement.krippendorff_alpha(labels)
    strengths = agreement.krippendorff_alpha(links.strengths())
    yield "strength of shared links", links.pair, strengths


def with_intervals(
    found: agreement.Agreement, pair: np.ndarray, rng: np.random.Generator, replicates: int
) -> dict[str, object]:
    """Return a coefficient with its interval over sentence pairs, and over links as if alone."""
    draws = agreement.bootstrap_groups(found, pair, replicates=replicates, rng=rng)
    lower, upper = np.nanquantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    row = {"coefficient": found.name, "estimate": found.estimate, "lower": lower, "upper": upper}
    return row | interval_columns(found.interval(level=LEVEL), "links_alone_")
