"""Optional libraries, imported on use or named in an error."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from annobench.core.errors import MissingLibraryError

__all__ = ["optional", "require"]

#: By the module that is imported: what pip calls the library, and the extra that installs it.
EXTRAS: Final = {
    "arviz": ("arviz", "bayes"),
    "cassis": ("dkpro-cassis", "exports"),
    "dask": ("dask", "scale"),
    "distributed": ("distributed", "scale"),
    "fsspec": ("fsspec", "scale"),
    "pandera": ("pandera", "data"),
    "pyarrow": ("pyarrow", "parquet"),
    "rdata": ("rdata", "exports"),
    "requests": ("requests", "data"),
    "sklearn": ("scikit-learn", "learn"),
    "yaml": ("pyyaml", "workflow"),
}


def require(module: str, needing: str) -> Any:
    """Import a module of an optional library.

    Parameters
    ----------
    module : str
        Name, such as "pyarrow.parquet".
    needing : str
        What needs it, such as "Parquet": the subject of the message.

    Returns
    -------
    module
        The module.

    Raises
    ------
    MissingLibraryError
        If the library is not installed, or incomplete; names the extra.

    Examples
    --------
    >>> require("pyarrow.parquet", "Parquet").__name__
    'pyarrow.parquet'
    """
    try:
        return import_module(module)
    except ImportError as error:
        top = module.partition(".")[0]
        library, extra = EXTRAS[top]
        why = f"can't be imported ({error})" if is_installed(top) else "is not installed"
        raise MissingLibraryError(
            f"{needing} needs {library}, which {why}. In the folder of the clone: "
            f'pip install ".[{extra}]"'
        ) from error


def is_installed(library: str) -> bool:
    """Return whether a library can be imported, without importing it."""
    return find_spec(library) is not None


def optional(module: str, needing: str) -> ModuleType:
    """Return a proxy of a module of an optional library, imported on first use.

    Parameters
    ----------
    module, needing : str
        As `require` takes them.

    Returns
    -------
    module
        The proxy; without the library its names raise the error of `require`.
    """
    return _Optional(module, needing)


class _Optional(ModuleType):
    def __init__(self, module: str, needing: str) -> None:
        super().__init__(module)
        self.__dict__["_needing"] = needing

    def __getattr__(self, name: str) -> Any:
        return getattr(require(self.__name__, self.__dict__["_needing"]), name)
