"""Files in which two models are compared, in the layouts of tools that evaluate models.

A layout is a function that yields the games of a record, and an entry in `LAYOUTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from reprlib import repr
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from annobench.core.errors import ReaderError, report_faults
from annobench.core.numbers import plain_number
from annobench.core.texts import counted, visible
from annobench.io.formats.base import as_json
from annobench.io.formats.records import MisshapenError
from annobench.pairwise.comparisons import LEFT, RIGHT, TIE, Comparisons, column_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "LAYOUTS",
    "Game",
    "GameLayout",
    "as_comparisons",
    "games_of",
    "games_of_table",
    "layout_of",
    "remarks_of",
]

Record = Mapping[str, Any]

#: Fields that name what the models answered, in the order of preference.
_QUESTION: Final = (
    *("question_id", "uid", "item", "item_id", "pair_id", "prompt_id", "conversation_id", "id"),
    *("pair", "comparison", "comparison_id", "instruction", "prompt", "question"),
)
#: Pairs of models, questions and faults that are listed at most.
_MOST: Final = 5

_VERDICT: Final = re.compile(r"\s*\[*([AB])(>>|>|=|<|<<)([AB])\]*\s*")


class Game(NamedTuple):
    """Two answers, in the order in which they were shown.

    Attributes
    ----------
    left, right : str
        The models.
    points : float or None
        Of the left model: 1 if it won, 0 if it lost, .5 for a tie, or the probability that it is
        the better one; None without an outcome.
    why : str
        Why there is no outcome, in the plural, such as "failed games".
    strong : bool
        Whether the winner is much better.
    """

    left: str
    right: str
    points: float | None
    why: str = ""
    strong: bool = False


#: Of a table of games.
_COLUMNS: Final = ["where", "game", "question", "annotator", *Game._fields]


class GameLayout(NamedTuple):
    """The layout of a file of comparisons.

    Attributes
    ----------
    title : str
        Name of the layout.
    fields : frozenset of str
        Fields by which its records are recognised.
    games : callable
        Maps a record to its games; raises a MisshapenError about what it can't read.
    has_order : bool
        Whether the order of the models is the one in which they were shown.
    says : callable or None
        Maps the table of games to sentences about them.
    """

    title: str
    fields: frozenset[str]
    games: Callable[[Record], list[Game]]
    has_order: bool = True
    says: Callable[[pd.DataFrame], list[str]] | None = None


def alpaca_eval(record: Record) -> list[Game]:
    """Read a preference: 1 for the first output, 2 for the second, a probability in between."""
    models = _models(record, "generator_1", "generator_2")
    value = record["preference"]
    if _is_empty(value):
        return [Game(*models, None, "comparisons without a preference")]
    number = _number(value)
    if number is None or not (number == 0 or 1 <= number <= 2):
        raise MisshapenError(
            f"preference {repr(value)} is neither a number from 1 to 2 nor 0, a tie"
        )
    return [Game(*models, 0.5 if number == 0 else 2 - number)]


def fastchat(record: Record) -> list[Game]:
    """Read two games, of which the second shows the answer of `model_2` first."""
    models = _models(record, "model_1", "model_2")
    games = []
    for field, pair in (("g1_winner", models), ("g2_winner", models[::-1])):
        word = record[field]
        won = record.get(word) if word in ("model_1", "model_2") else word
        if _is_empty(won) or won == "error":
            games.append(Game(*pair, None, "games that failed"))
        elif won == "tie" or won in pair:
            games.append(Game(*pair, 0.5 if won == "tie" else float(won == pair[0])))
        else:
            raise MisshapenError(f"{field} {repr(word)} is none of model_1, model_2, tie and error")
    return games


def arena_hard(record: Record) -> list[Game]:
    """Read verdicts such as A>>B: the baseline is A in the first game, B in the second."""
    model = _name(record["model"], "model")
    baseline = record.get("baseline")
    rival = "baseline" if _is_empty(baseline) else _name(baseline, "baseline")
    if not isinstance(record["games"], list):
        raise MisshapenError(f"games {repr(record['games'])} are not a list")
    games = []
    for n, played in enumerate(record["games"]):
        pair = (model, rival) if n % 2 else (rival, model)
        score = played.get("score") if isinstance(played, dict) else None
        if _is_empty(score):
            games.append(Game(*pair, None, "games without a verdict"))
            continue
        parts = _VERDICT.fullmatch(score) if isinstance(score, str) else None
        if parts is None or parts[1] == parts[3]:
            raise MisshapenError(f"score {repr(score)} is no verdict such as A>>B, A>B or A=B")
        won = {"=": 0.5, ">": 1.0, "<": 0.0}[parts[2][0]]
        points = won if parts[1] == "A" else 1 - won
        games.append(Game(*pair, points, strong=len(parts[2]) == 2))
    return games


def one_hot(record: Record) -> list[Game]:
    """Read a column of 0 and 1 for each outcome."""
    models = _models(record, "model_a", "model_b")
    marks = {}
    for name in ("winner_model_a", "winner_model_b", "winner_tie"):
        value = record.get(name)
        number = 0.0 if _is_empty(value) else _number(value)
        if number not in (0, 1):
            raise MisshapenError(f"{name} {repr(value)} is neither 0 nor 1")
        marks[name] = number
    if sum(marks.values()) > 1:
        raise MisshapenError("more than one outcome is 1")
    if not any(marks.values()):
        return [Game(*models, None, "comparisons without a winner")]
    return [Game(*models, marks["winner_model_a"] + marks["winner_tie"] / 2)]


def _win_rates(games: pd.DataFrame) -> list[str]:
    """State how often each model is preferred to the one with which it is compared."""
    texts = []
    pairs = list(games.groupby(["left", "right"], sort=False))
    for _, group in pairs[:_MOST]:
        first, second, points = group["left"].iloc[0], group["right"].iloc[0], group["points"]
        texts.append(
            f"Win rate of “{visible(second)}” against “{visible(first)}”: "
            f"{1 - points.mean():.4f} ({counted(points.size, 'comparison')}; ties count one half, "
            "probabilities as shares of a win)."
        )
    if len(pairs) > _MOST:
        texts.append(f"There are {len(pairs) - _MOST:,} more pairs of models.")
    return texts


def _both_orders(games: pd.DataFrame) -> list[str]:
    """State how far outcomes depend on which answer was shown first."""
    first = games[games["game"] == 1].set_index("where")["points"]
    second = games[games["game"] == 2].set_index("where")["points"]
    second = second[second.index.isin(first.index)]
    texts = []
    if second.size:
        same = int((first[second.index] == 1 - second).sum())
        texts.append(
            f"Consistency over orders: {same:,} of {second.size:,} comparisons have one outcome in "
            "both orders."
        )
    decided = games["points"][games["points"] != 0.5]
    if decided.size:
        won = int(decided.sum())
        texts.append(
            f"Position: the answer shown first won {won:,} of {decided.size:,} games without a tie "
            f"({won / decided.size:.0%})."
        )
    if strong := int(games["strong"].sum()):
        texts.append(
            f"Much better (>>): {counted(strong, 'game')}. Each counts as one win; Arena-Hard "
            "counts it three times."
        )
    return texts


#: The layouts, in the order in which they are tried.
LAYOUTS: Final = (
    GameLayout(
        "AlpacaEval",
        frozenset({"generator_1", "generator_2", "preference"}),
        alpaca_eval,
        has_order=False,
        says=_win_rates,
    ),
    GameLayout(
        "FastChat",
        frozenset({"model_1", "model_2", "g1_winner", "g2_winner"}),
        fastchat,
        says=_both_orders,
    ),
    GameLayout("Arena-Hard", frozenset({"model", "judge", "games"}), arena_hard, says=_both_orders),
    GameLayout(
        "winners as 0 and 1",
        frozenset({"model_a", "model_b", "winner_model_a", "winner_model_b"}),
        one_hot,
    ),
)


def layout_of(fields: Iterable[object]) -> GameLayout | None:
    """Return the layout of records with these fields, or None.

    Parameters
    ----------
    fields : iterable of str
        Fields of a record, or columns of a table.

    Returns
    -------
    GameLayout or None
        The first that fits.
    """
    names = set(fields)
    return next((layout for layout in LAYOUTS if layout.fields <= names), None)


def games_of(path: Path, frame: pd.DataFrame, layout: GameLayout) -> pd.DataFrame:
    """Read the games of all records.

    Parameters
    ----------
    path : Path
        The file, for messages.
    frame : DataFrame
        Its records.
    layout : GameLayout
        Their layout.

    Returns
    -------
    DataFrame
        One row per game: where (the number of the record), game, question, annotator, and the
        fields of `Game`.

    Raises
    ------
    ReaderError
        If a record can't be read; lists the first.
    """
    import pandas as pd

    rows, faults = [], []
    judge = column_of(frame, "annotator", None)
    records = cast(list[dict[str, Any]], frame.to_dict("records"))
    for where, record in enumerate(records, start=1):
        try:
            games = layout.games(record)
        except MisshapenError as error:
            faults.append(f"record {where}: {error}")
            continue
        question = _question(record)
        annotator = "" if judge is None else _judge(record[judge])
        rows += [(where, n, question, annotator, *game) for n, game in enumerate(games, start=1)]
    report_faults(path, faults, f"Correct these records of {layout.title}.")
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"points": float})


def games_of_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Read a table with columns of two items and of the winner, as `games_of` reads others.

    Parameters
    ----------
    frame : DataFrame
        The table.

    Returns
    -------
    DataFrame
        One row per comparison.

    Raises
    ------
    AnnotationError
        If a column is missing or an outcome is not known.
    """
    read = Comparisons.from_frame(frame)
    columns = {role: column_of(frame, role, None) for role in ("left", "right", "winner")}
    judge = column_of(frame, "annotator", None)
    texts = {role: frame[name].fillna("").astype(str) for role, name in columns.items()}
    records = cast(list[dict[str, Any]], frame.to_dict("records"))
    decided = texts["winner"].str.strip() != ""
    games = frame.assign(
        where=range(1, len(frame) + 1),
        game=1,
        question=list(map(_question, records)),
        annotator="" if judge is None else frame[judge].map(_judge),
        left=texts["left"],
        right=texts["right"],
        points=np.nan,
        why="rows without a winner",
        strong=False,
    )
    games.loc[decided, "points"] = 1 - read.outcome / 2
    return games[_COLUMNS]


