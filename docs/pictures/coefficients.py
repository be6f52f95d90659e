"""The pictures of coefficients of agreement.

Most show what a coefficient makes of two annotators of binary labels whose table is given: by its
observed agreement and shares of "yes", or by a prevalence and an accuracy that both have.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from shared import save

from annobench import agreement, datasets
from annobench.core.errors import DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    dots,
    house_figure,
    house_style,
    legend_below,
    names_down,
    panels,
)

#: So many that shares are met to four decimals.
ITEMS = 10_000
LINES = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (GREY, ":"))

Curves = Mapping[str, Callable[[float], float]]
Function = Callable[..., agreement.Agreement]


def of_shares(observed: float, first: float, second: float) -> Annotations:
    """Return labels of two annotators who agree on a share of items and say yes to shares."""
    both = (observed - 1 + first + second) / 2
    table = [[1 - first - second + both, second - both], [first - both, both]]
    return of_table(np.array(table))


def of_accuracy(prevalence: float, accuracy: float) -> Annotations:
    """Return labels of two annotators, right with one probability whatever the category."""
    right = np.array([1 - accuracy, accuracy])  # label "no", "yes" of an item that is "yes"
    yes, no = np.outer(right, right), np.outer(right[::-1], right[::-1])
    return of_table(prevalence * yes + (1 - prevalence) * no)


def of_table(shares: np.ndarray) -> Annotations:
    """Return the labels of two annotators, the first in rows."""
    return Annotations.from_contingency(np.round(ITEMS * shares).astype(int))


def slips(steps: int) -> Annotations:
    """Return labels in five categories, a fifth of which the second put so many steps away."""
    far = np.abs(np.subtract.outer(range(5), range(5))) == steps
    counts = np.round(ITEMS * (0.8 * np.eye(5) / 5 + 0.2 * far / far.sum())).astype(int)
    return ratings(*np.repeat(np.indices((5, 5)).reshape(2, -1), counts.ravel(), axis=1))


def ratings(*columns: np.ndarray) -> Annotations:
    """Return numbers, one column per annotator."""
    numbers = np.column_stack(columns)
    item, annotator = np.indices(numbers.shape).reshape(2, -1)
    return Annotations.from_arrays(item, annotator, numbers.ravel(), scale="interval")


@contextmanager
def one_panel(height: float) -> Iterator[tuple[Figure, Axes]]:
    """Make a figure of one panel, of a height in inches, and draw into it in the house style."""
    with house_style():
        figure, (axes,) = panels(1, height=height, width=5.6)
        yield figure, axes


def curves(axes: Axes, x: Sequence[float] | np.ndarray, named: Curves) -> None:
    """Draw functions of x, distinguished by colour and dashes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        for (name, function), (colour, line) in zip(named.items(), LINES, strict=False):
            axes.plot(x, [function(each) for each in x], color=colour, linestyle=line, label=name)


def estimate(
    coefficient: Function, labels: Callable[..., Annotations], **options
) -> Callable[[float], float]:
    """Return a coefficient as a function of what the labels are made from."""
    return lambda x: coefficient(labels(x), **options).estimate


AGREEMENTS = (0.9, 0.8, 0.7)
ACCURACIES = (0.95, 0.9, 0.8)
SHARES = np.linspace(0.01, 0.99, 50)
kappa, pi = agreement.cohen_kappa, agreement.scott_pi


