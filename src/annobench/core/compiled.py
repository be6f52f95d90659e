"""Compilation of inner loops, with caching if possible.

Every compiled function of the library is made by `kernel`. Without numba it runs as Python does,
slowly and with the same results; `math` and `default_threads` replace what then differs. Kernels
assign single numbers: for array assignments numba also compiles the error of unequal shapes,
including text formatting, which takes seconds on first use.
"""

from __future__ import annotations

import logging
import math as _math
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from annobench.core import uncompiled

try:
    from numba import get_num_threads, njit
    from numba.core.caching import FunctionCache
except (ImportError, OSError) as error:  # of a library that it loads
    FunctionCache = object  # type: ignore[misc, assignment]
    WHY_UNCOMPILED = str(error)
else:
    WHY_UNCOMPILED = ""

__all__ = ["WHY_UNCOMPILED", "default_threads", "kernel", "math"]

#: What kernels take for `math`.
math: Any = uncompiled.math if WHY_UNCOMPILED else _math

_LOG = logging.getLogger(__name__)

#: What was said: each message once a process.
_told: set[str] = set()
_TELLING = threading.Lock()


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on first call, and cache the code for other processes.

    The code is cached in the package's folder, in the user's cache, or in NUMBA_CACHE_DIR. If none
    can be written, every process compiles it, which is logged once. Without numba nothing is
    compiled, which is also logged once.

    Parameters
    ----------
    **options
        Of `numba.njit`, such as `error_model` or `fastmath`.

    Returns
    -------
    callable
        The decorator; the compiled function releases the lock of the interpreter.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        if WHY_UNCOMPILED:
            return uncompiled.as_compiled(function, _tell_uncompiled)
        # Code to be called from C is needed nowhere, and takes a twelfth of the time to compile.
        settings: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, **options}
        dispatcher: Any = njit(**settings)(function)
        try:
            # Numba's own cache, `cache=True`, stops the fit if it can't be written.
            dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
        except RuntimeError:  # there is no place for it
            _tell_uncached()
        return dispatcher

    return compiled


def default_threads() -> int:
    """Return the number of threads that numba uses, or else the number of cores.

    Returns
    -------
    int
        With numba that of NUMBA_NUM_THREADS.
    """
    return os.cpu_count() or 1 if WHY_UNCOMPILED else int(get_num_threads())


class _Cache(FunctionCache):
    """Numba's cache of a function; code that can't be read or stored is recompiled."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for the types of arguments; None if it is not kept."""
        try:
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except OSError:
            found = None
        if found is None:
            _tell_compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for the types of arguments."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError:
            _tell_uncached()


def _tell_uncompiled() -> None:
    """Log that loops are not compiled."""
    with _TELLING:
        if "uncompiled" in _told:
            return
        _told.add("uncompiled")
    _LOG.warning(
        "Loops run uncompiled, as numba can't be imported (%s): results are the same, but take far "
        "longer. Install it: pip install numba",
        WHY_UNCOMPILED,
    )


def _tell_uncached() -> None:
    with _TELLING:
        if "uncached" in _told:
            return
        _told.add("uncached")
    _LOG.warning(
        "Compiled code can't be kept: the folder of the package and the cache of the user can't "
        "be written, or are full. Every run compiles it again, which takes some seconds. Set "
        "NUMBA_CACHE_DIR to a folder that can be written."
    )


def _tell_compiling() -> None:
    """Explain on a terminal why the first use takes longer."""
    with _TELLING:
        if (
            "compiling" in _told
            or not sys.stderr.isatty()
            or not _LOG.isEnabledFor(logging.WARNING)
        ):
            return
        _told.add("compiling")
    print("annobench: compiling, as this is its first use; this takes seconds", file=sys.stderr)
