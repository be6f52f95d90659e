"""Usual names of the columns of items, annotators and labels, and the choice of columns.

All readers of tables and data frames use these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from annobench.core.errors import ReaderError

#: Usual names of the columns, compared without regard to case, spaces and hyphens.
USUAL_NAMES = {
    "item": (
        "item",
        "item_id",
        "orig_id",
        "task",
        "task_id",
        "example",
        "unit",
        "unit_id",
        "question",
        "id",
    ),
    "annotator": ("annotator", "annotator_id", "worker", "worker_id", "rater", "coder", "judge"),
    "label": ("label", "response", "answer", "category", "annotation", "rating", "value"),
    "gold": ("gold", "gold_label", "truth", "true_label", "label", "category", "answer"),
}

#: Names that are taken if there is none of the usual ones.
LESS_USUAL_NAMES = {
    "item": (
        *("instance_id", "sample_id", "example_id", "idx", "index", "uid", "uuid", "doc"),
        *("sentence_id", "text_id", "doc_id", "document_id", "comment_id", "post_id", "tweet_id"),
    ),
    "annotator": (
        *("rater_id", "coder_id", "judge_id", "labeler", "labeler_id", "reviewer", "reviewer_id"),
        *("user", "user_id", "username", "participant", "participant_id", "expert", "workerid"),
    ),
    "label": ("score", "verdict", "judgment", "judgement", "vote", "choice", "grade", "class"),
}

#: Names of columns of known categories.
GOLD_NAMES = (
    *("gold", "gold_label", "truth", "true_label", "golden", "ground_truth"),
    *("groundtruth", "gt", "true_category", "true_class", "y_true", "correct_label"),
    *("correct_answer", "correct_category", "reference_label"),
)

#: Names of the columns where spans begin and end.
SPAN_STARTS, SPAN_ENDS = (
    re.compile(rf"(?:.*_)?(?:{word})(?:_?(?:offset|char|token|index|idx|pos))?")
    for word in ("start|begin", "end|stop")
)

_RESOLVED = ("final", "adjudicated", "consensus", "resolved", "reconciled", "majority", "konsens")
_OF_LABELS = (
    *("annotation", "answer", "category", "class", "code", "decision", "judgement", "judgment"),
    *("label", "rating", "score", "value", "vote"),
)

#: Names of columns of what annotators' labels were resolved to, which is no annotator's label.
RESOLVED_NAMES = (
    # In an export of Zooniverse gold_standard says whether the label is an expert's.
    *("adjudication", "decision", "gold_standard", "resolution", *_RESOLVED),
    *(f"{how}_{what}" for how in _RESOLVED for what in _OF_LABELS),
)

#: Names of columns that number repetitions.
ROUND_NAME = re.compile(
    r"(?:.*_)?(?:run|round|trial|repetition|repeat|replicate|rep|iteration|attempt|pass|seed|epoch)"
    r"(?:_?(?:index|idx|id|no|nr|number|num))?"
)

#: Columns that a message names at most.
_SHOWN = 12

#: What messages call a table in memory.
FRAME = "the data frame"

#: What is said of a file of text without columns.
NO_TABLE = "a text, not a table. Name a table, such as a CSV file of item, annotator and label."

#: Without any other name of an item its text is one.
_TEXTS = ("text", "sentence", "tweet", "document")

#: Names of the items' column, in the order of preference.
ITEM_NAMES = (*USUAL_NAMES["item"], *LESS_USUAL_NAMES["item"])


def plain_name(column: object) -> str:
    """Normalise a column's name: case, spaces, hyphens and dots are ignored."""
    return re.sub(r"[\s.-]+", "_", str(column).strip().casefold())


def named_columns(header: Iterable[object], roles: Iterable[str] = (), most: int = _SHOWN) -> str:
    """Join names, first those that look like the roles; a list that is cut says so."""
    words = {word for role in roles for name in USUAL_NAMES[role] for word in name.split("_")}
    names = sorted(header, key=lambda name: words.isdisjoint(plain_name(name).split("_")))
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _hint_of_wide(source: str | Path) -> str:
    """Explain how to read a table with one column per annotator."""
    how = "call Annotations.from_wide" if source == FRAME else "add --from wide"
    if source != FRAME and not isinstance(source, Path):  # of the command partition
        how = "write one row per label first: annobench convert TABLE --from wide labels.parquet"
    return f"If each annotator has a column of labels, {how}."


def choose_columns(
    source: str | Path, header: list[str], wanted: dict[str, str | None]
) -> dict[str, str]:
    """Map the columns to use to their roles."""
    # A column without a name can't be meant: spreadsheets write empty ones.
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise ReaderError(
            f"{source}: the header names {', '.join(map(repr, twice[:5]))} twice. Give every "
            "column a unique name."
        )
    plain = {name: plain_name(name) for name in header}
    chosen: dict[str, str] = {}
    faults, missing = [], []
    for role, name in wanted.items():
        taken: list[str] = []
        if name is not None:
            fits = [name] if name in header else []
        else:
            fits = [column for column in header if plain[column] == role]
            texts = _TEXTS if role == "item" else ()
            for names in (USUAL_NAMES[role], LESS_USUAL_NAMES.get(role, ()), texts):
                fits = fits or [column for column in header if plain[column] in names]
            taken = [column for column in fits if column in wanted.values()]
            fits = [column for column in fits if column not in taken]
        if len(fits) == 1 and fits[0] not in chosen:
            chosen[fits[0]] = role
            continue
        hint = f"Say which it is with {role}="
        if role == "gold":
            hint = "Name the column of the gold categories gold"
        if name is not None:
            what = "is used twice" if fits else "is not among the columns"
            faults.append(f"Column {name!r}, given as {role}, {what}.")
        elif fits:
            faults.append(
                f"Columns {', '.join(map(repr, fits))} are all candidates for the {role}. {hint}."
            )
        elif taken:
            other = next(given for given, column in wanted.items() if column == taken[0])
            faults.append(
                f"Column {taken[0]!r}, given as {other}, is that of the {role}s. Name another "
                f"column there, or, if it is not, {hint[0].lower()}{hint[1:]}."
            )
        else:
            missing.append(role)
            faults.append(
                f"No column is the {role}; usual names are {', '.join(USUAL_NAMES[role])}. {hint}."
            )
    if source != FRAME and len(missing) == len(wanted) and sum(map(bool, header)) == 1:
        raise ReaderError(f"{source}: {NO_TABLE}")
    if missing and "" in header:
        faults.append(
            f"Column {header.index('') + 1} has no name: give it one in the header, such as "
            f"{missing[0]}."
        )
    # Of a table of texts it is seen from the cells whether a column may be an annotator's.
    is_text = isinstance(source, Path) and source.suffix.lower() not in (".parquet", ".pq")
    if {"annotator", "label"} <= set(missing) and len(header) > 2 and not is_text:
        faults.append(_hint_of_wide(source))
    if faults:
        shown = named_columns(header, missing)
        raise ReaderError(f"{source}: " + " ".join(faults) + f" The columns are {shown}.")
    return chosen
