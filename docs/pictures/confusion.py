"""The pictures of models of whole confusion matrices, of difficulty, and of dependence."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from matplotlib.ticker import MaxNLocator
from shared import entailment, labelled, rates_of, save

from annobench import datasets, plotting
from annobench.core.errors import DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.models import (
    adjusted_dawid_skene,
    dawid_skene,
    ebcc,
    fast_dawid_skene,
    glad,
    hierarchical_binary,
    hierarchical_dawid_skene,
    ibcc,
    item_difficulty,
    minimax_entropy,
    pool,
    pooled_multinomial,
    random_clumped,
    voting,
)
from annobench.models.adjusted_dawid_skene import _weight as dependence_weight
from annobench.models.dawid_skene.optima import restarts
from annobench.models.dependence import DependenceCheck
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    accuracy_plane,
    dots,
    house_figure,
    house_style,
    logarithmic,
    names_down,
)
from annobench.simulation import dependent
from annobench_datasets.masc_crowd import by_word


def draw_fast_dawid_skene() -> None:
    """Draw how much too good annotators seem by labels per item, and updates on real labels."""
    rng = np.random.default_rng(8)
    looks = {
        "fast": (BLUE, "o", "-", fast_dawid_skene.fit),
        "EM": (VERMILION, "^", "--", dawid_skene.fit),
    }
    accuracy = np.linspace(0.55, 0.95, 12)
    wrong = (1 - accuracy)[:, None, None]
    confusion = np.where(np.eye(2, dtype=bool), accuracy[:, None, None], wrong)
    per_item = np.arange(2, 11)
    found = {name: [] for name in looks}
    for number in per_item:
        truth = rng.integers(2, size=3_000)
        every = labelled(confusion, truth, np.full(12, truth.size), rng)
        annotations = every.subsample(int(number), rng)
        for name, (*_, fit) in looks.items():
            found[name].append(fit(annotations).accuracy.mean())
    sets = ["bluebird", "cf", "dog", "ms", "relevance", "sentiment", "trec", "zencrowd_us"]
    fits = {
        "fast": fast_dawid_skene.fit,
        "hybrid": partial(fast_dawid_skene.fit, hybrid=True),
        "EM": partial(dawid_skene.fit, smoothing=0),
    }
    labels = [datasets.load(f"ti_{name}", mode="real").annotations for name in sets]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        updates = {name: [fit(a).n_iterations for a in labels] for name, fit in fits.items()}
    with house_figure(2, height=3.2) as (figure, (left, right)):
        for name, (colour, marker, line, _) in looks.items():
            left.plot(
                per_item,
                found[name],
                color=colour,
                marker=marker,
                linestyle=line,
                markerfacecolor="white",
                label=name,
            )
        left.axhline(accuracy.mean(), color=GREY, linestyle=":", linewidth=1, label="truth")
        left.set(xlabel="labels an item", ylabel="mean accuracy of annotators", xticks=per_item)
        left.set_title("Doubtful items flatter annotators")
        left.legend(loc="upper right")
        dots(right, updates)
        names_down(right, [name.replace("_", " ") for name in sets], top=1.6)
        logarithmic(right, "x", ticks=[1, 3, 10, 30, 100, 300])
        right.set(xlabel="updates")
        right.set_title("Updates, crowd labels")
        right.legend(loc="upper center", ncols=3)
        save(figure, "models/fast_dawid_skene")


def deceptive_items(share: float, rng) -> tuple[Annotations, np.ndarray, np.ndarray]:
    """Simulate seven labels per item; the first so many items draw them to the next category."""
    n, k, n_annotators = 1_000, 3, 50
    truth, deceives = rng.integers(k, size=n), np.arange(n) < share * n
    annotator = rng.random((n, n_annotators)).argsort(axis=1)[:, :7].ravel()
    item = np.repeat(np.arange(n), 7)
    accuracy = rng.uniform(0.5, 0.95, size=n_annotators)[annotator]
    right = rng.random(item.size) < np.where(deceives[item], 0.55, accuracy)
    shift = np.where(deceives[item], 1, rng.integers(1, k, size=item.size))
    label = np.where(right, truth[item], (truth[item] + shift) % k)
    return Annotations.from_arrays(item, annotator, label, categories=range(k)), truth, deceives


def draw_minimax_entropy() -> None:
    """Draw terms of items that deceive and of others, and errors by the share of such items."""
    annotations, truth, deceives = deceptive_items(0.2, np.random.default_rng(3))
    fitted = minimax_entropy.fit(annotations, tolerance=1e-6)
    items = np.arange(truth.size)
    terms = fitted.item_terms
    pull = terms[items, truth, (truth + 1) % 3] - terms[items, truth, truth]
    shares = np.linspace(0, 0.5, 6)
    wrong = {"vote": [], "Dawid and Skene": [], "minimax entropy": []}
    for share in shares:
        labels, gold, _ = deceptive_items(share, np.random.default_rng(4))
        fits = (
            voting.fit(labels),
            dawid_skene.fit(labels),
            minimax_entropy.fit(labels, tolerance=1e-6),
        )
        for name, fit in zip(wrong, fits, strict=True):
            wrong[name].append((fit.posterior.argmax(axis=1) != gold).mean())
    with house_figure(2, height=3.3) as (figure, (left, right)):
        bins = np.linspace(pull.min(), pull.max(), 30)
        for mask, colour, name in ((~deceives, GREY, "others"), (deceives, VERMILION, "deceptive")):
            left.hist(pull[mask], bins, density=True, alpha=0.6, color=colour, label=name)
        left.set(xlabel="log odds that the item adds", ylabel="density of items")
        left.xaxis.set_major_locator(MaxNLocator(5))
        left.set_title("Terms of the items")
        left.legend()
        looks = ((GREY, ":"), (VERMILION, "--"), (BLUE, "-"))
        for (name, values), (colour, line) in zip(wrong.items(), looks, strict=True):
            right.plot(shares, values, color=colour, linestyle=line, marker="o", label=name)
        right.set(xlabel="share of deceptive items", ylabel="share of items wrong")
        right.set_title("Errors")
        right.legend()
        save(figure, "models/minimax_entropy")


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
        plotting.legend_below(figure, left)
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
        save(figure, "models/glad")


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
            number.sum(axis=1),
            estimates=(fitted.sensitivity, fitted.specificity),
            area=0.225,
        )
        left.legend(loc="lower left")
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
        save(figure, "models/hierarchical_binary")


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
        save(figure, "models/hierarchical_dawid_skene")


def draw_ibcc() -> None:
    """Draw sensitivities of annotators with ten labels, by Dawid and Skene and by IBCC."""
    rng = np.random.default_rng(8)
    truth = rng.integers(2, size=100)
    right = rng.uniform(0.5, 0.98, size=(60, 2))
    confusion = np.stack([right, 1 - right], axis=2)
    confusion[:, 1] = confusion[:, 1, ::-1]
    annotations = labelled(confusion, truth, np.full(60, 10), rng)
    with house_figure(2, height=3.5) as (figure, panels):
        for axes, model, title in (
            (panels[0], dawid_skene, "Dawid and Skene"),
            (panels[1], ibcc, "IBCC"),
        ):
            estimate = model.fit(annotations).confusion[:, 1, 1]
            axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=0.9, zorder=1)
            axes.scatter(right[:, 1], estimate, s=20, facecolor="white", edgecolor=BLUE)
            axes.set(xlabel="true sensitivity", ylabel="estimate", xlim=(0.45, 1.03))
            axes.set_ylim(-0.03, 1.03)
            axes.set_title(title)
        save(figure, "models/ibcc")


def draw_ebcc() -> None:
    """Draw bounds and accuracies of starts, and the gold categories of the best one's subtypes."""
    loaded = datasets.load("ti_zencrowd_all", mode="real")
    annotations, gold = loaded.annotations, loaded.gold
    rng = np.random.default_rng(1)
    shape = annotations.n_items, annotations.n_categories
    divisions = [rng.dirichlet(np.ones(10), shape) for _ in range(40)]
    undivided = np.tile(np.eye(10)[0], (*shape, 1))
    fits = [ebcc.fit(annotations, start=division) for division in (*divisions, undivided)]
    bounds = [fitted.objective for fitted in fits]
    share = [(fitted.posterior.argmax(axis=1) == gold).mean() for fitted in fits]
    alone = (ibcc.fit(annotations).posterior.argmax(axis=1) == gold).mean()
    best = fits[int(np.argmax(bounds))].subtypes
    component = best.reshape(gold.size, -1).argmax(axis=1)
    used = [c for c in range(best[0].size) if (component == c).sum() > 5]
    with house_figure(2, height=3.3) as (figure, (left, right)):
        random = {"s": 22, "facecolor": "none", "edgecolor": BLUE, "label": "EBCC, divided"}
        left.scatter(bounds[:-1], share[:-1], **random)
        left.scatter(bounds[-1:], share[-1:], s=34, marker="D", color=INK, label="undivided")
        left.axhline(alone, color=VERMILION, linestyle="--", linewidth=0.9, label="IBCC")
        left.set(xlabel="lower bound of the log evidence", ylabel="share of items right")
        left.set_title("Forty random starts and one undivided")
        left.locator_params(axis="x", nbins=4)
        left.legend(loc="center right")
        bottom = np.zeros(len(used))
        for k, colour in ((0, "#A6C8DD"), (1, VERMILION)):
            items = np.array([((component == c) & (gold == k)).sum() for c in used])
            right.bar(range(len(used)), items, bottom=bottom, color=colour, label=f"gold: {k}")
            bottom += items
        right.set_xticks(range(len(used)), [str(c // best.shape[2]) for c in used])
        right.set(xlabel="subtypes, by category", ylabel="items")
        right.set_title("Subtypes of the best start")
        right.legend(loc="upper right")
        save(figure, "models/ebcc")


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
        plotting.legend_below(figure, left)
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
        save(figure, "models/pooled_multinomial")


def draw_item_difficulty() -> None:
    """Draw difficulties of items against votes, and what is typical of each category."""
    annotations, gold = entailment()
    fitted = item_difficulty.fit(annotations, rng=np.random.default_rng(1), draws=1_000)
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
                fitted.draws.mean[:, ::10, k, 1 - k].ravel(),
                fitted.draws.deviation[:, ::10, k, 1 - k].ravel(),
                marker,
                color=colour,
                markersize=4,
                label=f"category {k}",
            )
        right.set(xlabel="mean log odds of a mistake", ylabel="standard deviation", ylim=(0, None))
        right.set_title("Posterior draws")
        right.legend(loc="upper right")
        save(figure, "models/item_difficulty")


def heat_map(axes, matrix: np.ndarray, title: str, *, first: bool) -> None:
    """Draw one confusion matrix, its numbers in it."""
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=1.15)
    for (k, label), value in np.ndenumerate(matrix):
        if value >= 0.005:
            colour = "white" if value > 0.6 else INK
            text = f"{value:.2f}".lstrip("0") if value < 0.995 else "1"
            axes.text(label, k, text, ha="center", va="center", fontsize=8, color=colour)
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
    with house_style():
        figure, panels = plotting.panels(3, rows=2, height=5.4, width=3)
        for j, name in enumerate(fitted.annotators):
            heat_map(panels[j], fitted.confusion[j], f"Annotator {name}", first=j % 3 == 0)
        optima(panels[5], found, fitted.log_likelihood)
        save(figure, "models/dawid_skene")


def chance_right(n: np.ndarray, right: float, levels: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the probability that n labels that agree are right, of two categories alike."""

    def likelihood(own: float) -> np.ndarray:
        alone = ((1 - levels) * own) ** n[:, None]
        together = (levels + (1 - levels) * own) ** n[:, None]
        return (own * together + (1 - own) * alone) @ share

    return likelihood(right) / (likelihood(right) + likelihood(1 - right))


def draw_random_clumped() -> None:
    """Draw what agreement is worth, and calibration where annotators err together."""
    cases = [
        dependent.simulate(regime, rng=np.random.default_rng([7, number, world]))
        for number, regime in enumerate(dependent.REGIMES)
        for world in range(4)
        if not regime.startswith("independent")
    ]
    n = np.arange(1, 16)
    with house_figure(2, height=3.4) as (figure, (left, right)):
        for share, colour, line in ((0.0, GREY, "--"), (0.1, BLUE, "-"), (0.4, VERMILION, "-.")):
            shares = np.array([1 - share, share / 3, share / 3, share / 3])
            value = chance_right(n, 0.8, np.array([0, 0.3, 0.6, 0.9]), shares)
            left.plot(n, value, color=colour, linestyle=line, label=f"{share:.0%} of items clumped")
        left.set(xlabel="labels, all the same", ylabel="probability of their category")
        left.set_title("Agreement saturates")
        left.legend(loc="lower right")
        right.plot([0.3, 1], [0.3, 1], color=GREY, linestyle="--", linewidth=0.9)
        for model, name, colour, marker in (
            (dawid_skene, "Dawid and Skene", VERMILION, "^"),
            (random_clumped, "random-clumped", BLUE, "o"),
        ):
            posteriors = [model.fit(case.annotations).posterior for case in cases]
            sure = np.concatenate([table.max(axis=1) for table in posteriors])
            hit = np.concatenate(
                [t.argmax(axis=1) == c.category for t, c in zip(posteriors, cases, strict=True)]
            )
            bins = np.minimum((10 * sure).astype(int), 9)
            kept = np.flatnonzero(np.bincount(bins, minlength=10) >= 20)
            mean = [(sure[bins == b].mean(), hit[bins == b].mean()) for b in kept]
            size = [400 * (bins == b).mean() + 8 for b in kept]
            right.plot(*np.transpose(mean), color=colour, linewidth=0.9, label=name)
            right.scatter(
                *np.transpose(mean), s=size, marker=marker, facecolor="white", edgecolor=colour
            )
        right.set(xlabel="probability of the best category", ylabel="share right")
        right.set(xlim=(0.3, 1.02), ylim=(0.3, 1.02))
        right.set_title("Where annotators err together")
        right.legend(loc="upper left")
        save(figure, "models/random_clumped")


def draw_adjusted_dawid_skene() -> None:
    """Draw what agreement is worth by weight, and the weight by measured correlation."""
    shipped = adjusted_dawid_skene.shipped()
    n = np.arange(1, 16)
    labels = np.stack([n, np.zeros_like(n)], axis=1)
    scores = n[:, None] * np.log([0.8, 0.2])
    unanimous = adjusted_dawid_skene.Evidence(scores, np.log([0.5, 0.5]), labels)
    correlations = np.linspace(-0.05, 0.2, 251)
    with house_figure(2, height=3.4) as (figure, (left, right)):
        for weight, colour, line in ((0.0, GREY, "--"), (0.5, BLUE, "-"), (1.0, VERMILION, "-.")):
            value = adjusted_dawid_skene.combine(unanimous, weight, shipped)[:, 0]
            left.plot(n, value, color=colour, linestyle=line, label=f"w = {weight:g}")
        left.set(xlabel="labels, all the same", ylabel="probability of their category")
        left.set_title("Agreement saturates")
        left.legend(loc="lower right")
        for deviation, colour, line in ((0.005, INK, ":"), (0.02, BLUE, "-"), (0.1, GREY, "--")):
            weights = [
                dependence_weight(
                    DependenceCheck(1_000, value, deviation, p_value=0.5, effective_labels=1_000),
                    shipped,
                )
                for value in correlations
            ]
            right.plot(correlations, weights, color=colour, linestyle=line, label=f"{deviation:g}")
        right.set(xlabel="measured correlation", ylabel="w", ylim=(-0.02, 1.02))
        right.set_title("Probability of dependence")
        right.legend(loc="lower right", title="standard error")
        save(figure, "models/adjusted_dawid_skene")


def draw_pool() -> None:
    """Draw the shipped weights, and calibration on labels that they were not learned from."""
    annotations, gold = entailment()
    shipped = pool.shipped_weights()
    heights = np.arange(len(pool.MEMBERS))[::-1]
    with house_figure(2, height=3.4) as (figure, (left, right)):
        left.errorbar(
            shipped.mean,
            heights,
            xerr=shipped.spread,
            fmt="o",
            color=BLUE,
            markersize=4,
            linewidth=1,
        )
        left.axvline(0, color=GREY, linewidth=0.8)
        left.set(yticks=heights, yticklabels=pool.MEMBERS, xlabel="weight")
        left.set_title("Weights without gold")
        right.plot([0.5, 1], [0.5, 1], color=GREY, linestyle="--", linewidth=0.9)
        pooled = pool.fit(annotations, weights=pool.shipped_weights("snow2008_rte"))
        for posterior, name, colour, marker in (
            (dawid_skene.fit(annotations).posterior, "Dawid and Skene", VERMILION, "^"),
            (pooled.posterior, "pool", BLUE, "o"),
        ):
            sure, hit = posterior.max(axis=1), posterior.argmax(axis=1) == gold
            bins = np.minimum((10 * sure).astype(int), 9)
            kept = np.flatnonzero(np.bincount(bins, minlength=10) >= 10)
            mean = [(sure[bins == b].mean(), hit[bins == b].mean()) for b in kept]
            size = [400 * (bins == b).mean() + 8 for b in kept]
            right.plot(*np.transpose(mean), color=colour, linewidth=0.9, label=name)
            right.scatter(
                *np.transpose(mean), s=size, marker=marker, facecolor="white", edgecolor=colour
            )
        right.set(xlabel="probability of the best category", ylabel="share right")
        right.set(xlim=(0.45, 1.04), ylim=(0.2, 1.04))
        right.set_title("Textual entailment")
        right.legend(loc="upper left")
        save(figure, "models/pool")
