"""The pictures of models that know at most one number of an annotator."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import chi2, hypergeom
from shared import entailment, labelled, save, shared_accuracy, shares_right

from annobench.core.errors import DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.models import (
    bwa,
    catd,
    dawid_skene,
    kos,
    mace,
    mmsr,
    one_coin,
    pm,
    voting,
    wawa,
    weighted_voting,
    zencrowd,
    zero_based_skill,
)
from annobench.models.dawid_skene.uncertainty import bootstrap
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    estimates_against_truth,
    house_figure,
    logarithmic,
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
        save(figure, "models/voting")


def against_gold(panel, share, accuracy, number, low: float) -> None:
    """Draw estimated accuracies against shares right, larger circles for more labels."""
    panel.plot([low, 1], [low, 1], color=GREY, linestyle="--", linewidth=0.9)
    panel.scatter(
        share, accuracy, s=0.25 * number + 5, facecolor="none", edgecolor=INK, linewidth=0.7
    )
    panel.set(xlim=(low, 1.02), ylim=(low, 1.02))


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
        against_gold(right, share, fitted.accuracy, number, 0.36)
        right.set(xlabel="right against gold", ylabel="agreement with the winners")
        right.set_title("164 annotators, by their labels")
        save(figure, "models/weighted_voting")


def draw_wawa() -> None:
    """Draw what a vote weighs by accuracy, and both weights' calls of the entailment items."""
    annotations, gold = entailment()
    labels = np.arange(2, 11)
    rng = np.random.default_rng(3)
    models = {
        "unweighted": (GREY, "--", "s", voting.fit),
        "Wawa": (BLUE, "-", "o", wawa.fit),
        "log odds": (VERMILION, "-.", "^", weighted_voting.fit),
    }
    right = {name: [] for name in models}
    for number in labels:
        drawn = [annotations.subsample(int(number), rng) for _ in range(40)]
        for name, (*_, fit) in models.items():
            right[name].append(np.mean([shared_accuracy(fit(a).posterior, gold) for a in drawn]))
    with house_figure(2, height=3.2) as (figure, (left, panel)):
        accuracy = np.linspace(0.02, 0.98, 200)
        odds = np.log(accuracy / (1 - accuracy))
        left.plot(accuracy, accuracy, color=BLUE, label="Wawa: the accuracy")
        left.plot(accuracy, odds, color=VERMILION, linestyle="-.", label="the best: log odds")
        left.axhline(0, color=GREY, linewidth=0.8)
        left.set(xlabel="accuracy, two categories", ylabel="weight of a vote", xlim=(0, 1))
        left.set_title("Guessers keep half a vote")
        left.legend(loc="upper left")
        for name, (colour, line, marker, _) in models.items():
            panel.plot(
                labels,
                right[name],
                color=colour,
                linestyle=line,
                marker=marker,
                markerfacecolor="white",
                label=name,
            )
        panel.set(xlabel="labels an item", ylabel="right, a tie for a half", xticks=labels)
        panel.set_title("Textual entailment")
        panel.legend(loc="lower right")
        save(figure, "models/wawa")


def draw_zero_based_skill() -> None:
    """Draw the accuracies round by round, and where they end against the gold standard."""
    annotations, gold = entailment()
    share, number = shares_right(annotations, gold)
    rounds = np.arange(1, 7)
    steps = np.array(
        [
            zero_based_skill.fit(annotations, tolerance=0, max_iterations=int(n)).accuracy
            for n in rounds
        ]
    )
    fitted = zero_based_skill.fit(annotations)
    shown = number >= 60
    with house_figure(2, height=3.2) as (figure, (left, right)):
        left.plot(rounds, steps[:, shown], color=BLUE, linewidth=0.9, marker=".", markersize=4)
        left.set(xlabel="round", ylabel="accuracy", xticks=rounds)
        left.set_title(f"{shown.sum()} annotators of 60 labels or more")
        against_gold(right, share, fitted.accuracy, number, 0.3)
        right.set(xlabel="right against gold", ylabel="accuracy at the end")
        right.set_title("All 164, by their labels")
        save(figure, "models/zero_based_skill")


