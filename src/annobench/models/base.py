"""What all annotation models have in common."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, ConvergenceWarning, check_level
from annobench.core.results import Summarised, axes_or_new
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.convergence import FEWEST_DRAWS
from annobench.models.diagnostics import (
    MAX_R_HAT,
    MIN_EFFECTIVE,
    convergence_table,
    has_converged,
    inference_data,
)
from annobench.scale._blocks import BlockedLabels

if TYPE_CHECKING:
    from arviz import InferenceData
    from matplotlib.axes import Axes

    from annobench.models.dependence import DependenceCheck

__all__ = [
    "BLOCK",
    "MEASURES",
    "ConfusionFit",
    "Conventions",
    "Fit",
    "Method",
    "ParameterDraws",
    "SampledFit",
    "SupportsDraws",
    "accuracy",
    "best_categories",
    "blocks",
    "measured",
]


LabelsT = TypeVar("LabelsT", Annotations, BlockedLabels)


@dataclass(frozen=True)
class Conventions:
    """A model's conventions where published descriptions differ, one phrase each.

    Attributes
    ----------
    repeats : str
        How repeated labels of an item by an annotator count.
    ties : str
        The posterior of an item whose labels favour two categories equally.
    smoothing : str
        Default prior of the parameters, or pseudo-counts.
    start : str
        Starting values, and which of several optima is kept.
    optimum : str
        The objective that the fit maximises or approximates, and the stopping rule.
    """

    repeats: str
    ties: str
    smoothing: str
    start: str
    optimum: str


#: Changes of the labels that leave what some models say of items and annotators as it was:
#: every label given once more by its annotator; every item once more, with the same labels by the
#: same annotators; a further category that no label names; further items with labels of further
#: annotators. A change without labels, a further item or annotator that has none, changes no model.
CHANGES = ("repeated labels", "repeated items", "idle category", "separate blocks")


@dataclass(frozen=True)
class Method:
    """The record of one model: its source, requirements and results.

    Attributes
    ----------
    name : str
        Unique among the models.
    title : str
        Name in sentences and tables, such as "Dawid and Skene's model"; empty if it is the name.
    reference : str
        Author, year, section or equation.
    accepts : frozenset of str
        Accepted scales: "nominal", "ordinal", "interval".
    returns : frozenset of str
        All attributes of its fit apart from `posterior` and the names of items, annotators and
        categories. "confusion" means that the fit is a `ConfusionFit`, and "draws" a `SampledFit`.
    deterministic : bool
        False if its `fit` draws random numbers and has a parameter `rng`.
    conventions : Conventions
        How it treats repeated labels and ties, smooths and searches.
    max_categories : int or None
        Maximum number of categories; None if unlimited.
    bounded : bool
        Whether a factor shared by the labels of an item, such as its difficulty, keeps the
        posterior below 1 however many equal labels the item has.
    compares : bool
        Whether it estimates annotators' accuracy by comparing them, so that some item must have
        labels of two annotators.
    merges_repeats : bool
        Whether repeated labels of an item by an annotator count as the set of their categories, so
        that an exact repeat changes nothing.
    offers : frozenset of str
        Further functions of its module: "bootstrap", whose result has draws of `prevalence` and
        `confusion` and the count `n_switched`; "restarts", which searches for other optima and
        whose result has the `best` fit; "refit", which refits with other gold what gold calibrates;
        "unseen", which returns options of a fit that has learned nothing from a data set's gold;
        and "fit_partitions", for labels that do not fit in memory.
    unchanged_by : frozenset of str
        All transformations in `CHANGES` under which the items' posterior and the annotators'
        parameters are theoretically invariant.
    """

    name: str
    reference: str
    accepts: frozenset[str]
    returns: frozenset[str]
    deterministic: bool
    conventions: Conventions
    title: str = ""
    max_categories: int | None = None
    bounded: bool = False
    compares: bool = False
    merges_repeats: bool = False
    offers: frozenset[str] = frozenset()
    unchanged_by: frozenset[str] = frozenset()

    def check(self, annotations: LabelsT, *, informed: bool = False) -> LabelsT:
        """Reject annotations that the model can't use.

        Parameters
        ----------
        annotations : Annotations or BlockedLabels
            The labels to be fitted; a data frame with one row per label becomes annotations.
        informed : bool, default False
            Whether there is other information about annotators' accuracy: known categories, given
            weights, or further labels that are checked elsewhere.

        Returns
        -------
        Annotations or BlockedLabels
            The labels.

        Raises
        ------
        AnnotationError
            If annotators must be compared but are unknown, or no item has labels of two; if there
            are no labels, the scale is not accepted, or there are too many categories.

        Notes
        -----
        Linear in the number of labels.
        """
        if not isinstance(annotations, BlockedLabels):
            annotations = as_annotations(annotations, self.name)
        if isinstance(annotations, Annotations) and annotations.anonymous and self.compares:
            raise AnnotationError(
                f"{self.name}: compares annotators, but these labels are anonymous counts. Choose "
                "voting, or give labels with their annotators."
            )
        if annotations.n_labels == 0:
            raise AnnotationError(f"{self.name}: there are no labels. Give at least one.")
        if annotations.scale not in self.accepts:
            raise AnnotationError(
                f"{self.name}: takes {' and '.join(sorted(self.accepts))} labels, got the "
                f"{annotations.scale} scale. Choose another model, or convert the labels to "
                "categories."
            )
        if (
            isinstance(annotations, Annotations)
            and self.max_categories is not None
            and annotations.n_categories > self.max_categories
        ):
            listed = ", ".join(
                f"{name!r} ({n} times)"
                for name, n in zip(
                    annotations.categories[:10], annotations.counts.sum(axis=0), strict=False
                )
            )
            names = annotations.categories
            alike = len({name.strip().lower() for name in names}) < len(names)
            raise AnnotationError(
                f"{self.name}: needs at most {self.max_categories} categories, got "
                f"{annotations.n_categories} ({listed}). "
                f"{'Some differ only by spaces or capitals. ' if alike else ''}Collapse the labels."
            )
        if not informed:
            self.check_overlap(annotations, bool(np.any(annotations.is_shared)))
        return annotations

    def check_overlap(self, annotations: Annotations | BlockedLabels, overlap: bool) -> None:
        """Reject labels without items in common, if the model compares annotators.

        Parameters
        ----------
        annotations : Annotations or BlockedLabels
            The labels, for the message.
        overlap : bool
            Whether some item has labels of two annotators.

        Raises
        ------
        AnnotationError
            If no item has, and the model compares annotators.
        """
        if overlap or not self.compares:
            return
        if annotations.n_annotators == 1:
            what = f"all labels are of one annotator, {annotations.annotators[0]!r}"
        else:
            what = f"no item has labels of two of the {annotations.n_annotators:,} annotators"
        raise AnnotationError(
            f"{self.name}: {what}, so the accuracy of annotators can't be estimated. "
            "Have some of the items labelled by a second "
            "annotator, or use a model without annotator parameters, such as voting."
        )


class ParameterDraws(NamedTuple):
    """Joint draws of the parameters that most models have.

    Attributes
    ----------
    prevalence : ndarray, shape (S, K)
        Probability of each category.
    confusion : ndarray, shape (S, J, K, K)
        ``[s, j, k, l]``: annotator j gives l when the truth is k.
    """

    prevalence: NDArray[np.float64]
    confusion: NDArray[np.float64]


class SupportsDraws(Protocol):
    """An object with draws of parameters: `ParameterDraws`, or a fit's bootstrap."""

    @property
    def prevalence(self) -> NDArray[np.float64]:
        """Draws of the prevalence, shape (S, K)."""

    @property
    def confusion(self) -> NDArray[np.float64]:
        """Draws of the confusion matrices, shape (S, J, K, K)."""


