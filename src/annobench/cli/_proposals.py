"""The commands that `inspect` proposes: those that apply to the contents of a file."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from annobench.cli._options import as_typed
from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.optional import is_installed

if TYPE_CHECKING:
    from annobench.io import Export
    from annobench.labels.annotations import Annotations
    from annobench.scale.partitions import PartitionedLabels

#: What names of language models begin or are made with.
_MODEL = re.compile(
    r"(?:^|[\W_])(?:gpt|claude|llama|gemini|gemma|mi[sx]tral|qwen|deepseek|command-r|phi|llm|model)"
    r"(?:$|[\W_\d])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Facts:
    """The facts that decide which commands apply to labels or spans.

    Attributes
    ----------
    scale : str
        Scale of the labels, or "spans".
    n_annotators, n_categories : int
        Numbers of annotators and categories.
    n_shared : int
        Items, or documents, labelled by at least two annotators.
    n_repeats : int
        Labels that are not the annotator's first for the item.
    judges : tuple of str
        Annotators named after language models.
    anonymous : bool
        Whether it is unknown which annotator gave which label.
    """

    scale: Scale | str
    n_annotators: int
    n_categories: int
    n_shared: int
    n_repeats: int
    judges: tuple[str, ...] = ()
    anonymous: bool = False

    @classmethod
    def of_labels(cls, labels: Annotations) -> Facts:
        """Return the facts of labels in memory."""
        return cls(
            labels.scale,
            labels.n_annotators,
            labels.n_categories,
            int(labels.is_shared.sum()),
            labels.n_labels - labels.first_labels().n_labels,
            tuple(name for name in labels.annotators if _MODEL.search(name)),
            labels.anonymous,
        )

    @classmethod
    def of_layer(cls, export: Export, layer: str) -> Facts:
        """Return the facts of a layer of spans."""
        times = Counter((marked.document, marked.annotator) for marked in export.marks(layer))
        by_document = Counter(document for document, _ in times)
        return cls(
            "spans",
            len({annotator for _, annotator in times}),
            0,
            sum(n > 1 for n in by_document.values()),
            times.total() - len(times),
        )


@dataclass
class Proposals:
    """Commands to run next, and why others do not apply.

    Attributes
    ----------
    commands : list of str
        Command lines.
    reasons : list of str
        Sentences.
    repetitions : bool
        Whether repeated labels are known to be repetitions, so that little is lost with them.
    """

    commands: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    repetitions: bool = False


def words(path: Path, given: Sequence[str] = ()) -> str:
    """Return a path and its options as typed on the command line."""
    file = str(path)
    return shlex.join([f"./{file}" if file.startswith("-") else file, *given])


def propose(
    facts: Facts,
    file: str,
    *,
    option: str = "",
    what: str = "labels",
    repetitions: bool = False,
) -> Proposals:
    """Propose the commands that apply to labels or spans with these facts."""
    from annobench.aggregation.consensus import MAX_CONFUSION

    proposals = Proposals(repetitions=repetitions)
    if not facts.n_shared:
        who = (
            f"All {what} are of one annotator"
            if facts.n_annotators == 1
            else f"No item has {what} of two annotators"
        )
        proposals.reasons.append(
            f"{who}, so there is nothing to compare. Have a second annotator label some of the "
            "items."
        )
        return proposals
    repeats = " --repeats first" if facts.n_repeats else ""
    proposals.commands.append(f"annobench report {file}{repeats}")
    if repetitions:  # else a model takes each for a further annotator's
        option = f"{option or file}{repeats}"
    if facts.scale == "spans":
        return proposals
    if facts.scale == "interval":
        proposals.reasons.append(
            "The labels are numbers, for `annobench report`. `annobench consensus` needs "
            "categories."
        )
    elif facts.n_annotators * facts.n_categories**2 > MAX_CONFUSION:
        proposals.reasons.append(
            f"{facts.n_categories:,} categories are too many for `annobench consensus`: merge some."
        )
    elif facts.anonymous:
        proposals.commands.append(f"annobench consensus {option or file} --model voting")
        proposals.reasons.append(
            "Who gave which label is not known: coefficients and models that compare annotators "
            "can't be computed."
        )
    else:
        proposals.commands.append(f"annobench consensus {option or file}")
    if facts.judges and facts.n_annotators - len(facts.judges) >= 2:
        named = shlex.join([part for name in facts.judges[:3] for part in ("--judge", name)])
        proposals.commands.append(f"annobench judge {option or file} {named}")
    return proposals


def propose_for_export(
    path: Path, export: Export, given: Sequence[str] = (), only: str | None = None
) -> Proposals:
    """Propose commands for the first question or layer of spans to which any command applies."""
    known = export.questions
    if only is not None:
        known = known[known["question"].eq(only)]
    kinds = known["kind"]
    questions = known["question"][~kinds.isin(["spans", "relations", "text"])].tolist()
    found = Proposals()
    for question in questions:
        named = ("--question", question) if only or len(questions) > 1 else ()
        one = _of_question(path, export, question, [*given, *named], given)
        found.reasons += [f"{question}: {reason}" for reason in one.reasons]
        if one.commands:
            found.commands = one.commands
            break
    layers = known["question"][kinds.isin(["spans", "relations"])].tolist()
    for layer in layers:
        named = ("--question", layer) if only or questions or len(layers) > 1 else ()
        one = _of_layer(export, layer, words(path, [*given, *named]))
        found.reasons += [f"{layer}: {reason}" for reason in one.reasons]
        if one.commands:
            found.commands += one.commands
            break
    if export.format.name == "comparisons" or export.variant == "comparisons of pairs":
        ranking = _ranking(path)
        found.commands = [*ranking.commands, *found.commands]
        # Comparisons by one judge are enough to rank the models.
        found.reasons = [*ranking.reasons, *found.reasons] if ranking.reasons else []
    if not questions and not layers:
        found.reasons.append(
            "Free-text answers are not compared: code them into categories first."
            if len(kinds)
            else "There are no answers in it."
        )
    return found


def _ranking(path: Path) -> Proposals:
    """Propose to rank the models of a file of comparisons, or say why this fails."""
    from annobench.io.pairs import read_comparisons
    from annobench.pairwise import bradley_terry

    try:
        bradley_terry(read_comparisons(path))
    except (AnnotationError, ReaderError) as error:
        why = str(error).removeprefix("bradley_terry: ").removeprefix(f"{path}: ")
        return Proposals(reasons=[f"The models can't be ranked: {as_typed(why)}"])
    return Proposals(commands=[f"annobench rank {words(path)}"])


def propose_for_partitions(path: Path, labels: PartitionedLabels) -> Proposals:
    """Propose commands for a folder of partitions."""
    from annobench.scale._sources import blocks_of

    if blocks_of(labels, "auto") is None:
        return propose(Facts.of_labels(labels.read()), words(path))
    facts = Facts(labels.scale, labels.n_annotators, labels.n_categories, int(labels.is_shared), 0)
    return propose(facts, words(path))


def _of_question(
    path: Path, export: Export, question: str, options: Sequence[str], given: Sequence[str]
) -> Proposals:
    try:
        labels = export.select(question, repeats="all").labels
    except AnnotationError:
        return Proposals(
            reasons=["No answer is finished. Include others with options such as --status."]
        )
    file, option = words(path, options), ""
    combined = export.combined_options(question)
    if combined:  # only `report` takes sets
        option = words(path, [*given, "--question", f"{question}={combined[0]}"])
    found = propose(Facts.of_labels(labels), file, option=option, what="answers")
    if not labels.anonymous:
        found.commands.append(f"annobench convert {option or file} {shlex.quote(_free(path))}")
    return found


def _of_layer(export: Export, layer: str, file: str) -> Proposals:
    from annobench.io.formats.layers import select_layer

    try:
        select_layer(export, layer, repeats="first")
    except (AnnotationError, ReaderError) as error:
        return Proposals(reasons=[str(error)])
    return propose(Facts.of_layer(export, layer), file, what="spans")


def _free(path: Path) -> str:
    """Return the name of a file that does not exist yet and can be written beside the input."""
    here, root = Path.cwd(), path.resolve()
    folder = os.path.relpath(root.parent) if root.is_dir() and here.is_relative_to(root) else ""
    ending = "parquet" if is_installed("pyarrow") else "csv"
    names = [f"labels.{ending}", *(f"labels_{n}.{ending}" for n in range(2, 1000))]
    paths = [Path(folder, name) for name in names]
    return str(next(path for path in paths if not path.exists()))
