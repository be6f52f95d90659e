"""Discovery of a package's modules with a record, one per method or data set."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType

__all__ = ["did_you_mean", "records"]


def records(package: str, attribute: str = "METHOD") -> dict[str, ModuleType]:
    """Import the modules of a package and return those with records, by the records' names.

    Parameters
    ----------
    package : str
        Dotted name, such as ``"annobench.models"``. Modules whose names begin with an underscore
        are left out.
    attribute : str, default "METHOD"
        The attribute with a record, or a tuple of records. The name of a record is its `name`, or
        else its `id`.

    Returns
    -------
    dict of str to module
        In alphabetical order of the modules.

    Raises
    ------
    ImportError
        If two records have the same name.
    """
    found: dict[str, ModuleType] = {}
    home = importlib.import_module(package)
    for module_name in sorted(entry.name for entry in pkgutil.iter_modules(home.__path__)):
        if module_name.startswith("_"):
            continue
        module = importlib.import_module(f"{package}.{module_name}")
        held = getattr(module, attribute, ())
        for record in held if isinstance(held, tuple) else (held,):
            name = record.name if hasattr(record, "name") else record.id
            if name in found:
                raise ImportError(
                    f"{package}: the name {name!r} occurs in {found[name].__name__} and in "
                    f"{module.__name__}. Rename one."
                )
            found[name] = module
    return found


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest known names that are close to an unknown one, for the end of a message.

    Parameters
    ----------
    name : str
        The unknown name.
    known : iterable of str
        The known names.

    Returns
    -------
    str
        A question that begins with a space, or an empty text if no name is close.

    Examples
    --------
    >>> did_you_mean("dawid_skeen", ["dawid_skene", "glad"])
    " Did you mean 'dawid_skene'?"
    """
    close = difflib.get_close_matches(name, list(known))
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