def draw_percent_agreement() -> None:
    """Draw agreement by accuracy, and that of annotators who never look."""

    def agree(accuracy: float, k: int) -> float:
        return accuracy**2 + (1 - accuracy) ** 2 / (k - 1)

    found = estimate(agreement.percent_agreement, partial(of_accuracy, 0.3))(0.9)
    assert np.isclose(found, agree(0.9, 2))
    with house_figure(2, height=3.2) as (figure, (left, right)):
        accuracy = np.linspace(0.5, 1, 50)
        curves(left, accuracy, {f"{k} categories": partial(agree, k=k) for k in (2, 4, 10)})
        left.set(xlabel="accuracy of both annotators", ylabel="percent agreement")
        left.set_title("Independent errors")
        left.legend(loc="upper left")
        blind = {
            f"the other says yes to {share:.0%}": lambda x, share=share: (
                agreement.percent_agreement(
                    of_table(np.outer([1 - x, x], [1 - share, share]))
                ).estimate
            )
            for share in (0.9, 0.7, 0.5)
        }
        curves(right, SHARES, blind)
        right.set(xlabel="share of yes of one annotator", ylabel="percent agreement", ylim=(0, 1))
        right.set_title("Labels without a look at the item")
        legend_below(figure, right)
        save(figure, "coefficients/percent_agreement")


def draw_cohen_kappa() -> None:
    """Draw kappa by prevalence, and with weights by the size of slips."""
    with house_figure(2, height=3.4) as (figure, (left, right)):
        by_accuracy = {
            f"both {accuracy:.0%} accurate": estimate(
                kappa, partial(of_accuracy, accuracy=accuracy)
            )
            for accuracy in ACCURACIES
        }
        curves(left, SHARES, by_accuracy)
        left.set(xlabel="prevalence", ylabel="Cohen's kappa", ylim=(0, 1))
        left.set_title("Equally good annotators")
        weighted = {
            name: estimate(kappa, slips, weights=weights)
            for name, weights in (
                ("no weights", None),
                ("linear", "linear"),
                ("quadratic", "quadratic"),
            )
        }
        curves(right, range(1, 5), weighted)
        right.set(xlabel="steps", ylabel="Cohen's kappa", xticks=range(1, 5))
        right.set_title("A fifth of labels is some steps off")
        left.legend(loc="lower center")
        right.legend(loc="lower left")
        save(figure, "coefficients/cohen_kappa")


def draw_scott_pi() -> None:
    """Draw pi and kappa as the margins of two annotators part."""

    def parted(difference: float) -> Annotations:
        return of_shares(0.7, 0.5 + difference / 2, 0.5 - difference / 2)

    parts = np.linspace(0, 0.3, 31)
    with house_figure(2, height=3.2) as (figure, (left, right)):
        curves(
            left,
            parts,
            {
                "Scott's pi": lambda x: pi(parted(x)).expected_agreement,
                "Cohen's kappa": lambda x: kappa(parted(x)).expected_agreement,
            },
        )
        left.set(xlabel="difference of the shares of yes", ylabel="expected agreement")
        left.set_title("Expected by chance")
        curves(
            right,
            parts,
            {"Scott's pi": estimate(pi, parted), "Cohen's kappa": estimate(kappa, parted)},
        )
        right.set(xlabel="difference of the shares of yes", ylabel="coefficient")
        right.set_title("Observed agreement .7 throughout")
        legend_below(figure, right)
        save(figure, "coefficients/scott_pi")


def draw_bias_index() -> None:
    """Draw kappa by the bias index, observed agreement held."""
    with one_panel(3.4) as (figure, axes):
        for observed, (colour, line) in zip(AGREEMENTS, LINES, strict=False):
            parts = np.linspace(observed - 1, 1 - observed, 31)
            labels = [of_shares(observed, 0.5 + x / 2, 0.5 - x / 2) for x in parts]
            bias = [agreement.bias_index(each).estimate for each in labels]
            found = [kappa(each).estimate for each in labels]
            axes.plot(bias, found, color=colour, linestyle=line, label=f"agreement {observed:.0%}")
        axes.set(xlabel="bias index", ylabel="Cohen's kappa", ylim=(0, 1))
        legend_below(figure, axes)
        save(figure, "coefficients/bias_index")


