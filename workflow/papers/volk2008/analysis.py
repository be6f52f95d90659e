"""Recompute Volk, Marek and Samuelsson (2008) from its printed tables, and simulate the rest.

====================  ==============================================================
`gold_table`          section 5, first table: sums and shares
`fan_out_table`       section 5: nodes with one, two and three links
`design_values`       section 5: the numbers of students
`bounds_table`        section 5: what the ranges of the eight determine
`union_table`         section 5: the union against the largest and the gold standard
`own_links_table`     section 5: how many students share an own link
`strengths_table`     section 5, second table: exact, fuzzy and both
`Class`               the simulated twelve students, for all that is not printed
`predictions`         section 5: intersection and union as the simulation has them
`agreement_table`     not in the paper: chance-corrected agreement by universe
====================  ==============================================================

The students' links were never published. Twelve students are simulated whose numbers of links lie
in the printed ranges; what they have in common is calibrated to the intersection ("about 50%")
and the number of rival links to the union. What the paper leaves open is settled so: overlap and
own links of the eight are evenly spread over their ranges, in an order that lets nobody exceed the
printed maximum; the four excluded students are spread below them, and draw rival links as seldom
as the least one of the eight. Sentences have the printed mean length in both languages, and six
phrases for ten words.
"""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annobench import agreement
from annobench.alignment import links as alignment
from annobench.alignment.links import LINKED, Alignments
from annobench.core.files import recording, replacing
from annobench.replication.compare import (
    CALIBRATION_METHOD,
    PAPER_METHOD,
    Computed,
    plain_rows,
    write_computed,
)
from annobench.reporting import plotting
from annobench.simulation.alignments import (
    GOLD,
    all_and_none,
    calibrate,
    calibrate_strength,
    lay_links,
    rival_links,
    simulate_links,
    skill_and_strictness,
    tree_pairs,
)

PARTS = {"sophie": "Sophie's World", "economy": "Economy"}
SIDES = ("german", "english")
LEVEL = 0.95
#: Phrases for each word, and how far students' leanings towards fuzzy links are spread.
PHRASES, LEANINGS = 0.6, 0.3
#: Repetitions of the whole class, for predictive intervals: as they are, and if independent.
N_CLASSES = {"full": (80, 20), "quick": (4, 4)}
#: Resamples of sentence pairs behind each interval of agreement.
N_RESAMPLED = {"full": 1000, "quick": 50}


@dataclass(frozen=True)
class Printed:
    """The printed tables, and the two parts of the experiment.

    Attributes
    ----------
    gold, fan_out, strengths, students : DataFrame
        As printed.
    number : Series
        Other numbers by name.
    """

    gold: pd.DataFrame
    fan_out: pd.DataFrame
    strengths: pd.DataFrame
    students: pd.DataFrame
    number: "pd.Series[float]"

    @classmethod
    def read(cls, paths: Iterable[Path]) -> "Printed":
        """Read the five tables."""
        frames = {path.stem: pd.read_csv(path, comment="#") for path in paths}
        number = frames.pop("numbers").set_index("name")["value"]
        by_part = {name: frames[name].set_index("part") for name in ("strengths", "students")}
        return cls(frames["gold"], frames["fan_out"], number=number, **by_part)

    def n_gold(self, part: str) -> int:
        """Count the links of the gold standard."""
        return int(self.gold.loc[self.gold["part"] == part, ["exact", "fuzzy"]].to_numpy().sum())

    def shape_of(self, part: str) -> tuple[dict[str, tuple[int, int]], list[tuple[str, int]]]:
        """Return the links by kind, exact and fuzzy, and the nodes with several links."""
        counts = self.gold[self.gold["part"] == part].set_index("kind")[["exact", "fuzzy"]]
        stars = [
            ({"german": "source", "english": "target"}[side], links)
            for side in SIDES
            for links, nodes in self.several(part, side).items()
            for _ in range(nodes)
        ]
        return {kind: tuple(map(int, row)) for kind, *row in counts.itertuples()}, stars

    def several(self, part: str, side: str) -> dict[int, int]:
        """Return the nodes of a side by their number of links, from two on."""
        [row] = self.fan_out.query("part == @part and side == @side").itertuples()
        return {links: n for links, n in ((2, row.two), (3, row.three)) if n > 0}


# ------------------------------------------------------------------------ printed tables


def gold_table(printed: Printed) -> pd.DataFrame:
    """Sum the first table, and give the share of fuzzy links with Wilson's interval."""
    both = printed.gold.groupby("part", sort=False)[["exact", "fuzzy"]].sum().reset_index()
    table = pd.concat([printed.gold, both.assign(kind="both")], ignore_index=True)
    table["total"] = table["exact"] + table["fuzzy"]
    ends = [wilson(f, n) for f, n in zip(table["fuzzy"], table["total"], strict=True)]
    table["fuzzy_percent"] = 100 * table["fuzzy"] / table["total"]
    table["lower"], table["upper"] = 100 * np.array(ends).T
    return table


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    found = stats.binomtest(int(successes), int(n)).proportion_ci(LEVEL, method="wilson")
    return found.low, found.high


