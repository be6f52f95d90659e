"""Tables beside the paper's: the copy, other maxima, intervals, agreement, other models."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from annobench import agreement, models
from annobench.core.errors import DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.base import Fit
from annobench.models.dawid_skene import DawidSkeneFit
from annobench.models.dawid_skene.optima import Restarts, align
from annobench.resampling.intervals import central_limits
from annobench_replication.analysis import Effort

from . import values

REPLICATES = {"full": 400, "quick": 20}
#: Draws of the hierarchical model.
DRAWS = {"full": {"warmup": 200, "draws": 400}, "quick": {"warmup": 5, "draws": 5}}
#: Models of the library beside the paper's, by the name that tables and figures give them.
MODELS = {
    "Votes": ("voting", {}),
    "One coin": ("one_coin", {}),
    "GLAD": ("glad", {}),
    "MACE": ("mace", {}),
    "EBCC": ("ebcc", {}),
    "Dawid and Skene, smoothed by 1": ("dawid_skene", {"smoothing": 1.0}),
    "Hierarchical Dawid and Skene": ("hierarchical_dawid_skene", {}),
}
#: Models with random starts or draws.
RANDOM = {"hierarchical_dawid_skene", "mace", "ebcc"}
MAXIMUM, BEST = "Maximum from (3.1)", "Best maximum found"


def copy_against_print(labels: Annotations, copied: Annotations) -> pd.DataFrame:
    """Compare label by label, then the estimates that differ in print."""
    fits = values.fit(labels), values.fit(copied)
    rows = []
    if labels.label.shape == copied.label.shape:
        for place in np.flatnonzero(labels.label != copied.label):
            patient, observer = labels.item[place], labels.annotator[place]
            name = f"patient {labels.items[patient]}, observer {labels.annotators[observer]}"
            own, other = (a.categories[a.label[place]] for a in (labels, copied))
            rows.append((f"label of {name}", float(own), float(other)))
    rows.append(("log likelihood", *(each.log_likelihood for each in fits)))
    printed, other = (values.estimates(each) for each in fits)
    rows += [(target, printed[target], other[target]) for target in values.moved(printed, other)]
    table = pd.DataFrame(rows, columns=["quantity", "as_printed", "in_the_copy"])
    return table.assign(difference=table["in_the_copy"] - table["as_printed"])


def optima(fitted: DawidSkeneFit, found: Restarts) -> pd.DataFrame:
    """One row per maximum, best first: likelihood, starts that reach it, who is reclassified."""
    reached = found.table["optimum"].value_counts()
    own = fitted.posterior.argmax(axis=1)
    rows = []
    for number, each in enumerate(found.fits):
        order = found.alignment[number]
        category = order[each.posterior.argmax(axis=1)]
        prevalence = each.prevalence[np.argsort(order)]
        rows.append(
            {
                "log_likelihood": each.log_likelihood,
                "ahead_of_paper": each.log_likelihood - fitted.log_likelihood,
                "starts": int(reached[number]),
                "share_of_starts": reached[number] / len(found.table),
                "is_papers": abs(each.log_likelihood - fitted.log_likelihood) < 1e-6,
                "reclassified": "; ".join(
                    f"{fitted.items[i]}: {fitted.categories[own[i]]} to "
                    f"{fitted.categories[category[i]]}"
                    for i in np.flatnonzero(category != own)
                ),
                **{
                    f"prevalence_{name}": p
                    for name, p in zip(fitted.categories, prevalence, strict=True)
                },
            }
        )
    return pd.DataFrame(rows)


def with_intervals(
    labels: Annotations, fitted: DawidSkeneFit, rng: np.random.Generator, effort: Effort
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return accuracy and direction of each observer, and all error rates, with 95% intervals.

    Patients are drawn with replacement; the maximum is followed from the paper's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        draws = dawid_skene.bootstrap(
            labels, fitted, rng=rng, replicates=REPLICATES[effort], threads=1
        )
        low, high = draws.interval("confusion")
    names = fitted.categories
    rates = pd.DataFrame(
        {
            "observer": observer,
            "true": names[j],
            "observed": names[m],
            "estimate": fitted.confusion[k, j, m],
            "lower": low[k, j, m],
            "upper": high[k, j, m],
            "expected_patients": fitted.prevalence[j] * labels.n_items,
        }
        for k, observer in enumerate(fitted.annotators)
        for j in range(len(names))
        for m in range(len(names))
    )
    share = np.nan_to_num(draws.prevalence[:, None, :, None] * draws.confusion)
    own = np.nan_to_num(fitted.prevalence[:, None] * fitted.confusion)
    parts = {"correct": np.eye(len(names)), "below": np.tri(len(names), k=-1)}
    parts["above"] = parts["below"].T
    rows = []
    for k, observer in enumerate(fitted.annotators):
        row: dict[str, object] = {"observer": observer}
        for name, part in parts.items():
            drawn = (share[:, k] * part).sum(axis=(1, 2))
            ends = central_limits(drawn, 0.95)
            row |= {name: (own[k] * part).sum(), f"{name}_lower": ends[0], f"{name}_upper": ends[1]}
        rows.append(row)
    return pd.DataFrame(rows), rates


def agreement_table(labels: Annotations) -> pd.DataFrame:
    """Return coefficients with intervals: between observers, and of observer 1 with himself."""
    first, times = labels.first_labels(), by_time(labels)
    himself = [name for name in times.annotators if name.startswith("1,")]
    chosen = {
        "Krippendorff's alpha": agreement.krippendorff_alpha(first),
        "Fleiss' kappa": agreement.fleiss_kappa(first),
        "Gwet's AC1": agreement.gwet_ac1(first),
        "percent agreement": agreement.percent_agreement(first),
        "Krippendorff's alpha of observer 1 with himself": agreement.krippendorff_alpha(
            times.select(annotators=himself)
        ),
    }
    rows = []
    for name, found in chosen.items():
        interval = found.interval()
        rows.append((name, found.estimate, interval.lower, interval.upper))
    return pd.DataFrame(rows, columns=["coefficient", "estimate", "lower", "upper"])


def by_time(labels: Annotations) -> Annotations:
    """Name the repetitions of an observer as annotators of their own."""
    frame = labels.to_frame()
    again = frame.groupby(["item", "annotator"], observed=True).cumcount() + 1
    names = frame["annotator"].astype("str") + ", time " + again.astype("str")
    return Annotations.from_arrays(
        frame["item"], names, frame["label"], categories=labels.categories
    )


def patients(
    labels: Annotations,
    fitted: DawidSkeneFit,
    found: Restarts,
    removed: Mapping[str, np.ndarray],
) -> pd.DataFrame:
    """One row per patient: labels, votes, and the category by each reading."""
    names = np.array(labels.categories)
    frame = labels.to_frame()
    given = frame.groupby("item", sort=False, observed=True)["label"].agg("".join)
    best = found.best
    own, by_best = values.consensus(fitted, labels), values.consensus(best, labels)
    changes = np.array([each != own for each in removed.values()])
    return pd.DataFrame(
        {
            "patient": labels.items,
            "labels": given.reindex(labels.items).to_numpy(),
            "votes": names[labels.counts.argmax(axis=1)],
            "consensus": names[own],
            "probability": fitted.posterior.max(axis=1),
            "best_maximum": names[by_best],
            "without_an_observer": changes.sum(axis=0),
        }
    )


def models_table(
    labels: Annotations,
    fitted: DawidSkeneFit,
    found: Restarts,
    rng: np.random.Generator,
    effort: Effort,
) -> pd.DataFrame:
    """Return each model's probabilities for every patient on whom the models differ."""
    fits: dict[str, Fit] = {MAXIMUM: fitted, BEST: found.best}
    for name, (model, options) in MODELS.items():
        more: dict[str, Any] = dict(options)
        if model in RANDOM:
            more["rng"] = rng.spawn(1)[0]
        if model == "hierarchical_dawid_skene":
            more |= DRAWS[effort]
        with warnings.catch_warnings():
            # A short run says that it is short.
            warnings.simplefilter("ignore")
            fits[name] = models.fit(labels, model, **more)
    aligned = {
        name: each.posterior[:, np.argsort(align(each.posterior, labels))]
        for name, each in fits.items()
    }
    category = np.array([posterior.argmax(axis=1) for posterior in aligned.values()])
    disputed = np.flatnonzero((category != category[0]).any(axis=0))
    return pd.DataFrame(
        {
            "model": name,
            "patient": labels.items[i],
            "category": labels.categories[posterior[i].argmax()],
            "probability": posterior[i].max(),
            "as_in_paper": posterior[i].argmax() == category[0][i],
            **{
                f"p_{label}": value
                for label, value in zip(labels.categories, posterior[i], strict=True)
            },
        }
        for name, posterior in aligned.items()
        for i in disputed
    )