def draw_prevalence_index() -> None:
    """Draw kappa by the prevalence index, observed agreement held."""
    with one_panel(3.4) as (figure, axes):
        for observed, (colour, line) in zip(AGREEMENTS, LINES, strict=False):
            shares = np.linspace((1 - observed) / 2, (1 + observed) / 2, 51)
            labels = [of_shares(observed, share, share) for share in shares]
            skew = [agreement.prevalence_index(each).estimate for each in labels]
            found = [kappa(each).estimate for each in labels]
            axes.plot(skew, found, color=colour, linestyle=line, label=f"agreement {observed:.0%}")
        axes.set(xlabel="prevalence index", ylabel="Cohen's kappa", ylim=(-0.2, 1))
        legend_below(figure, axes)
        save(figure, "coefficients/prevalence_index")


def draw_kappa_maximum() -> None:
    """Draw the largest kappa by the margins."""
    with one_panel(3.4) as (figure, axes):
        named = {
            f"the first says yes to {first:.0%}": estimate(
                agreement.kappa_maximum,
                lambda x, first=first: of_table(np.outer([1 - first, first], [1 - x, x])),
            )
            for first in (0.5, 0.7, 0.9)
        }
        curves(axes, np.linspace(0.02, 0.98, 49), named)
        axes.set(xlabel="share of yes of the second", ylabel="largest kappa", ylim=(0, 1.03))
        legend_below(figure, axes, columns=2)
        save(figure, "coefficients/kappa_maximum")


def even(observed: float, share: float) -> Annotations:
    """Return labels of two annotators who say yes to one share and agree on another."""
    return of_shares(observed, share, share)


def draw_brennan_prediger() -> None:
    """Draw the coefficient by the share of a category, and by the number of categories."""
    uniform = agreement.brennan_prediger

    def declared(k: float) -> Annotations:
        table = np.zeros((int(k), int(k)))
        table[:2, :2] = [[0.4, 0.1], [0.1, 0.4]]
        return of_table(table)

    with house_figure(2, height=3.4) as (figure, (left, right)):
        shares = np.linspace(0.1, 0.9, 41)
        named = {"Brennan-Prediger": uniform, "Cohen's kappa": kappa}
        curves(left, shares, {name: estimate(c, partial(even, 0.8)) for name, c in named.items()})
        left.set(xlabel="share of yes of both", ylabel="coefficient", ylim=(-0.2, 1))
        left.set_title("Observed agreement .8 throughout")
        curves(right, range(2, 11), {name: estimate(c, declared) for name, c in named.items()})
        right.set(xlabel="categories declared, two of them used", ylabel="coefficient", ylim=(0, 1))
        right.set_title("Categories that nobody uses")
        legend_below(figure, left)
        save(figure, "coefficients/brennan_prediger")


def draw_gwet_ac1() -> None:
    """Draw what AC1 and others expect by chance, and what they make of one observed agreement."""
    named = {
        "AC1": agreement.gwet_ac1,
        "Scott's pi": pi,
        "Brennan-Prediger": agreement.brennan_prediger,
    }
    shares = np.linspace(0.05, 0.95, 46)
    labels = partial(even, 0.9)
    with house_figure(2, height=3.4) as (figure, (left, right)):
        chance = {name: lambda x, c=c: c(labels(x)).expected_agreement for name, c in named.items()}
        curves(left, shares, chance)
        left.set(xlabel="share of yes", ylabel="expected agreement", ylim=(0, 1))
        left.set_title("Expected by chance")
        curves(right, shares, {name: estimate(c, labels) for name, c in named.items()})
        right.set(xlabel="share of yes", ylabel="coefficient", ylim=(-0.1, 1))
        right.set_title("Observed agreement .9 throughout")
        legend_below(figure, right)
        save(figure, "coefficients/gwet_ac1")


