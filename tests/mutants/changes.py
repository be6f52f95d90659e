"""Small changes of a source, such as `<` for `<=`, and which of them are drawn."""

from __future__ import annotations

import ast
import copy
import hashlib
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

SEED = 2008

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
TWINS = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("fmin", "fmax"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("ceil", "floor"),
    ("sum", "mean"),
    ("cumsum", "cumprod"),
    ("zeros", "ones"),
]
SWAPS = dict(TWINS) | {second: first for first, second in TWINS}
UNWRAPPED = ("abs", "sqrt", "log", "exp", "log1p", "expm1", "sorted", "unique", "clip", "isnan")
#: Keywords that change no answer: a format, or a check of what cannot happen.
HARMLESS = ("dtype", "encoding", "strict", "stacklevel", "newline", "copy", "name")


Key = tuple[str, str, str, str, str, int]


class _Wordless(ast.NodeTransformer):
    """Leaves out the words of texts, which hold a space, and keeps what is put into them."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        is_text = isinstance(node.value, str) and " " in node.value
        return ast.Constant("") if is_text else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        values = [self.visit(each) for each in node.values if isinstance(each, ast.FormattedValue)]
        return ast.Tuple([each.value for each in values], ast.Load())


@dataclass(frozen=True)
class Mutant:
    """One change: the operator, the source it replaces, and what becomes of it.

    `nth` counts equal changes of a function, from 0.
    """

    module: str
    function: str
    line: int
    operator: str
    original: str
    mutant: str
    nth: int
    start: int
    end: int
    scope: ast.AST = field(repr=False, compare=False)

    @property
    def key(self) -> Key:
        """What names a mutant when lines move."""
        return self.module, self.function, self.operator, self.original, self.mutant, self.nth

    @property
    def source(self) -> str:
        """A digest of the function's code, or the statement's outside of functions.

        Docstrings, comments, layout and the words of messages do not change it.
        """
        tree = _Wordless().visit(copy.deepcopy(self.scope))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and _is_docstring(body[0]):
                body[0] = ast.Pass()
        return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:12]

    def apply(self, source: str) -> str:
        """Return the changed source."""
        text = source.encode()
        return (text[: self.start] + self.mutant.encode() + text[self.end :]).decode()


def _is_docstring(node) -> bool:
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def code_lines(source: str) -> int:
    """Count the lines that hold code: no docstrings, comments or blank lines."""
    lines: set[int] = set()
    skipped = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if _is_docstring(node):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def _with(node, **changes):
    """Copy a node with some fields replaced."""
    new = copy.copy(node)
    for name, value in changes.items():
        setattr(new, name, value)
    return new


def _is_text(node) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def expressions(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the changes of an expression: operator and new expression."""
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                ops = [*node.ops[:at], COMPARISONS[type(op)](), *node.ops[at + 1 :]]
                yield "comparison", _with(node, ops=ops)
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            if not (_is_text(node.left) or _is_text(node.right)):
                yield "arithmetic", _with(node, op=ARITHMETIC[type(node.op)]())
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "logic", _with(node, op=other)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield "logic" if isinstance(node.op, ast.Not) else "sign", node.operand
        case ast.IfExp():
            yield "condition", _with(node, body=node.orelse, orelse=node.body)
        case ast.Constant(value=bool()):
            yield "constant", ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield "constant", ast.Constant(node.value + 1)
            if node.value > 1:
                yield "constant", ast.Constant(node.value - 1)
        case ast.Constant(value=float()):
            yield "constant", ast.Constant(2 * node.value or 1.0)
        case ast.Call():
            yield from _calls(node)


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    named = isinstance(node.func, ast.Name)
    name = node.func.id if named else getattr(node.func, "attr", "")
    if name in SWAPS:
        changed = {"id" if named else "attr": SWAPS[name]}
        yield "function", _with(node, func=_with(node.func, **changed))
    if name in UNWRAPPED and node.args:
        yield "unwrap", node.args[0]
    for at, keyword in enumerate(node.keywords):
        rest = [*node.keywords[:at], *node.keywords[at + 1 :]]
        if keyword.arg == "axis" and isinstance(keyword.value, ast.Constant):
            other = _with(keyword, value=ast.Constant(int(keyword.value.value == 0)))
            yield "axis", _with(node, keywords=[*node.keywords[:at], other, *rest[at:]])
        elif keyword.arg is not None and keyword.arg not in HARMLESS:
            yield "keyword", _with(node, keywords=rest)


