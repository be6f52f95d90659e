"""Values between the grader and the process of a submission, in a form that runs no code.

What comes from a submission is JSON, of which only plain values are made again.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["MAX_DEPTH", "Foreign", "RemoteError", "decode", "encode", "error_of"]

#: How deep lists may lie in one another.
MAX_DEPTH = 20


_KINDS: dict[str, type] = {"f": float, "single": np.float32, "i": int, "u": int, "b": bool}


@dataclass(frozen=True)
class Foreign:
    """A value of a type that is not passed on.

    Attributes
    ----------
    type_name : str
        Name of the type.
    """

    type_name: str


class RemoteError(Exception):
    """An error of a kind that Python itself does not have, raised in a submission."""


def encode(value: Any) -> str:
    """Return a value as one line of JSON.

    Parameters
    ----------
    value : object
        Numbers, texts, arrays, tables, and sequences and mappings of them; of a function that it
        is one, of anything else the name of its type.

    Returns
    -------
    str
        JSON.
    """
    return json.dumps(_packed(value, MAX_DEPTH))


def decode(text: str) -> Any:
    """Return the value of a line of JSON.

    Parameters
    ----------
    text : str
        What `encode` wrote, or somebody who would like to be taken for it.

    Returns
    -------
    object
        Numbers, texts, arrays, lists, tuples, sets, dicts, an ellipsis, or `Foreign`; a function
        is the text-free `Foreign("function")`.

    Raises
    ------
    ValueError
        If it is not what `encode` writes.

    Examples
    --------
    >>> decode(encode({"share": (0.5, ...)}))
    {'share': (0.5, Ellipsis)}
    """
    try:
        return _unpacked(json.loads(text), MAX_DEPTH)
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ValueError(f"malformed value ({type(error).__name__})") from None


def error_of(name: str, text: str) -> Exception:
    """Return an error of a name, so that it is compared with that of another function.

    Parameters
    ----------
    name : str
        Name of its class.
    text : str
        What it says.

    Returns
    -------
    Exception
        Of Python's own class of that name, or a `RemoteError`.
    """
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(text)
        except TypeError:  # some take more than a text
            pass
    return RemoteError(f"{name}: {text}")


def _packed(value: Any, depth: int) -> Any:
    if depth == 0:
        return {"foreign": "deeply nested"}
    if isinstance(value, np.float32):
        value = np.asarray(value)  # known by its precision
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, pd.DataFrame | pd.Series | pd.Index):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        kind = "single" if value.dtype == np.float32 else value.dtype.kind
        return {"array": _packed(value.tolist(), depth), "kind": kind}
    if isinstance(value, list):
        return [_packed(v, depth - 1) for v in value]
    if isinstance(value, tuple):
        return {"tuple": [_packed(v, depth - 1) for v in value]}
    if isinstance(value, set | frozenset):
        return {"set": [_packed(v, depth - 1) for v in value]}
    if isinstance(value, Mapping):
        return {"dict": [[_packed(k, depth - 1), _packed(v, depth - 1)] for k, v in value.items()]}
    return {"foreign": "function" if callable(value) else type(value).__name__}


def _unpacked(value: Any, depth: int) -> Any:
    if depth < 0:
        raise ValueError("too deep")
    if isinstance(value, list):
        return [_unpacked(v, depth - 1) for v in value]
    if not isinstance(value, dict):
        return value
    if "ellipsis" in value:
        return ...
    if "array" in value:
        return np.array(_unpacked(value["array"], depth), dtype=_KINDS.get(value["kind"], object))
    if "tuple" in value:
        return tuple(_unpacked(v, depth - 1) for v in value["tuple"])
    if "set" in value:
        return {_unpacked(v, depth - 1) for v in value["set"]}
    if "dict" in value:
        return {_unpacked(k, depth - 1): _unpacked(v, depth - 1) for k, v in value["dict"]}
    return Foreign(str(value["foreign"])[:50])
