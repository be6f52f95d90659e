"""Recompute Beigman Klebanov, Beigman and Diermeier (2008) from its printed tables.

===========================  ======================================================
`design_values`              sections 2 to 5: what design and Table 1 say of each other
`chance_rows`                section 3: marks that coin flips give, the threshold
`unequal_rates`              section 3: how unequal the annotators' rates can be
`totals`, `total_rows`       Tables 2 to 4: sums, weighted and plain averages
`text_rows`                  sections 4 to 6: what is said of the tables
`feasible`                   Tables 1 to 4: what they leave possible, jointly
`intervals`, `tests`         Tables 2 to 4: exact intervals and tests
`simulate_types`             the data set, simulated; `simulated_tables` analyses it
`thresholds`, `groups`       an extension: real judgements of metaphor, in two studies
===========================  ======================================================

The marks and votes were never published. The printed tables say much about one another: a
paragraph has x marks by the seven annotators who validated and y by the two who did not, and
how many paragraphs have each x and y must satisfy the counts of Tables 2 to 4, the share of
marks and kappa of Table 1, and the mixture of own and others' marks in Table 2. These are
linear constraints, so that the range of every linear quantity is found exactly. Integers that
satisfy all of them are the patterns of the simulated data set.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats
from scipy.special import comb

from annobench import agreement, datasets
from annobench.core.files import recording, replacing
from annobench.labels.annotations import Annotations
from annobench.noise.reliability_threshold import (
    compare_cuts,
    deliberate,
    poisson_binomial_pmf,
    threshold,
)
from annobench.replication.compare import Computed, plain_rows, write_computed
from annobench.replication.feasible import Constraints
from annobench.replication.rounding import Rounded, propagate
from annobench.reporting import plotting
from annobench.simulation import panels as simulate

LEVEL = 0.95
#: Half a unit of a printed percentage.
HALF = 0.5
SUBSETS = ("random", "human", "unreliable", "reliable")
COLOURS = {"random": plotting.GREY, "human": plotting.INK, "unreliable": plotting.VERMILION,
           "reliable": plotting.BLUE}  # fmt: skip
#: How often the study is simulated, and how often judgements are resampled.
N_SIMULATED = {"full": 60, "quick": 4}
N_BOOTSTRAP = {"full": 2000, "quick": 100}
CONFIDENCES = (0.95, 0.99, 0.999)
MARK = "met"
RATING, DECISION = "metaphor_discourse_rating", "metaphor_discourse_binary"


# -------------------------------------------------------------------------- printed tables


@dataclass(frozen=True)
class Printed:
    """The printed tables, with the numbers of paragraphs that the design determines.

    Attributes
    ----------
    table1 : DataFrame
        By type: kappa, marked (percent).
    marked : Series
        The share of marks as printed.
    cells : DataFrame
        By table, subset and type: n, percent (accepted, in Table 4 rejected) as a number and
        as printed; n is NaN where neither a table nor the design says it. Table 2's "human" is
        what its parts give, weighted.
    lines : Series
        Percentages printed of all types.
    human : Series
        Percentages of all marked paragraphs by type, as printed.
    design : Series
        Numbers of the text.
    """

    table1: pd.DataFrame
    marked: pd.Series
    cells: pd.DataFrame
    lines: pd.Series
    human: pd.Series
    design: pd.Series

    @property
    def types(self) -> list[str]:
        """The types of metaphor."""
        return list(self.table1.index)

    def cell(self, table: int, subset: str, name: str) -> pd.Series:
        """Return number and percentage of one cell."""
        return self.cells.loc[(f"table{table}", subset, name)]


def read_printed(paths: Iterable[Path]) -> Printed:
    """Read the printed tables and fill in what the design determines."""
    frames = {
        path.stem: pd.read_csv(path, comment="#", dtype="str", keep_default_na=False)
        for path in paths
    }
    cells = pd.concat({name: frames[name] for name in ("table2", "table3", "table4")})
    cells = cells.reset_index(level=0, names="table").set_index(["table", "subset", "type"])
    cells = cells.assign(printed=cells["percent"], n=pd.to_numeric(cells["n"]).astype(float),
                         percent=cells["percent"].astype(float))  # fmt: skip
    design = frames["design"].set_index("name")["value"].astype(float)
    table1 = frames["table1"].set_index("type")
    n_others = design["n_annotators"] - design["n_validators"]
    for (table, subset, name), row in cells.iterrows():
        if np.isnan(row["n"]):
            # Three marks can't be by all seven validators; four can't be by the other two.
            all_usable = (
                design["threshold"] - 1 < design["n_validators"]
                if table == "table3"
                else design["threshold"] > n_others
            )
            if all_usable:
                cells.loc[(table, subset, name), "n"] = cells.loc[("table2", subset, name), "n"]
    for name in table1.index:
        parts = cells.loc[[("table2", s, name) for s in ("unreliable", "reliable")]]
        cells.loc[("table2", "human", name), ["n", "percent", "printed"]] = [
            parts["n"].sum(), np.average(parts["percent"], weights=parts["n"]), "",
        ]  # fmt: skip
    return Printed(
        table1.astype(float),
        table1["marked"],
        cells.sort_index(),
        frames["bottom_lines"].set_index(["table", "subset"])["percent"].astype(float),
        frames["human"].set_index("type")["percent"],
        design,
    )


def refuse_gaps(printed: Printed) -> None:
    """Refuse tables with a number of paragraphs that nothing determines."""
    gaps = printed.cells.index[printed.cells["n"].isna()]
    if len(gaps):
        table, subset, name = gaps[0]
        raise ValueError(f"{table}.csv: give the number of {subset} {name} paragraphs.")


# --------------------------------------------------------------------- sections 2 and 3


def design_values(printed: Printed) -> dict[str, float]:
    """Compute what the design says of itself, and the order of Table 1."""
    d = printed.design
    marked = printed.table1["marked"].sort_values(ascending=False)
    return {
        "data.vehicle.rank": 1 + list(marked.index).index("vehicle"),
        "others.n_more_annotators": d["n_annotators"] - d["n_validators"],
        "self.n_additional": d["n_annotators"] - d["n_validators"],
    }


def chance_rows(printed: Printed) -> Iterator[Computed]:
    """Compute what nine coins give whose rate is that of the most common type."""
    d = printed.design
    most_common = printed.marked[printed.table1["marked"].idxmax()]
    n = int(d["n_annotators"])

    def chance(k: int, scale: float = 1.0) -> Rounded:
        """Return the chance of at least k marks, over all rates that print so."""
        return propagate(
            lambda x: scale * float(poisson_binomial_pmf(np.full(n, x[0] / 100))[k:].sum()),
            [most_common],
        )

    rates = [float(most_common) / 100] * n
    found = threshold(rates, level=d["confidence"]).n_marks
    stated = threshold(rates, level=1 - d["chance_of_threshold"]).n_marks
    for target, value in {
        "chance.at_least_3": chance(3),
        "chance.confidence_3": less(100, chance(3, 100)),
        "chance.confidence_3_again": less(100, chance(3, 100)),
        "chance.random_share_3": chance(3, 100),
        "chance.at_least_4": chance(4),
        "chance.none": less(1, chance(1)),
        "conclusion.reliability": less(100, chance(found, 100)),
    }.items():
        yield rounded_row(target, value)
    yield from plain_rows(
        {
            "deliberate.least_marks": stated,
            "self.most_marks_unreliable": stated - 1,
            "conclusion.threshold": found,
        },
        "printed_table",
    )


def less(whole: float, part: Rounded) -> Rounded:
    """Return what a rounded part leaves of a whole."""
    return Rounded(whole - part.value, whole - part.upper, whole - part.lower)


def rounded_row(target: str, found: Rounded, **more: float | None) -> Computed:
    """Return a value computed from rounded numbers as a row."""
    return Computed(target, found.value, rounding_lower=found.lower, rounding_upper=found.upper,
                    provenance="printed_table", **more)  # fmt: skip


def chance_rates(printed: Printed) -> pd.DataFrame:
    """List, for every type, how often coins give at least k marks, and how many paragraphs."""
    n, n_items = (int(printed.design[name]) for name in ("n_annotators", "n_paragraphs"))
    rows = []
    for name, percent in printed.table1["marked"].items():
        ends = [threshold([p / 100] * n, level=0.999).chance
                for p in (percent - 0.05, percent, percent + 0.05)]  # fmt: skip
        rows += [
            {
                "type": name, "marked_percent": percent, "marks_at_least": k,
                "chance": ends[1][k], "chance_lower": ends[0][k], "chance_upper": ends[2][k],
                "expected_paragraphs": n_items * ends[1][k],
            }
            for k in range(1, n + 1)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def unequal_rates(printed: Printed) -> pd.DataFrame:
    """Find how unequal nine rates of Table 1's mean may be for section 3's probabilities.

    With m annotators of one rate and the others of another, both are as far apart as the
    printed .0045 allows; the mean is the largest that prints as 4.0%, which allows most.
    """
    n = int(printed.design["n_annotators"])
    mean = (printed.table1["marked"].max() + 0.05) / 100
    # Anything below this does not print as the .0045 of section 3, of four decimals.
    wanted = printed.design["chance_of_three"] - HALF * 1e-4

    def rates(high: float, m: int) -> np.ndarray:
        return np.array([high] * m + [(n * mean - m * high) / (n - m)] * (n - m))

    rows = []
    for m in range(1, n):
        chance = partial(
            lambda high, m: poisson_binomial_pmf(rates(high, m))[3:].sum() - wanted, m=m
        )
        most = n * mean / m
        high = most if chance(most) > 0 else scipy.optimize.brentq(chance, mean, most)
        both = rates(high, m)
        pmf = poisson_binomial_pmf(both)
        rows.append(
            {
                "annotators_of_high_rate": m, "high_percent": 100 * both[0],
                "low_percent": 100 * both[-1], "standard_deviation": 100 * both.std(),
                "at_least_3": pmf[3:].sum(), "at_least_4": pmf[4:].sum(), "none": pmf[0],
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def delays(printed: Printed) -> pd.DataFrame:
    """List the delays from production to validation that any order of installments allows.

    An annotator sees each installment once in both, so the mean over installments is the
    same in whatever order.
    """
    n, gap = int(printed.design["n_weeks"]), int(printed.design["gap_weeks"])
    rows = []
    for reading, least in (("start to start", 1 + gap), ("end to start", gap)):
        rows.append({"reading": reading, "shortest_weeks": least, "mean_weeks": least + n - 1,
                     "longest_weeks": least + 2 * (n - 1)})  # fmt: skip
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------ Tables 2 to 4


def key(table: str, subset: str, name: str) -> str:
    """Return the target of a cell without its last part."""
    return f"{table}.{subset}.{name}"


def what(table: str) -> str:
    """Return what the percentages of a table are of."""
    return "reject" if table == "table4" else "accept"


def averages(printed: Printed) -> dict[tuple[str, str], Rounded]:
    """Average the percentages of all types, weighted by paragraphs, by table and subset."""
    return {
        (table, subset): weighted(as_printed(printed, part, subset), part["n"])
        for (table, subset), part in printed.cells.groupby(level=["table", "subset"])
    }


def as_printed(printed: Printed, part: pd.DataFrame, subset: str) -> list[str]:
    """Return the percentages of the types as printed, in the order of the part."""
    if subset == "human":
        return list(printed.human.reindex(part.index.get_level_values("type")))
    return list(part["printed"])


def weighted(printed: list[str], n: pd.Series) -> Rounded:
    """Average printed percentages, weighted, over all that round to them."""
    weights = n.to_numpy(float)
    return propagate(lambda x: float(np.dot(x, weights) / weights.sum()), printed)


def totals(printed: Printed) -> pd.DataFrame:
    """Compute sums, and averages over types, weighted by paragraphs and plain."""
    rows = []
    for (table, subset), average in averages(printed).items():
        part = printed.cells.xs((table, subset), level=["table", "subset"], drop_level=False)
        line = printed.lines[(table, subset)]
        plain = np.mean([float(text) for text in as_printed(printed, part, subset)])
        rows.append(
            {
                "table": table, "subset": subset, "n": part["n"].sum(skipna=False),
                "printed": line, "weighted": average.value, "plain": plain,
                # Every percentage may be off by half a unit, and so may any average of them.
                "weighted_fits": average.lower - HALF <= line <= average.upper + HALF,
                "plain_fits": abs(plain - line) <= 2 * HALF,
            }
        )  # fmt: skip
    return with_whole_n(pd.DataFrame(rows))


def with_whole_n(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers of paragraphs as whole numbers, if all are known."""
    return table if table["n"].isna().any() else table.astype({"n": int})