def draw_fleiss_kappa() -> None:
    """Draw the agreement on one item by its votes, and kappa by prevalence."""
    votes = [(5,), (4, 1), (3, 2), (3, 1, 1), (2, 2, 1), (2, 1, 1, 1), (1, 1, 1, 1, 1)]
    pairs = [sum(n * (n - 1) for n in counts) / 20 for counts in votes]
    one = Annotations.from_counts([votes[2]])
    assert np.isclose(agreement.percent_agreement(one).estimate, pairs[2])
    with house_figure(2, height=3.4) as (figure, (left, right)):
        left.plot(pairs, range(len(pairs)), "o", color=BLUE)
        names_down(left, ["-".join(map(str, counts)) for counts in votes])
        left.set(xlabel="share of agreeing pairs", xlim=(-0.05, 1.05))
        left.set_title("One item, five labels")
        by_accuracy = {
            f"all {accuracy:.0%} accurate": estimate(
                agreement.fleiss_kappa, partial(of_accuracy, accuracy=accuracy)
            )
            for accuracy in ACCURACIES
        }
        curves(right, SHARES, by_accuracy)
        right.set(xlabel="prevalence", ylabel="Fleiss' kappa", ylim=(0, 1))
        right.set_title("Equally good annotators")
        right.legend(loc="lower center")
        save(figure, "coefficients/fleiss_kappa")


def draw_conger_kappa() -> None:
    """Draw the kappas of three annotators, one of whom says yes more and more often."""

    def eager(extra: float) -> Annotations:
        given = np.array([[0.9, 0.1], [0.1, 0.9]])  # rows: the category; columns: the label
        third = given @ [[1 - extra, extra], [0, 1]]
        shares = np.einsum("ka,kb,kc->abc", given, given, third) / 2
        counts = np.round(ITEMS * shares).astype(int).ravel()
        labels = np.repeat(np.indices((2, 2, 2)).reshape(3, -1), counts, axis=1)
        annotator, item = np.indices(labels.shape).reshape(2, -1)
        return Annotations.from_arrays(item, annotator, labels.ravel(), categories=[0, 1])

    named = {
        "Conger's kappa": agreement.conger_kappa,
        "Fleiss' kappa": agreement.fleiss_kappa,
        "Light's kappa": agreement.light_kappa,
    }
    with one_panel(3.4) as (figure, axes):
        curves(axes, np.linspace(0, 1, 21), {name: estimate(c, eager) for name, c in named.items()})
        axes.set(xlabel="share of the third's no that is turned to yes", ylabel="coefficient")
        axes.set(ylim=(-0.05, 0.75))
        legend_below(figure, axes)
        save(figure, "coefficients/conger_kappa")


def anesthesia() -> Annotations:
    """Return the labels of Dawid and Skene (1979), the first of each annotator on an item."""
    return datasets.load("anesthesia", mode="real").annotations.first_labels()


def draw_light_kappa() -> None:
    """Draw the kappas of pairs of annotators, and their mean."""
    light = agreement.light_kappa(anesthesia())
    pairs = light.by_pair().sort_values("estimate", ascending=False)
    with one_panel(3.4) as (figure, axes):
        axes.axvline(light.estimate, color=VERMILION, linestyle="--", label="Light's kappa")
        dots(axes, {"Cohen's kappa of a pair": pairs["estimate"]})
        names_down(
            axes, [f"{a} and {b}" for a, b in zip(pairs["first"], pairs["second"], strict=True)]
        )
        axes.set(xlabel="kappa", ylabel="annotators", xlim=(0, 1))
        legend_below(figure, axes)
        save(figure, "coefficients/light_kappa")


def draw_conditional_kappa() -> None:
    """Draw conditional kappa by category, beside kappa of each category against the rest."""
    labels = anesthesia().select(annotators=["2", "5"])
    whole = kappa(labels)
    given = [agreement.conditional_kappa(labels, c).estimate for c in labels.categories]
    rest = whole.by_category().set_index("category")["estimate"].reindex(labels.categories)
    with one_panel(3.0) as (figure, axes):
        axes.axvline(whole.estimate, color=GREY, linestyle="--", label="Cohen's kappa")
        dots(axes, {"conditional kappa": given, "category against the rest": rest})
        names_down(axes, list(labels.categories))
        axes.set(xlabel="coefficient", ylabel="category", xlim=(-0.1, 1.05))
        legend_below(figure, axes)
        save(figure, "coefficients/conditional_kappa")


