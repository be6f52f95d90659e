"""The command `consensus`."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annobench.cli._reading import Reading, print_reading, reads_labels, refuse_sets
from annobench.cli._shared import fail, listed, note, say, say_written, terminal
from annobench.cli._trials import end_trial
from annobench.cli._writing import Writing
from annobench.cli.partition import EngineOption, Scheduler, consensus_of_partitions
from annobench.core.choices import DEFAULT_MODEL, DEFAULT_SEED
from annobench.core.errors import AnnotationError
from annobench.core.texts import counted

if TYPE_CHECKING:
    import pandas as pd

#: Rows shown at most: categories, annotators, and items whose labels are overruled.
_SHOWN = 10

#: Kinds of a model's options that can be told from what is typed.
_SIMPLE = {"bool", "float", "int", "None"}
#: Options of models that the command has itself.
_ELSEWHERE = {"gold": "--gold", "predictions": "--predictions", "rng": "--seed"}


@reads_labels(writes="consensus")
def consensus(
    reading: Reading,
    writing: Writing,
    model: Annotated[
        str, typer.Option(help="Name of the model; an unknown name lists all.")
    ] = DEFAULT_MODEL,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="An option of the model, such as draws=2000 or smoothing=0.1; may be repeated. An "
            "unknown name lists all."
        ),
    ] = None,
    categories: Annotated[
        str | None,
        typer.Option(
            help="All categories in order, separated by commas, including unused ones: no,yes. Of "
            "two, the second is the positive category."
        ),
    ] = None,
    replicates: Annotated[
        int | None,
        typer.Option(min=0, help="Bootstrap samples for intervals, by default 200; 0 for none."),
    ] = None,
    sets: Annotated[
        float | None,
        typer.Option(
            help="Add a set of categories for each item that contains its category with this "
            "probability, such as 0.9; conformal with --gold, otherwise valid if the model is."
        ),
    ] = None,
    sets_by_category: Annotated[
        bool,
        typer.Option(
            "--sets-by-category",
            help="Make the probability of --sets hold for the items of each category, not only on "
            "average; needs --gold.",
        ),
    ] = False,
    predictions: Annotated[
        Path | None,
        typer.Option(
            help="A classifier's probabilities, one row per item and one column per category: "
            "another member of --model pool, weighted by --gold."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of all draws; by default 20081.")
    ] = None,
    engine: EngineOption = "auto",
    scheduler: Scheduler = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume a fit on Dask that was interrupted.")
    ] = False,
) -> None:
    """Estimate each item's category, with its probability, and each annotator's accuracy.

    Example: annobench consensus labels.csv --model mace --categories no,yes
    """
    from annobench import models
    from annobench.aggregation import consensus as consensus_of
    from annobench.io.predictions import read_predictions
    from annobench.reporting import consensus_page, report_page
    from annobench.reporting.formats import extent_of

    try:
        _refuse_predictions(model, predictions, reading.gold_from)
        if sets_by_category and (sets is None or reading.gold_from is None):
            raise AnnotationError(
                "consensus: --sets-by-category has no effect without --sets and --gold. Give both, "
                "or leave it out."
            )
        partitions = reading.partitions(engine)
        _refuse_idle_draws(model, seed, replicates, reading.gold_from, on_dask=bool(partitions))
        rng = DEFAULT_SEED if seed is None else seed
        if partitions:
            consensus_of_partitions(
                partitions,
                writing,
                gold=None if reading.gold_from is None else Path(reading.gold_from),
                scheduler=scheduler,
                resume=resume,
                model=model,
                rng=rng,
                **_options(option or [], model),
            )
            return
        writing.check(["consensus.html", *consensus_of.PICTURES], consensus_of.TABLES)
        selection = reading.select(repeats="all", categories=listed(categories))
        annotations = selection.labels
        refuse_sets(selection, "consensus")
        end_trial(selection, lambda: models.get(model).METHOD.check(annotations))
        options = _options(option or [], model)
        if predictions is not None:
            options["predictions"] = read_predictions(predictions, item=reading.source.options.item)
        with terminal(stderr=True).status("Fitting"):
            found = consensus_of.consensus(
                annotations,
                model=model,
                rng=rng,
                replicates=200 if replicates is None else replicates,
                gold=reading.gold(selection),
                sets=sets,
                sets_by_category=sets_by_category,
                **options,
            )
        page = consensus_page.render(
            found,
            annotations,
            source=reading.path.name,
            remarks=selection.said,
            texts=selection.texts,
            commands=reading.for_commands(report_page.FOLLOWING),
        )
        written = writing.write("consensus.html", page, found.tables())
        written += consensus_of.draw(found, writing.folder)
        writing.record(consensus_of.PICTURES)
    except (ValueError, OSError) as error:
        fail(error)
    print_reading(selection)
    say(
        f"{extent_of(annotations)}, by {models.get(model).METHOD.title or model}\n"
        f"{_tied(int(found.items['tied_vote'].sum()))}; {found.certainty}"
    )
    if len(found.overruled):
        say(_overruled(found.overruled))
    _say_estimates(found.prevalence, "category", "prevalence", ("lower95", "upper95"))
    if "accuracy" in found.annotators:
        known = found.annotators.dropna(subset="accuracy").sort_values("accuracy", kind="stable")
        ends = ("accuracy_lower95", "accuracy_upper95")
        _say_estimates(known, "annotator", "accuracy", ends)
        if (n := len(known) - _SHOWN) > 0:
            have = "has" if n == 1 else "have"
            say(f"{counted(n, 'more annotator')} {have} a higher accuracy, see annotators")
    if found.sets is not None:
        say(f"{found.sets._headline()}. {found.sets.promise}")
    if found.gold is not None:
        say(f"gold: {found.gold._headline()}")
        if found.gold.calibration is not None:
            say(f"calibration: {found.gold.calibration._headline()}")
    if found.predictions is not None:
        say(f"predictions: {found.predictions._headline()}")
    for text in found.remarks:
        note(f"Note: {text}")
    say_written(writing.folder, written)


def _refuse_predictions(model: str, predictions: Path | None, gold: str | None) -> None:
    """Reject predictions that the model cannot use, or without gold categories."""
    if predictions is None:
        return
    if model != "pool":
        raise AnnotationError(
            f"consensus: --predictions has no effect on {model}. Use --model pool, or leave it out."
        )
    if gold is None:
        raise AnnotationError(
            "consensus: --predictions needs --gold. Labels alone cannot show how accurate a "
            "classifier is, as it may have been trained on them. Give the categories of some items "
            "on which it was not trained."
        )


def _refuse_idle_draws(
    model: str, seed: int | None, replicates: int | None, gold: str | None, *, on_dask: bool
) -> None:
    """Reject a number of bootstrap samples, or a seed, where nothing is drawn."""
    from annobench import models

    method = models.get(model).METHOD
    offers_bootstrap = "bootstrap" in method.offers
    if replicates is not None and not offers_bootstrap:
        raise AnnotationError(
            f"consensus: --replicates has no effect on {model}, which has no bootstrap. "
            "Leave it out."
        )
    # In memory gold categories are held out in folds, which are drawn.
    in_memory = (offers_bootstrap and replicates != 0) or gold is not None
    if seed is not None and method.deterministic and (on_dask or not in_memory):
        raise AnnotationError(
            f"consensus: --seed has no effect on {model} here, as nothing is drawn. Leave it out."
        )


def _say_estimates(table: pd.DataFrame, of: str, what: str, ends: tuple[str, str]) -> None:
    """Print the first rows of a table, each with its interval if it has one."""
    shown = table.reindex(columns=[of, what, *ends]).head(_SHOWN)
    for name, estimate, lower, upper in shown.itertuples(index=False):
        interval = "" if math.isnan(lower) else f" (95% interval {lower:.3f} to {upper:.3f})"
        say(f"{what} of {name!r}: {estimate:.3f}{interval}")


def _tied(n: int) -> str:
    return "1 item has tied votes" if n == 1 else f"{n:,} items have tied votes"


def _overruled(items: pd.DataFrame) -> str:
    """Name the items whose category differs from their most frequent label."""
    votes = [name for name in map(str, items.columns) if name.startswith("votes_")]
    named = []
    for row in items.head(_SHOWN).to_dict("records"):
        given = sorted(((row[name], name) for name in votes if row[name]), reverse=True)
        shown = ", ".join(f"{n} {name.removeprefix('votes_')!r}" for n, name in given)
        named.append(
            f"{row['item']!r} ({shown}; category {row['category']!r}, {row['probability']:.3f})"
        )
    n = len(items)
    more = f" and {n - _SHOWN:,} more, see overruled in items" if n > _SHOWN else ""
    return (
        f"For {counted(n, 'item')} the model disagrees with the majority: {', '.join(named)}{more}"
    )


def _options(texts: list[str], model: str) -> dict[str, Any]:
    """Read options of a model: numbers, true, false and null as in JSON, all else as text."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise AnnotationError(
                f"consensus: --option {text!r} has no value. Write name=value, such as draws=2000."
            )
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    _check_kinds(options, model)
    return options


def _check_kinds(options: Mapping[str, Any], model: str) -> None:
    """Refuse options of a model that are of another kind than it takes, or have an option here."""
    from annobench import models

    taken = inspect.signature(models.get(model).fit).parameters
    for name, value in options.items():
        if name in taken and name in _ELSEWHERE:
            raise AnnotationError(
                f"consensus: --option {name} has an option of its own. Use {_ELSEWHERE[name]}."
            )
        kinds = set(re.findall(r"\w+", str(taken[name].annotation))) if name in taken else set()
        if not kinds & _SIMPLE or not kinds <= {*_SIMPLE, "ArrayLike"}:
            continue
        given = "None" if value is None else type(value).__name__
        is_list = given == "list" and "ArrayLike" in kinds
        if given in kinds or is_list or (given == "int" and "float" in kinds):
            continue
        wanted = "true or false" if "bool" in kinds else "a whole number"
        raise AnnotationError(
            f"consensus: --option {name}={json.dumps(value)} is not "
            f"{'a number' if 'float' in kinds else wanted}, as {model} needs. Correct it."
        )
