"""Not in the paper: other optima of the posterior, full Bayes, and whether certainty is right."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.optimize import linear_sum_assignment

from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, hierarchical_dawid_skene
from annobench.models.dawid_skene import DawidSkeneFit, Parameters
from annobench.models.dawid_skene.optima import restarts
from annobench.models.diagnostics import convergence_table
from annobench.resampling.proportions import proportion_interval

from . import model
from .corpus import FOUR, Corpus, Fits
from .groups import Shared
from .model import is_certain

#: Senses with a smaller share of the items are ignored in convergence and meaning.
IN_USE = 0.01
#: Vehtari et al. (2021): chains with a larger R-hat have not converged.
R_HAT = 1.01


class Optimum(NamedTuple):
    """The best optimum found of a word, beside the one the authors' start leads to."""

    best: DawidSkeneFit
    row: dict[str, Any]


def best_optimum(
    word: str, labels: Annotations, fit: DawidSkeneFit, n_random: int, rng: Generator
) -> Optimum:
    """Look for optima of one word from many starts."""
    hard = np.eye(labels.n_categories)[model.votes(labels).argmax(axis=1)]
    # The authors' fit is taken on to convergence instead of begun again.
    starts = (fit.parameters, "votes", "spectral", hard)
    found = restarts(labels, rng=rng, n_random=n_random, starts=starts, max_iterations=500)
    best, certain = found.best, [is_certain(f.posterior).mean() for f in found.fits]
    both = {"authors": fit, "best": best}
    reached = found.table.set_index("start")["log_posterior"]
    names = {"authors": "given 0", "votes": "votes", "majority": "given 3", "spectral": "spectral"}
    row: dict[str, Any] = {"word": word, "authors": fit.log_posterior}
    row |= {f"from_{name}": reached[start] for name, start in names.items()}
    row |= {"best": best.log_posterior, "gain": best.log_posterior - fit.log_posterior}
    row["n_optima"] = len(found.fits)
    row["items_moved_by_rounding"] = moved_by_rounding(labels, fit, rng)
    row |= {f"certain_{name}": is_certain(each.posterior).mean() for name, each in both.items()}
    row |= {"certain_least": min(certain), "certain_most": max(certain)}
    row["same_class"] = (fit.posterior.argmax(axis=1) == best.posterior.argmax(axis=1)).mean()
    row |= {f"first_sense_{name}": each.prevalence[0] for name, each in both.items()}
    row["prevalence_distance"] = abs(fit.prevalence - best.prevalence).sum() / 2
    return Optimum(best, row)


def moved_by_rounding(labels: Annotations, fit: DawidSkeneFit, rng: Generator) -> float:
    """Return how many items change class if the start differs in its twelfth digit."""
    k = labels.n_categories
    matrix = np.full((labels.n_annotators, k, k), 0.3 / k)
    matrix[:, np.arange(k), np.arange(k)] = 0.7
    matrix *= 1 + 1e-12 * rng.standard_normal(matrix.shape)
    start = Parameters(np.full(k, 1 / k), matrix / matrix.sum(axis=2, keepdims=True))
    near = model.authors_fit(labels, start=start)
    return round(float(abs(near.posterior - fit.posterior).sum() / 2), 3)


