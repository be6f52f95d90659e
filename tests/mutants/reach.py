"""Which tests can notice a change of a module: those whose imports lead to it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tests.mutants.stored import module_of, path_of

#: Folders of tests that run in seconds, the quickest first.
FOLDERS = ("unit", "exports", "contract", "reference", "recovery", "replication")
#: Tests whose way to a module has more imports are not asked.
FARTHEST = 4


class Imports:
    """What imports what, from the sources alone."""

    def __init__(self, source: Path, tests: Path) -> None:
        self.tests = tests
        self.modules: dict[str, str] = {}
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            dotted = ".".join(part for part in parts if part != "__init__")
            self.modules[dotted] = module_of(path, source)
        trees = {
            dotted: ast.parse(path_of(path, source).read_text(encoding="utf-8"))
            for dotted, path in self.modules.items()
        }
        # A package that loads names lazily has these in the modules that define them.
        self._defined: dict[str, set[str]] = defaultdict(set)
        for dotted, tree in trees.items():
            for node in tree.body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    self._defined[node.name].add(dotted)
        self._edges = {dotted: set(self._imports(trees[dotted], dotted)) for dotted in trees}
        for dotted, tree in trees.items():
            if _discovers(tree):
                for package in {dotted, *_texts(tree)}:
                    self._edges[dotted] |= set(self._inside(package))
        self.files = [
            path for folder in FOLDERS for path in sorted((tests / folder).rglob("test_*.py"))
        ]
        self._distances = {path: self._walk(path) for path in self.files}

    def candidates(self, module: str) -> tuple[list[Path], list[Path]]:
        """List the files of tests that name a module, and the others that lead to it.

        The best come first.
        """
        dotted = next(name for name, path in self.modules.items() if path == module)

        def order(path: Path) -> tuple:
            folder = FOLDERS.index(path.relative_to(self.tests).parts[0])
            size = path.stat().st_size
            named = [name for name, distance in self._distances[path].items() if distance == 1]
            inside = sum(name.startswith(f"{dotted.rpartition('.')[0]}.") for name in named)
            return _likeness(path, module), -inside / len(named), folder, size, path.name

        reaching = [path for path in self.files if dotted in self._distances[path]]
        reaching.sort(key=order)
        near = [path for path in reaching if self._distances[path][dotted] == 1]
        return near, [path for path in reaching if path not in near]

    def _walk(self, path: Path) -> dict[str, int]:
        """Return the number of imports from a file to each module that it reaches."""
        reached: dict[str, int] = {}
        step = set(self._imports(ast.parse(path.read_text(encoding="utf-8")), ""))
        for distance in range(1, FARTHEST + 1):
            step = {name for name in step if name not in reached}
            reached |= dict.fromkeys(step, distance)
            step = {other for name in step for other in self._edges[name]}
        return reached

    def _imports(self, tree: ast.AST, importer: str) -> Iterator[str]:
        """Yield the modules that a source imports or names."""
        known: dict[str, str] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Import():
                    for alias in node.names:
                        yield from self._module(alias.name)
                        first = alias.name.partition(".")[0]
                        known[alias.asname or first] = alias.name if alias.asname else first
                case ast.ImportFrom():
                    origin = node.module or ""
                    if node.level:
                        is_package = self.modules.get(importer, "").endswith("__init__.py")
                        above = importer.split(".")
                        above = above[: len(above) - node.level + is_package]
                        origin = ".".join([*above, *filter(None, [node.module])])
                    for alias in node.names:
                        yield from self._named(origin, alias.name)
                        known[alias.asname or alias.name] = f"{origin}.{alias.name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                head, *rest = _dotted(node.value) or [""]
                if head in known:
                    yield from self._named(".".join([known[head], *rest]), node.attr)

    def _module(self, dotted: str) -> Iterator[str]:
        if dotted in self.modules:
            yield dotted

    def _named(self, origin: str, name: str) -> Iterator[str]:
        """Yield the modules that a name of a module or package leads to."""
        if f"{origin}.{name}" in self.modules:
            yield f"{origin}.{name}"
        elif origin in self.modules:
            yield origin
            if self.modules[origin].endswith("__init__.py"):
                yield from (
                    other for other in self._defined[name] if other.startswith(f"{origin}.")
                )

    def _inside(self, package: str) -> Iterator[str]:
        for dotted in self.modules:
            if dotted.rpartition(".")[0] == package:
                yield dotted


def _dotted(node: ast.AST) -> list[str]:
    """Return the parts of a dotted name; none of another expression."""
    rest: list[str] = []
    while isinstance(node, ast.Attribute):
        rest.insert(0, node.attr)
        node = node.value
    return [node.id, *rest] if isinstance(node, ast.Name) else []


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in a source, of which some name packages."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _discovers(tree: ast.AST) -> bool:
    """Tell whether modules of a package are found by their files."""
    names = {"records", "iter_modules"}
    return any(
        names & {getattr(node.func, "id", ""), getattr(node.func, "attr", "")}
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    )


def _likeness(path: Path, module: str) -> int:
    """Rank a file of tests by its name: that of the module, a part of it, another."""
    test = path.stem.removeprefix("test_")
    stem = PurePosixPath(module).stem.strip("_")
    if stem == test:
        return 0
    if stem in test or test in stem or stem.rstrip("s") in test:
        return 1
    return 2
