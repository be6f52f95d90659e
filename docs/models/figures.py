"""Draw the pictures of the pages about models, one function a picture.

    python docs/models/figures.py [model ...]

Real labels are those of the anesthesia data and of the textual entailment of Snow et al. (2008);
what a model is to be compared with the truth on is simulated here.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

from annobench import datasets
from annobench.core.errors import DegenerateWarning
from annobench.core.files import replacing
from annobench.datasets.masc_crowd import by_word
from annobench.labels.annotations import Annotations
from annobench.models import (
    dawid_skene,
    glad,
    hierarchical_binary,
    hierarchical_dawid_skene,
    item_difficulty,
    mace,
    one_coin,
    pooled_multinomial,
    voting,
    weighted_voting,
)
from annobench.models.dawid_skene.optima import restarts
from annobench.models.dawid_skene.uncertainty import bootstrap
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    accuracy_plane,
    estimates_against_truth,
    house_figure,
)

HERE = Path(__file__).parent


def save(figure, name: str) -> None:
    """Write a picture beside this script, as SVG alone."""
    with replacing(HERE / f"{name}.svg") as draft:
        figure.savefig(draft, format="svg", metadata={"Date": None})


@cache
def entailment() -> tuple[Annotations, np.ndarray]:
    """Return Snow's labels of textual entailment and the gold categories of the items."""
    loaded = datasets.load("snow2008_rte", mode="real")
    return loaded.annotations, loaded.gold


def rates_of(annotations: Annotations, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of right labels of each annotator by true category, and their numbers."""
    truth = gold[annotations.item]
    cell = annotations.annotator * annotations.n_categories + truth
    shape = annotations.n_annotators, annotations.n_categories
    number = np.bincount(cell, minlength=np.prod(shape)).reshape(shape)
    right = np.bincount(cell, annotations.label == truth, minlength=np.prod(shape)).reshape(shape)
    with np.errstate(invalid="ignore"):
        return right / number, number


def shares_right(annotations: Annotations, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of right labels of each annotator, and the number of labels."""
    rates, number = rates_of(annotations, gold)
    total = number.sum(axis=1)
    return np.nansum(rates * number, axis=1) / total, total


def labelled(confusion: np.ndarray, truth: np.ndarray, number: np.ndarray, rng) -> Annotations:
    """Simulate annotators by their confusion matrices, each labelling a number of the items."""
    k = confusion.shape[2]
    chosen = [rng.choice(truth.size, size=n, replace=False) for n in number]
    item = np.concatenate(chosen)
    annotator = np.repeat(np.arange(len(number)), number)
    edges = confusion[annotator, truth[item]].cumsum(axis=1)
    label = (rng.random((item.size, 1)) > edges).sum(axis=1).clip(max=k - 1)
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(truth.size),
        annotators=range(len(number)),
        categories=range(k),
    )


