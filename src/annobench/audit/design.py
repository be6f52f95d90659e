"""Stratified samples of items to check, with higher sampling rates where the model is less certain.

Items are ordered by certainty, the probability of their most probable category, and cut into
strata. With e the larger of 1 - certainty and `LEAST_ERROR`, the standard deviation of an item's
error is sqrt(e (1 - e)). Strata have equal sums of these, but items of equal certainty are never
separated (Dalenius and Hodges 1959), and n checks are allocated by Neyman's rule, in proportion to
the sums. Within a stratum the checked items are a simple random sample without replacement: the
inclusion probability n_h / N_h is known for every item.

The floor on e limits the trust in a model's certainty. Without it, hardly any item would be checked
of which the model is nearly certain, and errors among these would remain undetected.

References: Neyman (1934); Dalenius and Hodges (1959), Journal of the American Statistical
Association 54, 88-101; Cochran (1977), Sampling Techniques, sections 5.5 and 5A.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.files import write_csv
from annobench.core.numbers import plain_number, spelling_hint
from annobench.core.results import Summarised
from annobench.core.texts import counted
from annobench.core.tolerances import WHOLE

__all__ = ["LEAST_ERROR", "Design", "cut", "draw", "read_design", "sample", "write_design"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: What the probability of an error is taken for at least.
LEAST_ERROR: Final = 0.05
#: Strata at most, and checks that each should have.
MAX_STRATA: Final = 5
CHECKS_PER_STRATUM: Final = 20
#: Checks that every stratum has, if it has as many items.
_LEAST_CHECKS = 2
#: What `write_design` writes.
FILES: Final = ("to_check.csv", "design.csv")


@dataclass(frozen=True, eq=False)
class Design(Summarised):
    """Items, a model's probabilities, and the items to check.

    Attributes
    ----------
    items, categories : tuple of str
        Names, by code.
    posterior : ndarray, shape (I, K)
        Probabilities by the model; an item's category is the most probable (the first if tied).
    stratum : ndarray of int, shape (I,)
        Strata in [0, H); stratum 0 has the most certain items.
    order : ndarray of int, shape (I,)
        Random rank of an item among those to check, from 0; -1 for others.
    """

    items: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: Floats
    stratum: Ints
    order: Ints

    @cached_property
    def category(self) -> Ints:
        """Code of the category that the model gives to each item, shape (I,)."""
        return np.asarray(self.posterior.argmax(axis=1))

    @cached_property
    def certainty(self) -> Floats:
        """Probability of that category, shape (I,)."""
        return np.asarray(self.posterior.max(axis=1))

    @cached_property
    def drawn(self) -> NDArray[np.bool_]:
        """Whether an item was drawn for checking, shape (I,)."""
        return self.order >= 0

    @cached_property
    def sizes(self) -> Ints:
        """Number of items in each stratum, shape (H,)."""
        return np.bincount(self.stratum)

    @cached_property
    def n_drawn(self) -> Ints:
        """Number of items to check in each stratum, shape (H,)."""
        return np.bincount(self.stratum[self.drawn], minlength=self.sizes.size)

    @cached_property
    def inclusion_probability(self) -> Floats:
        """Probability with which each item is drawn, shape (I,)."""
        return np.asarray((self.n_drawn / self.sizes)[self.stratum])

    def summary(self) -> pd.DataFrame:
        """Return the strata.

        Returns
        -------
        DataFrame
            By stratum, the most certain first: `n_items`, `to_check`, `lowest_probability`,
            `highest_probability`, and `expected_errors`, if the model's probabilities hold.
        """
        grouped = pd.Series(self.certainty).groupby(self.stratum)
        return pd.DataFrame(
            {
                "n_items": self.sizes,
                "to_check": self.n_drawn,
                "lowest_probability": grouped.min(),
                "highest_probability": grouped.max(),
                "expected_errors": grouped.apply(lambda p: (1 - p).sum()),
            }
        ).rename_axis("stratum")

    def _headline(self) -> str:
        return (
            f"{int(self.drawn.sum()):,} of {len(self.items):,} items to check, from "
            f"{counted(self.sizes.size, 'stratum', 'strata')}"
        )

    def to_check(self, texts: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Return the items to check, without the model's categories, which would bias a checker.

        Parameters
        ----------
        texts : mapping of str to str, optional
            What annotators saw, by item.

        Returns
        -------
        DataFrame
            `item`, in the order of checking; `text`, if there are any; and `gold`, empty.
        """
        names = [self.items[i] for i in np.argsort(self.order)[-int(self.drawn.sum()) :]]
        table = pd.DataFrame({"item": names})
        if texts:
            table["text"] = [texts.get(name, "") for name in names]
        return table.assign(gold="")

    def to_frame(self) -> pd.DataFrame:
        """Return the whole design.

        Returns
        -------
        DataFrame
            One row per item: `item`, `category`, `stratum`, `inclusion_probability`, `order`, and
            for each category ``probability_<name>``.
        """
        table = {
            "item": np.asarray(self.items, dtype=object),
            "category": np.asarray(self.categories, dtype=object)[self.category],
            "stratum": self.stratum,
            "inclusion_probability": self.inclusion_probability,
            "order": self.order,
        }
        for code, name in enumerate(self.categories):
            table[f"probability_{name}"] = self.posterior[:, code]
        return pd.DataFrame(table)

    def codes_of(self, checked: Mapping[str, str]) -> Ints:
        """Convert checked categories to codes.

        Parameters
        ----------
        checked : mapping of str to str
            Category by item.

        Returns
        -------
        ndarray of int, shape (I,)
            -1 for items that were not checked, K for a category unknown to the model.

        Raises
        ------
        AnnotationError
            If an item is not in the design, or was not drawn: its inclusion probability is unknown,
            and it would bias every estimate.
        """
        place = {name: i for i, name in enumerate(self.items)}
        known = {plain_number(name): k for k, name in enumerate(self.categories)}
        codes = np.full(len(self.items), -1, dtype=np.int64)
        for item, category in checked.items():
            if item not in place:
                raise AnnotationError(
                    f"audit: the checked item {item!r} is not among the {len(self.items):,} items "
                    f"of the design. Use the checks of this design.{spelling_hint([item], place)}"
                )
            if not self.drawn[place[item]]:
                raise AnnotationError(
                    f"audit: the item {item!r} was checked but not drawn. Leave it out: estimates "
                    "require items drawn at random."
                )
            codes[place[item]] = known.get(plain_number(category), len(known))
        return codes


