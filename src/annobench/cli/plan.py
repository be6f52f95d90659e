"""The command `plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from annobench.cli._reading import Reading, print_reading, reads_labels
from annobench.cli._shared import fail, note, say, say_written, terminal
from annobench.cli._writing import Writing
from annobench.core.choices import DEFAULT_MODEL, DEFAULT_SEED
from annobench.core.errors import AnnotationError
from annobench.core.numbers import spelling_hint
from annobench.core.texts import counted

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    from annobench.evaluation.gold_sample import GoldSample
    from annobench.labels.annotations import Annotations
    from annobench.models.base import Fit


@reads_labels(writes="plan")
def plan(
    reading: Reading,
    writing: Writing,
    half_width: Annotated[
        float, typer.Option(help="Half width of the intervals: 0.05 plans for ± 0.05.")
    ] = 0.05,
    difference: Annotated[
        float, typer.Option(help="Difference between two methods' accuracies to detect.")
    ] = 0.05,
    error_rate: Annotated[
        float, typer.Option(help="The largest share of errors among released items.")
    ] = 0.05,
    accuracy: Annotated[
        float | None,
        typer.Option(
            help="Expected accuracy of the consensus, for instance from an audit; by default from "
            "--gold, otherwise from the model."
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(min=1, help="Number of items in the project; by default that of the pilot."),
    ] = None,
    coefficient: Annotated[
        str, typer.Option(help="Agreement coefficient; an unknown name lists all.")
    ] = "krippendorff_alpha",
    category: Annotated[
        str | None,
        typer.Option(help="Category to estimate the prevalence of; by default the most frequent."),
    ] = None,
    price_label: Annotated[float, typer.Option(help="Cost of a label.")] = 1.0,
    price_check: Annotated[float, typer.Option(help="Cost of an expert's check.")] = 10.0,
    price_item: Annotated[float, typer.Option(help="Cost of an item itself.")] = 0.0,
    currency: Annotated[
        str, typer.Option(help="Currency, such as EUR, written after amounts.")
    ] = "",
    model: Annotated[
        str, typer.Option(help="Model by which items are chosen to be labelled next.")
    ] = DEFAULT_MODEL,
    level: Annotated[
        float, typer.Option(help="Level of the intervals, and confidence of the release.")
    ] = 0.95,
    power: Annotated[float, typer.Option(help="Power to detect the difference.")] = 0.8,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
) -> None:
    """Plan from a pilot: items, annotators, checks, costs and the items to label next.

    Example: annobench plan pilot.csv --half-width 0.05 --price-label 0.05 --price-check 2
    """
    from annobench import models
    from annobench.audit import next_labels, planning
    from annobench.reporting import plan_page

    try:
        writing.check(["plan.html"], ["plan", "next", "gold_strata", "to_label"])
        selection = reading.select(repeats="first")
        labels = selection.labels
        prices = planning.Prices(price_label, price_check, price_item, currency)
        with terminal(stderr=True).status("Planning"):
            fitted = models.fit(labels, model, rng=seed)
            gold = None if accuracy is not None else reading.gold(selection)
            sample = _compared(labels, gold, seed)
            expected, basis = _expected(labels, fitted, accuracy, gold, sample)
            found = planning.plan(
                labels,
                half_width=half_width,
                difference=difference,
                error_rate=error_rate,
                accuracy=expected,
                coefficient=coefficient,
                category=category,
                items=items,
                prices=prices,
                level=level,
                power=power,
                rng=seed,
            )
        following = next_labels.next_labels(labels, fitted, price=price_label or 1.0)
        remarks = () if sample is None else sample.remarks
        page = plan_page.render(
            found, following, source=reading.path.name, basis=" ".join((basis, *remarks))
        )
        tables = {"plan": found.table, "next": following}
        tables |= {} if sample is None else sample.tables()
        written = writing.write("plan.html", page, tables)
    except (ValueError, OSError) as error:
        fail(error)
    print_reading(selection)
    say(basis)
    for goal, row in found.summary().iterrows():
        say(f"{goal}: {plan_page.design_in_words(dict(row), currency)}")
    best = ", ".join(repr(name) for name in following["item"].head(5))
    say(f"label next: {best}; next.csv has the full list")
    for text in remarks:
        note(f"Note: {text}")
    say_written(writing.folder, written)


def _compared(labels: Annotations, gold: dict[str, str] | None, seed: int) -> GoldSample | None:
    """Compare items with gold with the others, if there are any."""
    from annobench.evaluation.gold_sample import compare_gold

    if not gold:
        return None
    known = [name in gold for name in labels.items]
    if not any(known):
        raise AnnotationError(
            f"--gold: none of its {len(gold):,} items has labels, such as {next(iter(gold))!r}. "
            f"Name items as the labels do, such as {labels.items[0]!r}."
            f"{spelling_hint(gold, labels.items)}"
        )
    return compare_gold(labels, known, rng=seed)


def _expected(
    labels: Annotations,
    fitted: Fit,
    accuracy: float | None,
    gold: dict[str, str] | None,
    sample: GoldSample | None,
) -> tuple[float, str]:
    """Return the expected accuracy and its source."""
    if accuracy is not None:
        return accuracy, f"Expected accuracy of the consensus: {accuracy:g}, as given."
    what = "Expected accuracy of the consensus"
    not_all = ""
    if gold and sample is not None:
        answer = fitted.posterior.argmax(axis=1)
        right = [
            gold.get(name) == labels.categories[k]
            for name, k in zip(labels.items, answer, strict=True)
        ]
        n = sample.n_effective
        # A share of 0 or 1 of few items is not the truth: one item more of either.
        interval = sample.share(right)
        share = (interval.estimate * n + 1) / (n + 2)
        if sample.represents:
            how = f", post-stratified by {' and '.join(sample.by)}" if sample.differs else ""
            n_gold = counted(int(sample.known.sum()), "gold item")
            limits = f"95% interval {interval.lower:.3f} to {interval.upper:.3f}"
            return share, f"{what}: {share:.3f} ({limits}), from {n_gold}{how}."
        not_all = ", as gold does not represent all items"
    promised = float(fitted.posterior.max(axis=1).mean())
    share = min(promised, 1 - 1 / (labels.n_items + 2))
    return share, (
        f"{what}: {share:.3f}, the model's own estimate{not_all}, which may be too high: run "
        "`annobench audit` and give its estimate with --accuracy."
    )
