"""Comparisons of two items: items, outcome and annotator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import MAX_FAULTS, AnnotationError
from annobench.labels.columns import named_columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LEFT", "RIGHT", "TIE", "Comparisons"]

#: Outcomes.
LEFT: Final = 0
TIE: Final = 1
RIGHT: Final = 2

#: Names of columns that are recognised, in the order of preference.
NAMES: Final = {
    "left": ("left", "model_a", "item_a", "system_a", "first", "a", "player_a", "left_item"),
    "right": ("right", "model_b", "item_b", "system_b", "second", "b", "player_b", "right_item"),
    "winner": ("winner", "label", "preferred", "preference", "choice", "pick", "better", "outcome"),
    "annotator": ("annotator", "worker", "rater", "judge", "user", "annotator_id", "worker_id"),
}
#: Words for the outcomes, beside the names of the items, in lower case.
WORDS: Final = {
    LEFT: ("left", "a", "model_a", "first", "item_a"),
    RIGHT: ("right", "b", "model_b", "second", "item_b"),
    TIE: ("tie", "ties", "tied", "draw", "equal", "both", "neither", "tie (bothbad)"),
}


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Judgements on which of two items is better.

    Use `from_frame`, which validates.

    Attributes
    ----------
    items : tuple of str
        The K items that are ranked, such as systems.
    left, right : ndarray of int, shape (N,)
        Codes of the items of each comparison, by position.
    outcome : ndarray of int, shape (N,)
        0 if the left one won, 1 for a tie, 2 if the right one won.
    annotators : tuple of str
        Names of the annotators; empty if unknown.
    annotator : ndarray of int, shape (N,), or None
        Codes of the annotators.
    n_left_out : int
        Rows without a winner.
    cluster : ndarray of int, shape (N,), or None
        Codes from 0 of what comparisons belong to, such as prompts; every code occurs.
    weight : ndarray of float, shape (N,), or None
        Positive weights, by default 1. If a judge gives probabilities, a comparison is a win of
        each side, weighted by its probability.
    remarks : tuple of str
        What the file says beside the outcomes, such as rates of wins.
    """

    items: tuple[str, ...]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    annotators: tuple[str, ...] = ()
    annotator: NDArray[np.int64] | None = None
    n_left_out: int = 0
    cluster: NDArray[np.int64] | None = None
    weight: NDArray[np.float64] | None = None
    remarks: tuple[str, ...] = ()

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        left: str | None = None,
        right: str | None = None,
        winner: str | None = None,
        annotator: str | None = None,
        clusters: str | None = None,
    ) -> Comparisons:
        """Build comparisons from a table with one row each.

        Parameters
        ----------
        frame : DataFrame
            The table.
        left, right : str, optional
            Columns of the items shown first and second; by default "left" and "right", "model_a"
            and "model_b", or other usual names.
        winner : str, optional
            Column of the outcome: the name of the item that won, or a word such as "left",
            "model_a" or "tie"; empty if undecided.
        annotator : str, optional
            Column of the annotators, if any.
        clusters : str, optional
            Column of what makes comparisons dependent, such as the prompt or the annotator.

        Returns
        -------
        Comparisons
            Items in the order of their names.

        Raises
        ------
        AnnotationError
            If a column is missing, an item is compared with itself, a name or a cluster is empty,
            or an outcome is neither an item of its row nor a known word.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"left": ["x", "y"], "right": ["y", "x"], "winner": ["x", "tie"]})
        >>> Comparisons.from_frame(table).outcome.tolist()
        [0, 1]
        """
        named = {"left": left, "right": right, "winner": winner, "annotator": annotator}
        named |= {"clusters": clusters}
        columns = {role: column_of(frame, role, name) for role, name in named.items()}
        texts = {
            role: frame[name].fillna("").astype(str)
            for role, name in columns.items()
            if name is not None
        }
        decided = texts["winner"].str.strip() != ""
        rows = {role: column[decided].to_numpy(dtype=object) for role, column in texts.items()}
        place = np.flatnonzero(decided.to_numpy()) + 1
        faults = []
        outcome = np.empty(place.size, dtype=np.int64)
        every = list(zip(rows["left"], rows["right"], rows["winner"], strict=True))
        by_words = _are_words(every)
        for n, (a, b, won) in enumerate(every):
            outcome[n], fault = _outcome(a, b, won, by_words)
            if not fault and "clusters" in rows and not rows["clusters"][n].strip():
                fault = f"the cluster (column {clusters!r}) is empty"
            if fault:
                faults.append(f"row {place[n]}: {fault}")
        if faults:
            listed = "\n".join(faults[:MAX_FAULTS])
            more = f"\nand {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
            raise AnnotationError(f"Comparisons: {listed}{more}")
        if not place.size:
            raise AnnotationError("Comparisons: no row has a winner. Check the column's name.")
        return cls.from_outcomes(
            rows["left"],
            rows["right"],
            outcome,
            annotators=rows.get("annotator"),
            clusters=rows.get("clusters"),
            n_left_out=int((~decided).sum()),
        )

    @classmethod
    def from_outcomes(
        cls,
        left: ArrayLike,
        right: ArrayLike,
        outcome: ArrayLike,
        *,
        annotators: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        n_left_out: int = 0,
        remarks: tuple[str, ...] = (),
    ) -> Comparisons:
        """Build comparisons from names and codes of outcomes.

        Parameters
        ----------
        left, right : array of str, shape (N,)
            Names of the items, by position.
        outcome : array of int, shape (N,)
            0 if the left one won, 1 for a tie, 2 if the right one won.
        annotators, clusters : array of str, shape (N,), optional
            Names of the annotators and of the clusters.
        weight : array of float, shape (N,), optional
            Weights; comparisons of weight 0 are dropped.
        n_left_out : int, default 0
            Rows without a winner.
        remarks : tuple of str
            As for the class.

        Returns
        -------
        Comparisons
            Items in the order of their names.

        Examples
        --------
        >>> Comparisons.from_outcomes(["x", "y"], ["y", "x"], [0, 1]).items
        ('x', 'y')
        """
        import pandas as pd

        columns: dict[str, Any] = {"left": left, "right": right, "outcome": outcome}
        optional = {"annotator": annotators, "cluster": clusters, "weight": weight}
        columns |= {role: values for role, values in optional.items() if values is not None}
        rows = pd.DataFrame({role: np.asarray(values) for role, values in columns.items()})
        more: dict[str, Any] = {"n_left_out": n_left_out, "remarks": remarks}
        if weight is not None:
            rows = rows[rows["weight"] > 0]
            more["weight"] = rows["weight"].to_numpy(dtype=float)
        if annotators is not None:
            codes, people = pd.factorize(rows["annotator"], sort=True)
            more |= {"annotator": codes.astype(np.int64), "annotators": tuple(people)}
        if clusters is not None:
            more["cluster"] = pd.factorize(rows["cluster"])[0].astype(np.int64)
        names = sorted(set(rows["left"]) | set(rows["right"]))
        index = pd.Index(names, dtype=object)
        return cls(
            tuple(names),
            index.get_indexer(pd.Index(rows["left"], dtype=object)).astype(np.int64),
            index.get_indexer(pd.Index(rows["right"], dtype=object)).astype(np.int64),
            rows["outcome"].to_numpy(dtype=np.int64),
            **more,
        )

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the comparisons, shape (N,)."""
        return np.ones(self.outcome.size) if self.weight is None else self.weight

    @property
    def n_comparisons(self) -> int:
        """The number of comparisons; with weights, their sum."""
        return round(float(self.weights.sum()))

    @property
    def n_items(self) -> int:
        """The number of items K."""
        return len(self.items)

    def tally(self) -> pd.DataFrame:
        """Count the comparisons of each item.

        Returns
        -------
        DataFrame
            One row per item: item, n_comparisons, wins, ties, losses; with weights, sums of
            weights.
        """
        import pandas as pd

        k = self.n_items
        counts = np.zeros((k, 3))
        np.add.at(counts, (self.left, self.outcome), self.weights)
        np.add.at(counts, (self.right, 2 - self.outcome), self.weights)
        # A sum of probabilities is exact up to rounding.
        counts = counts.round(6)
        whole = counts if self.weight is not None else counts.astype(np.int64)
        table = pd.DataFrame(whole, columns=["wins", "ties", "losses"])
        table.insert(0, "n_comparisons", counts.sum(axis=1).round().astype(np.int64))
        table.insert(0, "item", self.items)
        return table


def column_of(frame: pd.DataFrame, role: str, name: str | None) -> str | None:
    """Find the column of a role; None for annotators or clusters that are not named."""
    if name is not None:
        if name not in frame.columns:
            raise AnnotationError(
                f"Comparisons: column {name!r}, given with {role}=, is not among the columns: "
                f"{named_columns(frame.columns)}."
            )
        return name
    lower = {str(column).strip().lower(): column for column in frame.columns}
    for usual in NAMES.get(role, ()):
        if usual in lower:
            return str(lower[usual])
    if role in ("annotator", "clusters"):
        return None
    raise AnnotationError(
        f"Comparisons: no column for {role} among {named_columns(frame.columns)}. Name it with "
        f"{role}=."
    )


def _word(winner: str) -> int | None:
    """Return the outcome that a word names, if any."""
    plain = winner.strip().lower()
    return next((code for code, words in WORDS.items() if plain in words), None)


def _are_words(rows: list[tuple[str, str, str]]) -> bool:
    """Return whether outcomes are words, though an item may be called as one of them.

    They are names if all are, apart from ties.
    """
    words = [_word(won) for _, _, won in rows]
    are_names = all(
        won in (a, b) or word == TIE for (a, b, won), word in zip(rows, words, strict=True)
    )
    return None not in words and not are_names


def _outcome(left: str, right: str, winner: str, by_words: bool) -> tuple[int, str]:
    """Return the code of an outcome, or say what is wrong with the row."""
    if not left.strip() or not right.strip():
        return TIE, "the name of an item is empty"
    if left == right:
        return TIE, f"{left!r} is compared with itself"
    if winner in (left, right) and not by_words:
        return (LEFT if winner == left else RIGHT), ""
    if (code := _word(winner)) is not None:
        return code, ""
    return TIE, f"winner {winner!r} is neither {left!r} nor {right!r}, nor left, right or tie"