#: What a fit may say of each annotator by one number, in the order of the columns.
OF_ANNOTATORS = ("accuracy", "ability", "competence", "sensitivity", "specificity", "weights")


def _sizes(annotations: Annotations) -> tuple[int, int, int]:
    """Return the numbers of labels, of annotators who gave them, and of items."""
    n_active = np.unique(annotations.annotator).size
    return annotations.n_labels, int(n_active), annotations.n_items


@dataclass(frozen=True, eq=False)
class Fit(Summarised):
    """Base of all fits: posteriors of the items, tables, a plot.

    A model's fit is a frozen dataclass that inherits from this class, `ConfusionFit` or
    `SampledFit`. It adds the attributes that the model's record lists in `returns`.

    Attributes
    ----------
    items, annotators, categories : tuple of str
        Names, by code.
    posterior : ndarray of float, shape (I, K)
        Probability of each category for each item; rows sum to 1.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: NDArray[np.float64]
    _premise: ClassVar[str] = "the model holds"

    @property
    def parameter_draws(self) -> SupportsDraws | None:
        """Draws of prevalence and confusion matrices, for intervals; None if not Bayesian."""
        return None

    def _headline(self) -> str:
        has = partial(getattr, self)
        parts = [f"{len(has(name)):,} {name}" for name in ("items", "annotators", "categories")]
        if (log_likelihood := has("log_likelihood", None)) is not None:
            parts.append(f"log likelihood {log_likelihood:.6g}")
        if (n_iterations := has("n_iterations", None)) is not None:
            end = "converged" if has("converged") else "not converged"
            parts.append(f"{end} after {n_iterations:,} iterations")
        return ", ".join(parts)

    def premise(self) -> str:
        """Return the assumptions of the probabilities.

        Returns
        -------
        str
            To be read after "if", such as "annotators err independently".
        """
        return self._premise

    def explanation(self) -> str:
        """Say how dependent errors are, and how the probabilities allow for it.

        Returns
        -------
        str
            Two sentences; empty if the model does not measure it.
        """
        return ""

    def _unconverged(self) -> str:
        return (
            "The search stopped before the items' probabilities settled, so that they may be far "
            "from their limit. Allow more updates, or compare with another model."
        )

    def _judges_annotators(self) -> bool:
        return any(hasattr(self, name) for name in OF_ANNOTATORS)

    def _switches_labels(self) -> bool:
        """Return whether label switching is too frequent for categories to be identified."""
        return False

    def cautions(self, annotations: Annotations | None = None) -> list[str]:
        """Return what a reader should know before using the fit.

        Parameters
        ----------
        annotations : Annotations, optional
            The labels that were fitted; without them only the search is checked.

        Returns
        -------
        list of str
            One or two sentences each; empty if there are none.
        """
        from annobench.models._guard import of_fit

        if annotations is not None:
            annotations = as_annotations(annotations, "cautions")
        return [each.text for each in of_fit(self, annotations)]

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters, apart from the items' categories.

        Parameters
        ----------
        n_annotators : int
            Number of annotators with labels; others have no parameters.
        n_items : int
            I.

        Returns
        -------
        int
            By default one per annotator, if the model has annotator parameters.
        """
        return n_annotators if self._judges_annotators() else 0

    def has_few_labels(self, annotations: Annotations) -> bool:
        """Return whether there are fewer labels than free parameters.

        Parameters
        ----------
        annotations : Annotations
            The labels that were fitted.

        Returns
        -------
        bool
            Such a fit may be overconfident.
        """
        return bool(self.few_labels(*_sizes(as_annotations(annotations, "has_few_labels"))))

    def few_labels(self, n_labels: int, n_annotators: int, n_items: int) -> list[str]:
        """Return a caution if there are fewer labels than free parameters.

        Parameters
        ----------
        n_labels : int
            N.
        n_annotators : int
            Annotators who gave labels.
        n_items : int
            I.

        Returns
        -------
        list of str
            A caution; empty if there are enough labels.
        """
        n_parameters = self.count_parameters(n_annotators, n_items)
        if n_labels >= n_parameters:
            return []
        return [
            f"There are fewer labels ({n_labels:,}) than free parameters of the model "
            f"({n_parameters:,}): its start, and its smoothing or priors, matter more than the "
            "labels, and it is overconfident. Compare with a model with fewer parameters, such as "
            "one_coin or voting, or collect more labels."
        ]

    def dependence(self, annotations: Annotations) -> DependenceCheck | None:
        """Check whether the labels of an item depend on each other beyond what the fit allows.

        Parameters
        ----------
        annotations : Annotations
            The labels that were fitted.

        Returns
        -------
        DependenceCheck or None
            None if the model has no annotator parameters to check, or allows dependence.
        """
        return None

    def summary(self, *, level: float = 0.95) -> pd.DataFrame:
        """Return the prevalence of the categories.

        Parameters
        ----------
        level : float, default 0.95
            Of the intervals of a Bayesian fit, in (0, 1).

        Returns
        -------
        DataFrame
            `prevalence_frame` by category, and `n_items`, the expected number of items.
        """
        table = self.prevalence_frame(level=level).set_index("category")
        table["n_items"] = self.posterior.sum(axis=0)
        return table

    def prevalence_frame(
        self, draws: SupportsDraws | None = None, *, level: float = 0.95
    ) -> pd.DataFrame:
        """Return the prevalence of each category.

        Parameters
        ----------
        draws : ParameterDraws or Bootstrap, optional
            For intervals; by default the fit's own, if it is Bayesian.
        level : float, default 0.95
            Level of the intervals, in (0, 1).

        Returns
        -------
        DataFrame
            One row per category: `category`, `prevalence` (the mean posterior if the model has no
            prevalence), and with draws the limits of the interval, such as `lower95`, `upper95`.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        table = pd.DataFrame({"category": self.categories})
        draws = self.parameter_draws if draws is None else draws
        found = getattr(self, "prevalence", None)
        table["prevalence"] = self.posterior.mean(axis=0) if found is None else found
        if draws is not None:
            _add_interval(table, "", draws.prevalence, table["prevalence"].to_numpy(), level)
        return table

    def items_frame(self) -> pd.DataFrame:
        """Return the category of each item.

        Returns
        -------
        DataFrame
            One row per item: `item`, `category` (the most probable; the first if tied),
            `probability`, and for each category ``probability_<name>``.
        """
        best = self.posterior.argmax(axis=1)
        table = {
            "item": np.asarray(self.items, dtype=object),
            "category": np.asarray(self.categories, dtype=object)[best],
            "probability": self.posterior[np.arange(best.size), best],
        }
        for code, name in enumerate(self.categories):
            table[f"probability_{name}"] = self.posterior[:, code]
        return pd.DataFrame(table)

    def annotators_frame(
        self, draws: SupportsDraws | None = None, *, level: float = 0.95
    ) -> pd.DataFrame:
        """Return the parameters of each annotator.

        Parameters
        ----------
        draws : ParameterDraws or Bootstrap, optional
            For intervals; by default the fit's own, if it is Bayesian.
        level : float, default 0.95
            Level of the intervals, in (0, 1).

        Returns
        -------
        DataFrame
            One row per annotator: `annotator`, and those of `OF_ANNOTATORS` that the fit has, such
            as `accuracy`, with draws also the limits of its interval, such as `accuracy_lower95`,
            `accuracy_upper95`. A limit is NaN if the labels are almost uninformative.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        table = pd.DataFrame({"annotator": np.asarray(self.annotators, dtype=object)})
        draws = self.parameter_draws if draws is None else draws
        for name in OF_ANNOTATORS:
            if not hasattr(self, name):
                continue
            table[name] = np.asarray(getattr(self, name), dtype=np.float64)
            measure = MEASURES.get(name)
            if draws is not None and measure is not None:
                _add_interval(
                    table, f"{name}_", measured(measure, draws), table[name].to_numpy(), level
                )
        return table

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the share of items whose certainty is at least a given value.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from annobench import plotting

        axes = axes_or_new(axes)
        plotting.certainty(axes, self.posterior.max(axis=1))
        return axes