def draw_specific_agreement() -> None:
    """Draw agreement on yes and on no by prevalence."""
    labels = partial(of_accuracy, accuracy=0.9)
    with one_panel(3.4) as (figure, axes):
        named = {
            f"specific agreement on {name}": estimate(
                agreement.specific_agreement, labels, category=category
            )
            for name, category in (("yes", "1"), ("no", "0"))
        }
        curves(axes, SHARES, named | {"Cohen's kappa": estimate(kappa, labels)})
        axes.set(xlabel="prevalence of yes", ylabel="coefficient", ylim=(0, 1))
        legend_below(figure, axes, columns=2)
        save(figure, "coefficients/specific_agreement")


def noisy(rng: np.random.Generator, *, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two ratings of items, whose errors have half the standard deviation of the items."""
    truth = rng.normal(size=n)
    first, second = truth + rng.normal(scale=0.5, size=(2, n))
    return first, second


def draw_icc() -> None:
    """Draw the forms of the ICC as the second annotator's ratings increase."""
    first, second = noisy(np.random.default_rng(1), n=2_000)

    def higher(offset: float) -> Annotations:
        return ratings(first, second + offset)

    named = {
        "consistency (two-way)": {"model": "two-way-mixed", "kind": "consistency"},
        "agreement (two-way)": {"model": "two-way-random", "kind": "agreement"},
        "one-way": {"model": "one-way", "kind": "agreement"},
    }
    forms = {name: estimate(agreement.icc, higher, **options) for name, options in named.items()}
    with one_panel(3.4) as (figure, axes):
        curves(axes, np.linspace(0, 3, 16), forms)
        axes.set(xlabel="offset of the second, in units of the items' SD", ylabel="ICC")
        axes.set(ylim=(-0.35, 1))
        legend_below(figure, axes)
        save(figure, "coefficients/icc")


Ratings = tuple[np.ndarray, np.ndarray]


def scatters(
    place: str, cases: Mapping[str, Ratings], coefficients: Mapping[str, Function]
) -> None:
    """Draw ratings of two annotators against each other, with coefficients below the panels."""
    with house_figure(len(cases), height=3.3) as (figure, row):
        for axes, (name, columns) in zip(row, cases.items(), strict=True):
            axes.plot(*columns, "o", color=BLUE, markersize=3, markerfacecolor="none")
            ends = [np.min(columns), np.max(columns)]
            axes.plot(ends, ends, color=GREY, linestyle="--", linewidth=0.9)
            labels = ratings(*columns)
            found = [f"{title} {c(labels).estimate:.2f}" for title, c in coefficients.items()]
            axes.set(xlabel="first\n" + ", ".join(found), ylabel="second")
            axes.set_title(name)
        save(figure, place)


def draw_pearson() -> None:
    """Draw three pairs of one correlation that agree less and less."""
    first, second = noisy(np.random.default_rng(2), n=60)
    cases = {
        "The same scale": (first, second),
        "Two higher": (first, second + 2),
        "Twice as wide": (first, 2 * second),
    }
    scatters("coefficients/pearson", cases, {"r": agreement.pearson, "ICC": agreement.icc})


def draw_spearman() -> None:
    """Draw where ranks and numbers tell different things."""
    first, second = noisy(np.random.default_rng(2), n=60)
    cases = {
        "Noise alone": (first, second),
        "A curve": (first, np.exp(1.5 * first)),
        "One item far off": (np.append(first, 8), np.append(second, -8)),
    }
    scatters("coefficients/spearman", cases, {"rho": agreement.spearman, "r": agreement.pearson})


def draw_concordance_correlation() -> None:
    """Draw three pairs of one correlation whose ratings are less and less equal."""
    first, second = noisy(np.random.default_rng(2), n=60)
    cases = {
        "The same scale": (first, second),
        "Two higher": (first, second + 2),
        "Twice as wide": (first, 2 * second),
    }
    shown = {"CCC": agreement.concordance_correlation, "r": agreement.pearson}
    scatters("coefficients/concordance_correlation", cases, shown)


def draw_kendall_w() -> None:
    """Draw W and the mean of Spearman's correlations by the number of annotators."""
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(2_000, 12))
    labels = {
        "errors as large as differences": noise + rng.normal(size=(2_000, 1)),
        "unrelated": noise,
    }

    def w(table: np.ndarray, j: float) -> float:
        return agreement.kendall_w(ratings(*table[:, : int(j)].T)).estimate

    def rho(table: np.ndarray, j: float) -> float:
        return (j * w(table, j) - 1) / (j - 1)

    named = {
        f"{title}, {of}": partial(function, table)
        for of, table in labels.items()
        for title, function in (("W", w), ("mean of rho", rho))
    }
    with one_panel(3.4) as (figure, axes):
        curves(axes, np.arange(2, 13), named)
        axes.set(xlabel="annotators J", ylabel="coefficient", ylim=(-0.05, 1))
        legend_below(figure, axes, columns=2)
        save(figure, "coefficients/kendall_w")


