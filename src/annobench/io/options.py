"""Which reading options apply to which kind of source; others are rejected."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from annobench.core.choices import Empty, Scale
from annobench.core.errors import AnnotationError

__all__ = ["LABELS", "READING", "TABLES", "Option"]

#: What counts as an annotator, in formats with a choice.
AnnotatorFrom = Literal["person", "file", "session"]
GoldItems = Literal["leave-out", "use"]
Repeats = Literal["error", "first", "last", "all"]
Function = TypeVar("Function", bound=Callable[..., Any])

#: What labels may be kept in, and what messages call it.
SOURCES: dict[str, str] = {
    "long": "a table with one row per label",
    "wide": "a table with a column, or a folder with a file, for each annotator",
    "export": "an export of labels",
    "spans": "marked spans",
    "partitions": "a folder of partitions",
}

TABLES = "long wide"
LABELS = f"{TABLES} export"
IN_MEMORY = f"{LABELS} spans partitions"


class Option(NamedTuple):
    """Where an option applies.

    Attributes
    ----------
    inputs : str
        What it has an effect on: keys of `SOURCES`, or others that a command has, with spaces.
    does : str
        What it does, for messages.
    needs : tuple of str
        The name and value of an option without which it has no effect, the value empty for any;
        empty for none.
    excludes : str
        An option with which it has no effect; empty for none.
    """

    inputs: str
    does: str
    needs: tuple[str, ...] = ()
    excludes: str = ""


def _metadata(help: str, inputs: str = "", does: str = "") -> dict[str, Any]:
    """Describe an option; with inputs it is one of the command line, too."""
    return {"help": help, "option": Option(inputs, does) if inputs else None}


@dataclass(frozen=True)
class Options:
    """How a source is read, and which of its answers become labels.

    The parameters of `select_labels`, their documentation, the options of the commands and the
    refusals of options without effect follow from this declaration.
    """

    item: str | None = field(
        default=None,
        metadata=_metadata(
            "Column of the items, or several separated by commas.",
            TABLES,
            "names the column of the items",
        ),
    )
    annotator: str | None = field(
        default=None,
        metadata=_metadata(
            "Column of the annotators.", TABLES, "names the column of the annotators"
        ),
    )
    annotators: tuple[str, ...] = field(
        default=(),
        metadata=_metadata(
            "Columns of the annotators; of several columns each, what their names have in common.",
            "wide",
            "names the columns of the annotators",
        ),
    )
    transpose: bool = field(
        default=False,
        metadata=_metadata(
            "Rows are annotators and columns are items.",
            "wide",
            "reads a row as an annotator and a column as an item",
        ),
    )
    counts: bool = field(
        default=False,
        metadata=_metadata(
            "Cells say how many annotators chose each category.",
            "wide",
            "reads cells as numbers of annotators",
        ),
    )
    weight: str | None = field(
        default=None,
        metadata=_metadata(
            "Column with the number of items per row.",
            "wide",
            "names the column of how many items a row stands for",
        ),
    )
    sheet: str | None = field(
        default=None,
        metadata=_metadata("Sheet of a workbook.", LABELS, "names the sheet of a workbook"),
    )
    header_rows: int | None = field(
        default=None,
        metadata=_metadata(
            "Rows of the header, below titles.", LABELS, "says how many rows the header has"
        ),
    )
    label: str | None = field(
        default=None,
        metadata=_metadata("Column of the labels.", "long", "names the column of the labels"),
    )
    question: str | None = field(
        default=None,
        metadata=_metadata(
            "The question whose answers are the labels; see `annobench inspect`.",
            "wide export spans",
            "chooses a question or a layer of spans",
        ),
    )
    annotator_from: AnnotatorFrom | None = field(
        default=None,
        metadata=_metadata(
            "What counts as an annotator of an export; the default depends on the format.",
            "export spans",
            "says who counts as an annotator of an export",
        ),
    )
    status: tuple[str, ...] = field(
        default=("done",),
        metadata=_metadata(
            "Statuses of work to include: done, rejected, skipped, unfinished, curated.",
            "export spans",
            "chooses by how far the work came in an annotation tool",
        ),
    )
    repeats: Repeats = field(
        default="error",
        metadata=_metadata(
            "What to do if an annotator labelled an item more than once.",
            IN_MEMORY,
            "says what to do with repeated labels",
        ),
    )
    gold_items: GoldItems = field(
        default="leave-out",
        metadata=_metadata(
            "What to do with items mixed in to check annotators.",
            "export",
            "says what to do with the control items of an export",
        ),
    )
    empty: Empty = field(
        default="missing",
        metadata=_metadata(
            "How to treat items left blank: as missing, or as a category.",
            "long export",
            "says what it means that an annotator chose nothing",
        ),
    )
    missing: tuple[str, ...] = field(
        default=(),
        metadata=_metadata(
            "Codes for missing labels, such as 99 and NA.", LABELS, "names codes for missing labels"
        ),
    )
    text: str | None = field(
        default=None,
        metadata=_metadata(
            "Column or field of what annotators saw.", LABELS, "names what annotators saw"
        ),
    )
    gold: str | None = field(
        default=None,
        metadata=_metadata(
            "Column of known categories.", f"{IN_MEMORY} dask", "names known categories"
        ),
    )
    format: str | None = field(
        default=None,
        metadata=_metadata(
            "Format of the file, if it is ambiguous.",
            f"{LABELS} spans",
            "names the format of a file",
        ),
    )
    keep_names: bool = field(
        default=False,
        metadata=_metadata(
            "Keep people's names and e-mail addresses.",
            IN_MEMORY,
            "keeps names that become pseudonyms",
        ),
    )
    shown_first: str | None = field(
        default=None,
        metadata=_metadata(
            "For comparisons of two answers, column or field of the answer that was shown first."
        ),
    )
    over: str | None = field(
        default=None,
        metadata=_metadata(
            'Column of the time of each label; "time" for usual names, and in an export.'
        ),
    )
    categories: Iterable[object] | None = field(
        default=None,
        metadata=_metadata("All categories in order; by default as declared in the file."),
    )
    scale: Scale | None = field(
        default=None,
        metadata=_metadata(
            "Scale of the labels; by default as declared in the file, or set if several options "
            "can be chosen, interval for ratings, and otherwise nominal.",
        ),
    )

    people: tuple[str, ...] = field(
        default=(),
        metadata=_metadata("Annotators: a column called so is one of theirs, whatever it holds."),
    )

    def __post_init__(self) -> None:
        """Keep collections as tuples."""
        for name in LISTS:
            if not isinstance(words := getattr(self, name), str):
                object.__setattr__(self, name, tuple(words))

    @property
    def roles(self) -> dict[str, str | None]:
        """The columns of a table with a row per label, where they are named."""
        return {"item": self.item, "annotator": self.annotator, "label": self.label}

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}


#: Names of the parameters of commands that differ from those of options.
PARAMETERS = {"format": "from_format"}

#: Options that are collections.
LISTS = {"annotators", "status", "missing", "people"}

#: The options of reading that commands share, by the names of their parameters there.
READING: Mapping[str, Option] = {
    **{
        PARAMETERS.get(each.name, each.name): each.metadata["option"]
        for each in fields(Options)
        if each.metadata["option"] is not None
    },
    "spans": Option("spans", "makes items of marked spans"),
    "key": Option(IN_MEMORY, "writes the names behind pseudonyms", excludes="keep_names"),
}


#: The parameter in whose place the options are documented, with one line about it.
_PLACE = re.compile(r"^\*\*\w+\n    [^\n]*", re.MULTILINE)


def takes_options(*names: str) -> Callable[[Function], Function]:
    """Give a function with `**options` a signature and documentation of each.

    Parameters
    ----------
    *names : str
        Names of the options; all by default.
    """
    hints = get_type_hints(Options)
    options = [each for each in fields(Options) if each.name in names or not names]

    def decorated(function: Function) -> Function:
        signature = inspect.signature(function)
        before = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        keywords = [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=each.type,
            )
            for each in options
        ]
        described = {
            f"{each.name} : {_described(hints[each.name], each.default)}": each.metadata["help"]
            for each in options
        }
        lines = [
            f"{name}\n{textwrap.indent(textwrap.fill(help, 88), ' ' * 4)}"
            for name, help in described.items()
        ]
        parameters = [*before, *keywords]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        if function.__doc__:
            text = inspect.cleandoc(function.__doc__)
            function.__doc__ = _PLACE.sub(lambda _: "\n".join(lines), text)
        return function

    return decorated


def _described(hint: Any, default: Any) -> str:
    """Return a parameter's type and default as numpydoc writes them."""
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    if all(isinstance(kind, str) for kind in kinds) and kinds:
        return f"{{{', '.join(map(json.dumps, kinds))}}}, default {json.dumps(default)}"
    if hint is bool:
        return f"bool, default {default}"
    [kind] = kinds[:1]
    if kind is str and get_origin(hint) is tuple:
        return (
            "collection of str, optional"
            if not default
            else f"collection of str, default {default}"
        )
    if get_args(kind):
        literals = all(isinstance(word, str) for word in get_args(kind))
        words = f"{{{', '.join(map(json.dumps, get_args(kind)))}}}" if literals else "iterable"
        return f"{words}, optional"
    return f"{kind.__name__}, optional"


def refuse_idle_options(
    called: str,
    source: str,
    given: Mapping[str, Any],
    *,
    options: Mapping[str, Option] = READING,
    sources: Mapping[str, str] = SOURCES,
) -> None:
    """Reject options that have no effect on the source or with the other options."""
    for name, option in options.items():
        if name not in given:
            continue
        idle = ""
        needed, value = option.needs or ("", "")
        if needed not in given and needed and not value:
            idle = f"without {written(needed)}"
        elif source not in option.inputs.split():
            idle = f"on {sources[source]}"
        elif value and given.get(needed) != value:
            idle = f"without {written(needed)} {value}"
        elif option.excludes in given:
            idle = f"with {written(option.excludes)}"
        if idle:
            raise AnnotationError(
                f"{called}: {written(name)} has no effect {idle}: it {option.does}. Leave it out."
            )


def written(name: str) -> str:
    """Return an option as it is written, by the name of its parameter."""
    return f"--{ {'from_format': 'from', 'judges': 'judge'}.get(name, name).replace('_', '-') }"