def draw_pm() -> None:
    """Draw weight by distance, and weights of the entailment annotators by their labels."""
    annotations, _ = entailment()
    number = np.bincount(annotations.annotator)
    jitter = np.exp(np.random.default_rng(1).uniform(-0.04, 0.04, size=number.size))
    with house_figure(2, height=3.2) as (figure, (left, right)):
        off = np.linspace(0.005, 0.5, 200)
        left.plot(off, -np.log(off / 0.5), color=BLUE, label="PM, the worst off by half")
        odds = np.log((1 - off) / off)
        left.plot(off, odds, color=VERMILION, linestyle="-.", label="log odds of being right")
        left.set(xlabel="share of labels that are off", ylabel="weight of a vote", xlim=(0, 0.5))
        left.set_title("Weight by distance")
        left.legend(loc="upper right")
        for distance, colour, marker in (("share", BLUE, "o"), ("number", VERMILION, "^")):
            weights = pm.fit(annotations, distance=distance).weights
            right.scatter(
                number * jitter,
                weights,
                s=14,
                marker=marker,
                facecolor="none",
                edgecolor=colour,
                linewidth=0.7,
                label=f"by {distance}",
            )
        logarithmic(right, "x", ticks=[20, 50, 100, 200, 500])
        right.set(xlabel="labels of the annotator", ylabel="weight of a vote")
        right.set_title("164 annotators")
        right.legend(loc="center right")
        save(figure, "models/pm")


def draw_catd() -> None:
    """Draw what few labels take off a weight, and weights of the entailment annotators."""
    annotations, _ = entailment()
    number = np.bincount(annotations.annotator)
    weights = catd.fit(annotations).weights
    jitter = np.exp(np.random.default_rng(1).uniform(-0.04, 0.04, size=number.size))
    with house_figure(2, height=3.2) as (figure, (left, right)):
        labels = np.arange(1, 301)
        for level, colour, line in ((0.95, BLUE, "-"), (0.5, VERMILION, "--")):
            share = chi2.ppf((1 - level) / 2, labels) / labels
            left.plot(labels, share, color=colour, linestyle=line, label=f"level {level:g}")
        left.axhline(1, color=GREY, linestyle=":", linewidth=1)
        left.set(xscale="log", xlabel="labels of the annotator", ylabel="weight times error rate")
        left.xaxis.set_major_formatter("{x:g}")
        left.set_title("Few labels weigh little")
        left.legend(loc="lower right")
        never = weights > 1e6
        for mask, colour, marker, name in (
            (never, VERMILION, "^", "never off"),
            (~never, BLUE, "o", "off at least once"),
        ):
            right.scatter(
                (number * jitter)[mask],
                weights[mask],
                s=14,
                marker=marker,
                facecolor="none",
                edgecolor=colour,
                linewidth=0.7,
                label=name,
            )
        logarithmic(right, "x", ticks=[20, 50, 100, 200, 500])
        right.set(yscale="log", xlabel="labels of the annotator", ylabel="weight of a vote")
        right.set_title("Unless they are all right")
        right.legend(loc="center right")
        save(figure, "models/catd")


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
        save(figure, "models/one_coin")


