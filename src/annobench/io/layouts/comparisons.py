"""Files in which two models are compared: the label is the better one, whatever the order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.names import MadeName, Name, joined
from annobench.io.comparisons import games_of, games_of_table, layout_of, remarks_of
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.tables import MAX_CATEGORY_LENGTH, text_table

if TYPE_CHECKING:
    import pandas as pd

#: Columns of a table that can only be compared items and the winner; others, such as a and b, may
#: be annotators.
_PAIRS = tuple((f"{kind}_a", f"{kind}_b") for kind in ("model", "item", "system", "player"))
_SIDES = (*_PAIRS, ("left", "right"), ("left_item", "right_item"))
_WINNER = ("winner", "preferred", "preference", "better")

#: What the games answer, and who judged if no field says so.
QUESTION, JUDGE = "winner", "annotator"
_TABLE = "a table of comparisons"
_TEXTS = ("prompt", "instruction")


def _recognise(source: Source) -> str | None:
    """Return the name of the layout: by its fields, or a table with the columns of comparisons."""
    table = text_table(source)
    fields = table.header if table is not None else tuple(source.first_record or ())
    if (layout := layout_of(fields)) is not None:
        return layout.title
    if table is None or table.column(_WINNER) is None:
        return None
    if not any(table.column((a,)) and table.column((b,)) for a, b in _SIDES):
        return None
    import pandas as pd

    try:
        games_of_table(pd.DataFrame(table.preview))
    except (AnnotationError, ReaderError):
        return None
    return _TABLE


def _read(source: Source, intake: Intake) -> None:
    """Push the outcome of each game."""
    from annobench.io.pairs import frame_of, naming

    if source.is_folder:
        raise ReaderError(f"{source.path}: a folder. Name a file of comparisons.")
    intake.begin("", "record")
    with naming(source.path):
        frame = frame_of(source.path)
        layout = layout_of(frame.columns)
        if layout is None:
            games = games_of_table(frame)
        else:
            games = games_of(source.path, frame, layout)
            if games["points"].notna().any():
                intake.notes += remarks_of(games, layout)
        intake.read(len(frame))
        _push(games, frame, intake)


def _push(games: pd.DataFrame, frame: pd.DataFrame, intake: Intake) -> None:
    """Push games; those without an outcome are unfinished, or their record is left out."""
    import pandas as pd

    fields = list(map(str, frame.columns))
    shown_first = intake.options.shown_first
    text = intake.asked_text(fields) or next((name for name in _TEXTS if name in fields), None)
    is_long = games["question"].str.len().max() > MAX_CATEGORY_LENGTH
    number = pd.factorize(games["question"])[0] + 1
    outcomes = games.groupby("where")["points"].transform("count")
    several = games.groupby("where")["game"].transform("size") > 1
    rows = cast(Iterator[Any], games.itertuples(index=False))
    for row, code, n_outcomes, is_one_of_several in zip(
        rows, number, outcomes, several, strict=True
    ):
        where = int(row.where)
        if not n_outcomes:
            if row.game == 1:
                intake.leave_out(where, row.why)
            continue
        question = f"question {code}" if is_long and row.question else row.question
        parts = [question] if question else [] if row.annotator else [f"record {where}"]
        item = joined([*parts, *sorted((row.left, row.right))], " | ")
        annotator: Name = row.annotator or MadeName(JUDGE)
        # In both orders, a judge is two; what was shown first then is no part of the name.
        if is_one_of_several and shown_first is None:
            annotator = joined([row.annotator or JUDGE, f"game {row.game}"], "/")
        if text is not None and isinstance(words := frame[text].iloc[where - 1], str):
            intake.text(item, words)
        label = "tie" if row.points == 0.5 else row.left if row.points > 0.5 else row.right
        is_decided = row.points == row.points
        intake.answer(
            item,
            annotator,
            QUESTION,
            label if is_decided else None,
            where=where,
            status="done" if is_decided else "unfinished",
            first=row.left if shown_first in fields else None,
        )
    intake.question(QUESTION, "choice")


FORMAT = ExportFormat(
    name="comparisons",
    title="comparisons of models",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a question with the two models whose answers were compared, a label is the "
        "preferred model. In two orders, the games of a judge are two annotators."
    ),
)
