"""Relabelling of classes, and its effect on parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from annobench.posteriors.draws import Draws, Floats, join_name, split_name

__all__ = ["Source", "describe", "orders", "relabel", "sources"]

#: In the binary model exchanging the categories exchanges these; probabilities are then those of
#: the other outcome, and concentrations stay.
_MIRROR = {
    "sensitivity": "specificity",
    "sensitivity_mean": "specificity_mean",
    "sensitivity_concentration": "specificity_concentration",
}
_MIRROR |= {second: first for first, second in _MIRROR.items()}
_MIRROR |= {name: name for name in ("prevalence", "item_probability")}

#: A component's new value: the name of the component that has it, and whether it is 1 minus that.
Source = tuple[str, bool]


def orders(n_categories: int) -> Iterator[tuple[int, ...]]:
    """Yield all permutations of the categories except the identity.

    Parameters
    ----------
    n_categories : int
        K.

    Yields
    ------
    tuple of int
        Codes from 0: class k gets the place of order[k].
    """
    yield from list(permutations(range(n_categories)))[1:]


def sources(axes: Mapping[str, str], order: Sequence[int]) -> dict[str, Source]:
    """Return the source of each parameter's value after relabelling.

    Parameters
    ----------
    axes : mapping of str to str
        By parameter, what its indices count, as `Reference.table` has it; "category" are true ones.
    order : sequence of int
        Class k is what was called order[k].

    Returns
    -------
    dict
        Of each parameter that depends on the classes.

    Examples
    --------
    >>> sources({"prevalence[1]": "category", "prevalence[2]": "category"}, (1, 0))
    {'prevalence[1]': ('prevalence[2]', False), 'prevalence[2]': ('prevalence[1]', False)}
    >>> sources({"sensitivity[3]": "annotator"}, (1, 0))
    {'sensitivity[3]': ('specificity[3]', True)}
    """
    found: dict[str, Source] = {}
    for name, counted in axes.items():
        parameter, index = split_name(name)
        of = counted.split()
        if "category" in of:
            moved = [
                order[n - 1] + 1 if axis == "category" else n
                for n, axis in zip(index, of, strict=True)
            ]
            found[name] = (join_name(parameter, moved), False)
        elif parameter in _MIRROR:
            flips = not parameter.endswith("concentration")
            found[name] = (join_name(_MIRROR[parameter], index), flips)
    return found


def relabel(draws: Draws, axes: Mapping[str, str], order: Sequence[int]) -> Draws:
    """Relabel the classes in draws.

    Parameters
    ----------
    draws : Draws
        Of parameters with these axes.
    axes : mapping of str to str
        By parameter, what its indices count.
    order : sequence of int
        Class k is what was called order[k].

    Returns
    -------
    Draws
        The parameters that can be computed from the given ones.
    """
    at = {name: n for n, name in enumerate(draws.names)}
    moved = sources({name: axes[name] for name in draws.names if name in axes}, order)
    names, columns = [], []
    for name in draws.names:
        source, flips = moved.get(name, (name, False))
        if source in at:
            values = draws.array[:, :, at[source]]
            names.append(name)
            columns.append(1 - values if flips else values)
    return Draws(tuple(names), np.stack(columns, axis=2), draws.remarks)


def find_order(
    means: Floats, names: Sequence[str], axes: Mapping[str, str], target: Floats, spread: Floats
) -> tuple[int, ...] | None:
    """Find a permutation of the classes with means near the reference's, or None."""
    at = {name: n for n, name in enumerate(names)}
    n_categories = _count_categories(axes)
    dependent = sources(axes, range(n_categories))
    pairs = [name for name in dependent if name in at and spread[at[name]] > 0]

    def distance(moved: Mapping[str, Source]) -> float:
        total, n = 0.0, 0
        for name in pairs:
            source, flips = moved[name]
            if source in at:
                value = 1 - means[at[source]] if flips else means[at[source]]
                # One parameter with hardly any spread does not outweigh all others.
                total += min(abs(value - target[at[name]]) / spread[at[name]], 5.0) ** 2
                n += 1
        return total / n if n else np.inf

    if not pairs:
        return None
    as_is = distance({name: (name, False) for name in pairs})
    if as_is <= 1:
        return None
    found = {order: distance(sources(axes, order)) for order in orders(n_categories)}
    best = min(found, key=lambda order: found[order])
    return best if found[best] < as_is / 4 else None


def _count_categories(axes: Mapping[str, str]) -> int:
    along = [
        n
        for name, counted in axes.items()
        for n, axis in zip(split_name(name)[1], counted.split(), strict=True)
        if axis == "category"
    ]
    return max(along, default=2)


def describe(order: Sequence[int]) -> str:
    """Describe a permutation of classes in words.

    Parameters
    ----------
    order : sequence of int
        Class k is what was called order[k].

    Returns
    -------
    str
        Such as "classes 1 and 2 are exchanged".

    Examples
    --------
    >>> describe((1, 0, 2)), describe((1, 2, 0))
    ('classes 1 and 2 are exchanged', 'classes 1, 2 and 3 should be called 3, 1 and 2')
    """
    moved = [k for k, source in enumerate(order) if source != k]
    if len(moved) == 2:
        return f"classes {moved[0] + 1} and {moved[1] + 1} are exchanged"
    called = {source: k for k, source in enumerate(order)}
    old, new = ([str(n + 1) for n in numbers] for numbers in (moved, [called[k] for k in moved]))
    return (
        f"classes {', '.join(old[:-1])} and {old[-1]} should be called "
        f"{', '.join(new[:-1])} and {new[-1]}"
    )
