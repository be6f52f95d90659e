"""Which options of a command apply to which input; others are rejected."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

from annobench.io.options import IN_MEMORY, LABELS, READING, SOURCES, Option, written

#: What a command reads, and what messages call it.
INPUTS: Mapping[str, str] = SOURCES | {
    "dask": "a folder of partitions on Dask's workers",
    "datasets": "the library's data sets",
    "checked": "checked items",
}

_ALL = f"{IN_MEMORY} dask"


_NAMES = ("keep_names", "key")
_CHECKED = ("checked", "")
#: Of commands that compare nothing with gold.
_GOLD = Option("wide", "names the column of known categories, which is not an annotator")
_ENGINE = {
    "engine": Option(
        "partitions dask", "says where a folder of `annobench partition` is processed"
    ),
    "scheduler": Option("dask", "names Dask's scheduler"),
}

#: Commands that take one label of an item from an annotator, and never all.
ONE_LABEL = ("report", "certificate", "plan")

#: The options of reading that a command makes no use of, and its own options.
COMMANDS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Option]]] = {
    "report": (
        (),
        {
            "gold": _GOLD,
            "scale": Option(LABELS, "says what labels mean"),
            "order": Option(LABELS, "orders the categories"),
            "separator": Option(LABELS, "splits labels into sets", needs=("scale", "set")),
            "target": Option(f"{LABELS} partitions", "is the target for alpha"),
            "over": Option("long export", "names the column of times"),
            "by": Option(LABELS, "names groups of items or annotators"),
            "require": Option(f"{LABELS} partitions", "is a value that the interval must support"),
            "level": Option(_ALL, "is the level of the intervals"),
            "seed": Option(_ALL, "bootstraps the intervals"),
            **_ENGINE,
        },
    ),
    "consensus": (
        (),
        {
            "model": Option(_ALL, "chooses the model"),
            "option": Option(_ALL, "is an option of the model"),
            "categories": Option(LABELS, "lists the categories"),
            "replicates": Option(IN_MEMORY, "sets the number of bootstrap samples"),
            "sets": Option(IN_MEMORY, "adds sets of categories"),
            "sets_by_category": Option(IN_MEMORY, "makes sets hold for each category"),
            "predictions": Option(IN_MEMORY, "names a file of a classifier's probabilities"),
            "seed": Option(_ALL, "is the seed of random draws"),
            "resume": Option("dask", "resumes an interrupted fit"),
            **_ENGINE,
        },
    ),
    "certificate": (
        _NAMES,
        {
            "gold": Option(LABELS, "names the known categories"),
            "guess_distribution": Option(IN_MEMORY, "is the probability of a guess"),
            "min_agreement": Option(IN_MEMORY, "says which items are retained"),
            "model": Option(IN_MEMORY, "chooses the model"),
            "easy_rate": Option(IN_MEMORY, "says which labels are guesses"),
            "threshold": Option(LABELS, "splits numeric labels"),
            "level": Option(IN_MEMORY, "is the level of the certificate"),
        },
    ),
    "audit": (
        _NAMES,
        {
            "gold": _GOLD,
            "checks": Option(IN_MEMORY, "is the number of items to draw"),
            "checked": Option("checked", "names the checked items"),
            "model": Option(IN_MEMORY, "chooses the model by which items are drawn"),
            "error_rate": Option("checked", "is the largest share of errors to release", _CHECKED),
            "confidence": Option("checked", "is the confidence of a release", _CHECKED),
            "level": Option("checked", "is the level of the intervals", _CHECKED),
            "seed": Option(f"{IN_MEMORY} checked", "is the seed of random draws"),
        },
    ),
    "plan": (
        ("text", *_NAMES),
        {
            "half_width": Option(IN_MEMORY, "is the half width of the intervals"),
            "difference": Option(IN_MEMORY, "is the difference to detect"),
            "error_rate": Option(IN_MEMORY, "is the largest share of errors to release"),
            "accuracy": Option(IN_MEMORY, "is the expected accuracy", excludes="gold"),
            "items": Option(IN_MEMORY, "is the number of items of the project"),
            "coefficient": Option(IN_MEMORY, "chooses the coefficient of agreement"),
            "category": Option(IN_MEMORY, "chooses the category"),
            "price_label": Option(IN_MEMORY, "is the price of a label"),
            "price_check": Option(IN_MEMORY, "is the price of a check"),
            "price_item": Option(IN_MEMORY, "is the price of an item"),
            "currency": Option(IN_MEMORY, "is written after amounts"),
            "model": Option(IN_MEMORY, "chooses the model"),
            "level": Option(IN_MEMORY, "is the level of intervals"),
            "power": Option(IN_MEMORY, "is the power of tests"),
            "seed": Option(IN_MEMORY, "is the seed of random draws"),
        },
    ),
    "judge": (
        ("text",),
        {
            "judges": Option(IN_MEMORY, "names a judge"),
            "epsilon": Option(IN_MEMORY, "is the margin of the test"),
            "score": Option(IN_MEMORY, "says when labels agree"),
            "clusters": Option(LABELS, "names what items belong to"),
            "shown_first": Option("long export", "names the answer shown first"),
            "against": Option(LABELS, "names the system that gave an answer"),
            "baseline": Option(LABELS, "is the system to compare with", needs=("against", "")),
            "by": Option(LABELS, "names slices of the items", needs=("against", "")),
            "category": Option(LABELS, "is the category whose share is the score"),
            "length": Option(LABELS, "names the length of an answer"),
            "family": Option(LABELS, "names the family of an answer's system"),
            "own": Option(LABELS, "names the family of a judge", needs=("family", "")),
            "over": Option("long export", "names the column of times"),
            "require": Option(IN_MEMORY, "is a value that the interval must support"),
            "cost": Option(IN_MEMORY, "is the cost of a judge's label"),
            "budget": Option(IN_MEMORY, "is the budget for the labels of an item"),
            "level": Option(IN_MEMORY, "is the level of the intervals"),
            "seed": Option(IN_MEMORY, "is the seed of random draws"),
        },
    ),
    "convert": (
        ("text",),
        {"gold": _GOLD, "ledger": Option(IN_MEMORY, "names the file of the ledger")},
    ),
    "compare": (
        ("text", *_NAMES),
        {
            "methods": Option(f"{IN_MEMORY} datasets", "names your methods"),
            "program": Option(f"{IN_MEMORY} datasets", "names a program"),
            "data": Option("datasets", "names data sets"),
            "against": Option(f"{IN_MEMORY} datasets", "names models of the library"),
            "limit": Option(f"{IN_MEMORY} datasets", "is the time limit of a fit"),
            "replicates": Option(f"{IN_MEMORY} datasets", "is the number of bootstrap samples"),
            "seed": Option(f"{IN_MEMORY} datasets", "is the seed of random draws"),
            "export": Option(f"{IN_MEMORY} datasets", "names a file for the answers"),
            "author": Option(f"{IN_MEMORY} datasets", "says who made the answers"),
        },
    ),
}


def options_of(command: str) -> dict[str, Option]:
    """Return the options of a command that apply to some inputs only, by name."""
    unused, own = COMMANDS[command]
    return {name: option for name, option in READING.items() if name not in unused} | dict(own)


def typed_options(context: Any) -> dict[str, list[str]]:
    """Return the reading options, each as typed."""
    return {
        name: [written(name), *([] if value is True else [str(value)])]
        for name, value in context.params.items()
        if name in READING
        and name != "key"
        and (source := context.get_parameter_source(name))
        and source.name != "DEFAULT"
    }


def as_typed(message: str, command: str = "") -> str:
    """Write the parameters that a message of the library names as options of a command.

    What the message quotes stays as it is, and what is typed already.
    """
    own_options = COMMANDS.get(command, ((), {}))[1]

    def option(match: re.Match[str]) -> str:
        if not (name := match["assigned"] or match["named"]):
            return match[0]
        value = (match["value"] or "").strip("\"'").removesuffix("True")
        if name == "categories" and name not in own_options and "order" in own_options:
            name = "order"
        return written("from_format" if name == "format" else name) + (
            f" {shlex.quote(value)}" if value else ""
        )

    return _parameters().sub(option, message)


@cache
def _parameters() -> re.Pattern[str]:
    of_rank = ("left", "right", "winner")
    own = (name for _, own in COMMANDS.values() for name in own)
    names = {"out", "format", *of_rank, *READING, *own}
    quoted = r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)"""
    assigned = r"""(?P<value>"[^"]*"|'[^']*'|[\w.]*\w(?![\w/\\]))?"""
    # Those of one word are words of the sentence, too.
    named = "|".join(sorted(name for name in names if "_" in name))
    return re.compile(
        rf"{quoted}|--[\w-]+ \w+=\S*"
        rf"|(?<![\w/\\.-])(?:(?P<assigned>{'|'.join(sorted(names))})={assigned}"
        rf"|(?P<named>{named})(?![\w/\\=(-]|\.\w))"
    )