def meaning(posterior: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the most frequent label of the items of each class, as a code."""
    return np.asarray((posterior.T @ share).argmax(axis=1))


def classes_table(
    corpus: Corpus, fits: Fits, optima: Mapping[str, Optimum], chains: pd.DataFrame, joined: Shared
) -> pd.DataFrame:
    """Compare the classes of two optima with the senses that they are named after, or mean."""
    rows = []
    for word in optima:
        labels, full = corpus.words[word], corpus.full.get(word)
        share = model.votes(labels)
        by_vote, voted = share.argmax(axis=1), model.plurality(share).mean(axis=0)
        trained = np.array(model.trained_prevalence(full, labels.categories))
        row: dict[str, Any] = {"word": word}
        for name, fit in (("authors", fits[word]), ("best", optima[word].best)):
            means, own = meaning(fit.posterior, share), fit.posterior.argmax(axis=1)
            used = np.flatnonzero(fit.prevalence >= IN_USE)
            by_meaning = np.bincount(means, fit.prevalence, labels.n_categories)
            row |= {
                f"classes_{name}": used.size,
                f"mean_their_name_{name}": (means[used] == used).sum(),
                f"meanings_{name}": np.unique(means[used]).size,
                f"plurality_{name}": (own == by_vote).mean(),
                f"plurality_{name}_by_meaning": (means[own] == by_vote).mean(),
                f"trained_distance_{name}": abs(trained - fit.prevalence).sum() / 2,
                f"trained_distance_{name}_by_meaning": abs(trained - by_meaning).sum() / 2,
            }
            if word in joined:
                item, given = joined[word]
                same = model.plurality(given)[np.arange(len(item)), own[item]]
                row[f"trained_items_{name}"] = same.mean()
        row["trained_distance_plurality"] = abs(trained - voted).sum() / 2
        likeliest = chains[chains["word"] == word].nlargest(1, "log_likelihood")
        for name in ("authors", "best"):
            row[f"bayes_same_{name}"] = likeliest[f"same_as_{name}"].max()
        rows.append(row)
    return pd.DataFrame(rows)


class Bayes(NamedTuple):
    """Full Bayes of a word, each draw aligned by its items to the best optimum's classes."""

    item_probability: np.ndarray  # (chains, draws, items, categories)
    chains: pd.DataFrame
    row: dict[str, Any]


def r_hat_of(draws: np.ndarray, names: Sequence[str]) -> float:
    """Return the largest R-hat of prevalences, shape (C, S, K), of the senses in use."""
    used = draws.mean(axis=(0, 1)) >= IN_USE
    kept = [name for name, use in zip(names, used, strict=True) if use]
    return float(convergence_table({"prevalence": (draws[..., used], kept)})["r_hat"].max())


def aligned(posterior: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Reorder the classes of a posterior, shape (I, K), to resemble another most."""
    return posterior[:, linear_sum_assignment(target.T @ posterior, maximize=True)[1]]


def bayes_of(
    word: str, labels: Annotations, fit: DawidSkeneFit, best: DawidSkeneFit, n: int, rng: Generator
) -> Bayes:
    """Sample the hierarchical model, align its draws by items, and compare its chains."""
    settings: dict[str, Any] = {"rng": rng, "draws": n, "thin": 5, "threads": 1}
    sample = partial(hierarchical_dawid_skene.fit, labels, **settings)
    runs = [sample(chains=3, warmup=2 * n)]
    # Is the mode at the best optimum of EM a mode of the full posterior too?
    runs.append(sample(chains=1, warmup=n, start=best.posterior))
    draws = np.concatenate([run.draws.item_probability for run in runs])
    for place in np.ndindex(draws.shape[:2]):
        draws[place] = aligned(draws[place], best.posterior)
    of_chain, prevalence = draws.mean(axis=1), draws.mean(axis=2)
    own, half = of_chain.argmax(axis=2), prevalence.shape[1] // 2
    named_by_fit = np.stack([aligned(p, fit.posterior) for p in of_chain]).argmax(axis=2)
    names, n_drawn = best.categories, min(10, prevalence.shape[1])
    likelihood = np.concatenate([run.log_likelihoods(labels, n_drawn) for run in runs])
    chains = pd.DataFrame(
        {
            "word": word,
            "chain": np.arange(1, len(own) + 1),
            "start": ["votes and noise, tempered"] * 3 + ["best optimum of EM"],
            "log_likelihood": likelihood.mean(axis=1),
            "deviation": likelihood.std(axis=1),
            "certain": [is_certain(p).mean() for p in of_chain],
            "r_hat_within": [r_hat_of(np.stack([p[:half], p[-half:]]), names) for p in prevalence],
            "relabelled": np.concatenate([run.label_switches for run in runs]),
            "same_as_authors": (named_by_fit == fit.posterior.argmax(axis=1)).mean(axis=1),
            "same_as_best": (own == best.posterior.argmax(axis=1)).mean(axis=1),
        }
    )
    pairs = [(own[a] == own[b]).mean() for a in range(len(own)) for b in range(a)]
    named = np.concatenate([run.draws.prevalence for run in runs])
    prevalences = {"": prevalence, "_of_tempered": prevalence[:3], "_of_names": named}
    r_hat = {f"r_hat{of}": r_hat_of(p, names) for of, p in prevalences.items()}
    row: dict[str, Any] = {"word": word, "converged": bool(r_hat["r_hat"] <= R_HAT)}
    pooled, certain = is_certain(draws.mean(axis=(0, 1))).mean(), chains["certain"]
    row["certain"] = pooled if row["converged"] else np.nan
    row |= {"certain_least_chain": certain.min(), "certain_most_chain": certain.max(), **r_hat}
    row |= {"same_class_least_pair": min(pairs), "same_class_most_pair": max(pairs)}
    row["log_likelihood_range"] = np.ptp(chains["log_likelihood"])
    row["deviation_in_a_chain"] = chains["deviation"].mean()
    return Bayes(draws, chains, row)


def certain_table(
    corpus: Corpus, fits: Fits, optima: Mapping[str, Optimum], bayes: Mapping[str, Bayes]
) -> pd.DataFrame:
    """Return Figure 5 with the best optimum and the chains of full Bayes beside it."""
    parts = {}
    for word, found in bayes.items():
        best, of_chain = optima[word].best, found.item_probability.mean(axis=1)
        columns = {"authors": fits[word].posterior, "best_optimum": best.posterior}
        columns |= {f"bayes_chain_{c}": p for c, p in enumerate(of_chain, start=1)}
        count = partial(model.certain_by_category, categories=best.categories)
        part = parts[word] = pd.DataFrame({name: count(p) for name, p in columns.items()})
        part.loc["not certain"] = corpus.words[word].n_items - part.sum()
    return pd.concat(parts, names=["word", "sense"]).reset_index()


def relabelled(
    labels: Annotations, fit: DawidSkeneFit, rng: Generator
) -> tuple[Annotations, np.ndarray]:
    """Draw true categories and labels from a fit; each annotator labels the same items."""
    truth = drawn_from(np.broadcast_to(fit.prevalence, fit.posterior.shape), rng)
    label = drawn_from(fit.confusion[labels.annotator, truth[labels.item]], rng)
    return labels.relabel(label), truth


def drawn_from(chance: np.ndarray, rng: Generator) -> np.ndarray:
    """Draw a category from each row of probabilities."""
    drawn = (rng.random((len(chance), 1)) > chance.cumsum(axis=1)).sum(axis=1)
    return np.asarray(drawn.clip(max=chance.shape[1] - 1))


def certain_and_right(posterior: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Count the certain items, and return their mean probability and the share that is right."""
    sure = is_certain(posterior)
    own = posterior.argmax(axis=1)[sure]
    n, right = max(int(sure.sum()), 1), (own == truth[sure]).sum()
    lower, upper = proportion_interval(right, n).limits
    pairs = np.zeros((posterior.shape[1], posterior.shape[1]))
    np.add.at(pairs, (own, truth[sure]), 1)
    return {
        "items": len(sure),
        "certain": int(sure.sum()),
        "claimed": posterior.max(axis=1)[sure].mean() if sure.any() else np.nan,
        "right": right / n,
        "lower": lower,
        "upper": upper,
        "right_if_renamed": pairs[linear_sum_assignment(pairs, maximize=True)].sum() / n,
    }


def calibration(
    corpus: Corpus, fits: Fits, gold: list[LoadedData], words: list[str], n: int, rng: Generator
) -> pd.DataFrame:
    """Compare certainty with truth: labels simulated from the fits, and sets with gold labels."""
    drawn = ((w, "simulated", *relabelled(corpus.words[w], fits[w], rng), fits[w]) for w in words)
    known = ((each.id, each.provenance, each.annotations, each.gold, None) for each in gold)
    settings: dict[str, Any] = {"chains": 2, "warmup": n, "draws": n, "thin": 5, "threads": 1}
    # One after the other, as the labels and the chains draw from one generator.
    cases: Iterator[tuple[Any, ...]] = itertools.chain(drawn, known)
    rows = []
    for name, source, labels, truth, fit in cases:
        found = {
            "authors' EM": model.authors_fit(labels).posterior,
            "EM from votes": dawid_skene.fit(labels).posterior,
        }
        if fit is not None:
            found["true parameters"] = fit.predict(labels)
        if fit is None or name in FOUR.values():
            full = hierarchical_dawid_skene.fit(labels, rng=rng, **settings)
            found["full Bayes"] = full.posterior
        sure = truth >= 0
        for method, posterior in found.items():
            scores = certain_and_right(posterior[sure], truth[sure])
            rows.append({"data": name, "source": source, "method": method, **scores})
    return pd.DataFrame(rows)