class ConfusionFit(Fit):
    """A fit with a confusion matrix for each annotator.

    Attributes
    ----------
    confusion : ndarray, shape (J, K, K)
        ``[j, k, l]``: annotator j gives l when the truth is k; rows sum to 1, or are NaN.
    """

    _premise: ClassVar[str] = "annotators err independently of each other given the category"

    if TYPE_CHECKING:

        @property
        def confusion(self) -> NDArray[np.float64]:
            """Confusion matrices."""

    def dependence(self, annotations: Annotations) -> DependenceCheck | None:
        """Check whether the labels of an item depend on each other given its category.

        Parameters
        ----------
        annotations : Annotations
            The labels that were fitted.

        Returns
        -------
        DependenceCheck or None
            None if the fit has no prevalence.
        """
        # Compiled code takes a moment to load.
        from annobench.models.dependence import check

        return check(annotations, self.posterior) if hasattr(self, "prevalence") else None

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        k = len(self.categories)
        return n_annotators * k * (k - 1) + k - 1

    def confusion_frame(
        self, draws: SupportsDraws | None = None, *, level: float = 0.95
    ) -> pd.DataFrame:
        """Return the confusion matrices in long form.

        Parameters
        ----------
        draws : ParameterDraws or Bootstrap, optional
            For intervals; by default the fit's own, if it is Bayesian.
        level : float, default 0.95
            Level of the intervals, in (0, 1).

        Returns
        -------
        DataFrame
            One row per annotator, true category and label: `annotator`, `category`, `label`,
            `probability`, and with draws the limits of the interval, such as `lower95`, `upper95`.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        index = pd.MultiIndex.from_product(
            [self.annotators, self.categories, self.categories],
            names=["annotator", "category", "label"],
        )
        table = pd.DataFrame({"probability": np.ravel(self.confusion)}, index=index).reset_index()
        draws = self.parameter_draws if draws is None else draws
        if draws is not None:
            flat = draws.confusion.reshape(len(draws.confusion), -1)
            _add_interval(table, "", flat, table["probability"].to_numpy(), level)
        return table


class SampledFit(ConfusionFit):
    """A fit by draws from the posterior: C chains of S draws, large arrays for every T-th.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Posterior probability of each category of each item, averaged over all draws.
    draws : dataclass
        The draws of each parameter, shape (C, S, ...) or (C, ceil(S / T), ...).
    thin : int
        T.
    label_switches : ndarray of int, shape (C,)
        Number of retained sweeps of each chain after which the classes were relabelled.
    """

    draws: Any
    thin: int
    label_switches: NDArray[np.int64]
    #: The axes of each parameter beyond chain and draw, as names of attributes.
    _axes: ClassVar[Mapping[str, Sequence[str]]]

    @cached_property
    def accuracy(self) -> NDArray[np.float64]:
        """Posterior mean probability that each annotator is right on an item, shape (J,)."""
        return np.asarray(measured(accuracy, self.parameter_draws).mean(axis=0))

    @cached_property
    def diagnostics(self) -> pd.DataFrame:
        """R-hat and effective sample sizes, one row per parameter, by (parameter, name)."""
        return convergence_table(self._followed())

    @cached_property
    def converged(self) -> bool:
        """Whether R-hat and effective sample sizes of the population parameters suffice.

        Population parameters belong to no single item or annotator, such as the prevalence. Among
        thousands of other parameters the largest R-hat exceeds the limit by chance; `diagnostics`
        has them all. The limits are those of Vehtari et al. (2021): `annobench.models.diagnostics`.
        """
        return self._shape[1] >= FEWEST_DRAWS and has_converged(self._of_population)

    @cached_property
    def _of_population(self) -> pd.DataFrame:
        """Return the rows of `diagnostics` for population parameters."""
        single = {"item", "annotator"}
        return convergence_table(
            {
                name: followed
                for name, followed in self._followed().items()
                if not single & set(self._axes.get(name, ()))
            }
        )

    def explanation(self) -> str:
        """Say how dependent errors are, and how the probabilities allow for it.

        Returns
        -------
        str
            Two sentences; empty if the model does not measure it.
        """
        return ""

    def _unconverged(self) -> str:
        if self._shape[1] < FEWEST_DRAWS:
            return (
                "The chains have not converged, as far as can be assessed: R-hat needs "
                f"{FEWEST_DRAWS} draws per chain. Take more draws."
            )
        table = self._of_population
        fewest = float(table[["ess_bulk", "ess_tail"]].min().min())
        return (
            f"The chains have not converged (R-hat up to {table['r_hat'].max():.3f}, at most "
            f"{MAX_R_HAT} if they have; as few as {fewest:,.0f} effective draws, at least "
            f"{MIN_EFFECTIVE} needed): take more draws."
        )

    def _switches_labels(self) -> bool:
        chains, draws = self._shape
        return bool(self.label_switches.sum() > 0.01 * chains * draws)

    @abstractmethod
    def _followed(self) -> dict[str, tuple[NDArray[Any], Sequence[str]]]:
        """Draws whose convergence is assessed, and the names of their components."""

    @property
    @abstractmethod
    def parameter_draws(self) -> ParameterDraws:
        """Every T-th draw of all chains, concatenated."""

    @property
    def _shape(self) -> tuple[int, int]:
        """Chains and draws."""
        chains, draws = self.draws.prevalence.shape[:2]
        return chains, draws

    def _headline(self) -> str:
        chains, draws = self._shape
        return f"{super()._headline()}, {chains} chains of {draws:,} draws"

    def interval(self, parameter: str, level: float = 0.95) -> NDArray[np.float64]:
        """Return the central posterior interval of a parameter.

        Parameters
        ----------
        parameter : str
            An attribute of `draws`, such as "prevalence".
        level : float, default 0.95
            Probability of the interval, in (0, 1).

        Returns
        -------
        ndarray, shape (2, ...)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If there is no such parameter, or the level is out of range.
        """
        known = list(vars(self.draws))
        if parameter not in known:
            raise ValueError(f"interval: parameter {parameter!r} is not one of {', '.join(known)}.")
        if not 0 < level < 1:
            raise ValueError(f"interval: level must be between 0 and 1, got {level}.")
        tail = (1 - level) / 2
        return np.asarray(
            np.quantile(getattr(self.draws, parameter), [tail, 1 - tail], axis=(0, 1))
        )

    def to_inference_data(self) -> InferenceData:
        """Return every T-th draw of all parameters for arviz.

        Returns
        -------
        arviz.InferenceData
            One group, `posterior`: dimensions `chain`, `draw`, and, with names as coordinates,
            `item`, `annotator`, `category` and `label`. With ``thin=1`` all draws are included.
        """
        n_joint = -(-self._shape[1] // self.thin)
        joint = {
            name: draws if draws.shape[1] == n_joint else draws[:, :: self.thin]
            for name, draws in vars(self.draws).items()
        }
        names = {
            "item": self.items,
            "annotator": self.annotators,
            "category": self.categories,
            "label": self.categories,
        }
        return inference_data(joint, dimensions=self._axes, names=names)


def accuracy(
    prevalence: NDArray[np.float64], confusion: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability that each annotator is right on an item of the population.

    Parameters
    ----------
    prevalence : ndarray, shape (K,)
        Probability of each category.
    confusion : ndarray, shape (J, K, K)
        ``[j, k, l]``: annotator j gives l when the truth is k.

    Returns
    -------
    ndarray, shape (J,)
        In [0, 1]; NaN where a matrix has a row of NaN.
    """
    return np.asarray(np.einsum("k,jkk->j", prevalence, confusion))