def draw_voting() -> None:
    """Draw accuracy and ties by the number of labels taken of each item's ten, exactly."""
    annotations, gold = entailment()
    numbers = np.arange(1, 11)
    votes = annotations.counts[np.arange(gold.size), gold][:, None]
    drawn = hypergeom(10, votes, numbers)  # right labels among those taken
    ties = np.where(numbers % 2 == 0, drawn.pmf(numbers // 2), 0).mean(axis=0)
    right = drawn.sf(numbers // 2).mean(axis=0) + ties / 2
    assert np.isclose(ties[-1], voting.fit(annotations).is_tie.mean())  # all ten: the model itself
    with house_figure(2, height=2.9) as (figure, (left, right_panel)):
        left.plot(numbers, right, color=BLUE, marker="o", markerfacecolor="white")
        left.set(xlabel="labels an item", ylabel="share of items", xticks=numbers)
        left.set_title("Right, a tie for a half")
        right_panel.bar(numbers, ties, color="#A6C8DD", edgecolor=INK, linewidth=0.5)
        right_panel.set(xlabel="labels an item", ylabel="share of items", xticks=numbers)
        right_panel.set_title("Tied")
        save(figure, "voting")


def draw_weighted_voting() -> None:
    """Draw the weight of a vote by accuracy, and estimated weights against the gold standard."""
    annotations, gold = entailment()
    fitted = weighted_voting.fit(annotations)
    share, number = shares_right(annotations, gold)
    with house_figure(2, height=3.2) as (figure, (left, right)):
        accuracy = np.linspace(0.02, 0.98, 200)
        for k, colour, line in ((2, BLUE, "-"), (4, VERMILION, "--"), (10, GREEN, "-.")):
            weight = np.log(accuracy * (k - 1) / (1 - accuracy))
            left.plot(accuracy, weight, color=colour, linestyle=line, label=f"{k} categories")
        left.axhline(0, color=GREY, linewidth=0.8)
        left.set(xlabel="accuracy", ylabel="weight of a vote", xlim=(0, 1))
        left.set_title("Log odds, 0 for a guesser")
        left.legend(loc="upper left")
        right.plot([0.36, 1], [0.36, 1], color=GREY, linestyle="--", linewidth=0.9)
        right.scatter(
            share,
            fitted.accuracy,
            s=0.25 * number + 5,
            facecolor="none",
            edgecolor=INK,
            linewidth=0.7,
        )
        right.set(xlabel="right against gold", ylabel="agreement with the winners")
        right.set(xlim=(0.36, 1.02), ylim=(0.36, 1.02))
        right.set_title("164 annotators, by their labels")
        save(figure, "weighted_voting")


def draw_one_coin() -> None:
    """Draw estimated against true accuracies, of annotators with many labels and with few."""
    rng = np.random.default_rng(4)
    truth = rng.choice(3, size=400, p=[0.5, 0.3, 0.2])
    number = np.tile([15, 150], 20)
    accuracy = rng.uniform(0.35, 0.98, size=number.size)
    wrong = ((1 - accuracy) / 2)[:, None, None]
    confusion = np.where(np.eye(3, dtype=bool), accuracy[:, None, None], wrong)
    annotations = labelled(confusion, truth, number, rng)
    fitted = one_coin.fit(annotations)
    tied = dawid_skene.fit(annotations, tie="one_coin")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        draws = bootstrap(annotations, tied, rng=np.random.default_rng(1), replicates=400)
    low, high = draws.interval("confusion")[:, :, 0, 0]
    with house_figure(2, height=3.5) as (figure, panels):
        for axes, n in zip(panels, (150, 15), strict=True):
            own = number == n
            estimates_against_truth(
                axes, accuracy[own], fitted.accuracy[own], low[own], high[own], limits=(0.1, 1.02)
            )
            axes.set(xlabel="true accuracy", ylabel="estimate, 95% interval")
            axes.set_title(f"{n} labels an annotator")
        save(figure, "one_coin")


def draw_mace() -> None:
    """Draw competence against the share of right labels, of workers and of spammers."""
    rng = np.random.default_rng(2)
    prevalence = np.array([0.6, 0.2, 0.2])
    truth = rng.choice(3, size=300, p=prevalence)
    kinds = np.repeat([0, 1, 2], [20, 6, 6])  # workers, always the same, at random
    competence = np.where(kinds == 0, rng.uniform(0.3, 0.98, kinds.size), 0)
    strategy = np.full((kinds.size, 3), 1 / 3)
    strategy[kinds == 1] = np.eye(3)[[0, 0, 0, 0, 1, 2]]
    confusion = (1 - competence)[:, None, None] * strategy[:, None, :] + competence[
        :, None, None
    ] * np.eye(3)
    annotations = labelled(confusion, truth, np.full(kinds.size, 100), rng)
    fitted = mace.fit(annotations, rng=np.random.default_rng(1))
    share, _ = shares_right(annotations, truth)
    names = ("know some items", "spam one category", "spam at random")
    with house_figure(2, height=3.4) as (figure, (left, right)):
        for axes, x in ((left, competence), (right, share)):
            for kind, (colour, marker) in enumerate(((INK, "o"), (VERMILION, "^"), (BLUE, "s"))):
                own = kinds == kind
                axes.scatter(
                    x[own],
                    fitted.competence[own],
                    s=24,
                    marker=marker,
                    facecolor="white",
                    edgecolor=colour,
                    label=names[kind],
                )
            axes.set(ylabel="estimated competence", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        left.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=0.9, zorder=1)
        left.set(xlabel="true competence")
        left.set_title("Competence is found")
        left.legend(loc="upper left")
        right.set(xlabel="share of right labels")
        right.set_title("and it is not accuracy")
        save(figure, "mace")


def draw_glad() -> None:
    """Draw what ability and difficulty come to, and difficulties against the votes."""
    annotations, gold = entailment()
    fitted = glad.fit(annotations)
    right_votes = annotations.counts[np.arange(annotations.n_items), gold]
    jitter = np.random.default_rng(1).uniform(-0.28, 0.28, size=gold.size)
    called = fitted.posterior.argmax(axis=1) == gold
    with house_figure(2, height=3.3) as (figure, (left, right)):
        difficulty = np.geomspace(0.05, 5, 200)
        for ability, colour, line in (
            (2, BLUE, "-"),
            (1, INK, "-"),
            (0, GREY, "--"),
            (-1, VERMILION, "-."),
        ):
            sign = "\u2212" if ability < 0 else ""
            left.plot(
                difficulty,
                1 / (1 + np.exp(-ability / difficulty)),
                color=colour,
                linestyle=line,
                label=f"ability {sign}{abs(ability)}",
            )
        left.set(xscale="log", xlabel="difficulty", ylabel="probability of a right label")
        left.xaxis.set_major_formatter("{x:g}")
        left.set_title("Hard items level annotators")
        left.legend(loc="lower right")
        for mask, colour, marker, name in (
            (called, BLUE, "o", "called rightly"),
            (~called, VERMILION, "x", "called wrongly"),
        ):
            faces = {"facecolor": "none", "edgecolor": colour} if marker == "o" else {"c": colour}
            right.scatter(
                right_votes[mask] + jitter[mask],
                fitted.difficulty[mask],
                s=11,
                marker=marker,
                linewidth=0.7,
                label=name,
                **faces,
            )
        right.set(yscale="log", xlabel="right labels, of ten", ylabel="estimated difficulty")
        right.set_xticks(range(0, 11, 2))
        right.set_title("Split votes are hard items")
        right.set_ylim(0.05, 5)
        right.yaxis.set_major_formatter("{x:g}")
        right.legend(loc="upper left")
        save(figure, "glad")


def draw_hierarchical_binary() -> None:
    """Draw raw rates and estimates of annotators, and probabilities of items against votes."""
    annotations, gold = entailment()
    fitted = hierarchical_binary.fit(annotations, rng=np.random.default_rng(1))
    rates, number = rates_of(annotations, gold)
    votes = annotations.counts[:, 1]
    jitter = np.random.default_rng(1).uniform(-0.25, 0.25, size=votes.size)
    with house_figure(2, height=3.7) as (figure, (left, right)):
        accuracy_plane(
            left,
            rates[:, 1],
            rates[:, 0],
            number.sum(axis=1) / 4,
            estimates=(fitted.sensitivity, fitted.specificity),
        )
        left.set_title("From raw rates to estimates")
        for category, colour, marker in ((0, VERMILION, "x"), (1, BLUE, "o")):
            own = gold == category
            faces = {"facecolor": "none", "edgecolor": colour} if category else {"c": colour}
            right.scatter(
                votes[own] + jitter[own],
                fitted.posterior[own, 1],
                s=12,
                marker=marker,
                linewidth=0.7,
                label=f"gold {category}",
                **faces,
            )
        right.set(xlabel="labels 1, of ten", ylabel="probability of 1")
        right.set_title("Same votes, different voters")
        right.legend(loc="upper left")
        save(figure, "hierarchical_binary")


def draw_hierarchical_dawid_skene() -> None:
    """Draw how annotators of few labels are drawn to the others, and chains that do not agree."""
    annotations, gold = entailment()
    fitted = hierarchical_dawid_skene.fit(annotations, rng=np.random.default_rng(1))
    rates, number = rates_of(annotations, gold)
    words = by_word(datasets.load("masc_crowd", mode="real"))
    apart = hierarchical_dawid_skene.fit(words["fair-j"], rng=np.random.default_rng(1))
    shares = apart.draws.prevalence.mean(axis=1)
    shown = np.sort(np.ptp(shares, axis=0).argsort()[-5:])
    print("fair-j, R-hat", apart.diagnostics["r_hat"].groupby(level=0).max().round(2).to_dict())
    print(shares.round(3), apart.label_switches)
    with house_figure(2, height=3.4) as (figure, (left, right)):
        raw, estimate, n = rates[:, 1], fitted.confusion[:, 1, 1], number[:, 1]
        left.vlines(n, raw, estimate, color=GREY, linewidth=0.6)
        left.scatter(
            n, raw, s=12, facecolor="white", edgecolor=GREY, linewidth=0.8, label="raw rate"
        )
        left.scatter(n, estimate, s=9, color=BLUE, linewidth=0, zorder=3, label="posterior mean")
        left.axhline(
            fitted.draws.mean[..., 1, 1].mean(),
            color=VERMILION,
            linewidth=1,
            label="mean of annotators",
        )
        left.set(xscale="log", xlabel="labels of items of category 1", ylim=(0.1, 1.02))
        left.set(ylabel="share of these labelled 1")
        left.xaxis.set_major_formatter("{x:g}")
        left.set_title("Few labels: drawn to the mean")
        left.legend(loc="lower right")
        looks = ((BLUE, "o"), (VERMILION, "^"), (GREEN, "s"), (INK, "D"))
        for chain, (colour, marker) in enumerate(looks):
            right.plot(
                np.arange(shown.size) + (chain - 1.5) * 0.16,
                shares[chain, shown],
                marker,
                color=colour,
                markerfacecolor="white",
                markersize=5,
                label=f"chain {chain + 1}",
            )
        right.set_xticks(np.arange(shown.size), [apart.categories[k] for k in shown])
        right.set(xlabel="sense of the adjective fair", ylabel="prevalence, by chain")
        right.set(ylim=(0, 1.3 * shares[:, shown].max()))
        right.tick_params(axis="x", length=0)
        right.set_title("Chains in modes of their own")
        right.legend(loc="upper right", ncols=2, columnspacing=1, handletextpad=0.2)
        save(figure, "hierarchical_dawid_skene")


def draw_pooled_multinomial() -> None:
    """Draw probabilities of items against votes, and one matrix for annotators who differ."""
    annotations, gold = entailment()
    fitted = pooled_multinomial.fit(annotations, rng=np.random.default_rng(1))
    apart = hierarchical_dawid_skene.fit(annotations, rng=np.random.default_rng(1))
    votes = annotations.counts[:, 1]
    jitter = np.random.default_rng(1).uniform(-0.25, 0.25, size=votes.size)
    rates, number = rates_of(annotations, gold)
    with house_figure(2, height=3.5) as (figure, (left, right)):
        left.scatter(
            votes + jitter,
            apart.posterior[:, 1],
            s=7,
            color=GREY,
            linewidth=0,
            label="a matrix for each annotator",
        )
        each, first = np.unique(votes, return_index=True)
        left.plot(
            each,
            fitted.posterior[first, 1],
            "o",
            color=BLUE,
            markersize=5,
            label="one matrix for all",
        )
        left.set(xlabel="labels 1, of ten", ylabel="probability of 1")
        left.set_title("Same votes, same answer")
        left.legend(loc="upper left")
        right.scatter(
            rates[:, 0],
            rates[:, 1],
            s=number.sum(axis=1) / 8,
            facecolor="none",
            edgecolor=GREY,
            linewidth=0.7,
            label="annotators, against gold",
        )
        right.plot(
            *fitted.confusion[0].diagonal(), "s", color=BLUE, markersize=6, label="common matrix"
        )
        right.set(xlabel="items of category 0 labelled 0", ylabel="items of category 1 labelled 1")
        right.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        right.set_title("One matrix for annotators who differ")
        right.legend(loc="lower left")
        save(figure, "pooled_multinomial")


def draw_item_difficulty() -> None:
    """Draw difficulties of items against votes, and what is typical of each category."""
    annotations, gold = entailment()
    fitted = item_difficulty.fit(annotations, rng=np.random.default_rng(1), draws=3_000)
    votes = annotations.counts[:, 1]
    jitter = np.random.default_rng(1).uniform(-0.28, 0.28, size=votes.size)
    called = fitted.posterior.argmax(axis=1) == gold
    with house_figure(2, height=3.4) as (figure, (left, right)):
        for mask, colour, marker, name in (
            (called, BLUE, "o", "called rightly"),
            (~called, VERMILION, "x", "called wrongly"),
        ):
            faces = {"facecolor": "none", "edgecolor": colour} if marker == "o" else {"c": colour}
            left.scatter(
                votes[mask] + jitter[mask],
                fitted.difficulty[mask],
                s=9,
                marker=marker,
                linewidth=0.6,
                label=name,
                **faces,
            )
        left.set(xlabel="labels 1, of ten", ylabel="probability of a wrong label", ylim=(0, 1))
        left.set_title("Items of category 0 are harder")
        left.legend(loc="upper right")
        for k, colour, marker in ((0, VERMILION, "x"), (1, BLUE, ".")):
            right.plot(
                fitted.draws.mean[:, ::30, k, 1 - k].ravel(),
                fitted.draws.deviation[:, ::30, k, 1 - k].ravel(),
                marker,
                color=colour,
                markersize=4,
                label=f"category {k}",
            )
        right.set(xlabel="mean log odds of a mistake", ylabel="standard deviation", ylim=(0, None))
        right.set_title("Posterior draws")
        right.legend(loc="upper right")
        save(figure, "item_difficulty")


def heat_map(axes, matrix: np.ndarray, title: str, *, first: bool) -> None:
    """Draw one confusion matrix, its numbers in it."""
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=1.15)
    for (k, label), value in np.ndenumerate(matrix):
        if value >= 0.005:
            colour = "white" if value > 0.6 else INK
            text = f"{value:.2f}".lstrip("0") if value < 0.995 else "1"
            axes.text(label, k, text, ha="center", va="center", fontsize=7, color=colour)
    places = np.arange(len(matrix))
    axes.set_xticks(places, [str(p + 1) for p in places])
    axes.set_yticks(places, [str(p + 1) for p in places] if first else [""] * len(places))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title)
    axes.set_xlabel("label")
    if first:
        axes.set_ylabel("category")


def optima(axes, found, published: float) -> None:
    """Draw the log likelihood of each solution against the number of starts that reach it."""
    starts = found.table[found.table["start"].str.startswith("random")]
    reached = starts["optimum"].value_counts()
    for number, times in reached.items():
        value = found.fits[number].log_likelihood
        is_published = abs(value - published) < 1e-6
        colour = VERMILION if is_published else BLUE if number == 0 else GREY
        axes.plot([0, times], [value, value], color=colour, linewidth=1.4)
        axes.plot(times, value, "s" if is_published else "o", color=colour, markersize=5)
        note = "1979" if is_published else "best" if number == 0 else ""
        axes.annotate(note, (times, value), (6, -3), textcoords="offset points", fontsize=8)
    axes.set_xlim(0, reached.max() * 1.45)
    axes.set_ylim(found.best.log_likelihood - 7, found.best.log_likelihood + 0.7)
    axes.set_title("Local optima")
    axes.set_xlabel("random starts, of 200")
    axes.set_ylabel("log likelihood")


def draw_dawid_skene() -> None:
    """Draw the five annotators of the anesthesia data, and the solutions that EM reaches.

    Likelihood alone, from the votes and from 200 random starts; solutions within seven of the best.
    """
    annotations = datasets.load("anesthesia", mode="real").annotations
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        settings = {"smoothing": 0, "tolerance": 1e-12, "max_iterations": 10_000}
        fitted = dawid_skene.fit(annotations, **settings)
        found = restarts(annotations, rng=np.random.default_rng(1), n_random=200, **settings)
    with house_figure(6, height=2.4) as (figure, panels):
        figure.set_size_inches(12, 2.4)
        for j, name in enumerate(fitted.annotators):
            heat_map(panels[j], fitted.confusion[j], f"Annotator {name}", first=j == 0)
        optima(panels[5], found, fitted.log_likelihood)
        save(figure, "dawid_skene")


PICTURES = {
    name.removeprefix("draw_"): function
    for name, function in list(globals().items())
    if name.startswith("draw_")
}


if __name__ == "__main__":
    for model in sys.argv[1:] or PICTURES:
        PICTURES[model]()