def fan_out_table(printed: Printed) -> pd.DataFrame:
    """Count the nodes with one link: what the links of the others leave."""
    rows = []
    for part, side in itertools.product(PARTS, SIDES):
        several = printed.several(part, side)
        n_links = printed.n_gold(part)
        single = n_links - sum(links * nodes for links, nodes in several.items())
        nodes = single + sum(several.values())
        rows += [(part, side, links, count, 100 * count / nodes, 100 * links * count / n_links)
                 for links, count in ({1: single} | several).items()]  # fmt: skip
    columns = ["part", "side", "links", "nodes", "percent_of_nodes", "percent_of_links"]
    return pd.DataFrame(rows, columns=columns)


def design_values(printed: Printed) -> dict[str, float]:
    """Compute what section 5 says more than once, or leaves to be added."""
    number, students = printed.number, printed.students
    excluded = number["n_strict"] + number["n_non_native"]
    return {
        "abstract.max_overlap": students["max_overlap"].max(),
        "excluded.n": excluded,
        "remaining.n": number["n_students"] - excluded,
    }


def gold_values(printed: Printed) -> dict[str, float]:
    """Return the sums of the first table, and the 1:1 alignments that follow from them."""
    totals = gold_table(printed).set_index(["part", "kind"])["total"]
    nodes = fan_out_table(printed).set_index(["part", "side", "links"])
    single = {
        f"fan_out.{part}.{side}.one": nodes.loc[(part, side, 1), "nodes"]
        for part, side in itertools.product(PARTS, SIDES)
        if (part, side) != ("sophie", "english")  # not printed
    }
    return {
        **{f"gold.{part}.{kind}.total": totals[part, kind]
           for part in PARTS for kind in alignment.KINDS},
        **{f"gold.sophie.{kind}.text": totals["sophie", kind] for kind in alignment.KINDS},
        **single,
        "fan_out.economy.majority": nodes.loc[("economy", "german", 1), "percent_of_nodes"],
    }  # fmt: skip


def counts_of(percent: float, n: int) -> list[int]:
    """List the counts out of n that round to a printed percentage."""
    return [k for k in range(n + 1) if abs(100 * k / n - percent) <= 0.5]


def bounds_table(printed: Printed) -> pd.DataFrame:
    """Say between what the precision and F-score of the best and the worst student lie."""
    rows = []
    for part, end in itertools.product(PARTS, ("max", "min")):
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        for shared in counts_of(row[f"{end}_overlap"], n_gold):
            most = int(min(row["max_own"], row["max_links"] - shared))
            own = np.array([row["min_own"], most], dtype=float)
            precision, f_score = shared / (shared + own), 2 * shared / (shared + own + n_gold)
            rows.append(
                {"part": part, "student": {"max": "best", "min": "worst"}[end],
                 "recall": shared / n_gold, "shared": shared, "fewest_own": int(own[0]),
                 "most_own": most, "lowest_precision": precision[1],
                 "highest_precision": precision[0], "lowest_f_score": f_score[1],
                 "highest_f_score": f_score[0]}
            )  # fmt: skip
    return pd.DataFrame(rows)


