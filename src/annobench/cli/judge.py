"""The command `judge`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from annobench.cli._proposals import words
from annobench.cli._reading import Reading, print_reading, reads_labels, refuse_sets
from annobench.cli._requirements import RECORD, Outcome, Requirement, decide
from annobench.cli._shared import fail, note, say, say_written
from annobench.cli._trials import end_trial
from annobench.cli._writing import Writing
from annobench.core.choices import DEFAULT_SEED
from annobench.core.errors import AnnotationError, ReaderError

if TYPE_CHECKING:
    import pandas as pd

    from annobench.io import Selection

_TABLES = (
    *("judges", "humans", "agreement", "rates", "test", "baselines", "prevalence", "consistency"),
    *("position", "plan", "systems", "differences", "slices", "bias", "over_time", "drift"),
    *("jury", "juries", "jury_estimates", "gold_strata", "to_label"),
)


#: What may be required of judges.
_REQUIRABLE = ("agreement", "kappa", "difference", "gain", "change")


@reads_labels(writes="judges")
def judge(
    reading: Reading,
    writing: Writing,
    judges: Annotated[
        list[str],
        typer.Option("--judge", help="Name of a judge among the annotators; may be repeated."),
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
        typer.Option(help="accuracy: labels agree if they are equal; rmse: by their distance."),
    ] = "accuracy",
    clusters: Annotated[
        str | None,
        typer.Option(
            help="Column or field of an item's cluster, such as its text: intervals and tests then "
            "allow for dependence within clusters."
        ),
    ] = None,
    shown_first: Annotated[
        str | None,
        typer.Option(
            help="Column or field of the answer that was shown first, where labels name the better "
            "of two answers."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Compare systems: the column or field of the system that gave an answer."
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="The system to compare with; by default all pairs are compared."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Compare systems by slice: a column, or a file of items and slices."),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(help="The category whose share is the score; by default the mean label."),
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(
            help="Bias by length: the column or field of an answer's length, or of the longer of "
            "two answers."
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            help="Self-preference: the column or field of the family of an answer's system."
        ),
    ] = None,
    own: Annotated[
        list[str] | None,
        typer.Option(help="A judge's family, such as gpt-4o=openai; by default its name."),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(help="Drift: the column of times or runs, or 'time' for an export."),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with status 3 unless the interval supports this: of each judge's agreement "
            "with humans, such as 'kappa>=0.6'; of its difference from the humans' own "
            "agreement, 'difference>=-0.05'; of a system's gain over the baseline, 'gain>=0'; "
            "of the latest change, 'change>=-0.1'."
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            help="Cost of a judge's label, such as gpt-4o=0.02; by default 1; may be repeated."
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(help="Budget per item: find the best jury within it; needs --gold."),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = DEFAULT_SEED,
) -> None:
    """Test whether a language model can replace annotators; write a page and tables.

    Example: annobench judge labels.csv --judge gpt-4o --judge llama --gold checked.csv
    """
    from annobench.core.times import parse_times
    from annobench.judges import assessment, at_work, split_judges
    from annobench.reporting import judge_at_work, judge_page, judge_sentences

    try:
        required = [Requirement.of(text, "judge", _REQUIRABLE) for text in require or ()]
        _refuse_idle(required, against, baseline, category, length, family, over)
        writing.check(["judges.html", *([RECORD] if required else [])], _TABLES)
        # A judge that was asked several times has several labels of an item.
        read, question = (reading, None) if against is None else reading.by_answer(against)
        selection = read.select(repeats="all", shown_first=shown_first, over=over)
        refuse_sets(selection, "judge")
        labels = selection.labels
        called = {name: selection.pseudonyms.get(name, name) for name in judges}
        names = [called[name] for name in judges]
        _refuse_without_humans(read, labels.annotators, names)
        costs = {called.get(name, name): price for name, price in _costs(cost or ()).items()}
        gold = read.gold(selection)
        end_trial(selection, lambda: split_judges(labels, names))

        def column(name: str | None, option: str) -> list[str] | None:
            return None if name is None else read.by_item(name, labels.items, option)

        groups = column(clusters or question, "--clusters" if clusters else "--item")
        found = assessment.assess(
            labels,
            names,
            gold=gold,
            epsilon=epsilon,
            score=score,
            clusters=groups,
            shown_first=selection.shown_first,
            costs=costs,
            budget=budget,
            level=level,
            rng=seed,
        )
        further = at_work.examine(
            labels,
            names,
            gold=found.gold,
            category=category,
            systems=column(against, "--against"),
            baseline=baseline,
            slices=_slices(read, selection, by),
            lengths=column(length, "--length"),
            families=column(family, "--family"),
            own=_families(own, judges, selection.pseudonyms),
            times=None
            if selection.times is None
            else parse_times(list(selection.times), f"--over {over}"),
            clusters=groups,
            level=level,
            rng=seed,
        )
        page = judge_page.render(
            found, source=reading.path.name, remarks=selection.said, further=further
        )
        written = writing.write("judges.html", page, found.tables | further.tables)
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)
    for text in judge_sentences.sentences(found):
        say(text)
    if found.jury is not None:
        say(found.jury.sentence())
    print_reading(selection)
    for text in judge_at_work.said_at_work(further):
        say(text)
    for text in (*found.remarks, *further.remarks):
        note(f"Note: {text}")
    say_written(writing.folder, written)
    if required:
        writing.record([RECORD])
        asked = {**reading.options, "score": score, "epsilon": epsilon, "level": level}
        at_work_ = {"against": against, "baseline": baseline, "category": category, "over": over}
        asked |= {name: value for name, value in at_work_.items() if value is not None}
        tables = found.tables | further.tables
        outcomes = [each for one in required for each in _outcomes(one, tables, names)]
        decide(outcomes, writing.folder, command="judge", data=reading.path, options=asked)


def _refuse_without_humans(
    reading: Reading, annotators: Sequence[str], judges: Sequence[str]
) -> None:
    """Refuse comparisons of models by the judges alone, and say how to rank the models."""
    format = reading.source.format
    if format is None or format.name != "comparisons":
        return
    # The games of a judge are several annotators.
    who, named = ({name.partition("/game ")[0] for name in names} for names in (annotators, judges))
    if not who - named or not named <= who:
        raise AnnotationError(
            f"{reading.path}: the comparisons are by {', '.join(map(repr, annotators[:5]))}; judge "
            f"needs {', '.join(map(repr, judges))} and humans who compared the same answers. To "
            f"rank the models: annobench rank {words(reading.path)}"
        )


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
                f"judge: --cost {text!r} is not a cost. Write judge=cost, such as gpt-4o=0.02."
            )
        if name in costs:
            raise AnnotationError(f"judge: --cost names {name!r} twice. Name each judge once.")
        costs[name] = price
    return costs


def _refuse_idle(
    required: list[Requirement],
    against: str | None,
    baseline: str | None,
    category: str | None,
    length: str | None,
    family: str | None,
    over: str | None,
) -> None:
    """Reject options that need another option."""
    if category is not None and {against, length, family, over} == {None}:
        raise AnnotationError(
            "judge: --category has no effect without --against, --length, --family or --over. "
            "Leave it out."
        )
    asked = {one.quantity for one in required}
    if "gain" in asked and baseline is None:
        raise AnnotationError(
            "judge: --require gain compares systems with a baseline. Name the column of systems "
            "with "
            "--against, and the baseline with --baseline."
        )
    if "change" in asked and over is None:
        raise AnnotationError(
            "judge: --require change compares a judge over time. Name the column of times with "
            "--over."
        )


def _families(
    own: list[str] | None, judges: Sequence[str], pseudonyms: Mapping[str, str]
) -> dict[str, str]:
    """Read the family of each judge."""
    found = {}
    for text in own or ():
        judge, equals, family = text.partition("=")
        if not (judge and equals and family):
            raise AnnotationError(
                f"judge: --own {text!r} does not name a judge and its family. Write --own "
                "gpt-4o=openai."
            )
        if judge not in judges:
            raise AnnotationError(
                f"judge: --own names {judge!r}, which is not a judge. Judges are "
                f"{', '.join(map(repr, judges))}. Correct the name."
            )
        found[pseudonyms.get(judge, judge)] = family
    return found


def _slices(reading: Reading, selection: Selection, by: str | None) -> list[str | None] | None:
    """Read the slice of each item."""
    if by is None:
        return None
    from annobench.io.reading import read_groups

    of, slices = read_groups(reading.source, by, selection)
    if of != "items":
        raise AnnotationError(
            f"judge: --by {by} describes annotators. Name a column that describes items."
        )
    return slices


def _outcomes(
    required: Requirement, tables: Mapping[str, pd.DataFrame], judges: list[str]
) -> list[Outcome]:
    """Look up each judge's results: agreement, systems' gains or change."""
    import pandas as pd

    columns = ("estimate", "lower", "upper")
    if required.quantity == "gain":
        found = tables["differences"]
        found = found.assign(of=[f"{row.system} over {row.baseline}" for row in found.itertuples()])
    elif required.quantity == "change":
        found = tables["drift"]
        found = found[found["measure"].eq("agreement") & found["contrast"].eq("latest")]
    else:
        is_difference = required.quantity == "difference"
        column = "difference" if is_difference else "human_judge"
        columns = (column, f"{column}_lower", f"{column}_upper")
        found = tables.get("agreement", pd.DataFrame(columns=["judge", "measure", "category"]))
        measure = "agreement" if is_difference else required.quantity
        found = found[found["measure"].eq(measure) & found["category"].isin(["", None])]
    outcomes = []
    for name in judges:
        rows = found[found["judge"].eq(name)].to_dict("records")
        # What could not be estimated is not supported.
        for row in rows or [dict.fromkeys(columns, math.nan)]:
            of = f"{row['of']}, by {name}" if "of" in row else name
            values = (float(row[column]) for column in columns)
            outcomes.append(Outcome(required.quantity, required.least, of, *values))
    return outcomes