def statements(node: ast.AST, last: bool) -> Iterator[tuple[str, ast.AST]]:
    """Yield the changes of a statement; of the last one of a function, its return stays."""
    match node:
        case ast.Return() if not last:
            yield "exit", ast.Pass()
        case ast.Raise() | ast.Continue() | ast.Break():
            yield "exit", ast.Pass()
        case ast.AugAssign() if type(node.op) in ARITHMETIC and not _is_text(node.value):
            yield "arithmetic", _with(node, op=ARITHMETIC[type(node.op)]())


def find(source: str, module: str) -> list[Mutant]:
    """List every mutant of a module, in the order of its source."""
    text = source.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    equal: Counter[tuple[str, ...]] = Counter()

    def add(node, operator, new, function, scope):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        mutated = ast.unparse(ast.fix_missing_locations(new))
        if isinstance(node, ast.expr):
            mutated = f"({mutated})"
        original = " ".join(text[start:end].decode().split())
        change = function, operator, original, mutated
        nth = equal[change]
        equal[change] += 1
        line = node.lineno
        found.append(
            Mutant(module, function, line, operator, original, mutated, nth, start, end, scope)
        )

    def visit(node, function, scope, last=False):
        if isinstance(node, ast.expr):
            if isinstance(node, ast.JoinedStr):
                return
            for operator, new in expressions(node):
                # Records at the top of a module break at once without a field.
                if operator != "keyword" or function:
                    add(node, operator, new, function, scope)
        elif isinstance(node, ast.stmt):
            for operator, new in statements(node, last):
                add(node, operator, new, function, scope)
        for child, is_last in _children(node):
            inside = isinstance(node, ast.FunctionDef | ast.ClassDef)
            here = f"{function}.{node.name}".lstrip(".") if inside else function
            whole = child if isinstance(node, ast.Module | ast.ClassDef) else scope
            visit(child, here, node if isinstance(node, ast.FunctionDef) else whole, is_last)

    module_node = ast.parse(source)
    visit(module_node, "", module_node)
    return found


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield what is visited in a node, and whether it is the last statement of a function.

    Types, decorators and messages are left out.
    """
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Raise() | ast.Assert():
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Call(func=ast.Attribute(attr="warn")):
            return
        case ast.keyword() if node.arg in HARMLESS:
            return
        case ast.FunctionDef():
            for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                yield default, False
            for statement in node.body:
                yield statement, statement is node.body[-1]
        case ast.ClassDef():
            yield from ((statement, False) for statement in node.body)
        case ast.AnnAssign():
            if node.value is not None:
                yield node.value, False
        case _:
            yield from ((child, False) for child in ast.iter_child_nodes(node))


def draw(mutants: list[Mutant], number: int, seed: int = SEED) -> list[Mutant]:
    """Draw so many mutants, of all operators alike, and the same ones when other code changes.

    Nor do they change when a module moves to another folder.
    """

    def lot(one: Mutant) -> str:
        key = seed, PurePosixPath(one.module).name, *one.key[1:]
        return hashlib.sha256(repr(key).encode()).hexdigest()

    ranks: Counter[str] = Counter()
    order = []
    for one in sorted(mutants, key=lot):
        order.append((ranks[one.operator], lot(one), one.module, one))
        ranks[one.operator] += 1
    order.sort(key=lambda entry: entry[:3])
    drawn = [entry[-1] for entry in order[:number]]
    return sorted(drawn, key=lambda one: (one.module, one.start))
