"""What the printed tables of section 5 determine."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench.alignment.links import KINDS, Alignments, sizes
from annobench.resampling import proportion_interval
from annobench_replication.rounding import counts_that_round_to
from annobench_replication.study import Study

PARTS = {"sophie": "Sophie's World", "economy": "Economy"}
SIDES = ("german", "english")


@dataclass(frozen=True)
class Printed:
    """The printed tables: strengths and students by part, and other numbers by name."""

    gold: pd.DataFrame
    fan_out: pd.DataFrame
    strengths: pd.DataFrame
    students: pd.DataFrame
    number: "pd.Series[float]"

    @classmethod
    def of(cls, study: Study) -> "Printed":
        """Read the five tables."""
        return cls(
            study.printed("gold"),
            study.printed("fan_out"),
            study.printed("strengths", index_col="part"),
            study.printed("students", index_col="part"),
            study.numbers("numbers"),
        )

    def n_gold(self, part: str) -> int:
        """Count the links of the gold standard."""
        return int(self.gold.loc[self.gold["part"] == part, ["exact", "fuzzy"]].to_numpy().sum())

    def shape_of(self, part: str) -> tuple[dict[str, tuple[int, int]], list[tuple[str, int]]]:
        """Return the links by kind, exact and fuzzy, and the nodes with several links."""
        counts = self.gold.loc[self.gold["part"] == part, ["kind", "exact", "fuzzy"]]
        stars = [
            (name, links)
            for side, name in zip(SIDES, ("source", "target"), strict=True)
            for links, nodes in self.several(part, side).items()
            for _ in range(nodes)
        ]
        return {kind: (int(e), int(f)) for kind, e, f in counts.to_numpy()}, stars

    def several(self, part: str, side: str) -> dict[int, int]:
        """Return the nodes of a side by their number of links, from two on."""
        [row] = self.fan_out.query("part == @part and side == @side")[["two", "three"]].to_numpy()
        return {links: int(n) for links, n in enumerate(row, start=2) if n > 0}

    def overlaps(self, part: str, end: str) -> list[int]:
        """Return the links shared with the gold standard that round to the printed percentage."""
        percent = self.students.loc[part, f"{end}_overlap"]
        return counts_that_round_to(percent, self.n_gold(part), unit=1, percent=True)


def gold_table(printed: Printed) -> pd.DataFrame:
    """Sum the first table, and give the share of fuzzy links with Wilson's interval."""
    return _with_shares(printed.gold)


def treebank_table(alignments: Mapping[str, Alignments]) -> pd.DataFrame:
    """Sum the links of treebanks in the same way, by the names of their alignments."""
    counts = [sizes(links).assign(part=part) for part, links in alignments.items()]
    table = pd.concat(counts)[["part", "kind", "exact", "fuzzy"]]
    return _with_shares(table[table["exact"] + table["fuzzy"] > 0])


def _with_shares(counts: pd.DataFrame) -> pd.DataFrame:
    both = counts.groupby("part", sort=False)[["exact", "fuzzy"]].sum().reset_index()
    table = pd.concat([counts, both.assign(kind="both")], ignore_index=True)
    table["total"] = table["exact"] + table["fuzzy"]
    ends = [proportion_interval(f, n).limits for f, n in table[["fuzzy", "total"]].to_numpy()]
    table["fuzzy_percent"] = 100 * table["fuzzy"] / table["total"]
    table["lower"], table["upper"] = 100 * np.array(ends).T
    return table


def fan_out_table(printed: Printed) -> pd.DataFrame:
    """Count the nodes with one link: what the links of the others leave."""
    rows = []
    for part, side in itertools.product(PARTS, SIDES):
        several, n_links = printed.several(part, side), printed.n_gold(part)
        single = n_links - sum(links * nodes for links, nodes in several.items())
        nodes = single + sum(several.values())
        rows += [
            (part, side, links, count, 100 * count / nodes, 100 * links * count / n_links)
            for links, count in ({1: single} | several).items()
        ]
    columns = ["part", "side", "links", "nodes", "percent_of_nodes", "percent_of_links"]
    return pd.DataFrame(rows, columns=columns)


def design_values(printed: Printed) -> dict[str, float]:
    """Compute what section 5 says more than once, or leaves to be added."""
    number = printed.number
    excluded = number["n_strict"] + number["n_non_native"]
    return {
        "abstract.max_overlap": printed.students["max_overlap"].max(),
        "excluded.n": excluded,
        "remaining.n": number["n_students"] - excluded,
    }