def union_table(printed: Printed) -> pd.DataFrame:
    """Set the union against the largest student and the gold standard, by either reading of it."""
    rows = []
    for part in PARTS:
        row, n_gold = printed.strengths.loc[part], printed.n_gold(part)
        largest = int(printed.students.loc[part, "max_links"])
        summed = row["exact"] + row["fuzzy"] - row["both"]
        for reading, union in (("as printed", row["total"]), ("from the other cells", summed)):
            rows.append(
                {"part": part, "union_is": reading, "union": union, "largest": largest,
                 "gold": n_gold, "over_largest_percent": 100 * (union / largest - 1),
                 "over_gold_percent": 100 * (union / n_gold - 1)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def union_values(table: pd.DataFrame) -> dict[str, float]:
    """Return the lowest and highest excess of the union over the two parts."""
    found = table[table["union_is"] == "as printed"]
    return {
        f"union.over_{of}.{end}": getattr(found[f"over_{of}_percent"], what)()
        for of in ("largest", "gold")
        for end, what in (("lower", "min"), ("upper", "max"))
    }


def own_links_table(printed: Printed) -> pd.DataFrame:
    """Bound how many of the eight students drew a link: of the gold standard, and another."""
    n = int(design_values(printed)["remaining.n"])
    rows = []
    for part in PARTS:
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        fewest = int(printed.strengths.loc[part, "total"]) - n_gold
        most_drawn = int((n - 1) * row["max_own"] + row["min_own"])
        low, high = (counts_of(row[f"{end}_overlap"], n_gold) for end in ("min", "max"))
        rows.append(
            {"part": part, "different_own_at_least": fewest, "own_drawn_at_most": most_drawn,
             "students_per_own_link_at_most": most_drawn / fewest,
             "students_per_gold_link_at_least": ((n - 1) * low[0] + high[0]) / n_gold,
             "students_per_gold_link_at_most": ((n - 1) * high[-1] + low[-1]) / n_gold}
        )  # fmt: skip
    return pd.DataFrame(rows)


def strengths_table(printed: Printed) -> pd.DataFrame:
    """Take the second table apart, and say which single cell would make its sum right."""
    gold = gold_table(printed).query("kind == 'both'").set_index("part")
    rows = []
    for part, row in printed.strengths.iterrows():
        union = row["exact"] + row["fuzzy"] - row["both"]
        rows.append(
            {"part": part, "total": row["total"], "sum": union, "excess": row["total"] - union,
             "exact_if_wrong": row["total"] - row["fuzzy"] + row["both"],
             "fuzzy_if_wrong": row["total"] - row["exact"] + row["both"],
             "both_if_wrong": row["exact"] + row["fuzzy"] - row["total"],
             "only_exact": row["exact"] - row["both"], "only_fuzzy": row["fuzzy"] - row["both"],
             "both": row["both"], "fuzzy_percent": 100 * row["fuzzy"] / row["total"],
             "gold_fuzzy_percent": gold.loc[part, "fuzzy_percent"]}
        )  # fmt: skip
    return pd.DataFrame(rows)


def strength_values(printed: Printed) -> dict[str, float]:
    """Return the totals of the second table and of the text from the other cells."""
    found = {}
    for row in strengths_table(printed).itertuples():
        found[f"strengths.{row.part}.total"] = row.sum
        found[f"strengths.text.{row.part}.total"] = row.sum
    return found


# --------------------------------------------------------------------------- simulation


@dataclass(frozen=True)
class Class:
    """The students of one part: what is assumed of each, and what follows.

    Attributes
    ----------
    part : str
        Which.
    hits, own : ndarray, shape (12,)
        Expected links in the gold standard and outside it; the eight come first.
    n_gold : int
        Links of the gold standard.
    shared : float
        What students have in common.
    n_rivals : int
        Rival links.
    n_kept : int
        Students who were not excluded: eight.
    """

    part: str
    hits: np.ndarray
    own: np.ndarray
    n_gold: int
    shared: float
    n_rivals: int
    n_kept: int

    @classmethod
    def of(cls, printed: Printed, part: str) -> "Class":
        """Spread the students over the printed ranges, and calibrate what they share."""
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        eight = int(design_values(printed)["remaining.n"])
        ends = counts_of(row["min_overlap"], n_gold)[0], counts_of(row["max_overlap"], n_gold)[-1]
        hits = np.linspace(*ends, eight).round().astype(int)
        own = np.linspace(row["min_own"], row["max_own"], eight).round().astype(int)
        # Own links grow with the overlap up to the middle, and fall from there on.
        half = eight // 2
        own = np.minimum(np.r_[own[:half], own[half:][::-1]], row["max_links"] - hits)
        smallest = (hits + own).min()
        union = float(printed.strengths.loc[part, "total"])
        share = printed.number["intersection_share"] / 100
        shared, n_rivals = calibrate(
            hits, own, n_gold, intersection=share * smallest, union=union
        )  # fmt: skip
        others = int(printed.number["n_students"]) - eight
        sizes = np.linspace(row["min_links"], smallest, others + 1)[:-1].round()
        few = np.full(others, own.min())
        return cls(part, np.concatenate([hits, sizes - few]), np.concatenate([own, few]),
                   n_gold, shared, n_rivals, eight)  # fmt: skip

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

    def draw(
        self,
        printed: Printed,
        leaning: tuple[float, float],
        rng: np.random.Generator,
        *,
        independent: bool = False,
    ) -> Alignments:
        """Simulate the whole class once, sentences included."""
        row = printed.students.loc[self.part]
        pairs = tree_pairs(int(row["tree_pairs"]), row["tokens"], PHRASES, rng, name=self.part)
        gold = lay_links(pairs, *printed.shape_of(self.part), rng)
        skill, strictness = self.abilities
        shift, shared_strength = leaning
        return simulate_links(
            pairs, gold, rival_links(pairs, gold, self.n_rivals, rng), skill=skill,
            strictness=strictness, leaning=self.leaning(shift),
            shared=0.0 if independent else self.shared, shared_strength=shared_strength,
            names=self.names, rng=rng,
        )  # fmt: skip


def lean(printed: Printed, room: Class) -> tuple[float, float]:
    """Calibrate the leaning towards fuzzy links, and what is common in it, to the second table."""
    eight = room.n_kept
    n_fuzzy = int(printed.gold.loc[printed.gold["part"] == room.part, "fuzzy"].sum())
    hits, own = room.hits[:eight] / room.n_gold, room.own[:eight] / room.n_rivals
    drawn = [
        (room.n_gold - n_fuzzy, False, hits),
        (n_fuzzy, True, hits),
        (room.n_rivals, True, own),
    ]
    row = printed.strengths.loc[room.part]
    return calibrate_strength(drawn, room.leaning(0.0)[:eight], room.shared,
                              fuzzy=row["fuzzy"], both=row["both"])  # fmt: skip


def facts(links: Alignments, room: Class) -> dict[str, float]:
    """Count what the paper says of the eight and of the twelve."""
    eight = links.of_annotators(room.eight)
    drawn = eight.drawn > 0
    in_gold = links.of_annotators([*room.eight, GOLD]).drawn[:, -1] > 0
    every = links.of_annotators([*room.eight, GOLD]).drawn[:, :-1] > 0
    shared = (every & in_gold[:, None]).sum(axis=0)
    own = (every & ~in_gold[:, None]).sum(axis=0)
    all_eight = every.all(axis=1)
    words = np.array([kind == "word" for kind in eight.kind])
    sizes = (links.drawn[:, 1:] > 0).sum(axis=0)
    exact, fuzzy = ((eight.drawn == code).any(axis=1) for code in (1, 2))
    everybody = drawn.all(axis=1)
    return {
        "students.max_links": sizes.max(), "students.min_links": sizes.min(),
        "overlap.max": 100 * shared.max() / room.n_gold,
        "overlap.min": 100 * shared.min() / room.n_gold,
        "own.min": own.min(), "own.max": own.max(),
        "intersection.share": 100 * everybody.sum() / drawn.sum(axis=0).min(),
        "intersection.in_gold": 100 * (in_gold & all_eight).sum() / max(1, all_eight.sum()),
        "intersection.words": 100 * words[everybody].mean() if everybody.any() else math.nan,
        "union": len(drawn), "exact": exact.sum(), "fuzzy": fuzzy.sum(),
        "both": (exact & fuzzy).sum(),
        "missed_by_all": (in_gold & ~every.any(axis=1)).sum(),
    }  # fmt: skip


def repeated(
    printed: Printed, room: Class, leaning: tuple[float, float], rng: np.random.Generator,
    n: int, *, independent: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """Simulate the class n times, and lay out what the paper says of it."""
    draws = (room.draw(printed, leaning, rng, independent=independent) for _ in range(n))
    return pd.DataFrame([facts(links, room) for links in draws])


Rooms, Leanings = dict[str, Class], dict[str, tuple[float, float]]
Drawn = dict[str, Alignments]


def simulated(
    printed: Printed, rng: np.random.Generator, n_classes: int, n_independent: int
) -> tuple[Rooms, Leanings, pd.DataFrame, Drawn, Drawn]:
    """Calibrate the class of each part, and simulate it many times.

    Returns the classes and their leanings, what they predict, and the links of one class more, as
    it is and with independent students. Raises `AnnotationError` where no students have the
    printed numbers.
    """
    rooms = {part: Class.of(printed, part) for part in PARTS}
    leanings = {part: lean(printed, room) for part, room in rooms.items()}
    runs, alone, links, apart = {}, {}, {}, {}
    for part, room in rooms.items():
        how = leanings[part]
        runs[part] = repeated(printed, room, how, rng, n_classes)
        alone[part] = repeated(printed, room, how, rng, n_independent, independent=True)
        links[part] = room.draw(printed, how, rng)
        apart[part] = room.draw(printed, how, rng, independent=True)
    return rooms, leanings, predictions(runs, alone, printed), links, apart


def both_parts(runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what the paper says of both parts at once: mean shares, and links in all."""
    first, second = runs.values()
    shares = [name for name in first if name.startswith("intersection")]
    found = (first[shares] + second[shares]) / 2
    return found.assign(missed_by_all=first["missed_by_all"] + second["missed_by_all"])


def targets(printed: Printed, part: str) -> dict[str, float]:
    """Return the printed numbers of a part, or of both, that the simulation has as well."""
    if part not in PARTS:
        return {"intersection.share": printed.number["intersection_share"]}
    students, strengths = printed.students.loc[part], printed.strengths.loc[part]
    return {
        **{f"students.{end}_links": students[f"{end}_links"] for end in ("max", "min")},
        **{f"overlap.{end}": students[f"{end}_overlap"] for end in ("max", "min")},
        **{f"own.{end}": students[f"{end}_own"] for end in ("min", "max")},
        "union": strengths["total"],
        **{name: strengths[name] for name in ("exact", "fuzzy", "both")},
    }


def predictions(
    runs: Mapping[str, pd.DataFrame], independent: Mapping[str, pd.DataFrame], printed: Printed
) -> pd.DataFrame:
    """Say what the simulation has for each number, with the range of 95% of its classes."""
    rows = []
    for part, found in (*runs.items(), ("both", both_parts(runs))):
        target = targets(printed, part)
        apart = independent[part] if part in PARTS else both_parts(independent)
        for name in found:
            values = found[name].dropna()
            lower, upper = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            rows.append(
                {"part": part, "quantity": name, "printed": target.get(name, math.nan),
                 "mean": values.mean(), "lower": lower, "upper": upper, "level": LEVEL,
                 "mean_if_independent": apart[name].mean(),
                 "calibrated": name in target}
            )  # fmt: skip
    return pd.DataFrame(rows)


def prediction_rows(table: pd.DataFrame) -> list[Computed]:
    """Return the simulated values beside printed ones; what was calibrated to is no result."""
    rows = []
    for row in table.itertuples():
        group, _, end = row.quantity.partition(".")
        if row.part == "both" and group == "missed_by_all":
            continue
        if row.part == "both":
            target = row.quantity
        elif group in ("students", "overlap", "own"):
            target = f"{group}.{row.part}.{end}"
        else:
            continue
        method = CALIBRATION_METHOD if row.calibrated else PAPER_METHOD
        rows.append(Computed(target, row.mean, lower=row.lower, upper=row.upper, level=LEVEL,
                             method=method, provenance="simulated"))  # fmt: skip
    return rows


def calibration_table(
    rooms: Mapping[str, Class], leanings: Mapping[str, tuple[float, float]]
) -> pd.DataFrame:
    """Lay out the simulated students."""
    rows = []
    for part, room in rooms.items():
        skill, strictness = room.abilities
        kept = room.hits[: room.n_kept]
        for n, name in enumerate(room.names):
            rows.append(
                {"part": part, "student": name, "excluded": name.endswith("x"),
                 "shared_links": int(room.hits[n]), "own_links": int(room.own[n]),
                 "skill": skill[n], "strictness": strictness[n],
                 "leaning": room.leaning(leanings[part][0])[n], "shared": room.shared,
                 "shared_strength": leanings[part][1],
                 "n_rivals": room.n_rivals,
                 "intersection_if_independent":
                     room.n_gold * all_and_none(kept / room.n_gold, 0.0)[0]}
            )  # fmt: skip
    return pd.DataFrame(rows)


def students_table(links: Mapping[str, Alignments], rng: np.random.Generator) -> pd.DataFrame:
    """Compare each simulated student with the gold standard, with intervals."""
    rows = []
    for part, found in links.items():
        for name in found.annotators[1:]:
            one = alignment.compare(found, name, GOLD, rng=rng)
            row: dict[str, Any] = {"part": part, "student": name, "shared": one.shared,
                                   "own": one.own, "missed": one.missed}  # fmt: skip
            for measure in ("recall", "precision", "f_score", "kappa"):
                value = getattr(one, measure)
                row |= {measure: value.estimate, f"{measure}_lower": value.lower,
                        f"{measure}_upper": value.upper}  # fmt: skip
            rows.append(row)
    return pd.DataFrame(rows)


def agreement_table(
    links: Mapping[str, Alignments],
    rooms: Mapping[str, Class],
    rng: np.random.Generator,
    replicates: int,
) -> pd.DataFrame:
    """Measure the agreement of the students by coefficient and universe, over sentence pairs."""
    rows = []
    for part, found in links.items():
        groups = {"eight": rooms[part].eight, "twelve": list(rooms[part].names)}
        for group, names in groups.items():
            chosen = found.of_annotators(names)
            for universe in alignment.UNIVERSES:
                labels, pair = chosen.to_annotations(universe)
                rows += [
                    {"part": part, "students": group, "universe": universe,
                     "candidates": labels.n_items, **measured(one, pair, rng, replicates)}
                    for one in (agreement.specific_agreement(labels, LINKED),
                                agreement.krippendorff_alpha(labels))
                ]  # fmt: skip
            strengths = agreement.krippendorff_alpha(chosen.strengths())
            rows.append(
                {"part": part, "students": group, "universe": "strength of shared links",
                 "candidates": strengths.n_items,
                 **measured(strengths, chosen.pair, rng, replicates)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def measured(
    found: agreement.Agreement, pair: np.ndarray, rng: np.random.Generator, replicates: int
) -> dict[str, Any]:
    """Return a coefficient with its interval over sentence pairs, and over links as if alone."""
    draws = agreement.bootstrap_groups(found, pair, replicates=replicates, rng=rng)
    lower, upper = np.nanquantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    alone = found.interval(level=LEVEL)
    return {"coefficient": found.name, "estimate": found.estimate, "lower": lower, "upper": upper,
            "links_alone_lower": alone.lower, "links_alone_upper": alone.upper}  # fmt: skip


# ------------------------------------------------------------------------------ figures


def figure_gold(printed: Printed, stem: Path) -> None:
    """Draw the first table, and how many links the nodes have."""
    table, nodes = gold_table(printed), fan_out_table(printed)
    with plotting.house_figure(height=3.1) as (figure, panels):
        rows = table[table["kind"] != "both"].reset_index(drop=True)
        names = [f"{PARTS[part]}\n{kind}s" for part, kind in
                 zip(rows["part"], rows["kind"], strict=True)]  # fmt: skip
        left = panels[0]
        left.barh(names, rows["exact"], color=plotting.BLUE, label="exact", height=0.62)
        left.barh(names, rows["fuzzy"], left=rows["exact"], color="white", hatch="////",
                  edgecolor=plotting.VERMILION, label="fuzzy", height=0.62)  # fmt: skip
        for y, row in rows.iterrows():
            left.text(row["total"] + 3, y, f"{row['exact']} + {row['fuzzy']} = {row['total']}",
                      va="center", fontsize=8.5)  # fmt: skip
        left.set(xlim=(0, 262), xlabel="links", title="Kind and strength")
        left.invert_yaxis()
        left.legend(loc="lower right")
        right = panels[1]
        sides = list(itertools.product(PARTS, SIDES))
        counts = nodes.pivot_table("nodes", ["part", "side"], "links", fill_value=0).loc[sides]
        start = counts.cumsum(axis=1) - counts
        labels = [f"{PARTS[part]}\n{side.capitalize()}" for part, side in sides]
        for links, colour, hatch in ((1, "#A6C8DD", ""), (2, plotting.BLUE, ""),
                                     (3, plotting.VERMILION, "xxx")):  # fmt: skip
            right.barh(labels, counts[links], left=start[links], color=colour, hatch=hatch,
                       edgecolor="white", height=0.62, label=f"1:{links}")  # fmt: skip
        for y, key in enumerate(sides):
            each = [f"{int(n)}" for n in counts.loc[key] if n]
            right.text(counts.loc[key].sum() + 3, y, " + ".join(each), va="center", fontsize=8.5)
        right.set(xlim=(0, 345), xlabel="nodes with a link", title="Links of a node")
        right.invert_yaxis()
        right.legend(loc="upper right", bbox_to_anchor=(1.0, 0.86))
        plotting.save_figure(figure, stem)


def figure_students(
    printed: Printed, rooms: Mapping[str, Class], table: pd.DataFrame, stem: Path
) -> None:
    """Draw where the eight can lie in the plane of own links and overlap."""
    with plotting.house_figure(height=3.9) as (figure, panels):
        for axes, (part, title) in zip(panels, PARTS.items(), strict=True):
            row, room = printed.students.loc[part], rooms[part]
            width = 1.25 * row["max_own"]
            own = np.linspace(0, width, 200)
            for score in (0.5, 0.6, 0.7, 0.8, 0.9):
                recall = score * (own + room.n_gold) / (2 - score) / room.n_gold
                axes.plot(own, 100 * recall, color="#DDDDDD", linewidth=0.8, zorder=1)
                if recall[-1] < 1:
                    axes.text(width, 100 * recall[-1], f"F {score:g}", fontsize=7.5, ha="right",
                              va="center", color=plotting.GREY)  # fmt: skip
            edge = 100 * (row["max_links"] - own) / room.n_gold
            inside = (own >= row["min_own"]) & (own <= row["max_own"])
            top = np.minimum(row["max_overlap"], edge)
            axes.fill_between(own[inside], row["min_overlap"], top[inside], color="#D8E8F2",
                              label="printed ranges", zorder=2)  # fmt: skip
            axes.plot(own, edge, color=plotting.INK, linestyle="--", linewidth=1, zorder=3,
                      label=f"{int(row['max_links'])} links, the most drawn")  # fmt: skip
            spots = table[(table["part"] == part) & ~table["excluded"]]
            axes.plot(spots["own_links"], 100 * spots["shared_links"] / room.n_gold, "o",
                      color=plotting.VERMILION, markersize=5, fillstyle="none", zorder=4,
                      label="simulated students")  # fmt: skip
            axes.set(xlabel="own links, not in the gold standard", xlim=(0, width),
                     ylabel="overlap with the gold standard (percent)", ylim=(30, 100),
                     title=f"{title} ({room.n_gold} links)")  # fmt: skip
            axes.legend(loc="lower left", fontsize=8)
        plotting.save_figure(figure, stem)


def figure_union(printed: Printed, stem: Path) -> None:
    """Draw the union beside the largest student and the gold standard."""
    table = union_table(printed).query("union_is == 'as printed'").set_index("part")
    with plotting.house_figure(height=2.9) as (figure, panels):
        for axes, (part, title) in zip(panels, PARTS.items(), strict=True):
            row = table.loc[part]
            smallest = printed.students.loc[part, "min_links"]
            bars = {"union of the eight": row["union"], "gold standard": row["gold"],
                    "largest student": row["largest"], "smallest of twelve": smallest}  # fmt: skip
            colours = [plotting.BLUE, "#A6C8DD", "#A6C8DD", "#DDDDDD"]
            axes.barh(list(bars), list(bars.values()), color=colours, height=0.6)
            axes.text(5, 0, f"{row['union']:g}", va="center", fontsize=8.5, color="white")
            for y, of in enumerate(("gold", "largest"), start=1):
                text = f"{row[of]:g}   union {row[f'over_{of}_percent']:+.1f}%"
                axes.text(5, y, text, va="center", fontsize=8.5)
                axes.fill_betweenx([y - 0.3, y + 0.3], 1.4 * row[of], 1.5 * row[of],
                                   color=plotting.VERMILION, alpha=0.35, linewidth=0,
                                   label="40% to 50% more" if y == 1 else None)  # fmt: skip
            axes.text(smallest + 4, 3, f"{smallest:g}", va="center", fontsize=8.5)
            axes.axvline(row["union"], color=plotting.BLUE, linewidth=1, linestyle=":")
            axes.set(title=title, xlabel="links", xlim=(0, 1.12 * row["union"]))
            axes.invert_yaxis()
        panels[1].legend(loc="lower right", bbox_to_anchor=(0.85, 0.02))
        panels[1].set_yticklabels([])
        plotting.save_figure(figure, stem)


def figure_strengths(printed: Printed, stem: Path) -> None:
    """Draw the second table as the three parts of the union, beside the gold standard's shares."""
    table, gold = strengths_table(printed).set_index("part"), gold_table(printed)
    whole = gold[gold["kind"] == "both"].set_index("part")
    with plotting.house_figure(columns=1, height=2.7) as (figure, [axes]):
        figure.set_size_inches(6.6, 2.7)
        names, y = [], 0
        for part, title in PARTS.items():
            row = table.loc[part]
            students = [row["only_exact"], row["both"], row["only_fuzzy"]]
            reference = [whole.loc[part, "exact"], 0, whole.loc[part, "fuzzy"]]
            for name, counts in ((f"{title}: students", students), (f"{title}: gold", reference)):
                shares = 100 * np.array(counts) / sum(counts)
                start = 0.0
                for share, count, colour, hatch, label in zip(
                    shares, counts, (plotting.BLUE, "#A6C8DD", "white"), ("", "", "////"),
                    ("exact only", "exact by some, fuzzy by others", "fuzzy only"), strict=True,
                ):  # fmt: skip
                    axes.barh(y, share, left=start, color=colour, hatch=hatch, height=0.62,
                              edgecolor=plotting.VERMILION if hatch else "white",
                              label=label if y == 0 else None)  # fmt: skip
                    if share > 4:
                        axes.text(start + share / 2, y, f"{count:g}", ha="center", va="center",
                                  fontsize=8.5, color="white" if colour == plotting.BLUE
                                  else plotting.INK,
                                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1}
                                  if hatch else None)  # fmt: skip
                    start += share
                names.append(name)
                y += 1
        axes.set(yticks=range(len(names)), yticklabels=names, xlabel="percent of links",
                 xlim=(0, 100))  # fmt: skip
        axes.invert_yaxis()
        axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=3)
        plotting.save_figure(figure, stem)


def figure_support(
    links: Mapping[str, Alignments], rooms: Mapping[str, Class],
    independent: Mapping[str, Alignments], stem: Path,
) -> None:  # fmt: skip
    """Draw by how many of the eight students a link is drawn, in the gold standard and outside."""
    with plotting.house_figure(height=3.4, stand_in="Simulated students") as (figure, panels):
        for axes, (part, title) in zip(panels, PARTS.items(), strict=True):
            number = np.arange(9)
            for found, style in ((links[part], "bars"), (independent[part], "line")):
                chosen = found.of_annotators([*rooms[part].eight, GOLD])
                support = (chosen.drawn[:, :-1] > 0).sum(axis=1)
                in_gold = chosen.drawn[:, -1] > 0
                gold, own = (np.bincount(support[who], minlength=9) for who in (in_gold, ~in_gold))
                if style == "bars":
                    axes.bar(number, gold, color=plotting.BLUE, width=0.7, label="gold standard")
                    axes.bar(number, own, bottom=gold, color="white", hatch="////", width=0.7,
                             edgecolor=plotting.VERMILION, label="not in it")  # fmt: skip
                else:
                    axes.plot(number, gold, "o--", color=plotting.INK, markersize=4, linewidth=1,
                              fillstyle="none", label="gold standard, if independent")  # fmt: skip
            axes.set(title=title, xlabel="students who drew the link", ylabel="links",
                     xticks=number)  # fmt: skip
        panels[1].set_ylim(0, 1.3 * panels[1].get_ylim()[1])
        panels[1].legend(loc="upper left")
        plotting.save_figure(figure, stem)


def figure_agreement(table: pd.DataFrame, stem: Path) -> None:
    """Draw alpha and specific agreement of the eight against the number of candidate links."""
    eight = table[(table["students"] == "eight") & table["universe"].isin(alignment.UNIVERSES)]
    styles = {"specific_agreement": ("s", plotting.BLUE, "positive specific agreement"),
              "krippendorff_alpha": ("o", plotting.VERMILION, "Krippendorff's alpha")}  # fmt: skip
    names = {"drawn": "drawn by\nsomebody", "kind": "of one\nkind", "nodes": "all\nnodes"}
    with plotting.house_figure(height=3.4, stand_in="Simulated students") as (figure, panels):
        for axes, (part, title) in zip(panels, PARTS.items(), strict=True):
            for name, (marker, colour, label) in styles.items():
                rows = eight[(eight["part"] == part) & (eight["coefficient"] == name)]
                x = rows["candidates"] * (0.96 if name == "specific_agreement" else 1.04)
                axes.vlines(x, rows["lower"], rows["upper"], color=colour, linewidth=1.4)
                axes.plot(x, rows["estimate"], marker, color=colour, label=label, markersize=5,
                          fillstyle="full" if marker == "s" else "none")  # fmt: skip
            for row in rows.itertuples():
                axes.text(row.candidates, 0.03, names[row.universe], ha="center", fontsize=7.5)
            axes.set(xscale="log", title=title, xlabel="links that could be drawn (log scale)")
            axes.set(ylim=(0, 1), xlim=(100, 3e4), ylabel="agreement and 95% interval")
        panels[0].legend(loc="lower right", bbox_to_anchor=(1.0, 0.2))
        plotting.save_figure(figure, stem)


def figure_tree_pair(links: Alignments, room: Class, stem: Path) -> None:
    """Draw one sentence pair, lines as wide as students are many: what section 6 wishes for."""
    chosen = links.of_annotators([*room.eight, GOLD])
    pair = chosen.pairs[pair_to_show(chosen)]
    sides = [list(nodes) for nodes in (pair.source, pair.target)]
    lines = [
        (sides[0].index(link.source), sides[1].index(link.target), int((row[:-1] > 0).sum()),
         bool(row[-1]), bool((row[:-1] == 2).sum() > (row[:-1] == 1).sum()))
        for link, row in zip(chosen.links, chosen.drawn, strict=True) if link.pair == pair.name
    ]  # fmt: skip
    styles = {
        "drawn by 8": {"linewidth": 6.2}, "by 2": {"linewidth": 2.0},
        "by nobody": {"linewidth": 0.8, "linestyle": ":"},
        "mostly fuzzy": {"linewidth": 2.0, "linestyle": (0, (2, 1))},
        "not in the gold standard": {"linewidth": 2.0, "color": plotting.VERMILION},
    }  # fmt: skip
    with plotting.house_figure(height=3.6, columns=2, stand_in="Simulated students") as (
        figure, panels,
    ):  # fmt: skip
        figure.delaxes(panels[1])
        panels[0].set_subplotspec(figure.add_gridspec(1, 1)[0])
        axes = panels[0]
        words = [
            [kind == "word" for kind in nodes.values()] for nodes in (pair.source, pair.target)
        ]
        plotting.aligned_pair(axes, *words, lines, names=("German", "English"))
        handles = [axes.plot([], [], label=label, **({"color": plotting.BLUE} | style))[0]
                   for label, style in styles.items()]  # fmt: skip
        axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=5)
        axes.set_xlim(-3.2, max(pair.n_nodes))
        plotting.save_figure(figure, stem)


def pair_to_show(links: Alignments) -> int:
    """Choose the pair with most own links among those of middling size."""
    own = links.pair[links.drawn[:, -1] == 0]
    return Counter(own.tolist()).most_common(1)[0][0]


# --------------------------------------------------------------------------------- main


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder."""
    printed = Printed.read(printed_tables)
    rng = np.random.default_rng(seed)
    union = union_table(printed)
    computed = [
        *plain_rows(design_values(printed), "printed_table"),
        *plain_rows(gold_values(printed), "printed_table"),
        *plain_rows(union_values(union), "printed_table"),
        *plain_rows(strength_values(printed), "printed_table"),
    ]
    try:
        rooms, leanings, predicted, links, apart = simulated(printed, rng, *N_CLASSES[effort])
        computed += prediction_rows(predicted)
    finally:  # what follows from printed numbers does so whether or not students can have them
        write_computed(computed, folder / "computed.csv")

    tables = {
        "gold": (gold_table(printed), "printed_table"),
        "fan_out": (fan_out_table(printed), "printed_table"),
        "bounds": (bounds_table(printed), "printed_table"),
        "union": (union, "printed_table"),
        "own_links": (own_links_table(printed), "printed_table"),
        "strengths": (strengths_table(printed), "printed_table"),
        "calibration": (calibration_table(rooms, leanings), "simulated"),
        "predictions": (predicted, "simulated"),
        "agreement": (agreement_table(links, rooms, rng, N_RESAMPLED[effort]), "simulated"),
        "students": (students_table(links, rng), "simulated"),
    }
    for name, (table, _) in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    figure_gold(printed, stems / "gold")
    figure_students(printed, rooms, tables["calibration"][0], stems / "students")
    figure_union(printed, stems / "union")
    figure_strengths(printed, stems / "strengths")
    figure_support(links, rooms, apart, stems / "support")
    figure_agreement(tables["agreement"][0], stems / "agreement")
    figure_tree_pair(links["sophie"], rooms["sophie"], stems / "tree_pair")
    captions = {
        name: {"provenance": word, "caption": text, "seed": seed}
        for name, (word, text) in CAPTIONS.items()
    } | {f"tables/{name}": {"provenance": word, "seed": seed} for name, (_, word) in tables.items()}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions, indent=1) + "\n")


CAPTIONS = {
    "gold": (
        "printed_table",
        "The gold standard as printed. Left: links by kind and strength. Right: nodes by their "
        "number of links, seen from either language; the numbers of 1:1 alignments follow from "
        "the links and the others. For Sophie's World in English the paper prints none: it is 130.",
    ),
    "students": (
        "simulated",
        "Where the eight students can lie. Shaded: the printed ranges of overlap and own links, "
        "cut where a student would have more links than anybody had. Grey: lines of equal "
        "F-score. Circles: the simulated students, one way to fill the ranges.",
    ),
    "union": (
        "printed_table",
        "The union of the eight students' links. Orange: where it would be 40% to 50% higher than "
        "the bar, the range that the text gives. In Sophie's World it is 51% above the largest "
        "student, which rounds to 50%, and 39% above the gold standard.",
    ),
    "strengths": (
        "printed_table",
        "The links of the union by strength, beside the gold standard's. Every second link was "
        "fuzzy to somebody, in the gold standard every ninth. The three parts of Economy, from "
        "the cells exact, fuzzy and overlap, sum to 365 and not to the printed 366.",
    ),
    "support": (
        "simulated",
        "By how many of eight simulated students a link is drawn. Dashed: if each student drew "
        "gold links independently, with the same numbers; then hardly any would be drawn by all, "
        "where the paper has half of the smallest student's.",
    ),
    "agreement": (
        "simulated",
        "Agreement of eight simulated students on whether two nodes are linked, by what counts "
        "as a link that could be drawn. Positive specific agreement does not depend on it; alpha "
        "rises towards it as the universe grows. Intervals resample sentence pairs.",
    ),
    "tree_pair": (
        "simulated",
        "What section 6 wishes the TreeAligner had: lines as wide as the students who drew them "
        "are many. Dots are words, squares phrases. One simulated tree pair of Sophie's World.",
    ),
}


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={},
            printed_tables=[Path(path) for path in snakemake.input.printed_tables],
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