Measure = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

#: How to compute numbers of `OF_ANNOTATORS` from prevalence and confusion matrices.
MEASURES: Mapping[str, Measure] = {
    "accuracy": accuracy,
    "sensitivity": lambda _, confusion: confusion[:, 1, 1],
    "specificity": lambda _, confusion: confusion[:, 0, 0],
}


def measured(measure: Measure, draws: SupportsDraws) -> NDArray[np.float64]:
    """Compute a function of prevalence and confusion matrices for each draw.

    Parameters
    ----------
    measure : callable
        Maps prevalence, shape (K,), and matrices, (J, K, K), to an array; such as `accuracy`.
    draws : ParameterDraws or Bootstrap
        S draws.

    Returns
    -------
    ndarray, shape (S, ...)
        Its values.
    """
    pairs = zip(draws.prevalence, draws.confusion, strict=True)
    return np.array([measure(*pair) for pair in pairs])


def _add_interval(
    table: pd.DataFrame,
    prefix: str,
    draws: NDArray[Any],
    estimate: NDArray[np.float64],
    level: float,
) -> None:
    """Add interval limits to a table, NaN where an estimate lies outside its draws."""
    check_level(level, "models")
    for end, values in zip(
        ("lower", "upper"), central_interval(draws, estimate, level)[0], strict=True
    ):
        table[f"{prefix}{end}{100 * level:g}"] = values


