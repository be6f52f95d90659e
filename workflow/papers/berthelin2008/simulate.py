"""Simulated judges for Berthelin et al. (2008), calibrated to one table to show another.

Judges share one impression of a text. No value is ever compared with a simulation that it
calibrated. What the paper leaves open is settled so: the three classes of the video games are
equally frequent (their shares are not printed); the marks of 0 to 20 are normal around 12.5,
with which that goes together; the eight categories of documents are equally frequent; where
the number of documents is not printed, intervals are those of 60, as in the second study.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from annobench import agreement
from annobench.evaluation.scores import category_scores
from annobench.labels.annotations import Annotations
from annobench.simulation import panels
from annobench_replication.analysis import Effort
from annobench_replication.rounding import counts_that_round_to, half_unit
from annobench_replication.statistics import mean_and_range

from .printed import LEVEL, REFERENCE, Printed, pairs_of
from .tables import categories

#: Items of the large panels that stand for infinitely many.
N_SIMULATED = 10_000
N_PANELS = {"full": 400, "quick": 5}
#: At quick effort a correlation is read off a curve through so many points, and predictions have
#: no intervals.
N_POINTS = 8


@dataclass(frozen=True)
class Simulation:
    """How much is simulated: documents of an interval, and the effort."""

    n_documents: int
    effort: Effort

    @property
    def n_panels(self) -> int:
        """Panels of which the spread is taken."""
        return N_PANELS[self.effort]

    def correlation_of(self, share: np.ndarray) -> Callable[[float], float]:
        """Return the function from kappa to the correlation that gives it; NaN stays NaN."""
        if self.effort == "full":
            return lambda kappa: (
                np.nan if np.isnan(kappa) else panels.correlation_from_kappa(kappa, share)
            )
        correlations = np.sin(np.linspace(0, np.pi / 2, N_POINTS))
        values = [panels.kappa_from_correlation(float(r), share) for r in correlations]
        return lambda kappa: float(np.interp(kappa, values, correlations))

    def prediction(
        self,
        expected: float,
        make: Any,
        prevalence: np.ndarray,
        loading: np.ndarray,
        rng: np.random.Generator,
    ) -> dict[str, float]:
        """Add the interval on a test's documents, its standard error taken from a large panel."""
        margin = np.nan
        if self.effort == "full":
            panel = make(n_items=N_SIMULATED, prevalence=prevalence, loading=loading, rng=rng)
            found = agreement.cohen_kappa(panel.annotations)
            error = found.standard_error * np.sqrt(found.n_items / self.n_documents)
            margin = scipy.stats.norm.ppf((1 + LEVEL) / 2) * error
        ends = {"lower": expected - margin, "upper": np.minimum(expected + margin, 1)}
        return {"predicted": float(expected), **ends}

    def kappa(
        self, correlation: float, prevalence: np.ndarray, rng: np.random.Generator
    ) -> dict[str, float]:
        """Predict kappa of two perceptions of an ordinal scale."""
        both = np.full(2, np.sqrt(correlation))
        expected = panels.kappa_from_correlation(correlation, prevalence)
        return self.prediction(expected, panels.ordinal, prevalence, both, rng)

    def f1_of_averages(
        self, make: Any, share: np.ndarray, loadings: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return strict F-scores of panels whose first is the reference, shape (panels, judges)."""
        n_panels, n_judges = self.n_panels, loadings.size - 1
        everything = make(
            n_items=n_panels * self.n_documents, prevalence=share, loading=loadings, rng=rng
        ).annotations
        # Labels come document by document, those of one document together.
        labels = everything.label.astype(np.int64).reshape(n_panels, self.n_documents, -1)
        counts = np.zeros((n_panels, n_judges, share.size, share.size), dtype=np.int64)
        panel, judge = np.arange(n_panels)[:, None, None], np.arange(n_judges)
        np.add.at(counts, (panel, judge, labels[:, :, :1], labels[:, :, 1:]), 1)
        return category_scores(counts).f1_of_averages


def game_marks(printed: Printed) -> tuple[np.ndarray, np.ndarray]:
    """Return assumed shares of the game marks and of their classes.

    The classes are equally frequent; a normal distribution cut halfway between marks gives
    that if it is centred between the limits 10.5 and 14.5.
    """
    lowest, highest = (int(printed.column("scales", end)["games"]) for end in ("lowest", "highest"))
    marks = np.arange(lowest, highest + 1)
    limits = np.sort(printed.floats("game_classes", "highest").to_numpy()) + 0.5
    centre = limits.mean()
    # At least half a mark between the limits, so that changed ones leave a distribution.
    spread = max(limits[1] - centre, 0.25) / scipy.stats.norm.ppf(2 / 3)
    below = scipy.stats.norm.cdf((marks[:-1] + 0.5 - centre) / spread)
    share = np.diff(below, prepend=0, append=1)
    return share, np.bincount(np.searchsorted(limits, marks), weights=share)


def scale_shares(printed: Printed) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the shares of the values of each corpus, on the wide and the restricted scale."""
    films = printed.floats("shares", "percent").to_numpy()
    wide = films / films.sum()
    classes = pd.factorize(printed.column("shares", "class"))[0]
    return {"games": game_marks(printed), "films": (wide, np.bincount(classes, weights=wide))}


def scale_change(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict each table of one scale from its counterpart on the other scale.

    The judges' perceptions are taken to be the same on both, so that the change of the
    coefficient is the work of the scale alone.
    """
    rows = []
    shares = scale_shares(printed)
    for corpus, names in (("games", ("table1", "table2")), ("films", ("table4", "table5"))):
        scales = dict(zip(names, shares[corpus], strict=True))
        for name, other in (names, names[::-1]):
            here, there = printed.numbers(name), printed.numbers(other)
            correlation_of = simulation.correlation_of(scales[other])
            for first, second in pairs_of(here):
                value, kappa = (float(table.loc[first, second]) for table in (here, there))
                correlation = correlation_of(kappa)
                found = simulation.kappa(correlation, scales[name], rng)
                what = corpus, name, first, second, value, kappa, correlation
                rows.append((*what, *found.values(), f"{name}.{first}_{second}"))
    columns = ["corpus", "table", "first", "second", "printed", "printed_on_other_scale"]
    columns += ["correlation", "predicted", "lower", "upper", "target"]
    return pd.DataFrame(rows, columns=columns)


def self_agreement(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict Table 3 from the agreement between judges in Table 2.

    A judge who looks twice is taken for two judges with the same loading.
    """
    share = scale_shares(printed)["games"][1]
    everybody = printed.numbers("table2")
    judges = everybody.drop(index=REFERENCE, columns=REFERENCE)
    own = printed.floats("table3", "kappa")
    loadings = panels.common_loadings(judges.map(simulation.correlation_of(share)))
    return pd.DataFrame(
        {
            "judge": judge,
            "printed": own[judge],
            "smallest_with_others": judges[judge].min(),
            "with_reference": everybody.loc[REFERENCE, judge],
            "loading": loading,
        }
        | simulation.kappa(loading**2, share, rng)
        | {"target": f"table3.{judge}"}
        for judge, loading in zip(judges, loadings, strict=True)
    )


def leave_pair_out(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict each value of Table 9 from all the others."""
    table, share = printed.numbers("table9"), even_share(printed)
    rows = []
    for first, second in pairs_of(table):
        others = table.copy()
        others.loc[first, second] = others.loc[second, first] = np.nan
        loading = pd.Series(panels.common_loadings(others), index=table.index)
        pair = loading[[first, second]].to_numpy()
        rows.append(
            {"first": first, "second": second, "printed": table.loc[first, second]}
            | simulation.prediction(pair.prod(), panels.nominal, share, pair, rng)
            | {"target": f"table9.{first}_{second}"}
        )
    return pd.DataFrame(rows)


def even_share(printed: Printed) -> np.ndarray:
    """Return equal shares of the categories of Table 6."""
    n_categories = len(printed.tables["table6"])
    return np.full(n_categories, 1 / n_categories)


def f_scores(printed: Printed, simulation: Simulation, rng: np.random.Generator) -> pd.DataFrame:
    """Predict strict F-scores of judges from their printed agreement.

    Table 7 (categories) by judge from Table 9, with categories equally frequent, and skewed:
    frequent as 1 to 1/2 to 1/3 and so on. The extremes in Table 10 from Tables 2 and 5.
    """
    rows = []
    category = printed.numbers("table9")
    loadings = panels.common_loadings(category)
    even = even_share(printed)
    skewed = 1 / np.arange(1, even.size + 1)
    scores, skewed_scores = (
        simulation.f1_of_averages(panels.nominal, share / share.sum(), loadings, rng)
        for share in (even, skewed)
    )
    for j, judge in enumerate(category.index[1:]):
        text = printed.column("table7", "category")[judge]
        mean, _, upper = mean_and_range(skewed_scores[:, j], level=LEVEL)
        rows.append(
            summary(f"table7.category.{judge}", "Table 9", float(text), scores[:, j])
            | {"predicted_if_skewed": mean, "upper_if_skewed": upper}
            | {"right_answers_that_print_so": right_answers(text, simulation.n_documents)}
        )
    for corpus, name, source in (("games", "table2", "Table 2"), ("films", "table5", "Table 5")):
        share = scale_shares(printed)[corpus][1]
        correlations = printed.numbers(name).map(simulation.correlation_of(share))
        loadings = panels.common_loadings(correlations)
        scores = simulation.f1_of_averages(panels.ordinal, share, loadings, rng)
        for end, drawn in (("smallest", scores.min(axis=1)), ("largest", scores.max(axis=1))):
            value = printed.difficulty.loc[corpus, f"judges_{end}"]
            rows.append(summary(f"table10.{corpus}.judges.{end}", source, value, drawn))
    return pd.DataFrame(rows)


def right_answers(text: str, n_documents: int) -> str:
    """List the numbers of right answers on so many documents whose share prints as `text`."""
    counts = counts_that_round_to(float(text), n_documents, unit=2 * half_unit(text))
    return " ".join(map(str, counts))


def summary(target: str, source: str, value: float, drawn: np.ndarray) -> dict[str, Any]:
    """Summarise simulated values beside a printed one."""
    mean, lower, upper = mean_and_range(drawn, level=LEVEL)
    return {
        "target": target,
        "calibrated_to": source,
        "printed": value,
        "predicted": mean,
        "lower": lower,
        "upper": upper,
        "share_of_panels_at_least_printed": float((drawn >= value).mean()),
    }


def even_errors(printed: Printed, simulation: Simulation, rng: np.random.Generator) -> pd.DataFrame:
    """Predict precision from recall, and recall from precision, of the second test.

    Categories are equally frequent (or named equally often), and errors spread evenly
    over the other categories. The interval is of the mean of the judges on as many documents
    as the first test had.
    """
    rates = categories(printed).set_index("category")
    panel = (simulation.n_panels, len(printed.tables["table7"]))
    parts = []
    for name, other in (("precision", "recall"), ("recall", "precision")):
        rate = rates[other].to_numpy()
        table = np.tile((1 - rate)[:, None] / (rate.size - 1), rate.size)
        np.fill_diagonal(table, rate)
        cells = rng.multinomial(simulation.n_documents, table.ravel() / table.sum(), size=panel)
        scores = category_scores(cells.reshape(*panel, *table.shape))
        drawn = np.nan_to_num(scores.precision).mean(axis=1)
        lower, upper = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        part = pd.DataFrame({"target": f"{name}." + rates.index, "printed": rates[name]})
        predicted = category_scores(table).precision
        parts.append(part.assign(predicted=predicted, lower=lower, upper=upper))
    return pd.concat(parts, ignore_index=True)


def coefficients_by_scale(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Compute weighted and unweighted coefficients of one panel on both scales of the games."""
    wide, restricted = scale_shares(printed)["games"]
    correlation = simulation.correlation_of(restricted)(float(np.mean(printed.values("table2"))))
    both = np.full(2, np.sqrt(correlation))
    panel = panels.ordinal(n_items=N_SIMULATED, prevalence=wide, loading=both, rng=rng)
    rows = []
    for scale, share in (("0 to 20", wide), ("3 classes", restricted)):
        counts = np.zeros((share.size, share.size), dtype=np.int64)
        np.add.at(counts, tuple(panels.cut(panel.perception, share).T), 1)
        pair = Annotations.from_contingency(counts)
        found = {
            "percent agreement": agreement.percent_agreement(pair),
            "Cohen's kappa": agreement.cohen_kappa(pair),
            "Cohen's kappa, linear weights": agreement.cohen_kappa(pair, weights="linear"),
            "Cohen's kappa, quadratic weights": agreement.cohen_kappa(pair, weights="quadratic"),
            "Krippendorff's alpha, interval": agreement.krippendorff_alpha(pair, metric="interval"),
        }
        rows += [(scale, name, float(result.estimate)) for name, result in found.items()]
    return pd.DataFrame(rows, columns=["scale", "coefficient", "value"])
