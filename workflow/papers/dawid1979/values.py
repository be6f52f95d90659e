"""What Dawid and Skene (1979) print: maximum likelihood from the start (3.1), and claims of it."""

from collections.abc import Mapping

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene import DawidSkeneFit
from annobench.models.dawid_skene.optima import Restarts, align
from annobench_replication.analysis import Effort
from annobench_replication.ledger import Computed

#: Random starts, beside (3.1) and two others.
N_STARTS = {"full": 600, "quick": 80}
#: EM to convergence, without priors.
SETTINGS = {"smoothing": 0.0, "tolerance": 1e-12, "max_iterations": 5_000}
#: Sensitive to small changes of the estimates, by section 4.
LISTED = ("2", "12", "14", "38")
#: A probability of at least this prints as 1.0 "correct to three decimal places".
CERTAIN = 0.9995


def fit(labels: Annotations) -> DawidSkeneFit:
    """Maximise the likelihood by EM from (3.1), the shares of each patient's labels."""
    return dawid_skene.fit(labels, start="votes", **SETTINGS)


def optima(labels: Annotations, rng: np.random.Generator, effort: Effort) -> Restarts:
    """Fit from many starts, drawn between (3.1) and chance, and from (3.1) itself."""
    return dawid_skene.restarts(labels, rng=rng, n_random=N_STARTS[effort], **SETTINGS)


def consensus(fitted: DawidSkeneFit, labels: Annotations) -> np.ndarray:
    """Return the most probable category of each patient, classes matched with labels."""
    order = align(fitted.posterior, labels)
    return order[fitted.posterior.argmax(axis=1)]


def estimates(fitted: DawidSkeneFit) -> dict[str, float]:
    """Return Tables 2 and 3 by target, with the probabilities of Table 4."""
    incidence = fitted.prevalence[:, None] * fitted.confusion
    found = {f"table2.p.{j}": p for j, p in zip(fitted.categories, fitted.prevalence, strict=True)}
    for table, matrices in (("table2", fitted.confusion), ("table3", incidence)):
        found |= {
            f"{table}.o{k}.{j}.{m}": matrices[n, row, column]
            for n, k in enumerate(fitted.annotators)
            for row, j in enumerate(fitted.categories)
            for column, m in enumerate(fitted.categories)
        }
    found |= {
        f"table4.patient_{patient}.{j}": fitted.posterior[i, column]
        for i, patient in enumerate(fitted.items)
        for column, j in enumerate(fitted.categories)
    }
    return {target: float(value) for target, value in found.items()}


def with_base_rates(fitted: DawidSkeneFit, found: Mapping[str, float]) -> list[Computed]:
    """Return rows of the estimates; that a patient is of a category is true of a share of them."""
    share = np.bincount(fitted.posterior.argmax(axis=1), minlength=len(fitted.categories))
    rate = dict(zip(fitted.categories, share / len(fitted.items), strict=True))
    return [
        Computed(target, value, base_rate=rate[target[-1]])
        if target.startswith("table4.")
        else Computed(target, value)
        for target, value in found.items()
    ]


def moved(printed: Mapping[str, float], copied: Mapping[str, float]) -> dict[str, float]:
    """Return the estimates of the copy that differ by more than one unit of the last digit."""
    unit = {"table2": 0.01, "table4": 0.001}
    return {
        target: value
        for target, value in copied.items()
        if target in printed and abs(value - printed[target]) > unit.get(target[:6], np.inf)
    }


def best_maximum(fitted: DawidSkeneFit, found: Restarts) -> dict[str, float]:
    """Return how far (3.1) is above the best other maximum; negative if it is below."""
    others = [each.log_likelihood for each in found.fits]
    ahead = fitted.log_likelihood - np.array(others)
    return {"starts.lead": float(ahead[np.abs(ahead) > 1e-6].min(initial=np.inf))}


def table4_claims(fitted: DawidSkeneFit) -> dict[str, float]:
    """Return what section 4 and the footnote say of Table 4."""
    largest = fitted.posterior.max(axis=1)
    return {"consensus.certain": 100 * float((largest >= CERTAIN).mean())}


def without_each_observer(labels: Annotations) -> dict[str, np.ndarray]:
    """Return the consensus without each observer, -1 where classes have other meanings."""
    return {
        name: consensus(fit(others), others)
        for name in labels.annotators
        for others in [labels.select(annotators=[a for a in labels.annotators if a != name])]
    }


def sensitive_patients(fitted: DawidSkeneFit, removed: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return whether the consensus of each patient changes without one of the observers."""
    own = fitted.posterior.argmax(axis=1)
    return np.any([found != own for found in removed.values()], axis=0)


def sensitivity_claims(fitted: DawidSkeneFit, sensitive: np.ndarray) -> list[Computed]:
    """Return each patient that is listed if it is sensitive, and how many are.

    That some patient is sensitive is a claim about one of all, with their share as base rate.
    """
    known = dict(zip(fitted.items, sensitive, strict=True))
    share = float(sensitive.mean())
    rows = [
        Computed(f"sensitive.patient_{name}", float(name) * bool(known.get(name)), base_rate=share)
        for name in LISTED
    ]
    return [*rows, Computed("sensitive.n_patients", float(sensitive.sum()))]