def draw_zencrowd() -> None:
    """Draw the accuracy by the prevalence, here and with it estimated."""
    rng = np.random.default_rng(6)
    prevalence = np.linspace(0.5, 0.95, 10)
    accuracy = rng.uniform(0.55, 0.95, size=30)
    wrong = (1 - accuracy)[:, None, None]
    confusion = np.where(np.eye(2, dtype=bool), accuracy[:, None, None], wrong)
    looks = {
        "even categories": (BLUE, "o", "-", zencrowd.fit),
        "prevalence estimated": (VERMILION, "^", "--", one_coin.fit),
    }
    right = {name: [] for name in looks}
    called = {name: [] for name in looks}
    for share in prevalence:
        found = {name: [] for name in looks}
        for _ in range(20):
            truth = (rng.random(300) < share).astype(int)
            annotations = labelled(confusion, truth, np.full(30, 40), rng)
            for name, (*_, fit) in looks.items():
                posterior = fit(annotations).posterior
                found[name].append((shared_accuracy(posterior, truth), posterior[:, 1].mean()))
        for name in looks:
            mean = np.mean(found[name], axis=0)
            right[name].append(mean[0])
            called[name].append(mean[1])
    with house_figure(2, height=3.2) as (figure, panels):
        for axes, values in zip(panels, (right, called), strict=True):
            for name, (colour, marker, line, _) in looks.items():
                axes.plot(
                    prevalence,
                    values[name],
                    color=colour,
                    marker=marker,
                    linestyle=line,
                    markerfacecolor="white",
                    label=name,
                )
            axes.set(xlabel="prevalence of the commoner category")
        panels[0].set(ylabel="share of items called rightly")
        panels[0].set_title("Right")
        panels[0].legend(loc="upper left")
        panels[1].plot(prevalence, prevalence, color=GREY, linestyle=":", linewidth=0.9)
        panels[1].set(ylabel="mean probability")
        panels[1].set_title("How common it seems")
        save(figure, "models/zencrowd")


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
        save(figure, "models/mace")


def hammers_and_spammers(number: int, rng) -> tuple[Annotations, np.ndarray, np.ndarray]:
    """Simulate items of so many labels, by annotators of as many, three in ten of whom know."""
    n = 2_000
    truth, knows = rng.integers(2, size=n), rng.random(n) < 0.3
    item = np.tile(np.arange(n), number)
    annotator = np.concatenate([rng.permutation(n) for _ in range(number)])
    label = np.where(knows[annotator], truth[item], rng.integers(2, size=item.size))
    names = {"items": range(n), "annotators": range(n), "categories": range(2)}
    return Annotations.from_arrays(item, annotator, label, **names), truth, knows


def draw_kos() -> None:
    """Draw errors by labels per item, and messages against what they estimate."""
    numbers = np.array([3, 5, 7, 9, 11, 13, 15, 17])
    wrong = {"vote": [], "KOS": []}
    for number in numbers:
        annotations, truth, _ = hammers_and_spammers(number, np.random.default_rng(number))
        votes = voting.fit(annotations)
        right = votes.winners[np.arange(truth.size), truth] / votes.winners.sum(axis=1)
        wrong["vote"].append(1 - right.mean())
        found = kos.fit(annotations, rng=np.random.default_rng(1)).posterior.argmax(axis=1)
        wrong["KOS"].append((found != truth).mean())
    rng = np.random.default_rng(5)
    accuracy = rng.uniform(0.4, 1, size=300)
    truth = rng.integers(2, size=2_000)
    confusion = np.where(
        np.eye(2, dtype=bool), *(p[:, None, None] for p in (accuracy, 1 - accuracy))
    )
    annotations = labelled(confusion, truth, np.full(accuracy.size, 100), rng)
    fitted = kos.fit(annotations, rng=np.random.default_rng(1))
    with house_figure(2, height=3.2) as (figure, (left, right)):
        for (name, values), colour, line in zip(
            wrong.items(), (VERMILION, BLUE), ("--", "-"), strict=True
        ):
            left.plot(numbers, values, color=colour, linestyle=line, marker="o", label=name)
        left.set(xlabel="labels per item", ylabel="share of items wrong", yscale="log")
        left.set_title("Three in ten know the answer")
        left.legend()
        right.plot([-0.2, 1], [-0.2, 1], color=GREY, linestyle="--", linewidth=0.9)
        right.scatter(2 * accuracy - 1, fitted.weights, s=9, facecolor="none", edgecolor=INK)
        right.set(xlabel="2 p \u2212 1", ylabel="mean message")
        right.set_title("Messages estimate 2 p \u2212 1")
        save(figure, "models/kos")