def total_rows(printed: Printed, found: pd.DataFrame) -> Iterator[Computed]:
    """Return the rows of Tables 2 to 4 that other printed numbers determine."""
    computed = partial(Computed, provenance="printed_table")
    spread = intervals(printed).set_index(["table", "subset", "type"])
    average = averages(printed)

    def ends(*cell: str) -> dict[str, float]:
        row = spread.loc[cell]
        return {"lower": row["paragraphs_lower"], "upper": row["paragraphs_upper"], "level": LEVEL}

    for row in found.itertuples():
        base = key(row.table, row.subset, "all")
        yield computed(f"{base}.n", row.n)
        yield rounded_row(f"{base}.{what(row.table)}", average[row.table, row.subset],
                          **ends(row.table, row.subset, "all"))  # fmt: skip
        yield computed(f"{base}.{what(row.table)}", row.plain, method="average over the types")
    for name in printed.types:
        parts = printed.cells.loc[[("table2", s, name) for s in ("unreliable", "reliable")]]
        yield computed(f"table2.human.{name}.n", printed.cell(2, "human", name)["n"])
        yield rounded_row(f"table2.human.{name}.accept",
                          weighted(list(parts["printed"]), parts["n"]),
                          **ends("table2", "human", name))  # fmt: skip
        yield computed(f"table3.unreliable.{name}.n", printed.cell(3, "unreliable", name)["n"])
        yield computed(f"table4.reliable.{name}.n", printed.cell(4, "reliable", name)["n"])


