"""A comparison of draws with reference draws as one page that opens offline."""

from __future__ import annotations

from typing import Final

import numpy as np
from markupsafe import Markup

from annobench.core.texts import counted
from annobench.plotting import BLUE, VERMILION, house_figure
from annobench.posteriors.comparison import STATISTICS, Comparison
from annobench.posteriors.making import Reference
from annobench.reporting import pages
from annobench.reporting.figures import inline_svg

__all__ = ["SHOWN", "TITLES", "render"]

#: Parameters that the table shows.
SHOWN: Final = 40
#: Statistics in words, in the order of the plot.
TITLES: Final = {
    "mean": "mean",
    "sd": "standard deviation",
    "q5": "5% quantile",
    "q50": "median",
    "q95": "95% quantile",
}


def render(comparison: Comparison, reference: Reference, *, source: str) -> str:
    """Render the page of a comparison.

    Parameters
    ----------
    comparison : Comparison
        The result of `annobench.posteriors.comparison.compare`.
    reference : Reference
        The reference draws.
    source : str
        Source of the draws, such as the name of the file.

    Returns
    -------
    str
        HTML with its style and plot inside. Names of parameters and files are escaped.
    """
    table = comparison.table.sort_values("largest_error", ascending=False, kind="stable")
    fewest = table[["ess_bulk", "ess_tail"]].to_numpy(dtype=np.float64)
    facts = [
        (
            f"{comparison.n_chains * comparison.n_draws:,}",
            "draws",
            f"{counted(comparison.n_chains, 'chain')} of {comparison.n_draws:,}",
        ),
        (
            f"{len(table):,}",
            "parameters compared",
            f"of {len(reference.table):,} in the reference",
        ),
        (f"{table['r_hat'].max():.3f}", "largest R-hat", "of your chains"),
        (
            f"{np.nanmin(fewest):,.0f}",
            "smallest effective sample size",
            "of bulk and tails",
        ),
        (
            f"{table['largest_error'].max():.2f}",
            "largest error",
            f"in Monte Carlo standard errors; more than {comparison.threshold:.2f}",
        ),
    ]
    information = reference.information
    return pages.render(
        "draws_comparison.html.j2",
        title=f"Draws of {comparison.posterior}: {source}",
        source=source,
        comparison=comparison,
        headline=comparison._headline(),
        facts=facts,
        plot=_plot(comparison),
        titles=TITLES,
        rows=pages.records(table.head(SHOWN).reset_index()),
        n_rows=len(table),
        record=reference.record,
        information=information,
        checks=[(name.replace("_", " "), ok) for name, ok in information["checks_made"].items()],
    )


def _plot(comparison: Comparison) -> Markup:
    """Plot all errors, one row per statistic, and the threshold."""
    limit = 1.6 * comparison.threshold
    with house_figure(1, height=2.8) as (figure, (axes,)):
        figure.set_size_inches(9, 2.8)
        for row, errors in enumerate(np.clip(comparison.errors.T, -limit, limit)):
            found = errors[np.isfinite(errors)]
            beyond = np.abs(found) > comparison.threshold
            # Spread by order, that equal errors of many parameters are seen.
            y = row + 0.5 * (np.arange(found.size) / max(found.size - 1, 1) - 0.5)
            axes.plot(found[~beyond], y[~beyond], "o", color=BLUE, markersize=3, alpha=0.5)
            axes.plot(found[beyond], y[beyond], "o", color=VERMILION, markersize=4)
        axes.axvline(0, color="#A9A698", linewidth=1)
        for sign in (-1, 1):
            axes.axvline(sign * comparison.threshold, color=VERMILION, linewidth=1)
        axes.set(
            yticks=range(len(STATISTICS)),
            yticklabels=[TITLES[name] for name in STATISTICS],
            ylim=(len(STATISTICS) - 0.5, -0.5),
            xlim=(-limit, limit),
            xlabel="error in Monte Carlo standard errors; values beyond the axis are drawn at its "
            "end",
        )
        figure.patch.set_visible(False)
        return inline_svg(figure, "errors-plot-all")