FitT = TypeVar("FitT", bound=Fit)


def warned_of(name: str, fitted: FitT, *, all_updates: bool = False) -> FitT:
    """Return a fit; warn the caller's caller if it has not converged, unless all updates do."""
    if not (all_updates or getattr(fitted, "converged", True)):
        warnings.warn(f"{name}.fit: {fitted._unconverged()}", ConvergenceWarning, stacklevel=3)
    return fitted


#: Sweeps of a sampler between two reports of progress.
BLOCK = 250

#: A quantile of draws that is this close to an estimate is as good as there.
SINGLE_PRECISION = 1e-6


def check_sampler(name: str, *, warmup: int, **positive: float) -> None:
    """Reject invalid settings of a sampler."""
    for what, value in positive.items():
        if not value > 0:
            raise ValueError(f"{name}.fit: {what} must be above 0, got {value}.")
    if warmup < 0:
        raise ValueError(f"{name}.fit: warmup must be at least 0, got {warmup}.")


def blocks(warmup: int, draws: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Split the sweeps of a chain into blocks that do not straddle the end of the warm-up.

    Parameters
    ----------
    warmup, draws : int
        Numbers of warm-up sweeps, numbered from -warmup, and of retained sweeps, numbered from 0.
    size : int, default `BLOCK`
        Maximum size of a block.

    Yields
    ------
    first, last : int
        The sweeps [first, last) of a block.
    """
    for low, high in ((-warmup, 0), (0, draws)):
        for first in range(low, high, size):
            yield first, min(first + size, high)


def central_interval(
    draws: NDArray[Any], estimate: NDArray[Any], level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return quantiles of draws as an interval."""
    tail = (1 - level) / 2
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        lower, upper = np.nanquantile(draws, [tail, 1 - tail], axis=0).astype(np.float64)
    lower = np.where(
        np.abs(lower - estimate) < SINGLE_PRECISION, np.minimum(lower, estimate), lower
    )
    upper = np.where(
        np.abs(upper - estimate) < SINGLE_PRECISION, np.maximum(upper, estimate), upper
    )
    outside = (estimate < lower) | (estimate > upper)
    ends = np.where(outside | np.isnan(estimate), np.nan, np.stack([lower, upper]))
    return ends, np.asarray(outside)


def best_categories(posterior: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the most probable category of each item; all of them if tied.

    Parameters
    ----------
    posterior : ndarray of float, shape (I, K)
        Probabilities or vote shares.

    Returns
    -------
    ndarray of bool, shape (I, K)
        True where no category is more probable.
    """
    best: NDArray[np.bool_] = posterior >= posterior.max(axis=1, keepdims=True)
    return best
