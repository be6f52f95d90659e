"""The command `certificate`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from annobench.cli._reading import Reading, print_reading, reads_labels
from annobench.cli._shared import fail, note, say, say_written, terminal
from annobench.cli._writing import Writing
from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.texts import counted

# What a command alone needs it imports itself: the others, and the help, answer at once.
if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from annobench.evaluation.gold_sample import GoldSample
    from annobench.labels.annotations import Annotations
    from annobench.noise.certificate import Certificate


@reads_labels(writes="certificate")
def certificate(
    reading: Reading,
    writing: Writing,
    guess_distribution: Annotated[
        str | None,
        typer.Option(
            help="Probability that a guess on a hard item is the last category, or a range: "
            "0.3,0.7; for K categories, K probabilities separated by commas. Needed with two "
            "labels per item."
        ),
    ] = None,
    min_agreement: Annotated[
        str | None,
        typer.Option(help="Which items are retained: unanimous, majority, or a share such as 0.8."),
    ] = None,
    model: Annotated[
        Literal["easy_hard", "rates"] | None,
        typer.Option(help="Model of guesses; by default chosen by the number of labels per item."),
    ] = None,
    easy_rate: Annotated[
        float,
        typer.Option(help="For the model rates: labels with a smaller probability are guesses."),
    ] = 0.6,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Split numeric labels into those at or above this value and those below."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the certificate.")] = 0.95,
) -> None:
    """Bound the number of guesses among retained labels: a page, rules.csv, hard_items.csv.

    Example: annobench certificate labels.csv --guess-distribution 0.3,0.7
    """
    from annobench import noise
    from annobench.reporting import certificate_page, report_page

    try:
        writing.check(["certificate.html"], ["rules", "hard_items", "gold_strata", "to_label"])
        scale: Scale | None = "nominal" if threshold is None else "interval"
        selection = reading.select(scale=scale)
        annotations = selection.labels
        if threshold is not None:
            annotations = noise.dichotomise(annotations, threshold)
        found = noise.certificate(
            annotations,
            level=level,
            guess_distribution=_numbers(guess_distribution, "guess-distribution"),
            min_agreement=_rule(min_agreement),
            model=model,
            easy_rate=easy_rate,
        )
        tables = {
            "rules": found.rules,
            "hard_items": noise.hard_items(annotations, easy_rate=easy_rate),
        }
        gold = None if threshold is not None else reading.gold(selection)
        against, sample = _against(found, annotations, gold)
        tables |= {} if sample is None else sample.tables()
        page = certificate_page.render(
            found,
            tables["hard_items"],
            annotations,
            source=reading.path.name,
            remarks=[*selection.said, *against],
            texts=selection.texts,
            commands=reading.for_commands(report_page.FOLLOWING),
        )
        written = writing.write("certificate.html", page, tables)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    console = terminal()
    console.print(str(found), markup=False, highlight=False, soft_wrap=True)
    if found.n_guesses < found.n_retained:
        console.print(
            "With the same confidence, guesses alone can't put one system "
            f"{counted(found.smallest_difference(), 'item')} ahead of another, nor "
            f"{found.smallest_difference('independent'):,} if the two are independent and guesses "
            "are fair coins.",
            highlight=False,
            soft_wrap=True,
        )
    console.print(_rules_table(found.rules))
    print_reading(selection)
    for text in against[:1]:
        say(text)
    for text in (*against[1:], *found.remarks):
        note(f"Note: {text}")
    say_written(writing.folder, written)


def _against(
    found: Certificate, annotations: Annotations, gold: dict[str, str] | None
) -> tuple[list[str], GoldSample | None]:
    """Compare the retained labels with gold: sentences, and retained items with and without it."""
    import numpy as np

    from annobench.core.choices import DEFAULT_SEED
    from annobench.core.numbers import plain_number
    from annobench.evaluation.gold_sample import compare_gold

    kept = np.flatnonzero(found.retained)
    if not gold or not kept.size:
        return [], None
    retained = annotations.select(items=kept)
    known = np.array([name in gold for name in retained.items])
    if not known.any():
        return ["gold: no retained item has gold"], None
    wrong = np.array(
        [
            name in gold and plain_number(gold[name]) != annotations.categories[k]
            for name, k in zip(retained.items, found.label[kept], strict=True)
        ]
    )
    sample = compare_gold(retained, known, rng=DEFAULT_SEED)
    share = sample.share(wrong)
    how = ", post-stratified" if sample.differs else ""
    return [
        f"gold: {int(wrong.sum()):,} of {int(known.sum()):,} retained labels with gold are wrong, "
        f"{share.estimate:.1%} (95% interval {share.lower:.1%} to {share.upper:.1%}{how})",
        *sample.remarks,
    ], sample


def _numbers(text: str | None, option: str) -> float | list[float] | None:
    """Read one number, or several separated by commas."""
    if text is None:
        return None
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise AnnotationError(
            f"certificate: --{option} {text!r} is not a number, or numbers separated by commas, "
            "such as 0.3,0.7."
        ) from error
    return values[0] if len(values) == 1 else values


def _rule(text: str | None) -> Literal["unanimous", "majority"] | float | None:
    """Read which items are retained."""
    if text in ("unanimous", "majority"):
        return cast(Literal["unanimous", "majority"], text)
    values = _numbers(text, "min-agreement")
    if isinstance(values, list):
        raise AnnotationError(
            f"certificate: --min-agreement must be unanimous, majority or one share, got {text!r}; "
            "such as 0.8."
        )
    return values


def _rules_table(rules: pd.DataFrame) -> Table:
    """Tabulate for the terminal what each retention rule would certify."""
    from rich.table import Table

    shown = Table("labels needed", box=None, pad_edge=False, header_style="bold")
    for name in ("retained", "guesses at most", "rate", "estimated"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rules.to_dict("records"):
        needed = "more than half" if row["keep"] == 0.5 else f"{100 * row['keep']:.3g}%"
        rate = "" if math.isnan(row["rate"]) else f"{100 * row['rate']:.1f}%"
        shown.add_row(
            needed,
            f"{row['n_retained']:,}",
            f"{row['n_guesses']:,}",
            rate,
            f"{row['expected']:.1f}",
        )
    return shown
