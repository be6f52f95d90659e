"""Clear what a failed cell should have assigned, so that no earlier answer is taken for its own."""

from __future__ import annotations

import re
import symtable
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["assigned_names", "clear_after_failures"]

#: A line of a cell that can't be parsed.
_ASSIGNS = re.compile(r"^\s*(?:def\s+|class\s+)?([^\W\d]\w*)\s*(?:=(?!=)|[(:]|,.*=)", re.MULTILINE)


def clear_after_failures() -> None:
    """Clear the names that a failed cell assigns, from now on; outside IPython, do nothing."""
    module = sys.modules.get("IPython.core.getipython")
    shell = module.get_ipython() if module else None
    if shell is not None and not hasattr(shell, "_annobench_clears"):
        shell._annobench_clears = True

        def clear(result: Any) -> None:
            if not result.success and result.info is not None:
                _clear(shell, str(result.info.raw_cell))

        shell.events.register("post_run_cell", clear)


def assigned_names(code: str) -> set[str]:
    r"""Return the names of a module that its code assigns, other than by import.

    Parameters
    ----------
    code : str
        Python, which need not be valid.

    Returns
    -------
    set of str
        Variables, functions and classes.

    Examples
    --------
    >>> sorted(assigned_names("import numpy as np\nanswer = np.mean(x)\ndef f(): y = 1"))
    ['answer', 'f']
    >>> assigned_names("answer = (1 +")
    {'answer'}
    """
    try:
        symbols = symtable.symtable(code, "<cell>", "exec").get_symbols()
    except (SyntaxError, ValueError):
        return set(_ASSIGNS.findall(code))
    return {s.get_name() for s in symbols if s.is_assigned() and not s.is_imported()}


def _clear(shell: InteractiveShell, cell: str) -> None:
    code = shell.transform_cell(cell)  # type: ignore[no-untyped-call]
    names = assigned_names(code) & shell.user_ns.keys()
    for name in names:
        del shell.user_ns[name]
    if names:
        print(
            f"This cell failed. What it assigns is cleared ({', '.join(sorted(names))}), so that "
            "no earlier answer is checked in its place."
        )
