"""What computed values rest on, found by changing the inputs.

A value that only repeats a number which somebody typed in shows nothing, however well it
agrees. It is found without reading code: change all numbers at once, each by another random
amount, and compute everything again. A value that moved in proportion to one of the numbers in
every one of several such runs is that number; a value that no number and no data move is a
constant. The same runs show of every other value which inputs it rests on, and whether other
inputs would have made it disagree.

The idea is that of group testing: a few runs with all numbers changed tell what one run for
each number would (Dorfman 1943), because the amounts are random and a coincidence in every
run is improbable.

References
----------
Dorfman (1943). The detection of defective members of large populations. Annals of
Mathematical Statistics 14, 436-440.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import replacing
from annobench.reporting.printed import parse_printed

__all__ = [
    "COLUMNS",
    "N_DRAWS",
    "SHARES",
    "Analysis",
    "Number",
    "change",
    "differs",
    "read",
    "trace",
    "write",
]

COLUMNS: Final = ("target", "base", "rests_on", "restates", "values", "data_values")

#: What a value restates that nothing moves.
NOTHING: Final = "no input: nothing that was changed moves it"

#: What a value rests on that numbers move, where they are not distinguished.
ANY_NUMBER: Final = "printed numbers"

#: What a value rests on that data sets move, where they are not distinguished.
ANY_DATA: Final = "data"

#: Runs with all numbers changed a little. Another number moves in proportion in all of them once
#: in 117; a further run, in which the numbers found stay as they are, tells such coincidences.
N_SMALL: Final = 3

#: How much the numbers of a group are changed, as a share of each.
SHARES: Final = (0.9, 0.3, 0.1)

#: A value that is a number but for this share of its moves is that number: a billionth of an
#: honest value may have been added to one that was typed in.
DRESSING: Final = 3e-5

#: Draws of changed data: one of each data set alone, and the others of all together, of which an
#: analysis may refuse some.
N_DRAWS: Final = 4

#: A sum of two numbers stays where it is when one gains what the other loses. So as long as a
#: value that has moved rests on nothing, the groups are changed again, at most this often.
MAX_ROUNDS: Final = 3

#: How many of the runs that refuse changed numbers are taken apart to find the numbers.
MAX_REFUSED: Final = 24


@dataclass(frozen=True)
class Number:
    """A number that an analysis reads, or a constant that it declares.

    Attributes
    ----------
    name : str
        Where it stands, such as "table3.csv, row 2, kappa".
    group : str
        What it is part of, such as "table3.csv".
    text : str
        As written.
    """

    name: str
    group: str
    text: str


Changes = Mapping[Number, str]
#: Takes the numbers to write anew and the draws of the data sets to change, by their ids, and
#: returns the values by target.
Analysis = Callable[[Changes, Mapping[str, int]], Mapping[str, float]]


def change(text: str, rng: np.random.Generator, *, share: float = 0.0) -> str:
    """Write another number of the same form.

    Parameters
    ----------
    text : str
        A number as printed.
    rng : Generator
        Draws the amount.
    share : float, default 0
        The amount is one to three units of the last printed place, or from half of this share
        of the number up to all of it where that is more.

    Returns
    -------
    str
        The other number, to the same places. What is at least 0 stays so, and what is at
        most 1 and has decimals, or at most 100 and ends in "%", too.

    Examples
    --------
    >>> change(".79", np.random.default_rng(1))
    '0.81'
    """
    value, unit, _ = parse_printed(text)
    most = max(3, int(abs(value) * Decimal(share) / unit))
    least = most // 2 if share else 1
    amount = unit * int(rng.integers(least, most, endpoint=True)) * int(rng.choice([-1, 1]))
    decimals = "." in text
    if (value >= 0 > value + amount) or (decimals and value <= 1 < value + amount):
        amount = -amount
    if text.endswith("%") and value <= 100 < value + amount:
        amount = -amount
    return f"{value + amount:f}" + ("%" if text.endswith("%") else "")


def trace(
    analysis: Analysis,
    numbers: Sequence[Number],
    data: Sequence[str],
    rng: np.random.Generator,
    *,
    n_small: int = N_SMALL,
    by_group: bool = True,
) -> pd.DataFrame:
    """Find what each value of an analysis rests on, and which restate a single number.

    Parameters
    ----------
    analysis : callable
        Computes the values by target from changed numbers and data; raises where it refuses
        them.
    numbers : sequence of Number
        All numbers that it reads.
    data : sequence of str
        The ids of its data sets.
    rng : Generator
        Draws the amounts.
    n_small : int, default 3
        Runs with all numbers changed by a few units.
    by_group : bool, default True
        Whether each group is also changed alone, by a large amount, and each data set, which
        distinguishes them; without it, all at once, and `rests_on` says `ANY_NUMBER` and
        `ANY_DATA`.

    Returns
    -------
    DataFrame
        One row a target: `base` (the value with nothing changed), `rests_on` (groups and data
        sets, separated by "; "), `restates` (the number that it is, `NOTHING`, or empty), `values`
        and `data_values` (in the runs with changed numbers, and with changed data, that moved it,
        separated by spaces). A value that is not a number has not moved.

    Raises
    ------
    PublicationError
        If the analysis refuses data sets of which some items are left out.
    """
    seed = int(rng.integers(2**32))
    runs = _Runs(analysis, dict(analysis({}, {})))
    blocks = runs.blocks(list(numbers), rng)
    candidates: dict[str, set[str]] = {}
    for block in blocks:
        candidates = _merged(candidates, runs.single_numbers(block, rng, n_small))
    movable = [number for block in blocks for number in block]
    groups = list(dict.fromkeys(number.group for number in movable))
    parts = {group: [n for n in movable if n.group == group] for group in groups}
    if not by_group:
        parts = {ANY_NUMBER: movable} if movable else {}
    for n_rounds in range(MAX_ROUNDS):
        for group, part in parts.items():
            if n_rounds and not runs.unassigned():
                break
            # Another group of numbers leaves the changes of this one as they are.
            own = np.random.default_rng([seed, n_rounds, zlib.crc32(group.encode())])
            runs.change_group(group, part, blocks, own)
    for target in runs.unassigned():
        runs.rests_on[target].append(ANY_NUMBER)
    changed: dict[str, tuple[str, ...]] = {id: (id,) for id in data}
    if data and not by_group:
        changed = {ANY_DATA: tuple(data)}
    for name, ids in changed.items():
        runs.change_data(name, dict.fromkeys(ids, 0))
    for draw in range(1, N_DRAWS if data else 1):
        drawn = runs.run({}, dict.fromkeys(data, draw))
        if drawn is not None:
            runs.note(drawn, "", runs.moved_by_data)
    for target in runs.base:
        # Which of the data sets it is, only the first draw would have told.
        if runs.moved_by_data[target] and changed.keys().isdisjoint(runs.rests_on[target]):
            runs.rests_on[target].append(next(iter(changed)) if len(changed) == 1 else ANY_DATA)
    rows = []
    for target in runs.base:
        rests_on = "; ".join(runs.rests_on[target])
        single = candidates.get(target, set())
        restates = min(single) if len(single) else ("" if rests_on else NOTHING)
        moved = (runs.moved[target], runs.moved_by_data[target])
        values = (" ".join(f"{value:.12g}" for value in found) for found in moved)
        rows.append((target, f"{runs.base[target]:.12g}", rests_on, restates, *values))
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")


def _merged(first: dict[str, set[str]], second: dict[str, set[str]]) -> dict[str, set[str]]:
    """A value that moves in two blocks of numbers is none of them."""
    both = first | second
    return {
        target: set() if target in first and target in second else both[target] for target in both
    }


@dataclass
class _Runs:
    """The values as they are, and what changes made of them."""

    analysis: Analysis
    base: dict[str, float]
    rests_on: dict[str, list[str]] = field(init=False)
    moved: dict[str, list[float]] = field(init=False)
    moved_by_data: dict[str, list[float]] = field(init=False)

    def __post_init__(self) -> None:
        self.rests_on = {target: [] for target in self.base}
        self.moved = {target: [] for target in self.base}
        self.moved_by_data = {target: [] for target in self.base}

    def run(
        self, changes: Changes, data: Mapping[str, int] | None = None
    ) -> dict[str, float] | None:
        """Compute all values; None where the analysis refuses the changes."""
        try:
            return dict(self.analysis(changes, data or {}))
        # Whatever a changed number breaks is a refusal; which exception it is means nothing.
        except Exception:
            return None

    def note(
        self,
        found: Mapping[str, float],
        name: str,
        moved: dict[str, list[float]] | None = None,
    ) -> None:
        """Note which values moved, and where to."""
        moved = self.moved if moved is None else moved
        for target, before in self.base.items():
            after = found.get(target, math.nan)
            if differs(before, after):
                moved[target].append(after)
                if name and name not in self.rests_on[target]:
                    self.rests_on[target].append(name)

    def unassigned(self) -> list[str]:
        """Return the values that moved, but with no group alone."""
        return [target for target in self.base if self.moved[target] and not self.rests_on[target]]

    def blocks(self, numbers: list[Number], rng: np.random.Generator) -> list[list[Number]]:
        """Split the numbers into blocks that the analysis takes changed all at once."""
        refused = [0]

        def split(part: list[Number]) -> list[list[Number]]:
            if not part or refused[0] >= MAX_REFUSED:
                return []
            if self.run({number: change(number.text, rng) for number in part}) is not None:
                return [part]
            refused[0] += 1
            if len(part) == 1:
                return []
            middle = len(part) // 2
            halves = [*split(part[:middle]), *split(part[middle:])]
            joined = [number for half in halves for number in half]
            if len(halves) > 1 and self.run({n: change(n.text, rng) for n in joined}) is not None:
                return [joined]
            return halves

        return split(numbers)

    def single_numbers(
        self, block: list[Number], rng: np.random.Generator, n_small: int
    ) -> dict[str, set[str]]:
        """Return, of each value that moved, the numbers that moved just as it did in every run."""
        candidates: dict[str, dict[str, float]] = {}
        effect: dict[str, float] = {}
        done = tries = 0
        # Two numbers that moved alike so far are distinguished by another run.
        while tries < 3 * n_small and (
            done < n_small or any(len(alike) > 1 for alike in candidates.values())
        ):
            tries += 1
            changes = {number: change(number.text, rng) for number in block}
            found = self.run(changes)
            if found is None:
                continue
            done += 1
            self.note(found, "")
            shifts = {
                number.name: float(parse_printed(text).value - parse_printed(number.text).value)
                for number, text in changes.items()
            }
            for target, before in self.base.items():
                after = found.get(target, math.nan)
                if not differs(before, after):
                    # It did not move although every number of the block did.
                    if target in candidates:
                        candidates[target] = {}
                    continue
                candidates[target] = _in_proportion(after - before, shifts, candidates.get(target))
                effect[target] = max(effect.get(target, 0.0), abs(after - before))
        self._confirm(candidates, effect, block, rng)
        return {target: set(alike) for target, alike in candidates.items()}

    def _confirm(
        self,
        candidates: dict[str, dict[str, float]],
        effect: Mapping[str, float],
        block: list[Number],
        rng: np.random.Generator,
    ) -> None:
        """Drop candidates of values that other numbers move: those were coincidences."""
        named = {name for alike in candidates.values() for name in alike}
        others = [number for number in block if number.name not in named]
        for _ in range(3):
            found = self.run({number: change(number.text, rng) for number in others})
            if found is not None and named:
                for target, before in self.base.items():
                    moved = abs(found.get(target, before) - before)
                    # Beside what the number did, a trace of others is dressing.
                    if target in candidates and moved > DRESSING * effect[target]:
                        candidates[target] = {}
                return

    def change_group(
        self, name: str, part: list[Number], blocks: list[list[Number]], rng: np.random.Generator
    ) -> None:
        """Change the numbers of one group alone, much and less: all, or each half of them."""
        n_taken = 0
        for share in SHARES:
            for some in ([part], _halves(part, rng)):
                runs = [
                    self.run({n: change(n.text, rng, share=share) for n in own}) for own in some
                ]
                taken = [found for found in runs if found is not None]
                n_taken += len(taken)
                for found in taken:
                    self.note(found, name)
                if taken:
                    break
        for block in blocks if not n_taken else ():
            common = [number for number in block if number in part]
            little = self.run({number: change(number.text, rng) for number in common})
            if common and little is not None:
                self.note(little, name)

    def change_data(self, name: str, datasets: Mapping[str, int]) -> None:
        found = self.run({}, datasets)
        if found is None:
            raise PublicationError(
                f"the analysis refuses {', '.join(datasets)} with some items left out. Let it "
                "take fewer items, or let the rows that need them all be NaN."
            )
        self.note(found, name, self.moved_by_data)


def _halves(part: list[Number], rng: np.random.Generator) -> list[list[Number]]:
    """Return two random halves of some numbers; none if there is one number only."""
    places = rng.permutation(len(part))
    middle = len(part) // 2
    halves = (places[:middle], places[middle:]) if middle else ()
    return [[part[place] for place in sorted(half)] for half in halves]


def _in_proportion(
    shift: float, shifts: Mapping[str, float], known: Mapping[str, float] | None
) -> dict[str, float]:
    """Return the numbers that moved in one proportion to the value in all runs, and the factor."""
    if known is None:
        return {name: shift / by for name, by in shifts.items()}
    slack = DRESSING * abs(shift)
    return {name: k for name, k in known.items() if abs(shift - k * shifts[name]) <= slack}


def differs(before: float, after: float) -> bool:
    """Say whether a value has moved.

    Parameters
    ----------
    before, after : float
        The value, computed twice.

    Returns
    -------
    bool
        False where one of them is no number.
    """
    if math.isnan(before) or math.isnan(after):
        return False
    # Relative, as a p-value may be tiny; sums in another order differ in their last bits.
    return abs(after - before) > 1e-12 * max(abs(before), abs(after))


def write(frame: pd.DataFrame, path: str | Path) -> None:
    """Write what `trace` found, whole or not at all.

    Parameters
    ----------
    frame : DataFrame
        As `trace` returns it.
    path : str or Path
        The `dependence.csv` to write.
    """
    with replacing(path) as draft:
        frame.to_csv(draft, index=False, lineterminator="\n")


def read(path: str | Path) -> pd.DataFrame:
    """Read what `write` wrote.

    Parameters
    ----------
    path : str or Path
        A `dependence.csv`.

    Returns
    -------
    DataFrame
        The rows, every column as text.

    Raises
    ------
    PublicationError
        If the file has other columns.
    """
    frame = pd.read_csv(path, dtype="str", keep_default_na=False)
    if tuple(frame.columns) != COLUMNS:
        raise PublicationError(
            f"{path}, line 1: the header is {','.join(map(str, frame.columns))!r}. "
            f"Write {','.join(COLUMNS)!r}."
        )
    return frame


def numbers_of(name: str, table: pd.DataFrame) -> Iterable[Number]:
    """List the numbers of a printed table."""
    for row in range(len(table)):
        for column in range(1, len(table.columns)):
            text = str(table.iloc[row, column])
            try:
                parse_printed(text)
            except ValueError:
                continue
            yield Number(cell_name(name, table, row, column), name, text)


def cell_name(name: str, table: pd.DataFrame, row: int, column: int) -> str:
    """Name a cell of a printed table by its place."""
    key = f"{table.columns[0]} {table.iloc[row, 0]!s}"
    return f"{name}, {key} (row {row + 1}), {table.columns[column]}"
