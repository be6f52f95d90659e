"""The models that Beigman Klebanov and Beigman (2010) print, and the numbers in their text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from annobench.noise import mixtures
from annobench.noise.mixtures import BinomialMixture
from annobench.reporting.printed import parse_printed
from annobench_replication.study import Study

#: The parameters of each model in the order of `Printed.parameters`, and what is printed twice:
#: all items less the others.
PARAMETERS = {
    "two": ("n_0", "p_0", "p_1"),
    "three": ("n_1", "n_2", "p_1", "p_2", "p_3"),
    "gaussian": ("n_1", "mean_1", "mean_2", "sd_1", "sd_2"),
}
SAME_NUMBER = {"two.n_1": "two.n_0", "three.n_3": "three.n_2", "gaussian.n_2": "gaussian.n_1"}
#: How targets number the components of each model.
COMPONENTS = {"two": "01", "three": "123", "gaussian": "12"}


@dataclass(frozen=True)
class Printed:
    """The printed models, indexed by model and part, and the printed numbers by name, as text."""

    models: pd.DataFrame
    statistics: pd.Series

    @classmethod
    def read(cls, study: Study) -> "Printed":
        """Read the printed tables."""
        models = study.printed("models", dtype="str", keep_default_na=False)
        statistics = study.printed("statistics", dtype="str", index_col="name")
        return cls(models.set_index(["model", "part"]), statistics["value"])

    def value(self, name: str) -> float:
        """Return a printed number; of a type that divides by 0 as NumPy does."""
        return np.float64(parse_printed(self.statistics[name]).value)

    def unit(self, name: str) -> float:
        """Return one unit of the last place of a printed number."""
        return float(parse_printed(self.statistics[name]).unit)

    @property
    def window(self) -> tuple[int, int]:
        """The numbers of positive labels that section 7.1 calls hard, the first and the last."""
        return int(self.value("window_lower")), int(self.value("window_upper"))

    def items(self, model: str) -> np.ndarray:
        """Return the items of each component of a model."""
        return self.models.loc[model]["items"].to_numpy(float)

    def mixture(self, model: str) -> BinomialMixture:
        """Return a mixture of binomials as printed."""
        return BinomialMixture(self.items(model), self.models.loc[model]["centre"].to_numpy(float))

    def cells(self, model: str, values: np.ndarray | None = None) -> np.ndarray:
        """Return the expected histogram of a model, at other parameters if given."""
        if values is None:
            texts = self.parameters(model).values()
            values = np.array([parse_printed(text).value for text in texts], float)
        n, total = int(self.value("n_labels")), self.value("n_items")
        m = len(self.models.loc[model])
        counts = np.append(values[: m - 1], total - values[: m - 1].sum())
        if model == "gaussian":
            centre, sd = values[m - 1 :].reshape(2, -1)
            return mixtures.gaussian_cells(counts, centre, sd, n, cells="interval")
        return total * BinomialMixture(counts, values[m - 1 :]).pmf(n)

    def components(self, model: str) -> np.ndarray:
        """Return the expected histogram of each component of a model."""
        n, table = int(self.value("n_labels")), self.models.loc[model]
        if model == "gaussian":
            centre, sd = (table[name].to_numpy(float)[:, None] for name in ("centre", "sd"))
            each = mixtures.gaussian_cells(np.ones((2, 1)), centre, sd, n, cells="interval")
        else:
            each = np.stack([BinomialMixture([1], [p]).pmf(n) for p in self.mixture(model).rate])
        return self.items(model)[:, None] * each

    def parameters(self, model: str) -> dict[str, str]:
        """Return by target the printed items of all components but one, centres and deviations."""
        table, names = self.models.loc[model], [f"{model}.{name}" for name in PARAMETERS[model]]
        texts = [*table["items"][:-1], *table["centre"], *filter(None, table["sd"])]
        return dict(zip(names, texts, strict=True))

    def closed_forms(self) -> dict[str, float]:
        """Return degrees of freedom, cells less totals and parameters, and critical values."""
        cells, level = int(self.value("n_labels")) + 1, self.value("level")
        two, three = (2 * self.value(name) - 1 for name in ("first_k", "second_k"))
        df = {
            "two.n_cells": cells,
            "two.n_fitted": two,
            "two.df": cells - 1 - two,
            "three.df": cells - 1 - three,
            "brteb.df": cells - 1,
            # Shares, means and standard deviations; share and rate of further annotators.
            "gaussian.df": cells - 1 - (3 * self.value("n_normals") - 1),
            "lazy.df": cells - 1 - 2 * (self.value("n_annotator_types") - 1),
        }
        tested = ("two", "gaussian", "lazy")
        return df | {f"{n}.critical": float(chi2.isf(level, df[f"{n}.df"])) for n in tested}


def pearson(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return Pearson's chi-square of each histogram."""
    return ((observed - expected) ** 2 / expected).sum(axis=-1)


def percents(profile: mixtures.HardShareProfile) -> tuple[float, float, float]:
    """Return the share of hard items and its interval in percent."""
    return 100 * profile.estimate, 100 * profile.lower, 100 * profile.upper


def by_target(model: str, found: Any, n_items: int) -> dict[str, float]:
    """Return the items and other parameters of each component, or their errors, by target."""
    kinds = {"n": n_items * found.share}
    kinds |= {"mean": found.mean, "sd": found.sd} if model == "gaussian" else {"p": found.rate}
    return {
        f"{model}.{kind}_{name}": values[t]
        for t, name in enumerate(COMPONENTS[model])
        for kind, values in kinds.items()
    }
