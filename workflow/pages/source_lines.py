"""The functions of a paper's own modules that compute its values, and the page that shows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Place:
    """A line of a paper's own modules.

    Attributes
    ----------
    module : str
        Name of the file.
    line : int
        From 1.
    function : str
        The function that it is in; empty at the top of the module.
    """

    module: str
    line: int
    function: str

    @property
    def anchor(self) -> str:
        """Of the line on the page of the sources."""
        return f"{self.module}-{self.line}"


class Sources:
    """A paper's own modules.

    Parameters
    ----------
    paths : iterable of Path
        The modules.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._text = {path.name: path.read_text(encoding="utf-8") for path in paths}
        self._trees = {name: ast.parse(text) for name, text in self._text.items()}
        self._functions = {
            name: {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
            for name, tree in self._trees.items()
        }
        self._imported = {name: _imports(tree) for name, tree in self._trees.items()}
        self._known: dict[str, list[tuple[str, Function]]] = {}

    def place_of(self, made_by: str, target: str) -> Place | None:
        """Find the function that computes a value.

        Where the values of a function's answer were handed over by its caller, it is that
        function, and the line of it that names the target, if only one does so best.

        Parameters
        ----------
        made_by : str
            Such as ``values.py:42``, as `computed.csv` has it.
        target : str
            Of the value.

        Returns
        -------
        Place or None
            None for an empty `made_by`, or one of another version of the modules.
        """
        module, _, number = made_by.partition(":")
        if module not in self._trees or int(number) > self._text[module].count("\n"):
            return None
        line = int(number)
        around = self._around(module, line)
        if made_by not in self._known:
            self._known[made_by] = self._handed_over(module, line, around)
        called = self._known[made_by]
        if not called:
            return Place(module, line, around.name if around else "")
        naming = [(_named(function, target), home, function) for home, function in called]
        (_, at), home, function = max(naming, key=lambda found: found[0][0])
        return Place(home, at or function.lineno, function.name)

    def _around(self, module: str, line: int) -> Function | None:
        inside = [
            node
            for node in ast.walk(self._trees[module])
            if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        return max(inside, key=lambda node: node.lineno, default=None)

    def _handed_over(
        self, module: str, line: int, around: Function | None
    ) -> list[tuple[str, Function]]:
        """List the paper's functions whose answers are handed over on a line."""
        for call in ast.walk(self._trees[module]):
            if isinstance(call, ast.Call) and call.lineno == line and _is_values(call):
                expression = call.args[0]
                found = self._called(module, expression)
                name = expression.func if isinstance(expression, ast.Call) else expression
                if not found and isinstance(name, ast.Name) and around:
                    for value in _assigned(around, name.id, line):
                        found = found or self._called(module, value)
                return found
        return []

    def _called(self, module: str, expression: ast.AST) -> list[tuple[str, Function]]:
        found = []
        for node in ast.walk(expression):
            if isinstance(node, ast.Name):
                home, name = self._imported[module].get(node.id, (module, node.id))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                home, name = self._imported[module].get(node.value.id, ("", ""))[0], node.attr
            else:
                continue
            function = self._functions.get(home, {}).get(name)
            if function is not None:
                found.append((home, function))
        return found

    def shown(self) -> list[dict[str, Any]]:
        """Return the modules as highlighted lines, `analysis.py` first."""
        order = sorted(self._text, key=lambda name: (name != "analysis.py", name))
        formatter = HtmlFormatter(nowrap=True)
        return [
            {
                "name": name,
                "lines": [
                    Markup(line)  # noqa: S704  (escaped by Pygments)
                    for line in highlight(
                        self._text[name], PythonLexer(stripnl=False), formatter
                    ).splitlines()
                ],
            }
            for name in order
        ]


def _imports(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Map names to the paper's modules that they stand for, or to functions of these."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                home = node.module or alias.name
                names[alias.asname or alias.name] = (f"{home}.py", alias.name)
    return names


def _is_values(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "values" and bool(call.args)


def _assigned(function: Function, name: str, line: int) -> Iterator[ast.AST]:
    """Give what a name was bound to before a line, the last first."""
    bound: list[tuple[int, ast.AST]] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.For):
            targets, value = [node.target], node.iter
        else:
            continue
        named = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        if name in named and node.lineno <= line:
            bound.append((node.lineno, value))
    return (value for _, value in sorted(bound, key=lambda pair: -pair[0]))


def _named(function: Function, target: str) -> tuple[int, int | None]:
    """Return how many letters of a target a function names, and the one line that names most."""
    found: dict[int, set[int]] = {}
    for pattern, letters, line in _names(function):
        if pattern.fullmatch(target):
            found.setdefault(letters, set()).add(line)
    if not found:
        return 0, None
    most = max(found)
    return most, next(iter(found[most])) if len(found[most]) == 1 else None


@cache
def _names(function: Function) -> list[tuple[re.Pattern[str], int, int]]:
    """List the texts of a function as patterns, with their letters and lines."""
    names = []
    for node in ast.walk(function):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts = [node.value]
        else:
            continue
        pattern = "".join(".+" if part is None else re.escape(str(part)) for part in parts)
        letters = sum(len(str(part)) for part in parts if part is not None)
        if letters:
            names.append((re.compile(pattern), letters, node.lineno))
    return names
