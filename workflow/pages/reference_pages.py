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


def write_reference(folder: Path, package: Path, heading: str) -> None:
    """Write a source of each public module, as reStructuredText.

    Parameters
    ----------
    folder : Path
        Made; its `index.rst` is that of the package.
    package : Path
        Folder of the package.
    heading : str
        That of the index.
    """
    for name in public_modules(package):
        inner = name.partition(".")[2].replace(".", "/")
        is_package = (package / inner / "__init__.py").is_file()
        path = folder / inner / "index.rst" if is_package else folder / f"{inner}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = name if inner else heading
        lines = [title, "=" * len(title), "", f".. automodule:: {name}"]
        if is_package:
            lines += ["   :no-members:", "", *_names(name)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _names(package: str) -> Iterator[str]:
    """List what a package offers: functions and classes stand with the module that defines them."""
    module = importlib.import_module(package)
    for name in getattr(module, "__all__", []):
        offered = getattr(module, name)
        if inspect.ismodule(offered):
            yield f"- :py:mod:`~{offered.__name__}`"
        elif inspect.isfunction(offered) or inspect.isclass(offered):
            yield f"- :py:obj:`{name} <{offered.__module__}.{offered.__qualname__}>`"
        else:
            yield f"- ``{name}``"