def text_rows(printed: Printed, found: pd.DataFrame) -> Iterator[Computed]:
    """Compute what sections 4 to 6 say of the tables."""
    n, percent = found.set_index(["table", "subset"])["n"], averages(printed)
    accepted, remedied = percent["table2", "reliable"], percent["table3", "reliable"]
    rejected, unstable = percent["table4", "reliable"], percent["table4", "unreliable"]
    yield from plain_rows(
        {
            "validation.share_reliable": 100 * n["table2", "reliable"] / n["table2", "human"],
            "validation.n_reliable": n["table2", "reliable"],
            "validation.n_human": n["table2", "human"],
            "others.n_usable": n["table3", "reliable"],
            "others.n_reliable": n["table2", "reliable"],
            "others.n_all_marked": n["table2", "reliable"] - n["table3", "reliable"],
            "self.n_unreliable_usable": n["table4", "unreliable"],
            "self.n_unreliable": n["table2", "unreliable"],
        },
        "printed_table",
    )
    for target, value in {
        "validation.disagreement": less(100, accepted),
        "validation.rejection": less(100, accepted),
        "others.remedied": remedied,
        "others.rejection": less(100, remedied),
        "self.rejection_reliable": rejected,
        "self.reaffirmed": less(100, rejected),
        "self.rejection_unreliable": unstable,
        "conclusion.remedied": remedied,
        "conclusion.residual": less(100, remedied),
        "conclusion.rejection_unreliable": unstable,
    }.items():
        yield rounded_row(target, value)


def clopper_pearson(share: float, n: float) -> tuple[float, float]:
    """Return the exact interval of a share; successes need not be whole."""
    tail, successes = (1 - LEVEL) / 2, share * n
    law = scipy.stats.beta
    lower = law.ppf(tail, successes, n - successes + 1) if successes > 0 else 0.0
    upper = law.ppf(1 - tail, successes + 1, n - successes) if successes < n else 1.0
    return float(lower), float(upper)


def intervals(printed: Printed) -> pd.DataFrame:
    """Give every percentage two exact intervals.

    The seven votes on a paragraph are not seven independent ones, nor one. Votes as the unit
    give the shortest interval, paragraphs as the unit the longest. Tables 3 and 4 have an
    unknown number of votes, but at least one a paragraph.
    """
    rows = []
    everything = printed.cells.reset_index()
    pooled = totals(printed).rename(columns={"weighted": "percent"}).assign(type="all")
    for row in pd.concat([everything, pooled]).itertuples():
        units = {"paragraphs": row.n}
        if row.table == "table2":
            units["votes"] = row.n * printed.design["n_validators"]
        ends = {
            f"{unit}_{end}": 100 * value
            for unit, n in units.items()
            for end, value in zip(
                ("lower", "upper"), clopper_pearson(row.percent / 100, n), strict=True
            )
        }
        rows.append({"table": row.table, "subset": row.subset, "type": row.type, "n": row.n,
                     "percent": row.percent, **ends})  # fmt: skip
    return with_whole_n(pd.DataFrame(rows))


def tests(printed: Printed) -> pd.DataFrame:
    """Test differences of acceptance, with paragraphs and with votes as the unit."""
    spread = intervals(printed)
    accept = spread["percent"].where(spread["table"] != "table4", 100 - spread["percent"])
    share = spread.assign(share=accept / 100).set_index(["table", "subset", "type"])
    pairs = (
        ("random against unreliable", ("table2", "random"), ("table2", "unreliable")),
        ("unreliable against reliable", ("table2", "unreliable"), ("table2", "reliable")),
        ("unreliable: others' against own", ("table3", "unreliable"), ("table4", "unreliable")),
        ("reliable: others' against own", ("table3", "reliable"), ("table4", "reliable")),
    )
    n_votes = int(printed.design["n_validators"])
    rows = []
    for name, first, second in pairs:
        for type_ in [*printed.types, "all"]:
            cells = share.loc[[(*first, type_), (*second, type_)]]
            p = {
                f"p_{unit}": scipy.stats.fisher_exact(counts_of(cells, votes)).pvalue
                for unit, votes in (("paragraphs", 1), ("votes", n_votes))
                if votes == 1 or {first[0], second[0]} == {"table2"}
            }
            rows.append({"test": name, "type": type_, "first": 100 * cells["share"].iloc[0],
                         "second": 100 * cells["share"].iloc[1], **p})  # fmt: skip
    for subset in SUBSETS:
        cells = share.loc[[("table2", subset, type_) for type_ in printed.types]]
        p = {
            f"p_{unit}": scipy.stats.chi2_contingency(counts_of(cells, votes)).pvalue
            for unit, votes in (("paragraphs", 1), ("votes", n_votes))
        }
        rows.append({"test": f"{subset}: types differ (chi-square)", "type": "all",
                     "first": 100 * cells["share"].min(), "second": 100 * cells["share"].max(),
                     **p})  # fmt: skip
    return pd.DataFrame(rows)


def counts_of(cells: pd.DataFrame, votes: int) -> np.ndarray:
    """Return accepted and rejected counts, a row a cell."""
    n = cells["n"].to_numpy() * votes
    accepted = np.round(cells["share"].to_numpy() * n).astype(int)
    return np.column_stack([accepted, n - accepted])


# ------------------------------------------------------- what the tables leave possible


@dataclass(frozen=True)
class Cells:
    """The cells (x, y) but (0, 0), and what is known of them."""

    x: np.ndarray
    y: np.ndarray
    reliable: np.ndarray

    @classmethod
    def of(cls, design: pd.Series) -> "Cells":
        """List the cells of a design."""
        v, n = int(design["n_validators"]), int(design["n_annotators"])
        x, y = (axis.ravel()[1:] for axis in np.indices((v + 1, n - v + 1)))
        return cls(x, y, x + y >= design["threshold"])

    @property
    def marks(self) -> np.ndarray:
        """Marks of each cell."""
        return self.x + self.y

    def of_subset(self, subset: str) -> np.ndarray:
        """Say which cells belong to a subset."""
        return self.reliable if subset == "reliable" else ~self.reliable