def draw(
    items: tuple[str, ...],
    categories: tuple[str, ...],
    posterior: ArrayLike,
    n_checks: int,
    *,
    rng: np.random.Generator | int | None = None,
) -> Design:
    """Draw items to check.

    Parameters
    ----------
    items, categories : tuple of str
        Names, by code.
    posterior : array_like, shape (I, K)
        Probabilities by a model.
    n_checks : int
        Number of items to check, at least 10; all, if there are no more.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    Design
        The strata, and the items drawn.

    Raises
    ------
    AnnotationError
        If shapes do not match, a probability is NaN, or there are too few checks.

    Examples
    --------
    >>> sure = np.repeat([[0.999, 0.001], [0.6, 0.4]], [900, 100], axis=0)
    >>> names = tuple(map(str, range(1000)))
    >>> design = draw(names, ("no", "yes"), sure, 100, rng=1)
    >>> design.summary()[["n_items", "to_check"]].values.tolist()
    [[900, 80], [100, 20]]
    """
    table = np.asarray(posterior, dtype=np.float64)
    if table.shape != (len(items), len(categories)) or not np.isfinite(table).all():
        raise AnnotationError(
            f"audit: probabilities of shape {table.shape} for {len(items):,} items and "
            f"{len(categories)} categories. Give each item a row of numbers."
        )
    if n_checks < min(10, len(items)):
        raise AnnotationError(f"audit: {n_checks} checks are too few. Use at least 10.")
    rng = np.random.default_rng(rng)
    certainty = table.max(axis=1)
    stratum = cut(certainty, min(MAX_STRATA, max(1, n_checks // CHECKS_PER_STRATUM)))
    spread = np.bincount(stratum, expected_spread(certainty)).astype(np.float64)
    quota = allocate(np.bincount(stratum), spread, n_checks)
    order = sample(stratum, quota, rng)
    return Design(items, categories, table, stratum, order)


def sample(stratum: Ints, quota: Ints, rng: np.random.Generator) -> Ints:
    """Draw items from each stratum, in random order.

    Parameters
    ----------
    stratum : ndarray of int, shape (I,)
        Strata in [0, H).
    quota : ndarray of int, shape (H,)
        Number of items to draw from each.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of int, shape (I,)
        Rank of an item among those drawn, from 0; -1 for others.
    """
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(stratum == h), size=n, replace=False)
            for h, n in enumerate(quota)
        ]
    )
    order = np.full(stratum.size, -1, dtype=np.int64)
    order[rng.permutation(chosen)] = np.arange(chosen.size)
    return order


