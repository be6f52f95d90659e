"""The options shared by all commands that read labels, and the labels that they select."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin, get_type_hints

import typer

from annobench.cli._layers import layer_of, select_items
from annobench.cli._memory import refuse_too_many_labels
from annobench.cli._options import COMMANDS, INPUTS, ONE_LABEL, options_of, typed_options
from annobench.cli._proposals import words
from annobench.cli._replacing import ForceOption, refuse_to_replace
from annobench.cli._running import trying
from annobench.cli._shared import fail, is_verbose, listed, note
from annobench.cli._writing import TableFormat, Writing
from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.files import replacing
from annobench.io.options import LISTS, PARAMETERS, READING, Options, refuse_idle_options, written

if TYPE_CHECKING:
    from annobench.io import Selection
    from annobench.io.formats.layers import LayerSelection
    from annobench.io.source import Source
    from annobench.scale._blocks import BlockedLabels
    from annobench.scale._sources import Engine

_READING = "Reading labels"


@dataclass(frozen=True)
class Reading:
    """A file of labels and the options with which to read it.

    Attributes
    ----------
    path : Path
        The file or folder.
    command : str
        Name of the command that reads it.
    options : dict
        Options of `annobench.io.select_labels`.
    gold_from : str or None
        Source of the gold categories: a file, a column, or "export".
    key : Path or None
        File for the names behind pseudonyms.
    spans : {"tokens", "candidates"} or None
        What an item is, if spans are marked.
    typed : mapping of str to (list of str)
        The reading options, each as typed.
    people : tuple of str
        The annotators that the command names.
    """

    path: Path
    command: str
    options: dict[str, Any]
    gold_from: str | None = None
    key: Path | None = None
    spans: Literal["tokens", "candidates"] | None = None
    typed: Mapping[str, list[str]] = field(default_factory=dict)
    people: tuple[str, ...] = ()

    def for_command(self, command: str) -> str:
        """Return the command line of another command that reads the labels in the same way."""
        known = options_of(command)
        given = [word for name, own in self.typed.items() if name in known for word in own]
        return f"annobench {command} {words(self.path, given)}"

    def for_commands(self, commands: Iterable[str]) -> dict[str, str]:
        """Return the command lines of several commands for these labels."""
        return {command: self.for_command(command) for command in commands}

    @cached_property
    def source(self) -> Source:
        """The file or folder, recognised."""
        from annobench.io.source import Source

        source = Source.of(self.path, **self.options, people=self.people)
        if source.partitions is None:
            refuse_too_many_labels(source, self.command)
        return source

    def partitions(self, engine: Engine) -> BlockedLabels | None:
        """Return the partitions, if Dask's workers are to process them."""
        from annobench.scale._sources import blocks_of

        return blocks_of(self.source.partitions or self.path, engine)

    def layer(self) -> LayerSelection | None:
        """Read the layer of spans, if one is requested and is not converted to items."""
        return None if self.spans is not None else layer_of(self.source, **self._of_layer)

    @property
    def _of_layer(self) -> dict[str, Any]:
        return {name: self.options[name] for name in ("status", "repeats") if name in self.options}

    @property
    def stem(self) -> str:
        """The name of the file without its ending."""
        return self.path.resolve().name if self.path.is_dir() else self.path.stem

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files and folders that are read."""
        known = None if self.gold_from is None else Path(self.gold_from)
        return (self.path, known) if known is not None and known.is_file() else (self.path,)

    def folder(self, out: Path | None, what: str) -> Path:
        """Return the folder to write to."""
        beside = self.path.resolve() if self.path.is_dir() else self.path
        return beside.with_name(f"{self.stem}_{what}") if out is None else out

    def select(
        self,
        *,
        repeats: str = "error",
        categories: Iterable[object] | None = None,
        scale: Scale | None = None,
        doubts: bool = True,
        shown_first: str | None = None,
        over: str | None = None,
    ) -> Selection:
        """Read the labels."""
        from annobench.io.reading import select
        from annobench.labels.doubts import doubtful_categories

        source = self.source.asking(shown_first=shown_first, over=over)
        if source.partitions is not None:
            refuse_too_many_labels(source, self.command)
        if self.spans is not None:
            found = select_items(source, self.spans, **self._of_layer)
            self.write_key(found.pseudonyms)
            return found
        repeats = self.options.get("repeats", repeats)
        found = select(source, categories=categories, scale=scale, repeats=repeats)
        self.write_key(found.pseudonyms)
        if "repeats" not in self.options:  # the command's own choice needs no remark
            idle = f"--repeats {repeats} changes nothing."
            found = replace(
                found, remarks=tuple(text for text in found.remarks if not text.endswith(idle))
            )
        if self.path.with_name("meta.json").is_file():
            from annobench import datasets

            found = replace(found, remarks=(*datasets.said_of_table(self.path), *found.remarks))
        if not doubts:
            return found
        return replace(found, remarks=(*found.remarks, *doubtful_categories(found.labels)))

    def by_answer(self, system: str) -> tuple[Reading, str | None]:
        """Return the reading whose items are answers, and the column of the answered items.

        If several systems answered an item of a table with one row per label, item and system
        together identify an answer. Otherwise items are answers already, and the column is None.
        """
        from annobench.io.long import groups_of_rows

        table = self.source.export.table
        if table is None:
            return self, None
        columns = {role: getattr(self.source.options, role) for role in ("item", "annotator")}
        chosen = table.choose(columns)
        try:
            known = groups_of_rows(table, system, columns)
        except ReaderError as error:
            raise ReaderError(str(error).replace("--by", "--against")) from error
        if known["items"] or chosen.parts:
            return self, None
        item = chosen.roles["item"]
        return replace(self, options=self.options | {"item": f"{item},{system}"}), item

    def by_item(self, column: str, items: Iterable[str], option: str) -> list[str]:
        """Read a column or field that describes items."""
        try:
            source = self.source.asking(text=column)
            if self.spans is None:
                values = source.export.texts
            else:
                values = select_items(source, self.spans, **self._of_layer).texts
        except (AnnotationError, ReaderError) as error:
            raise AnnotationError(str(error).replace("--text", option)) from error
        items = list(items)
        without = [name for name in items if name not in values]
        if without:
            raise AnnotationError(
                f"{option} {column}: {len(without):,} of {len(items):,} items have no value there, "
                f"such as {without[0]!r}. Give every item one."
            )
        return [values[name] for name in items]

    def gold(self, selection: Selection) -> dict[str, str] | None:
        """Read the gold categories."""
        from annobench.io.reading import read_known_gold

        if self.gold_from is None:
            return None
        return read_known_gold(self.source, self.gold_from, selection=selection)

    def write_key(self, pseudonyms: Mapping[str, str]) -> None:
        """Write the names behind pseudonyms, if requested."""
        import csv

        if self.key is None or trying.get():
            return
        if not pseudonyms:
            note(f"Note: {self.key} is empty, as no name was replaced by a pseudonym.")
        with replacing(self.key) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("pseudonym", "name"))
            writer.writerows((new, name) for name, new in pseudonyms.items())


def reads_labels(
    command: Callable[..., None] | None = None, *, optional: bool = False, writes: str | None = None
) -> Callable[..., Any]:
    """Give a command the argument and options for reading labels."""
    if command is None:
        return functools.partial(reads_labels, optional=optional, writes=writes)

    @functools.wraps(command)
    def wrapped(context: typer.Context, **given: Any) -> None:
        own = {name: given.pop(name) for name in list(given) if name in names}
        writing = {name: given.pop(name) for name in _OUTPUT if name in given}
        reading = _reading(given, command.__name__, context)
        _refuse_idle_options(reading, command.__name__, context)
        force = writing.get("force", own.get("force", False))
        if reading is not None and reading.key is not None:
            try:
                refuse_to_replace(
                    reading.command, [reading.key], sources=reading.sources, force=force
                )
            except AnnotationError as error:
                fail(error)
        if reading is not None and writes is not None:
            own["writing"] = Writing(
                command.__name__,
                reading.folder(writing["out"], writes),
                force,
                reading.sources if reading.key is None else (*reading.sources, reading.key),
                writing["table_format"],
            )
        command(reading, **own)

    signature = inspect.signature(command, eval_str=True)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.name not in ("reading", "writing")
    ]
    names = {parameter.name for parameter in own}
    shared = list(inspect.signature(_shared, eval_str=True).parameters.values())
    shared[1:1] = of_reading(READING.keys() - {"gold"})
    output = inspect.signature(_output, eval_str=True).parameters.values()
    if optional:
        option = _option("Your own labels instead of data sets; needs --gold.")
        shared[0] = shared[0].replace(annotation=Annotated[Path | None, option], default=None)
    used = [each for each in shared[1:] if each.name in options_of(command.__name__)]
    if command.__name__ in ONE_LABEL:
        one = _option("Which label of an item to keep if an annotator gave several.")
        kept = Annotated[Literal["error", "first", "last"] | None, one]
        used = [each.replace(annotation=kept) if each.name == "repeats" else each for each in used]
    merged = [
        _CONTEXT,
        *(
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in [shared[0], *own, *(output if writes else ()), *used]
        ),
    ]
    return _with_parameters(wrapped, merged)


def reads_as(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command of one file options of reading, by their names in `READING`."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        return _with_parameters(command, [*own, *of_reading(names)])

    return decorated


def _with_parameters(
    command: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__annotations__["return"] = None
    return command


def _output(
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder; by default next to the file and named after it."),
    ] = None,
    table_format: Annotated[
        TableFormat, typer.Option("--format", help="Format of the tables.")
    ] = "csv",
    force: ForceOption = False,
) -> None:
    """Declare the options of commands that write a page and tables."""


_CONTEXT = inspect.Parameter(
    "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
)
_OUTPUT = tuple(inspect.signature(_output).parameters)


def _option(help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_READING)


def _shared(
    labels: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV or Parquet with one row per label, or the file or folder that an "
            "annotation tool exported.",
        ),
    ],
    spans: Annotated[
        Literal["tokens", "candidates"] | None,
        _option(
            "Convert marked spans to items: every token, or every stretch that anybody marked."
        ),
    ] = None,
    gold: Annotated[
        str | None,
        _option("Known categories: a file with one row per item, a column, or `export`."),
    ] = None,
    key: Annotated[Path | None, _option("File to write the names behind pseudonyms to.")] = None,
) -> None:
    """Declare the argument of commands that read labels, and what they alone offer."""


def of_reading(names: Collection[str]) -> list[inspect.Parameter]:
    """Return the parameters of a command for options of reading, by their names in `READING`."""
    hints = get_type_hints(Options)
    parameters = []
    for each in fields(Options):
        name = PARAMETERS.get(each.name, each.name)
        if name not in names or each.metadata["option"] is None:
            continue
        hint, help = hints[each.name], each.metadata["help"]
        default: Any = each.default
        if get_origin(hint) is tuple:
            hint, default = str | None, ",".join(default) or None
            help = f"{help.removesuffix('.')}, separated by commas."
        if each.name == "repeats":  # each command has a default of its own
            hint, default = hint | None, None
        option = _option(help, *([written(name)] if hint is bool or name != each.name else []))
        option.min = 1 if each.name == "header_rows" else None
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[hint, option],
            )
        )
    return parameters


def _refuse_idle_options(reading: Reading | None, command: str, context: typer.Context) -> None:
    """Reject options that have no effect on the input."""
    given = {
        name: value
        for name, value in context.params.items()
        if (source := context.get_parameter_source(name)) and source.name != "DEFAULT"
    }
    try:
        refuse_idle_options(
            command,
            _input(reading, given),
            given,
            options=options_of(command),
            sources=INPUTS,
        )
    except (AnnotationError, ReaderError, OSError) as error:
        fail(error)


def _input(reading: Reading | None, given: Mapping[str, Any]) -> str:
    """Return the kind of input that a command reads, one of `INPUTS`."""
    if reading is None:
        return "datasets"
    if given.get("checked") is not None:
        return "checked"
    kind = reading.source.kind
    if kind == "partitions" and "engine" in COMMANDS[reading.command][1]:
        return "dask" if reading.partitions(given.get("engine", "auto")) else kind
    # Of an export that has labels and spans, either may be meant.
    return "spans" if kind == "export" and reading.spans is not None else kind


def _reading(given: dict[str, Any], command: str, context: typer.Context) -> Reading | None:
    path, gold, key = given.pop("labels"), given.pop("gold", None), given.pop("key", None)
    spans = given.pop("spans")
    if path is None:
        return None
    for name in LISTS & given.keys():
        given[name] = listed(given[name])
    if gold is not None and gold != "export" and not Path(gold).is_file():
        given["gold"] = gold
    given["format"] = given.pop("from_format")
    # A command without the option shows no annotator, so that nobody needs a pseudonym.
    given.setdefault("keep_names", True)
    options = {name: value for name, value in given.items() if value is not None}
    # Pages and folders are named after the path, and "." has no name.
    path = path if path.name else path.resolve()
    people = tuple(context.params.get("judges") or ())
    return Reading(path, command, options, gold, key, spans, typed_options(context), people)


def print_reading(selection: Selection | LayerSelection) -> None:
    """Report on the error stream what was left out."""
    if read_as := getattr(selection, "read_as", ""):
        note(read_as)
    if is_verbose():
        for what, rows, first in selection.ledger.itertuples(index=False):
            note(f"{rows:>12,}  {what}{f' ({first})' if first else ''}")
    left_out = [
        f"{rows:,} {what.removeprefix('left out: ')}"
        for what, rows in zip(selection.ledger["what"], selection.ledger["rows"], strict=True)
        if what.startswith("left out: ")
    ]
    if left_out:
        note(f"Left out: {'; '.join(left_out)}")
    for text in selection.remarks:
        note(f"Note: {text}")


def refuse_sets(selection: Selection, command: str) -> None:
    """Reject labels that are sets, and name a question to use instead."""
    labels = selection.labels
    if labels.scale == "set":
        n_chosen = labels.membership[labels.label].sum(axis=0)
        question = f"{selection.question}={labels.elements[int(n_chosen.argmax())]}"
        raise AnnotationError(
            f"{command}: {selection.question!r} allows several options. Take one option at a time, "
            f"such as --question {shlex.quote(question)}."
        )
