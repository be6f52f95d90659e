"""Sources of the reference: a page a public module, from the docstrings."""

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path


def public_modules(package: Path) -> Iterator[str]:
    """Name a package and its modules with public names, packages before what they hold.

    Parameters
    ----------
    package : Path
        Folder of a package.

    Yields
    ------
    str
        Such as `annobench.agreement.report`.
    """
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        named = parts[:-1] if parts[-1] == "__init__" else parts
        is_public = parts[-1] == "__init__" or "\n__all__ = " in path.read_text(encoding="utf-8")
        if is_public and not any(part.startswith("_") for part in named):
            yield ".".join(named)


def offered_modules(package: str) -> set[str]:
    """Return the modules that a package's face leads to: those it names, and where names live.

    Parameters
    ----------
    package : str
        Its `__all__` has names and packages, whose `__all__` have more. Without one the answer is
        empty.
    """
    found: set[str] = set()
    waiting = [package] if hasattr(importlib.import_module(package), "__all__") else []
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        module = importlib.import_module(name)
        for offered in (getattr(module, each) for each in getattr(module, "__all__", ())):
            if inspect.ismodule(offered):
                waiting.append(offered.__name__)
            elif home := getattr(offered, "__module__", None):
                found.add(home)
    return found


def write_reference(folder: Path, package: Path, heading: str) -> None:
    """Write a source of each public module, as reStructuredText.

    Modules that the package's face does not lead to are internals: they are listed apart on the
    index, and the search leaves them out.

    Parameters
    ----------
    folder : Path
        Made; its `index.rst` is that of the package.
    package : Path
        Folder of the package.
    heading : str
        That of the index.
    """
    names = list(public_modules(package))
    offered = offered_modules(package.name)
    internals = [name for name in names if offered and name not in offered]
    for name in names:
        inner = name.partition(".")[2].replace(".", "/")
        is_package = (package / inner / "__init__.py").is_file()
        path = folder / inner / "index.rst" if is_package else folder / f"{inner}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = name if inner else heading
        lines = [":no-search:", ""] if name in internals else []
        lines += [title, "=" * len(title), "", f".. automodule:: {name}"]
        if is_package:
            lines += ["   :no-members:", "", *_names(name)]
        if not inner and internals:
            lines += ["", *_apart(internals)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _names(package: str) -> Iterator[str]:
    """List what a package offers, a line each; functions and classes stand with their modules."""
    module = importlib.import_module(package)
    for name in getattr(module, "__all__", []):
        offered = getattr(module, name)
        if inspect.ismodule(offered):
            yield f"- :py:mod:`~{offered.__name__}`: {_first_line(offered)}"
        elif inspect.isfunction(offered) or inspect.isclass(offered):
            place = f"{offered.__module__}.{offered.__qualname__}"
            yield f"- :py:obj:`{name} <{place}>`: {_first_line(offered)}"
        else:
            yield f"- ``{name}``"


def _first_line(of: object) -> str:
    """Return what a docstring begins with, as one line."""
    paragraph = (inspect.getdoc(of) or "").split("\n\n", 1)[0]
    return " ".join(paragraph.split())


def _apart(internals: list[str]) -> Iterator[str]:
    yield from ("Internals", "---------", "")
    yield "These may change in any version, and the search leaves them out."
    yield ""
    yield from (f"- :py:mod:`{name}`" for name in internals)
