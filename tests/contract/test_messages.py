"""Messages, everywhere: each is whole sentences, says where, and what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from annobench.cli._options import as_typed

SOURCES = Path(__file__).parents[2] / "src" / "annobench"
EXPORTS = SOURCES.parent / "annobench_exports"
PACKAGES = (
    *("cli", "io", "labels", "agreement", "aggregation", "judges", "audit", "noise", "spans"),
    "benchmark/external_methods",
)
#: Raised and caught in one module, or clauses that another message puts after a place.
INTERNAL = {
    *("MisshapenError", "UimaError", "AnswerError", "MethodError", "MethodTimeoutError"),
    *("ArrowInvalid", "AttributeError", "Exit", "StopIteration", "KeyError", "TypeError"),
    *("refusal", "_refusal"),
}
#: Of a `ValueError` the same.
CLAUSES = {
    "\0 occurs twice in one object",
    "nested too deeply",
    "its digest differs",
}
#: Lists of what a user has to know.
LISTS = {"remarks", "notes", "cautions", "warnings", "reasons"}
NOTES = {"note", "warn"}
#: What says in one sentence what to do.
REMEDY = re.compile(
    r"\b(must|needs?|takes?|[Gg]ive|[Tt]ake|such as|is not one of|neither|[Uu]se|between 0 and 1)\b"
)
#: Python's names that may begin a message: of a function, a class with a method, a parameter.
NAME = re.compile(r"[\w.\0]+(?: [\w\0]+)?(?=: )")


@dataclass(frozen=True)
class Message:
    """A message in the code; what it is filled with stands as a null."""

    place: str
    text: str
    raised: bool
    parameters: frozenset[str]


def literal(node: ast.expr) -> str | None:
    """Return a text of the code, with nulls where values stand; None if it is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "\0" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = literal(node.left), literal(node.right)
        return None if left is None and right is None else (left or "\0") + (right or "\0")
    return None


def called(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def message_of(node: ast.AST) -> tuple[ast.expr, bool] | None:
    """Return the text of a statement that tells a user something, and whether it is raised."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        told = node.exc.args and called(node.exc.func) not in INTERNAL
        return (node.exc.args[0], True) if told else None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = called(node.func)
    if name in NOTES:
        return node.args[0], False
    if name == "append" and isinstance(node.func, ast.Attribute):
        return (node.args[0], False) if called(node.func.value) in LISTS else None
    return None


def messages() -> Iterator[Message]:
    folders = [*(SOURCES / package for package in PACKAGES), EXPORTS]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names: dict[ast.AST, set[str]] = {}
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                arguments = function.args
                own = {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}
                for inner in ast.walk(function):
                    names.setdefault(inner, set()).update(own)
        for node in ast.walk(tree):
            found = message_of(node)
            text = None if found is None else literal(found[0])
            if found is not None and text is not None and text not in CLAUSES:
                place = f"{path.relative_to(SOURCES.parent)}, line {node.lineno}"
                yield Message(place, text, found[1], frozenset(names.get(node, ())))


@cache
def all_messages() -> list[Message]:
    return list(messages())


def begins_well(message: Message) -> bool:
    """Whether it begins with a capital, a place, or the name of a parameter or function."""
    text = message.text
    if text[0] in "\0`'-" or text[0].isupper() or NAME.match(text):
        return True
    return re.split(r"[ =:]", text)[0] in message.parameters


def listed(found: list[Message]) -> str:
    return "\n".join(f"{each.place}: {each.text!r}" for each in found)


def test_there_are_many_messages():
    assert len(all_messages()) > 300
    assert {True, False} == {message.raised for message in all_messages()}


def test_no_message_begins_in_mid_sentence():
    wrong = [message for message in all_messages() if not begins_well(message)]
    assert not wrong, listed(wrong)


def test_every_message_ends_with_a_full_stop():
    # What ends with a value ends as that does.
    wrong = [message for message in all_messages() if message.text.rstrip()[-1] not in ".?\0"]
    assert not wrong, listed(wrong)


def test_every_error_says_what_to_do():
    wrong = [
        message
        for message in all_messages()
        if message.raised
        and not re.match(r".*\0$|\0: \0 ", message.text, re.DOTALL)  # said by a value
        and len(re.findall(r"[.?](?=[ \0\n]|$)|\n", message.text)) < 2
        and not REMEDY.search(message.text)
    ]
    assert not wrong, listed(wrong)


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ("needs two annotators.", False),
        ("Needs two annotators.", True),
        ("\0: needs two annotators.", True),
        ("cohen_kappa: needs two annotators.", True),
        ("level must be in (0, 1).", True),
        ("no level is in (0, 1).", False),
    ],
)
def test_what_begins_well(text, well):
    assert begins_well(Message("", text, True, frozenset({"level"}))) == well


#: Parameters that no command passes on as they are typed, or never wrongly.
OF_PYTHON = {
    *("easy_share", "hard", "kept", "kind", "match", "method", "n_disagreed", "n_hard", "n_items"),
    *("n_kept", "n_split_kept", "period", "position", "rng", "windows"),
}


def words_of_python(text: str) -> set[str]:
    """Return the parameters that a message assigns where a command prints it."""
    typed = re.sub(r"--[\w-]+ \w+=", "", as_typed(text.replace("\0", "x")))
    return set(re.findall(r"(?<![\w-])([a-z]\w+)=", typed)) - OF_PYTHON


def test_no_message_of_the_command_line_has_a_word_of_python():
    wrong = [
        message
        for message in all_messages()
        if not message.place.startswith("annobench/cli/") and words_of_python(message.text)
    ]
    assert not wrong, listed(wrong)
    assert words_of_python("Give it with scales=.") == {"scales"}


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("Say which it is with item=.", "Say which it is with --item."),
        ("Give model='easy_hard'.", "Give --model easy_hard."),
        ("Name the category: category='very good'.", "Name the category: --category 'very good'."),
        ("plan: half_width must be above 0.", "plan: --half-width must be above 0."),
        ("The category 'label=3' or \"half_width\".", "The category 'label=3' or \"half_width\"."),
        ("parts/label=3/gold_items.csv: no label.", "parts/label=3/gold_items.csv: no label."),
        ("the annotator's label='a'", "the annotator's --label a"),
        ("consensus: --option seed=x is no number.", "consensus: --option seed=x is no number."),
    ],
)
def test_parameters_are_written_as_options_but_for_what_is_quoted(message, typed):
    assert as_typed(message) == typed
