"""The histogram of BRTEa, whose labels were never published, from the printed fits to it.

The paper prints three fits of one histogram of eleven whole numbers that sum to 800: thirteen
parameters and three chi-squares. They determine one histogram. What determines it can't confirm
it, so each of the sixteen numbers is left out in turn, and compared with what the histogram gives
that the other fifteen determine.
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from annobench.noise import mixtures
from annobench.noise.mixtures import Counts
from annobench.reporting.printed import parse_printed
from annobench_replication.reconstruct import integer_points, least_squares_step

from .models import PARAMETERS, SAME_NUMBER, Printed, by_target, pearson

#: How far from model M a histogram may be, as a chi-square, if that of M is not to be used: M
#: would be rejected at one in a thousand (5 degrees of freedom).
FAR = 20.5
#: A search that lists more histograms has found nothing.
MOST_LISTED = 1_000_000


@cache
def paper_fits(*histogram: int) -> dict[str, mixtures.MixtureFit | mixtures.GaussianFit]:
    """Fit the three models to a histogram as the paper did, by least squares, once for each."""
    counts = Counts.from_histogram(histogram)
    two, three = (mixtures.fit(counts, k, method="least_squares") for k in (2, 3))
    gaussian = mixtures.fit_gaussians(counts, cells="interval")
    return {"two": two, "three": three, "gaussian": gaussian}


def steps_of(printed: Printed) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return (A, t) by model: A h - t is how far a fit of h lies from the printed one, in units."""
    steps = {}
    for model in PARAMETERS:
        texts = [parse_printed(text) for text in printed.parameters(model).values()]
        at, units = (np.array([getattr(t, n) for t in texts], float) for n in ("value", "unit"))
        steps[model] = least_squares_step(partial(printed.cells, model), at, units)
    return steps


def reconstruct(
    printed: Printed, steps: Mapping[str, Any], *, units_off: float, without: str
) -> tuple[np.ndarray | None, pd.DataFrame]:
    """Find the histogram of BRTEa without one of the printed numbers, and list its rivals.

    Searched are those as close to model M as its chi-square says, for which least squares moves no
    printed parameter by more than `units_off` units of its last place. It has the printed
    chi-squares, but for that of a model of which a parameter is left out, and is None unless it is
    the only one. The rivals are sorted by how far their chi-squares are from the printed ones.
    """
    used = np.array([name != without for model in steps for name in printed.parameters(model)])
    step, at = (np.concatenate(parts)[used] for parts in zip(*steps.values(), strict=True))
    m_cells = printed.cells("three")
    largest = printed.value("three_chi_square") + printed.unit("three_chi_square")
    own_model = without.partition(".")[0]
    near = np.diag(1 / np.sqrt(m_cells * (FAR if own_model == "three" else largest)))
    conditions = np.vstack([near, step / units_off])
    aim = np.concatenate([near @ m_cells, at / units_off])
    # Each parameter adds at most 1 to the squared distance, and so does the ellipsoid.
    total, radius = int(printed.value("n_items")), np.sqrt(1 + used.sum())
    try:
        found = integer_points(conditions, aim, total=total, radius=radius, most=MOST_LISTED)
    except ValueError:  # more than can be listed
        found = np.empty((0, len(m_cells)), dtype=np.int64)
    off = np.abs(found @ step.T - at).max(axis=1)
    inside = (off <= units_off) & (found >= 0).all(axis=1)
    cells = [f"x{j}" for j in range(found.shape[1])]
    table = pd.DataFrame(found[inside], columns=cells).assign(units_off=off[inside])
    wrong, fits = np.zeros(len(table)), np.ones(len(table), dtype=bool)
    for model in steps:
        name = f"{model}_chi_square"
        table[name] = pearson(found[inside], printed.cells(model))
        away = (table[name] - printed.value(name)).abs() / printed.unit(name)
        table[f"{model}_units_off"] = away
        if model != own_model:
            wrong += away.clip(lower=0.5)
            fits &= away <= 0.5
    closest = np.argsort(wrong, kind="stable")
    table = table.assign(fits=fits).iloc[closest].reset_index(drop=True)
    return (table.loc[0, cells].to_numpy(int) if fits.sum() == 1 else None), table


def least_squares_fits(histogram: np.ndarray) -> dict[str, float]:
    """Return the parameters of the paper's three models by target, and p-values of two."""
    fits, n_items = paper_fits(*histogram.tolist()), histogram.sum()
    values = by_target("gaussian", fits["gaussian"], n_items)
    for model in ("two", "three"):
        values |= by_target(model, fits[model].mixture, n_items)
        values[f"{model}.rejected_at"] = fits[model].chi_square().p_value
    return values


def left_out(printed: Printed, units_off: float) -> tuple[dict[str, float], pd.DataFrame]:
    """Compute every number from the histogram that the others find, if they find one.

    Returns the values by target, "two.rejected_at" being a p-value, and a table of the searches.
    """
    steps, values, rows = steps_of(printed), {}, []
    texts = {n: text for model in steps for n, text in printed.parameters(model).items()}
    chi_squares = {f"{model}.chi_square": model for model in PARAMETERS}
    texts |= {name: printed.statistics[name.replace(".", "_")] for name in chi_squares}
    for name, text in texts.items():
        histogram, table = reconstruct(printed, steps, units_off=units_off, without=name)
        found = {} if histogram is None else least_squares_fits(histogram)
        if model := chi_squares.get(name):
            if found:
                found[name] = float(pearson(histogram, printed.cells(model)))
            values[f"{model}.rejected_at"] = found.get(f"{model}.rejected_at", np.nan)
        values[name] = found.get(name, np.nan)
        values |= {same: found.get(same, np.nan) for same, of in SAME_NUMBER.items() if of == name}
        rows.append((name, text, values[name], len(table), table["fits"].sum()))
    columns = "left_out printed from_the_others histograms_listed with_the_chi_squares"
    return values, pd.DataFrame(rows, columns=columns.split())
