"""The command `judge`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from annobench.cli._reading import Reading, print_reading, reads_labels, refuse_sets
from annobench.cli._requirements import RECORD, Outcome, Requirement, decide
from annobench.cli._shared import fail, note, say, say_written
from annobench.cli._writing import Writing
from annobench.core.choices import DEFAULT_SEED
from annobench.core.errors import AnnotationError, ReaderError

if TYPE_CHECKING:
    import pandas as pd

_TABLES = (
    *("judges", "agreement", "rates", "test", "baselines", "prevalence", "consistency"),
    *("position", "plan", "jury", "juries", "jury_estimates"),
)


#: What may be required of judges.
_REQUIRABLE = ("agreement", "kappa", "difference")


@reads_labels(writes="judges")
def judge(
    reading: Reading,
    writing: Writing,
    judges: Annotated[
        list[str],
        typer.Option("--judge", help="An annotator that is a judge; several times for several."),
    ],
    epsilon: Annotated[
        float,
        typer.Option(
            help="The margin by which humans may outperform the judge, as they cost more: .1 for "
            "crowd workers, .15 for trained annotators, .2 for experts."
        ),
    ] = 0.1,
    score: Annotated[
        Literal["accuracy", "rmse"],
        typer.Option(help="Labels agree if they are equal, or by their distance as numbers."),
    ] = "accuracy",
    clusters: Annotated[
        str | None,
        typer.Option(
            help="Column or field that says which cluster an item belongs to, such as a text: "
            "intervals and tests then allow for dependence within clusters."
        ),
    ] = None,
    shown_first: Annotated[
        str | None,
        typer.Option(
            help="Column or field of the answer that was shown first, where labels name the better "
            "one of two answers."
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="What the interval of every judge's agreement with humans has to support, such as "
            "'kappa>=0.6'; or of its difference to theirs, 'difference>=-0.05'. Else the status "
            "is 3."
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            help="What a label of a judge costs, such as gpt-4o=0.02, by default 1; several times "
            "for several judges."
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="What the labels of an item may cost: the best jury within it, by --gold."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
) -> None:
    """Say whether a language model may stand in for annotators: a page, and tables beside it.

    Example: annobench judge labels.csv --judge gpt-4o --judge llama --gold checked.csv
    """
    from annobench.judges import assessment
    from annobench.reporting import judge_page
    from annobench.reporting.pages import records

    try:
        required = [Requirement.of(text, "judge", _REQUIRABLE) for text in require or ()]
        writing.check(["judges.html", *([RECORD] if required else [])], _TABLES)
        # A judge that was asked several times has several labels of an item.
        selection = reading.select(repeats="all", shown_first=shown_first)
        refuse_sets(selection, "judge")
        labels = selection.labels
        called = {name: selection.pseudonyms.get(name, name) for name in judges}
        costs = {called.get(name, name): price for name, price in _costs(cost or ()).items()}
        found = assessment.assess(
            labels,
            [called[name] for name in judges],
            gold=reading.gold(selection),
            epsilon=epsilon,
            score=score,
            clusters=None
            if clusters is None
            else reading.by_item(clusters, labels.items, "--clusters"),
            shown_first=selection.shown_first,
            costs=costs,
            budget=budget,
            level=level,
            rng=seed,
        )
        page = judge_page.render(found, source=reading.path.name, remarks=selection.said)
        written = writing.write("judges.html", page, found.tables)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    for row in records(found.summary_table):
        worth = row.get("human_labels")
        tells = "" if worth is None or worth != worth else f", worth {worth:.2f} human labels"
        say(f"{row['judge']}: {judge_page.verdict(row)}{tells}")
    if found.jury is not None:
        say(found.jury.sentence())
    print_reading(selection)
    for text in found.remarks:
        note(f"Note: {text}")
    say_written(writing.folder, written)
    if required:
        writing.record([RECORD])
        asked = {**reading.options, "score": score, "epsilon": epsilon, "level": level}
        outcomes = [each for one in required for each in _outcomes(one, found.tables["agreement"])]
        decide(outcomes, writing.folder, command="judge", data=reading.path, options=asked)


def _costs(texts: Iterable[str]) -> dict[str, float]:
    """Read costs by judge."""
    costs: dict[str, float] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            price = float(value)
        except ValueError:
            price = math.nan
        if not name or math.isnan(price):
            raise AnnotationError(
                f"judge: --cost {text!r} is no cost. Write judge=cost, such as gpt-4o=0.02."
            )
        if name in costs:
            raise AnnotationError(f"judge: --cost names {name!r} twice. Name each judge once.")
        costs[name] = price
    return costs


def _outcomes(required: Requirement, table: pd.DataFrame) -> list[Outcome]:
    """Look up, for each judge, its agreement with humans, or how far it is from theirs."""
    measure, column = "agreement", "human_judge"
    if required.quantity == "difference":
        column = "difference"
    else:
        measure = required.quantity
    rows = table[table["measure"].eq(measure) & table["category"].isin(["", None])]
    return [
        Outcome(
            required.quantity,
            required.least,
            row["judge"],
            *(float(row[f"{column}{end}"]) for end in ("", "_lower", "_upper")),
        )
        for row in rows.to_dict("records")
    ]