def remarks_of(games: pd.DataFrame, layout: GameLayout) -> list[str]:
    """State what was compared, with which outcomes, and what is left out.

    Parameters
    ----------
    games : DataFrame
        As `games_of` returns them.
    layout : GameLayout
        Their layout.

    Returns
    -------
    list of str
        Sentences.
    """
    decided = games[games["points"].notna()]
    left_out = games["why"][games["points"].isna()].value_counts(sort=False)
    return [
        _summary(decided, layout),
        *(layout.says(decided) if layout.says else ()),
        *(f"Left out: {n:,} {why}." for why, n in left_out.items()),
    ]


def as_comparisons(
    path: Path,
    frame: pd.DataFrame,
    layout: GameLayout,
    *,
    annotator: str | None = None,
    clusters: str | None = None,
) -> Comparisons:
    """Read the comparisons of a file.

    A probability is a win of each side, weighted. The games of a record are dependent, so each
    record is a cluster unless a column is named.

    Parameters
    ----------
    path, frame, layout
        As for `games_of`.
    annotator, clusters : str, optional
        Columns, as for `Comparisons.from_frame`.

    Returns
    -------
    Comparisons
        The comparisons, with remarks.

    Raises
    ------
    ReaderError
        If a record can't be read, or none has an outcome.
    AnnotationError
        If there is no such column.
    """
    import pandas as pd

    games = games_of(path, frame, layout)
    if annotator is not None:
        column_of(frame, "annotator", annotator)
        games["annotator"] = _of_records(frame[annotator], games)
    decided = games[games["points"].notna()]
    if decided.empty:
        raise ReaderError(f"{path}: no record has an outcome. Give the finished comparisons.")
    remarks = remarks_of(games, layout)
    if not layout.has_order:
        decided = _by_name(decided)
    if clusters is None:
        decided = decided.assign(cluster=decided["where"].astype(str))
    else:
        column_of(frame, "clusters", clusters)
        decided = decided.assign(cluster=_of_records(frame[clusters], decided))
        if (empty := decided["where"][decided["cluster"].str.strip() == ""]).size:
            raise ReaderError(
                f"{path}: record {empty.iloc[0]}: the cluster (column {clusters!r}) is empty. "
                "Fill it in, or name another column."
            )
    points = decided["points"].to_numpy()
    is_shared = ~np.isin(points, (0, 0.5, 1))
    outcome = np.select([points == 0.5, points == 0], [TIE, RIGHT], LEFT)
    won = decided.assign(outcome=outcome, weight=np.where(is_shared, points, 1.0))
    lost = decided[is_shared].assign(outcome=RIGHT, weight=1 - points[is_shared])
    rows = pd.concat([won, lost])
    n_records, n_models = rows["where"].nunique(), len(set(rows["left"]) | set(rows["right"]))
    # With fewer, Student's limits are not defined.
    is_clustered = len(rows) > n_records > n_models + 2
    return Comparisons.from_outcomes(
        rows["left"],
        rows["right"],
        rows["outcome"],
        annotators=rows["annotator"] if rows["annotator"].ne("").all() else None,
        clusters=rows["cluster"] if clusters is not None or is_clustered else None,
        weight=rows["weight"] if is_shared.any() else None,
        remarks=tuple(remarks),
    )