def constrain(
    printed: Printed, name: str, *, table1: tuple[str, ...] = ("marked", "kappa"), mix: bool = True
) -> Constraints:
    """Collect what the tables say of one type; kappa by its outer bounds, so that all is linear."""
    d, cells = printed.design, Cells.of(printed.design)
    found = Constraints(cells.x.size)
    n, n_items, validators = d["n_annotators"], d["n_paragraphs"], d["n_validators"]
    for subset in ("unreliable", "reliable"):
        size = printed.cell(2, subset, name)["n"]
        found.add(cells.of_subset(subset), size, size)
    everybody = printed.cell(2, "reliable", name)["n"] - printed.cell(3, "reliable", name)["n"]
    nobody = printed.cell(2, "unreliable", name)["n"] - printed.cell(4, "unreliable", name)["n"]
    found.add(cells.reliable & (cells.x == validators), everybody, everybody)
    found.add(~cells.reliable & (cells.x == 0), nobody, nobody)
    rates = [(printed.table1.loc[name, "marked"] + end) / 100 for end in (-0.05, 0.05)]
    if "marked" in table1:
        found.add(cells.marks, *(rate * n * n_items for rate in rates))
    if "kappa" in table1:
        by_chance = [2 * rate * (1 - rate) for rate in rates]
        share = [1 - printed.table1.loc[name, "kappa"] + end for end in (-0.005, 0.005)]
        pairs = n_items * n * (n - 1) / 2
        found.add(cells.marks * (n - cells.marks),
                  *(pairs * a * b for a, b in zip(share, by_chance, strict=True)))  # fmt: skip
    if mix:
        for subset in ("unreliable", "reliable"):
            votes = validators * printed.cell(2, subset, name)["n"]
            all_, other = (printed.cell(table, subset, name)["percent"] for table in (2, 3))
            own = 100 - printed.cell(4, subset, name)["percent"]
            # Both ends move up and down together, so the slope stays: w * (own - other).
            found.add(cells.of_subset(subset) * cells.x * (own - other) / votes,
                      all_ - other - 2 * HALF, all_ - other + 2 * HALF)  # fmt: skip
    return found


def feasible(printed: Printed) -> pd.DataFrame:
    """List the ranges that other printed numbers leave to what Tables 1 to 4 print."""
    cells, rows = Cells.of(printed.design), []
    for name in printed.types:
        free = constrain(printed, name, table1=())
        scale = 100 / (printed.design["n_annotators"] * printed.design["n_paragraphs"])
        marked = [scale * end for end in free.range(cells.marks)]
        rows.append(feasible_row(name, "marked", printed.table1.loc[name, "marked"], *marked))
        rows.append(feasible_row(name, "kappa", printed.table1.loc[name, "kappa"],
                                 *kappa_range(printed, name)))  # fmt: skip
        both = constrain(printed, name, mix=False)
        everything = constrain(printed, name)
        for subset in ("unreliable", "reliable"):
            votes = printed.design["n_validators"] * printed.cell(2, subset, name)["n"]
            weights = cells.of_subset(subset) * cells.x / votes
            rows.append(feasible_row(name, f"{subset} share of own marks", np.nan,
                                     *everything.range(weights)))  # fmt: skip
            other = printed.cell(3, subset, name)["percent"]
            own = 100 - printed.cell(4, subset, name)["percent"]
            mixed = [other + w * (own - other) for w in both.range(weights)]
            rows.append(feasible_row(name, f"{subset} accept",
                                     printed.cell(2, subset, name)["percent"],
                                     min(mixed) - HALF, max(mixed) + HALF))  # fmt: skip
        for k in range(1, int(printed.design["n_annotators"]) + 1):
            rows.append(feasible_row(name, f"paragraphs with {k} marks", np.nan,
                                     *everything.range(cells.marks == k)))  # fmt: skip
    return pd.DataFrame(rows)


def feasible_row(name: str, quantity: str, value: float, lower: float, upper: float) -> dict:
    """Return a range, and whether the printed value lies in it."""
    fits = "" if np.isnan(value) else bool(lower <= value <= upper)
    return {"type": name, "quantity": quantity, "printed": value, "lower": lower, "upper": upper,
            "fits": fits}  # fmt: skip


def kappa_range(printed: Printed, name: str) -> tuple[float, float]:
    """Return the least and largest kappa that Tables 2 to 4 and the share of marks leave."""
    d, cells = printed.design, Cells.of(printed.design)
    n, n_items = d["n_annotators"], d["n_paragraphs"]
    middle = printed.table1.loc[name, "marked"] / 100
    ends = []
    for rate in np.linspace(middle - 0.0005, middle + 0.0005, 5):
        found = constrain(printed, name, table1=())
        found.add(cells.marks, rate * n * n_items, rate * n * n_items)
        by_chance = n_items * n * (n - 1) / 2 * 2 * rate * (1 - rate)
        ends += [1 - end / by_chance for end in found.range(cells.marks * (n - cells.marks))]
    return min(ends), max(ends)


# ------------------------------------------------------------------- the simulated data


def patterns(printed: Printed, name: str) -> np.ndarray:
    """Choose whole numbers of paragraphs that satisfy every constraint of a type.

    They are those nearest to the most even distribution (of largest entropy, annotators
    alike) with the printed counts, share of marks and kappa.
    """
    d, cells = printed.design, Cells.of(printed.design)
    even = most_even(printed, name)
    size = even.size
    whole = constrain(printed, name)
    n, rate = d["n_annotators"], printed.table1.loc[name, "marked"] / 100
    # A hair inside the printed kappa, for the share of marks may be a little off 4.0%.
    share, pairs = 1 - printed.table1.loc[name, "kappa"], d["n_paragraphs"] * n * (n - 1) / 2
    by_chance = pairs * 2 * rate * (1 - rate)
    whole.add(cells.marks, *((rate + e) * n * d["n_paragraphs"] for e in (-0.0001, 0.0001)))
    whole.add(cells.marks * (n - cells.marks), *(by_chance * (share + e) for e in (-0.002, 0.002)))
    # The unknowns: the counts, then how far each is off.
    both = Constraints(2 * size)
    for row, lower, upper in zip(whole.rows, whole.lower, whole.upper, strict=True):
        both.add(np.concatenate([row, np.zeros(size)]), lower, upper)
    one = np.eye(size)
    for cell in range(size):
        both.add(np.concatenate([one[cell], -one[cell]]), -np.inf, even[cell])
        both.add(np.concatenate([-one[cell], -one[cell]]), -np.inf, -even[cell])
    counts = both.solve(np.repeat([0.0, 1.0], size), integer=True)
    if counts is None:
        raise ValueError(f"patterns: the printed numbers of {name} contradict each other.")
    table = np.zeros((int(d["n_validators"]) + 1, int(n - d["n_validators"]) + 1), dtype=int)
    table[cells.x, cells.y] = np.round(counts[:size])
    return table