def draw_paired_agreement() -> None:
    """Draw A_m of annotators who label by chance, by how often they choose a category."""

    def by_chance(share: float) -> Annotations:
        chosen = np.random.default_rng(3).random((2_000, 2, 4)) < share
        item, annotator = np.indices(chosen.shape[:2]).reshape(2, -1)
        sets = [list(np.flatnonzero(row)) for row in chosen.reshape(-1, 4)]
        return Annotations.from_sets(item=item, annotator=annotator, label=sets)

    with one_panel(3.4) as (figure, axes):
        named = {
            f"{n} combinations{note}": estimate(
                agreement.paired_agreement, by_chance, combinations=n
            )
            for n, note in ((3, ", as published"), (4, ""))
        }
        axes.axhline(0, color=INK, linewidth=0.8)
        curves(axes, np.linspace(0.05, 0.95, 19), named)
        axes.set(xlabel="share of items to which a category is given", ylabel="$A_m$")
        axes.set_ylim(-0.3, 0.1)
        legend_below(figure, axes)
        save(figure, "coefficients/paired_agreement")


def draw_krippendorff_alpha() -> None:
    """Draw alpha by distance as slips grow, and beside pi on few items."""
    alpha = agreement.krippendorff_alpha

    def some(items: float) -> Annotations:
        return Annotations.from_contingency(np.array([[4, 1], [1, 4]]) * int(items // 10))

    with house_figure(2, height=3.4) as (figure, (left, right)):
        metrics = {
            name: estimate(alpha, slips, metric=name) for name in ("nominal", "ordinal", "interval")
        }
        curves(left, range(1, 5), metrics)
        left.set(xlabel="steps", ylabel="alpha", xticks=range(1, 5))
        left.set_title("A fifth of labels is some steps off")
        left.legend(loc="lower left")
        sizes = np.arange(10, 210, 10)
        curves(right, sizes, {"alpha": estimate(alpha, some), "Scott's pi": estimate(pi, some)})
        right.set(xlabel="items", ylabel="coefficient", ylim=(0.55, 0.68))
        right.set_title("The same shares on more items")
        right.legend(loc="upper right")
        save(figure, "coefficients/krippendorff_alpha")


def draw_intervals() -> None:
    """Draw the intervals of one kappa by their kind, and the bootstrap behind two of them."""
    found = kappa(Annotations.from_contingency([[36, 2], [2, 4]]))
    kinds = ["analytic", "percentile", "bca", "jackknife", "bayesian"]
    ends = [found.interval(kind, rng=1) for kind in kinds]
    with one_panel(3.0) as (figure, axes):
        axes.axvline(found.estimate, color=GREY, linestyle="--")
        axes.hlines(
            range(len(kinds)),
            [each.lower for each in ends],
            [each.upper for each in ends],
            color=BLUE,
            linewidth=2,
        )
        names_down(axes, kinds)
        axes.set(xlabel="Cohen's kappa, 95% intervals", xlim=(0, 1))
        save(figure, "coefficients/intervals")