def expected_spread(certainty: Floats) -> Floats:
    """Return the expected standard deviation of each item's error."""
    error = np.clip(1 - certainty, LEAST_ERROR, 0.5)
    return np.asarray(np.sqrt(error * (1 - error)))


def cut(certainty: Floats, n_strata: int) -> Ints:
    """Divide items into strata with about equal expected spread.

    Parameters
    ----------
    certainty : ndarray, shape (I,)
        Probability of the most probable category.
    n_strata : int
        Number of strata; there are fewer if many items are equally certain.

    Returns
    -------
    ndarray of int, shape (I,)
        0 for the most certain.
    """
    place = np.unique(-certainty, return_inverse=True)[1]
    spread = np.bincount(place, expected_spread(certainty))
    # An item is where the middle of those equally certain lies.
    middle = (np.cumsum(spread) - spread / 2) / spread.sum()
    rough = np.minimum((middle * n_strata).astype(np.int64), n_strata - 1)
    return np.asarray(np.unique(rough, return_inverse=True)[1][place])


def allocate(sizes: Ints, spread: Floats, n_checks: int) -> Ints:
    """Allocate checks to strata by Neyman's rule."""
    n = min(n_checks, int(sizes.sum()))
    least = np.minimum(_LEAST_CHECKS, sizes)

    def quota(factor: float) -> Floats:
        return np.clip(factor * spread, least, sizes)

    # The sum rises with the factor, from too few to all.
    low, high = 0.0, float((sizes / spread).max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if quota(middle).sum() >= n else (middle, high)
    exact = quota(high)
    whole = np.floor(exact + WHOLE).astype(np.int64)
    # Those with the largest remainders get one more each.
    behind = np.argsort(whole - exact, kind="stable")
    whole[[h for h in behind if whole[h] < sizes[h]][: n - int(whole.sum())]] += 1
    return whole


def write_design(design: Design, folder: Path, texts: Mapping[str, str] | None = None) -> list[str]:
    """Write the items to check and the design, which is needed to read the checks.

    Parameters
    ----------
    design : Design
        What was drawn.
    folder : Path
        The folder; created if necessary.
    texts : mapping of str to str, optional
        What annotators saw, by item, for the checker.

    Returns
    -------
    list of str
        Names of the files.
    """
    for name, table in zip(FILES, (design.to_check(texts), design.to_frame()), strict=True):
        write_csv(table, folder / name)
    return list(FILES)


def read_design(path: Path) -> Design:
    """Read a design that `write_design` wrote.

    Parameters
    ----------
    path : Path
        The file, design.csv.

    Returns
    -------
    Design
        The design as drawn.

    Raises
    ------
    ReaderError
        If there is no such file, or it is not a design.
    """
    if not path.is_file():
        raise ReaderError(
            f"{path}: there is no such file. Draw items first, and give the folder that was "
            "written."
        )
    text = {"item": str, "category": str}
    table = pd.read_csv(path, dtype=text, keep_default_na=False)
    prefix = "probability_"
    columns = [name for name in map(str, table.columns) if name.startswith(prefix)]
    if missing := {"item", "stratum", "order"} - set(table) or not columns:
        raise ReaderError(
            f"{path}: is not a design, as it lacks {missing if columns else prefix + '...'}. Give "
            "the file design.csv that was written when items were drawn."
        )
    return Design(
        items=tuple(table["item"]),
        categories=tuple(name.removeprefix(prefix) for name in columns),
        posterior=table[columns].to_numpy(dtype=np.float64),
        stratum=table["stratum"].to_numpy(dtype=np.int64),
        order=table["order"].to_numpy(dtype=np.int64),
    )
