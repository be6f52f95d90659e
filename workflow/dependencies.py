"""Find the library sources that a script imports, so that they can decide its reruns.

Snakemake reruns a job when its script changes, but knows nothing of what the script
imports. The imports are read from the syntax tree and followed; nothing is executed.
"""

from __future__ import annotations

import ast
import atexit
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

WORKFLOW = Path(__file__).parent


def library_sources(
    script: Path, package: Path, *, also: Iterable[str] = (), workflow: Path = WORKFLOW
) -> list[str]:
    """Return the sources of packages, and of the workflow's folders, that a script imports.

    Parameters
    ----------
    script : Path
        A Python script, or a notebook, whose code cells are read.
    package : Path
        Folder of the library, such as `src/annobench`; packages beside it are followed, too.
    also : iterable of str
        Dotted names of modules that the script imports by discovery, which no import
        statement shows.
    workflow : Path, optional
        Folder that holds the folders of modules that scripts share, such as `pages`.

    Returns
    -------
    list of str
        The paths of every module imported directly or through another, with the `__init__` of every
        package on the way, and with all modules of a package whose `discover` is imported;
        sorted, without the script itself. As text, which is compared in a fraction of the time
        that paths take.
    """
    package, script = Path(package), Path(script)
    found: set[str] = set()
    waiting = list(_direct_once(str(script), package, workflow))
    waiting += [path for name in also for path in _modules(name, package)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _direct_once(path, package, workflow)
    return sorted(found - {str(script)})


def digest(files: Iterable[str | Path]) -> str:
    """Return a digest of the names and contents of files, whatever their order, each counted once.

    Parameters
    ----------
    files : iterable of str or Path
        Sources.

    Returns
    -------
    str
        Hexadecimal.
    """
    found = hashlib.sha256()
    for path in sorted({str(each) for each in files}):
        found.update(f"{os.path.basename(path)} {_digest_once(path)}\n".encode())
    return found.hexdigest()


@cache
def _digest_once(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _direct(file: str, package: Path, workflow: Path) -> tuple[str, ...]:
    """Return the files that a file imports itself."""
    path = Path(file)
    inside = _is_inside(path, package)
    names = _imports(path, _package_of(path, package) if inside else "")
    if not inside:
        names += _through_alias(_code(path), package)
    found = [each for name in names for each in _modules(name, package)]
    if not inside:
        found += [each for name in names for each in _shared(name, workflow)]
    return tuple(found)


def _through_alias(code: str, package: Path) -> tuple[str, ...]:
    """Return the dotted names that code reaches by `import package as p`, such as `p.models.fit`.

    A function that the package's stub takes from a module stands for that module.
    """
    if not re.search(rf"\b{package.name}\s+as\b", code):  # most code, seen without parsing
        return ()
    tree = ast.parse(code)
    aliases = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == package.name and alias.asname
    }
    if not aliases:
        return ()
    stub = package / "__init__.pyi"
    public = _origins(stub.read_text(encoding="utf-8"), package.name) if stub.is_file() else {}
    reached: set[str] = set()
    for node in ast.walk(tree):
        head, _, rest = ast.unparse(node).partition(".") if _is_dotted(node) else ("", "", "")
        if head in aliases:
            first, *others = rest.split(".")
            name = ".".join([public.get(first, f"{package.name}.{first}"), *others])
            reached |= {name, *_discovery(name, package)}
    return tuple(sorted(reached))


def _is_dotted(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
        if isinstance(node, ast.Name):
            return True
    return False


def _discovery(name: str, package: Path) -> Iterator[str]:
    """Return the discovery of a package, if the name is a function there: it may ask for any."""
    parent, _, last = name.rpartition(".")
    folder = package.parent.joinpath(*parent.split("."))
    own = folder / "__init__.py"
    if own.is_file() and not list(folder.glob(f"{last}*")) and "\ndef discover(" in own.read_text():
        yield f"{parent}.discover"


def _origins(stub: str, package: str) -> dict[str, str]:
    """Return the module of each public name, by a stub's relative imports."""
    return {
        alias.name: f"{package}.{node.module}" if node.module else f"{package}.{alias.name}"
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


#: Hundreds of jobs import the same modules, which do not change while jobs are listed.
_direct_once = cache(_direct)


def _imports(path: Path, package: str) -> tuple[str, ...]:
    """Return the dotted names a file imports; `from a import b` gives `a` and `a.b`."""
    try:
        return _imported(_code(path), package)
    except (SyntaxError, ValueError) as error:  # a ValueError if it is not even text
        what = error.msg if isinstance(error, SyntaxError) else error
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise SyntaxError(
            f"{path}{where}: {what}. The workflow reads this file's imports; "
            "correct it and run again."
        ) from error


#: Where statements hold statements; an expression, of which there are many more, holds none.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _imported(code: str, package: str) -> tuple[str, ...]:
    key = hashlib.sha256(f"{package}\n{code}".encode()).hexdigest()
    stored = _stored()
    if key not in stored:
        stored[key] = list(_parsed(code, package))
    return tuple(stored[key])


#: What code imports. To parse all of it takes a second, which every job would pay at its start.
_STORE = Path(".snakemake/imports.json")


@cache
def _stored() -> dict[str, list[str]]:
    """Return what code imports, by its digest; what is new is kept when the process ends."""
    own = _digest_once(__file__)
    try:
        kept = json.loads(_STORE.read_text(encoding="utf-8"))
        stored = kept["imports"] if kept["reader"] == own else {}
    except (OSError, ValueError, KeyError, TypeError):
        stored = {}
    atexit.register(_keep, own, stored, len(stored))
    return stored


def _keep(own: str, stored: dict[str, list[str]], n_kept: int) -> None:
    if len(stored) == n_kept or not _STORE.parent.is_dir():
        return
    with suppress(OSError):  # it is only quicker with it
        part = _STORE.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps({"reader": own, "imports": stored}), encoding="utf-8")
        part.replace(_STORE)


def _parsed(code: str, package: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    waiting: list[ast.AST] = [ast.parse(code)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue  # only type checkers read it
        found |= dict.fromkeys(_names(node, package))
        waiting += (part for block in _BLOCKS for part in getattr(node, block, ()))
    return tuple(found)


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parents = package.split(".")
            home = ".".join(parents[: len(parents) - node.level + 1])
            base = f"{home}.{base}" if base else home
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)


def _code(path: Path) -> str:
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    # Lines for IPython itself are no Python.
    return "\n".join(
        line for cell in code for line in cell.splitlines() if not line.startswith(("%", "!"))
    )


def _is_inside(path: Path, package: Path) -> bool:
    """Say whether a file is of the library or of a package beside it."""
    home = package.parent
    return path.is_relative_to(home) and _is_file(
        f"{home / path.relative_to(home).parts[0]}/__init__.py"
    )


def _package_of(path: Path, package: Path) -> str:
    return ".".join(path.relative_to(package.parent).parent.parts)


@cache
def _modules(name: str, package: Path) -> tuple[str, ...]:
    """Return the files that importing a dotted name executes; none outside the packages."""
    head, *rest = name.split(".")
    folder = str(package.parent / head)
    files = [f"{folder}/__init__.py"]
    if not _is_file(files[0]):
        return ()
    for part in rest:
        folder = f"{folder}/{part}"
        files += [f"{folder}.py", f"{folder}/__init__.py"]
    if rest[-1:] == ["discover"]:
        files += map(str, Path(folder).parent.glob("[!_]*.py"))
    return tuple(path for path in files if _is_file(path))


#: Of each module it is asked for all that import it.
_is_file = cache(os.path.isfile)


@cache
def _shared(name: str, workflow: Path) -> tuple[str, ...]:
    """Return the module of a folder of the workflow that a dotted name stands for."""
    path = f"{workflow}/{name.replace('.', '/')}.py"
    return (path,) if "." in name and _is_file(path) else ()