def most_even(printed: Printed, name: str) -> np.ndarray:
    """Return the distribution of largest entropy with the printed counts of one type."""
    cells = Cells.of(printed.design)
    v, n = int(printed.design["n_validators"]), int(printed.design["n_annotators"])
    base = comb(v, cells.x) * comb(n - v, cells.y) / comb(n, cells.marks)
    fixed = constrain(printed, name, mix=False)
    scale = np.array([np.abs(row).max() for row in fixed.rows])
    matrix = np.array(fixed.rows) / scale[:, None]
    wanted = (np.array(fixed.lower) + np.array(fixed.upper)) / 2 / scale

    def dual(weight: np.ndarray) -> tuple[float, np.ndarray]:
        counts = base * np.exp(np.clip(weight @ matrix, -50, 50))
        return counts.sum() - weight @ wanted, matrix @ counts - wanted

    found = scipy.optimize.minimize(dual, np.zeros(len(matrix)), jac=True, method="BFGS")
    return base * np.exp(np.clip(found.x @ matrix, -50, 50))


def simulate_types(
    printed: Printed, rng: np.random.Generator, tables: dict[str, np.ndarray]
) -> dict[str, simulate.SimulatedMarks]:
    """Simulate marks and votes of all types once."""
    return {
        name: simulate.marks_and_votes(
            patterns=tables[name],
            n_items=int(printed.design["n_paragraphs"]),
            n_added=int(printed.cell(2, "random", name)["n"]),
            **acceptance(printed, name),
            rng=rng,
        )
        for name in printed.types
    }


def acceptance(printed: Printed, name: str) -> dict[str, np.ndarray]:
    """Return the probabilities of acceptance by number of marks."""
    marks = np.arange(int(printed.design["n_annotators"]) + 1)
    is_reliable = marks >= printed.design["threshold"]
    other, own = (
        np.where(is_reliable, *(printed.cell(table, subset, name)["percent"] / 100
                                for subset in ("reliable", "unreliable")))
        for table in (3, 4)
    )  # fmt: skip
    other[0] = printed.cell(2, "random", name)["percent"] / 100
    return {"accept_own": 1 - own, "accept_other": other}


def table_of(made: simulate.SimulatedMarks, least: int) -> dict[tuple[str, str], tuple]:
    """Compute numbers of paragraphs and percentages of Tables 2 to 4 from simulated votes."""
    a = made.annotations
    marks = np.bincount(a.item, weights=a.label, minlength=a.n_items)[made.validated]
    rows: dict[tuple[str, str], tuple] = {}
    for subset, chosen in (
        ("random", marks == 0), ("human", marks > 0),
        ("unreliable", (marks > 0) & (marks < least)), ("reliable", marks >= least),
    ):  # fmt: skip
        votes, own = made.accepted[chosen], made.marked[chosen]
        rows["table2", subset] = (len(votes), 100 * votes.mean())
        if subset in ("unreliable", "reliable"):
            usable = ~own.all(axis=1)
            rows["table3", subset] = (int(usable.sum()), 100 * votes[~own].mean())
            rows["table4", subset] = (int(own.any(axis=1).sum()), 100 * (1 - votes[own].mean()))
    return rows