def draw_mmsr() -> None:
    """Draw skills where some annotators are in league, and accuracy by their number."""
    numbers = np.arange(0, 25, 4)
    n_annotators, n_items, k = 60, 600, 3
    share = {"vote": [], "no trimming": [], "M-MSR": []}
    for number in numbers:
        rng = np.random.default_rng(3)
        truth = rng.integers(k, size=n_items)
        accuracy = rng.uniform(0.35, 0.9, size=n_annotators)
        wrong = ((1 - accuracy) / (k - 1))[:, None, None]
        confusion = np.where(np.eye(k, dtype=bool), accuracy[:, None, None], wrong)
        confusion[:number] = np.roll(np.eye(k), 1, axis=1)
        annotations = labelled(confusion, truth, np.full(n_annotators, 200), rng)
        league = mmsr.fit(annotations)
        plain = mmsr.fit(annotations, n_trimmed=0)
        for name, fit in zip(share, (voting.fit(annotations), plain, league), strict=True):
            share[name].append((fit.posterior.argmax(axis=1) == truth).mean())
        if number == 8:
            skills = (k * accuracy - 1) / (k - 1), plain.skill, league.skill
    with house_figure(2, height=3.3) as (figure, (left, right)):
        true, plain_skill, skill = (values[8:] for values in skills)
        left.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=0.9)
        left.scatter(true, plain_skill, s=16, color=VERMILION, marker="x", label="no trimming")
        left.scatter(true, skill, s=16, facecolor="none", edgecolor=BLUE, label="M-MSR")
        left.set(xlabel="true skill", ylabel="estimated skill")
        left.set_title("Eight in league; the other 52")
        left.legend(loc="upper left")
        looks = ((GREY, ":"), (VERMILION, "--"), (BLUE, "-"))
        for (name, values), (colour, line) in zip(share.items(), looks, strict=True):
            right.plot(numbers, values, color=colour, linestyle=line, marker="o", label=name)
        right.set(xlabel="annotators in league, of 60", ylabel="share of items right")
        right.set_title("The league gives one wrong label")
        right.legend(loc="lower left")
        save(figure, "models/mmsr")


def draw_bwa() -> None:
    """Draw values against shares of votes, and precisions against the gold standard."""
    annotations, gold = entailment()
    fitted = bwa.fit(annotations)
    votes = voting.fit(annotations).posterior[:, 1]
    share, number = shares_right(annotations, gold)
    jitter = np.random.default_rng(1).uniform(-0.03, 0.03, size=gold.size)
    with house_figure(2, height=3.3) as (figure, (left, right)):
        for category, colour, marker, name in (
            (1, BLUE, "o", "follows"),
            (0, VERMILION, "x", "does not"),
        ):
            own = gold == category
            faces = {"facecolor": "none", "edgecolor": colour} if marker == "o" else {"c": colour}
            left.scatter(
                (votes + jitter)[own],
                fitted.item_values[own, 1],
                s=10,
                marker=marker,
                linewidth=0.6,
                label=f"gold: {name}",
                **faces,
            )
        for line in (left.axhline, left.axvline):
            line(0.5, color=GREY, linewidth=0.8)
        left.set(xlabel="share of votes", ylabel="value")
        left.set_title("Values weigh the votes")
        left.legend(loc="upper left")
        right.scatter(
            share,
            fitted.weights,
            s=0.25 * number + 5,
            facecolor="none",
            edgecolor=INK,
            linewidth=0.7,
        )
        right.set(xlabel="right against gold", ylabel="precision")
        right.set_title("164 annotators, by their labels")
        save(figure, "models/bwa")