def gold_values(printed: Printed) -> dict[str, float]:
    """Return the sums of the first table, and the 1:1 alignments that follow from them."""
    totals = gold_table(printed).set_index(["part", "kind"])["total"]
    nodes = fan_out_table(printed).set_index(["part", "side", "links"])
    return {
        **{f"gold.{part}.{kind}.total": totals[part, kind] for part in PARTS for kind in KINDS},
        **{f"gold.sophie.{kind}.text": totals["sophie", kind] for kind in KINDS},
        **{
            f"fan_out.{part}.{side}.one": nodes.loc[(part, side, 1), "nodes"]
            for part, side in itertools.product(PARTS, SIDES)
            if (part, side) != ("sophie", "english")  # not printed
        },
        "fan_out.economy.majority": nodes.loc[("economy", "german", 1), "percent_of_nodes"],
    }


def bounds_table(printed: Printed) -> pd.DataFrame:
    """Bound the precision and the F-score of the best and of the worst student."""
    rows = []
    for part, (end, student) in itertools.product(PARTS, (("max", "best"), ("min", "worst"))):
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        for shared in printed.overlaps(part, end):
            largest = int(min(row["max_own"], row["max_links"] - shared))
            own = np.array([largest, row["min_own"]], dtype=float)
            precision, f_score = shared / (shared + own), 2 * shared / (shared + own + n_gold)
            counts = shared / n_gold, shared, int(own[1]), largest
            rows.append((part, student, *counts, *precision, *f_score))
    columns = ["part", "student", "recall", "shared", "fewest_own", "most_own"]
    columns += ["lowest_precision", "highest_precision", "lowest_f_score", "highest_f_score"]
    return pd.DataFrame(rows, columns=columns)


def union_table(printed: Printed) -> pd.DataFrame:
    """Compare the union, by either reading, with the largest student and the gold standard."""
    rows = []
    for part, row in printed.strengths.iterrows():
        largest, n_gold = int(printed.students.loc[part, "max_links"]), printed.n_gold(part)
        summed = row["exact"] + row["fuzzy"] - row["both"]
        for reading, union in (("as printed", row["total"]), ("from the other cells", summed)):
            excess = 100 * (union / largest - 1), 100 * (union / n_gold - 1)
            rows.append((part, reading, union, largest, n_gold, *excess))
    columns = ["part", "union_is", "union", "largest", "gold"]
    return pd.DataFrame(rows, columns=[*columns, "over_largest_percent", "over_gold_percent"])


def union_values(table: pd.DataFrame) -> dict[str, float]:
    """Return the lowest and highest excess of the union over the two parts."""
    found = table[table["union_is"] == "as printed"]
    return {
        f"union.over_{of}.{end}": found[f"over_{of}_percent"].agg(function)
        for of in ("largest", "gold")
        for end, function in (("lower", "min"), ("upper", "max"))
    }


def own_links_table(printed: Printed) -> pd.DataFrame:
    """Bound how many of the eight students drew a link: of the gold standard, and another."""
    n = int(design_values(printed)["remaining.n"])
    rows = []
    for part in PARTS:
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        different = int(printed.strengths.loc[part, "total"]) - n_gold
        drawn = int((n - 1) * row["max_own"] + row["min_own"])
        low, high = (printed.overlaps(part, end) for end in ("min", "max"))
        students = ((n - 1) * low[0] + high[0]) / n_gold, ((n - 1) * high[-1] + low[-1]) / n_gold
        rows.append((part, different, drawn, drawn / different, *students))
    columns = ["part", "different_own_at_least", "own_drawn_at_most"]
    columns += ["students_per_own_link_at_most", "students_per_gold_link_at_least"]
    return pd.DataFrame(rows, columns=[*columns, "students_per_gold_link_at_most"])


def strengths_table(printed: Printed) -> pd.DataFrame:
    """Decompose the second table, and find the single cell that would correct each sum."""
    gold = gold_table(printed).query("kind == 'both'").set_index("part")["fuzzy_percent"]
    exact, fuzzy, both, total = (printed.strengths[n] for n in ("exact", "fuzzy", "both", "total"))
    table = {
        "total": total,
        "sum": exact + fuzzy - both,
        "excess": total - (exact + fuzzy - both),
        "exact_if_wrong": total - fuzzy + both,
        "fuzzy_if_wrong": total - exact + both,
        "both_if_wrong": exact + fuzzy - total,
        "only_exact": exact - both,
        "only_fuzzy": fuzzy - both,
        "both": both,
        "fuzzy_percent": 100 * fuzzy / total,
        "gold_fuzzy_percent": gold,
    }
    return pd.DataFrame(table).reset_index()


def strength_values(printed: Printed) -> dict[str, float]:
    """Return the totals of the second table and of the text from the other cells."""
    sums = strengths_table(printed).set_index("part")["sum"]
    targets = ("strengths.{}.total", "strengths.text.{}.total")
    return {target.format(part): sums[part] for part in sums.index for target in targets}