def simulated_tables(
    printed: Printed, rng: np.random.Generator, n_simulated: int
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, simulate.SimulatedMarks]]:
    """Simulate the study again and again, and compute its tables; the first one is kept."""
    chosen = {name: patterns(printed, name) for name in printed.types}
    least = int(printed.design["threshold"])
    first = simulate_types(printed, rng, chosen)
    runs = [
        {(*k, name): v for name, made in types.items() for k, v in table_of(made, least).items()}
        for types in (first, *(simulate_types(printed, rng, chosen) for _ in range(n_simulated)))
    ]
    rows = []
    for cell, row in printed.cells.iterrows():
        percents = np.array([run[cell][1] for run in runs])
        low, high = np.quantile(percents, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        rows.append({"table": cell[0], "subset": cell[1], "type": cell[2], "n": runs[0][cell][0],
                     "n_printed": int(row["n"]), "percent": percents.mean(), "percent_lower": low,
                     "percent_upper": high, "percent_printed": row["percent"]})  # fmt: skip
    return simulated_marks(printed, first), pd.DataFrame(rows), first


def simulated_marks(printed: Printed, types: dict[str, simulate.SimulatedMarks]) -> pd.DataFrame:
    """Describe the simulated marks as Table 1 does, and apply the threshold to them."""
    rows = []
    vehicle = shares(types["vehicle"].annotations)
    for name, made in types.items():
        kappa = agreement.fleiss_kappa(made.annotations)
        interval = kappa.interval()
        found = deliberate(made.annotations, "1", level=printed.design["confidence"],
                           rates=vehicle)  # fmt: skip
        rows.append(
            {
                "type": name, "kappa": kappa.estimate, "lower": interval.lower,
                "upper": interval.upper, "kappa_printed": printed.table1.loc[name, "kappa"],
                "marked": 100 * shares(made.annotations).mean(),
                "marked_printed": printed.table1.loc[name, "marked"],
                "threshold": int(found.threshold[0]), "reliable": int(found.reliable.sum()),
                "reliable_by_chance": found.expected_items,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def shares(a: Annotations) -> np.ndarray:
    """Return each annotator's share of marks."""
    return np.bincount(a.annotator, weights=a.label) / np.bincount(a.annotator)


# --------------------------------------------------- the extension: metaphor in discourse


@dataclass(frozen=True, eq=False)
class Discourse:
    """Both studies of the same pieces of discourse.

    Attributes
    ----------
    decisions : Annotations
        Study 2: "lit" or "met".
    marks : ndarray of int, shape (I,)
        Decisions for "met".
    rating, adjusted : ndarray, shape (I,)
        Study 1: mean rating, and mean of ratings less their annotator's mean.
    pair : ndarray of int, shape (I,)
        The pair of expressions that the item was collected for.
    """

    decisions: Annotations
    marks: np.ndarray
    rating: np.ndarray
    adjusted: np.ndarray
    pair: np.ndarray

    @classmethod
    def of(cls, rating: datasets.LoadedData, decision: datasets.LoadedData) -> "Discourse":
        """Match the studies by item."""
        a, b = rating.annotations, decision.annotations
        value = a.label + 1.0
        of_annotator = np.bincount(a.annotator, weights=value) / np.bincount(a.annotator)
        n = np.bincount(a.item)
        mean = np.bincount(a.item, weights=value) / n
        adjusted = np.bincount(a.item, weights=value - of_annotator[a.annotator]) / n
        place = pd.Index(a.items).get_indexer(pd.Index(b.items))
        if (place < 0).any() or len(place) != a.n_items:
            raise ValueError("Discourse: the two studies have different items.")
        marks = b.counts[:, b.categories.index(MARK)]
        about = decision.items[["literal", "metaphorical"]].fillna("").agg(" / ".join, axis=1)
        pair = pd.factorize(about)[0]
        return cls(b, marks, mean[place], adjusted[place], pair)


def thresholds(study: Discourse) -> pd.DataFrame:
    """Find thresholds for both labels, with one rate for all annotators and with own rates."""
    rows = []
    for label in study.decisions.categories:
        share = float(np.mean(study.decisions.label == study.decisions.categories.index(label)))
        for confidence in CONFIDENCES:
            for rates, name in ((share, "one rate for all"), (None, "each annotator's own")):
                found = deliberate(study.decisions, label, level=confidence, rates=rates)
                rows.append(
                    {
                        "label": label, "share": share, "confidence": confidence, "rates": name,
                        "threshold_least": int(found.threshold.min()),
                        "threshold_median": float(np.median(found.threshold)),
                        "threshold_most": int(found.threshold.max()),
                        "without_threshold": int((found.threshold > found.n_labels).sum()),
                        "reliable_items": int(found.reliable.sum()),
                        "expected_by_chance": found.expected_items,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def reliable_items(study: Discourse) -> np.ndarray:
    """Say which items are reliably deliberate by the paper's rule, with one rate for all."""
    share = float(np.mean(study.decisions.label == study.decisions.categories.index(MARK)))
    return deliberate(study.decisions, MARK, level=CONFIDENCES[-1], rates=share).reliable


def groups(study: Discourse, rng: np.random.Generator, n_bootstrap: int) -> pd.DataFrame:
    """Compare study 1's ratings of items with no, few and reliably many marks."""
    reliable = reliable_items(study)
    few = ~reliable & (study.marks > 0)
    sets = {"no mark": study.marks == 0, "unreliable": few, "reliable": reliable}
    rows = []
    for rating in ("rating", "adjusted"):
        value = getattr(study, rating)
        for name, chosen in sets.items():
            rows.append({"rating": rating, "comparison": name, "items": int(chosen.sum()),
                         **mean_interval(value[chosen])})  # fmt: skip
        for first, second in (("unreliable", "no mark"), ("reliable", "unreliable")):
            one, two = sets[first], sets[second]
            welch = scipy.stats.ttest_ind(value[one], value[two], equal_var=False)
            ends = welch.confidence_interval(LEVEL)
            rows.append(
                {
                    "rating": rating, "comparison": f"{first} less {second}",
                    "items": int((one | two).sum()),
                    "mean": value[one].mean() - value[two].mean(),
                    "lower": ends.low, "upper": ends.high,
                    "p_within_pairs": permuted(
                        value, one, one | two, study.pair, rng, n_bootstrap
                    ),
                    "auc": area(value[one], value[two]),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def mean_interval(values: np.ndarray) -> dict[str, float]:
    """Return the mean with its interval."""
    half = scipy.stats.t.ppf((1 + LEVEL) / 2, values.size - 1) * scipy.stats.sem(values)
    return {"mean": values.mean(), "lower": values.mean() - half, "upper": values.mean() + half}


def area(high: np.ndarray, low: np.ndarray) -> float:
    """Return the probability that a value of the first is above one of the second."""
    return float(scipy.stats.mannwhitneyu(high, low).statistic / (high.size * low.size))


def permuted(
    value: np.ndarray, first: np.ndarray, both: np.ndarray, pair: np.ndarray,
    rng: np.random.Generator, n_bootstrap: int,
) -> float:  # fmt: skip
    """Test a difference of means by exchanging items of the same pair of expressions."""
    order = np.flatnonzero(both)[np.argsort(pair[both], kind="stable")]
    value, first, pair = value[order], first[order], pair[order]
    # Sorting random keys within each pair permutes there and nowhere else. The permuted values
    # keep the differences between pairs, so the difference of means is not 0 on average.
    shuffled = value[np.argsort(rng.random((n_bootstrap, pair.size)) + pair, axis=1)]
    drawn = shuffled[:, first].mean(axis=1) - shuffled[:, ~first].mean(axis=1)
    observed = value[first].mean() - value[~first].mean()
    as_far = np.abs(drawn - drawn.mean()) >= abs(observed - drawn.mean())
    return float((1 + as_far.sum()) / (1 + n_bootstrap))


def by_marks(study: Discourse) -> pd.DataFrame:
    """List the mean rating by the number of marks."""
    rows = []
    for k in range(int(study.decisions.counts.sum(axis=1).max()) + 1):
        chosen = study.marks == k
        if chosen.sum() > 1:
            rows.append({"marks": k, "items": int(chosen.sum()),
                         **mean_interval(study.rating[chosen])})  # fmt: skip
    return pd.DataFrame(rows)


def beyond_the_number(study: Discourse) -> pd.DataFrame:
    """Ask whether the split tells more than the number of marks: a line with a step.

    Errors are clustered by pair of expressions.
    """
    step = reliable_items(study).astype(float)
    x = np.column_stack([np.ones(step.size), study.marks, step])
    inverse = np.linalg.inv(x.T @ x)
    slope = inverse @ x.T @ study.rating
    score = x * (study.rating - x @ slope)[:, None]
    n_pairs = study.pair.max() + 1
    by_pair = np.array([score[study.pair == p].sum(axis=0) for p in range(n_pairs)])
    small = n_pairs / (n_pairs - 1) if n_pairs > 1 else 1.0
    error = np.sqrt(np.diag(small * inverse @ by_pair.T @ by_pair @ inverse))
    t = scipy.stats.t.ppf((1 + LEVEL) / 2, max(n_pairs - 1, 1))
    return pd.DataFrame(
        {
            "term": ["constant", "each mark", "step at the threshold"], "estimate": slope,
            "lower": slope - t * error, "upper": slope + t * error,
            "p_value": 2 * scipy.stats.t.sf(np.abs(slope / error), max(n_pairs - 1, 1)),
        }
    )  # fmt: skip


# ------------------------------------------------------------------------------- figures


def figure_chance(rates: pd.DataFrame, printed: Printed, stem: Path) -> None:
    """Section 3: how often coins give at least k marks, by type."""
    names = list(printed.types)
    with plotting.house_figure(2, height=3.7) as (figure, (left, right)):
        colours = (plotting.INK, plotting.BLUE, plotting.GREEN, plotting.GREY)
        for name, marker, line, colour in zip(
            names, "osD^", ("-", "--", "-.", ":"), colours, strict=True
        ):
            part = rates[rates["type"] == name]
            label = f"{name.upper()} ({part['marked_percent'].iloc[0]}%)"
            for axes, column in ((left, "chance"), (right, "expected_paragraphs")):
                axes.semilogy(part["marks_at_least"], part[column], marker=marker, color=colour,
                              linestyle=line, markersize=4, label=label)  # fmt: skip
        for axes in (left, right):
            axes.axvline(printed.design["threshold"] - 0.5, color=plotting.VERMILION,
                         linestyle=":")  # fmt: skip
            axes.set(xlabel="marks on one paragraph, at least", xlim=(0.8, 6.2))
        left.set(ylim=(1e-8, 1), ylabel="chance", title="Nine coins")
        left.axhline(printed.design["chance_of_threshold"], color=plotting.GREY, linewidth=0.8)
        left.annotate(".0003", (6.15, 3.5e-4), ha="right", va="bottom", fontsize=8)
        right.set(ylim=(1e-4, 2e3), ylabel="paragraphs", title="Expected of 2,364 paragraphs")
        right.axhline(1, color=plotting.GREY, linewidth=0.8)
        right.legend(loc="upper right", title="type (share of marks)", frameon=True,
                     framealpha=1, edgecolor="none")  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_acceptance(spread: pd.DataFrame, printed: Printed, stem: Path) -> None:
    """Tables 2 to 4 with exact intervals."""
    panels = (
        ("table2", "Table 2: accepted", SUBSETS),
        ("table3", "Table 3: accepted by others", SUBSETS[2:]),
        ("table4", "Table 4: rejected by themselves", SUBSETS[2:]),
    )
    names = [*printed.types, "all"]
    cells = spread.set_index(["table", "subset", "type"])
    with plotting.house_figure(3, height=3.9) as (figure, axes):
        for panel, (table, title, subsets) in zip(axes, panels, strict=True):
            for at, name in enumerate(names):
                for k, subset in enumerate(subsets):
                    row = cells.loc[(table, subset, name)]
                    y = -at - 0.18 * (k - (len(subsets) - 1) / 2)
                    colour = COLOURS[subset]
                    panel.hlines(y, row["paragraphs_lower"], row["paragraphs_upper"], color=colour,
                                 linewidth=0.9)  # fmt: skip
                    if table == "table2":
                        panel.hlines(y, row["votes_lower"], row["votes_upper"], color=colour,
                                     linewidth=3)  # fmt: skip
                    panel.plot(row["percent"], y, "osD^"[SUBSETS.index(subset)], color=colour,
                               markersize=4, markeredgecolor="white", markeredgewidth=0.4,
                               label=subset if at == 0 else None)  # fmt: skip
            panel.axhline(-len(names) + 1.5, color=plotting.GREY, linewidth=0.6)
            panel.set(title=title, xlim=(-2, 102), xlabel="percent", ylim=(-len(names) + 0.4, 0.6))
            panel.set_yticks([-k for k in range(len(names))],
                             [name.upper() if name != "all" else "all" for name in names]
                             if table == "table2" else [""] * len(names))  # fmt: skip
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        plotting.save_figure(figure, stem)


def figure_consistency(found: pd.DataFrame, ranges: pd.DataFrame, stem: Path) -> None:
    """What printed numbers leave possible, against what is printed."""
    rows = ranges[ranges["quantity"].isin(["unreliable accept", "reliable accept"])]
    lines = found.iloc[::-1].reset_index(drop=True)
    with plotting.house_figure(2, height=3.9) as (figure, (left, right)):
        for at, row in enumerate(rows.iloc[::-1].itertuples()):
            left.hlines(at, row.lower, row.upper, color=plotting.BLUE, linewidth=6, alpha=0.4)
            left.plot(row.printed, at, "o", color=plotting.INK, markersize=4)
        left.set_yticks(range(len(rows)), [
            f"{row.type.upper()}, {row.quantity.split()[0]}" for row in rows.iloc[::-1].itertuples()
        ])  # fmt: skip
        left.set(xlabel="percent accepted", title="Table 2 from Tables 1, 3 and 4")
        right.hlines(range(len(lines)), 0, 100, color="#DDDDDD", linewidth=0.6, zorder=0)
        for column, marker, colour in (
            ("printed", "|", plotting.INK), ("weighted", "o", plotting.BLUE),
            ("plain", "x", plotting.VERMILION),
        ):  # fmt: skip
            shift = lines[column] - lines["printed"]
            label = {"plain": "average over types", "weighted": "weighted by paragraphs"}
            right.plot(shift, range(len(lines)), marker, color=colour, linestyle="none",
                       markersize=9 if column == "printed" else 5, fillstyle="none",
                       label=label.get(column, column))  # fmt: skip
        right.axvspan(-HALF, HALF, color=plotting.GREY, alpha=0.15, linewidth=0)
        right.set_yticks(range(len(lines)), [
            f"T{row.table[-1]} {row.subset} ({row.printed:.0f})" for row in lines.itertuples()
        ])  # fmt: skip
        right.set(xlim=(-1.2, 2.4), xlabel="points off the printed bottom line",
                  title="Bottom lines")  # fmt: skip
        figure.legend(loc="outside lower right", ncols=3)
        plotting.save_figure(figure, stem)


def figure_marks(
    types: dict[str, simulate.SimulatedMarks], ranges: pd.DataFrame, printed: Printed, stem: Path
) -> None:
    """Simulated paragraphs by number of marks, what the tables leave, and what coins give."""
    n, n_items = (int(printed.design[name]) for name in ("n_annotators", "n_paragraphs"))
    k = np.arange(1, n + 1)
    note = "Simulated, calibrated to Tables 1 to 4"
    with plotting.house_figure(len(types), height=3.3, stand_in=note) as (figure, axes):
        for panel, (name, made) in zip(axes, types.items(), strict=True):
            a = made.annotations
            marks = np.bincount(a.item, weights=a.label).astype(int)
            count = np.bincount(marks, minlength=n + 1)[1:]
            reliable = k >= printed.design["threshold"]
            panel.bar(k, count, color=np.where(reliable, "#A6C8DD", "#F0C4A8"),
                      edgecolor=plotting.INK, linewidth=0.6)  # fmt: skip
            allowed = ranges[(ranges["type"] == name)
                             & ranges["quantity"].str.startswith("paragraphs")]  # fmt: skip
            panel.vlines(k, allowed["lower"], allowed["upper"], color=plotting.INK, linewidth=0.9)
            coins = n_items * poisson_binomial_pmf(shares(a))[1:]
            panel.plot(k, coins, "x--", color=plotting.VERMILION, markersize=4, linewidth=0.8,
                       label="nine coins")  # fmt: skip
            panel.axvline(printed.design["threshold"] - 0.5, color=plotting.VERMILION,
                          linestyle=":")  # fmt: skip
            panel.set(title=name.upper(), xlabel="marks", xticks=k,
                      ylim=(0, 1.08 * allowed["upper"].max()))  # fmt: skip
        axes[0].set_ylabel("paragraphs")
        axes[0].legend(loc="upper right")
        plotting.save_figure(figure, stem)


def figure_discourse(
    study: Discourse, curve: pd.DataFrame, by_cut: pd.DataFrame, mark: str | None, stem: Path
) -> None:
    """The extension: study 1's ratings by study 2's marks, and how well each cut predicts."""
    reliable = reliable_items(study)
    least = study.marks[reliable].min() if reliable.any() else np.inf
    with plotting.house_figure(2, height=3.8, stand_in=mark) as (figure, (left, right)):
        jitter = np.random.default_rng(0).uniform(-0.28, 0.28, study.marks.size)
        left.scatter(study.marks + jitter, study.rating, s=5, linewidth=0, alpha=0.5,
                     color=np.where(reliable, plotting.BLUE, plotting.GREY))  # fmt: skip
        left.errorbar(curve["marks"], curve["mean"], color=plotting.INK, marker="o", markersize=4,
                      yerr=[curve["mean"] - curve["lower"], curve["upper"] - curve["mean"]],
                      linewidth=1, capsize=2)  # fmt: skip
        left.axvline(least - 0.5, color=plotting.VERMILION, linestyle=":")
        left.annotate("reliable", (10.4, 2.15), ha="right", fontsize=8.5,
                      color=plotting.BLUE)  # fmt: skip
        left.set(
            xlabel='"metaphorical" of ten judgements (study 2)',
            xticks=range(11),
            ylabel="mean rating, 1 to 6 (study 1)",
            title="Do marks predict ratings?",
        )
        only, line = by_cut.iloc[:-1], by_cut.iloc[-1]
        for row in only.itertuples():
            colour = plotting.VERMILION if row.cut == least else plotting.BLUE
            right.vlines(row.cut, 100 * row.lower, 100 * row.upper, color=colour)
            right.plot(row.cut, 100 * row.explained, "o", color=colour, markersize=5)
        right.axhspan(100 * line["lower"], 100 * line["upper"], color=plotting.GREY, alpha=0.15,
                      linewidth=0)  # fmt: skip
        right.axhline(100 * line["explained"], color=plotting.GREY, linestyle="--")
        right.annotate("the number itself", (0.7, 100 * line["explained"] + 0.4), fontsize=8)
        right.set(
            xlabel="cut: marks, at least",
            ylabel="variance of ratings explained, %",
            xticks=only["cut"].astype(int),
            ylim=(0, None),
            title="Which cut tells most?",
        )
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
        Folders of the two studies of metaphor in discourse.
    printed_tables : iterable of Path
        The printed tables.
    folder : Path
        Where the results go.
    seed : int
        Of the simulations and of the resampling.
    effort : {"full", "quick"}
        How often is simulated and resampled.
    """
    printed = read_printed(printed_tables)
    found = totals(printed)
    computed = [
        *plain_rows(design_values(printed), "printed_table"),
        *chance_rows(printed),
        Computed("chance.n_outcomes", 2.0 ** printed.design["n_annotators"],
                 provenance="closed_form"),
        *total_rows(printed, found),
        *text_rows(printed, found),
    ]  # fmt: skip
    write_computed(computed, folder / "computed.csv")

    refuse_gaps(printed)
    rng, n_bootstrap = np.random.default_rng(seed), N_BOOTSTRAP[effort]
    studies = [datasets.read(data[name]) for name in (RATING, DECISION)]
    word = "real" if all(d.provenance == "real" for d in studies) else "simulated"
    study = Discourse.of(*studies)
    ranges, rates = feasible(printed), chance_rates(printed)
    marks, votes, first = simulated_tables(printed, rng, N_SIMULATED[effort])
    curve = by_marks(study)
    by_cut = compare_cuts(study.marks, study.rating, rng=rng, replicates=n_bootstrap)
    of_paper = {
        "chance_rates": rates,
        "unequal_rates": unequal_rates(printed),
        "bottom_lines": found,
        "intervals": intervals(printed),
        "tests": tests(printed),
        "feasible": ranges,
        "delays": delays(printed),
    }
    of_simulation = {"simulated_marks": marks, "simulated_votes": votes}
    of_discourse = {
        "thresholds": thresholds(study),
        "ratings_by_marks": curve,
        "groups": groups(study, rng, n_bootstrap),
        "cuts": by_cut,
        "beyond_the_number": beyond_the_number(study),
    }
    for name, table in (of_paper | of_simulation | of_discourse).items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    mark = None if word == "real" else "Simulated stand-in, not the real judgements"
    figure_chance(rates, printed, stems / "chance")
    figure_acceptance(of_paper["intervals"], printed, stems / "acceptance")
    figure_consistency(found, ranges, stems / "consistency")
    figure_marks(first, ranges, printed, stems / "marks")
    figure_discourse(study, curve, by_cut, mark, stems / "discourse")
    provenance = (
        dict.fromkeys(of_paper, "printed_table")
        | dict.fromkeys(of_simulation, "simulated")
        | dict.fromkeys(of_discourse, word)
    )
    captions = {n: c | {"seed": seed} for n, c in caption_texts(word).items()}
    of_tables = {f"tables/{name}": {"provenance": source} for name, source in provenance.items()}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions | of_tables, indent=1) + "\n")


def caption_texts(word: str) -> dict[str, dict[str, str]]:
    """Say of every figure what it shows, from which data."""
    shown = {
        "chance": ("printed_table", "How often nine coins give at least k heads, with the rate of "
                   "each type in Table 1, and of how many of the 2,364 paragraphs that would be. "
                   "The threshold of the paper lies at the dotted line."),
        "acceptance": ("printed_table", "Tables 2 to 4 with exact 95% intervals: thick if every "
                       "vote is one observation, thin if the votes on a paragraph are worth one. "
                       "The truth lies between."),
        "consistency": ("printed_table", "Left: what Tables 1, 3 and 4 allow Table 2 to be (bars), "
                        "and what is printed (dots). Right: bottom lines, computed in two ways "
                        "from the printed rows; the shaded band rounds to what is printed."),
        "marks": ("simulated", "Paragraphs by number of marks. Bars: simulated, calibrated to "
                  "Tables 1 to 4; vertical lines: the range that those tables leave; crosses: "
                  "coins with the annotators' rates (those for one mark lie above the frames). "
                  "Reliable to the right of the dotted line."),
        "discourse": (word, "An extension, not in the paper. Left: 1,000 pieces of discourse by "
                      "study 2's judgements and study 1's mean rating, with means and 95% "
                      "intervals; blue, reliably deliberate at 99.9%. Right: how much of the "
                      "variance of the ratings each cut explains, with bootstrap intervals; red, "
                      f"the reliability threshold. Data: {word}."),
    }  # fmt: skip
    return {name: {"provenance": source, "caption": text} for name, (source, text) in shown.items()}


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={name: Path(snakemake.input[name][0]).parent for name in (RATING, DECISION)},
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