def _summary(games: pd.DataFrame, layout: GameLayout) -> str:
    """State what was compared, and by whom."""
    n_models = len(set(games["left"]) | set(games["right"]))
    n, judges = games["where"].nunique(), [name for name in games["annotator"].unique() if name]
    shown = ", ".join(map(visible, judges[:_MOST]))
    more = f" and {len(judges) - _MOST:,} more" if len(judges) > _MOST else ""
    by = f" by {shown}{more}" if judges else ""
    orders = f", in {len(games):,} games" if len(games) > n else ""
    unknown = "" if layout.has_order else " The file does not say which answer was shown first."
    return (
        f"{layout.title}: {counted(n, 'comparison')} of {counted(n_models, 'model')}{by}{orders}."
        f"{unknown}"
    )


def _by_name(games: pd.DataFrame) -> pd.DataFrame:
    """Put the models of each game into the order of their names."""
    swapped = games["left"] > games["right"]
    return games.assign(
        left=games["left"].where(~swapped, games["right"]),
        right=games["right"].where(~swapped, games["left"]),
        points=games["points"].where(~swapped, 1 - games["points"]),
    )


def _of_records(column: pd.Series[Any], games: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Return the texts of a column by game."""
    return column.fillna("").astype(str).to_numpy(dtype=object)[games["where"] - 1]


def _models(record: Record, first: str, second: str) -> tuple[str, str]:
    models = _name(record[first], first), _name(record[second], second)
    if models[0] == models[1]:
        raise MisshapenError(f"{models[0]!r} is compared with itself")
    return models


def _name(value: Any, field: str) -> str:
    if _is_empty(value):
        raise MisshapenError(f"{field} is empty")
    if not isinstance(value, str) or not value.strip():
        raise MisshapenError(f"{field} {repr(value)} is not a name")
    return value


def _judge(value: Any) -> str:
    """Name a judge, which FastChat writes with its prompt as a list."""
    if isinstance(value, list):
        value = value[0] if value else None
    return _text(value)


def _text(value: Any) -> str:
    """Write a value as a name; whole numbers beside missing ones have become floats."""
    if _is_empty(value):
        return ""
    return value if isinstance(value, str) else plain_number(as_json(value))


def _question(record: Record) -> str:
    """Name what the models answered: the question and the turn; "" if no field says it."""
    fields = (name for name in _QUESTION if not _is_empty(record.get(name)))
    if (field := next(fields, None)) is None:
        return ""
    turn = record.get("turn")
    return _text(record[field]) + ("" if _is_empty(turn) else f" | turn {_text(turn)}")


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)


def _number(value: Any) -> float | None:
    """Return a number, also one in a cell of a text file."""
    try:
        return float(value) if isinstance(value, str | int | float) else None
    except (ValueError, OverflowError):
        return None
