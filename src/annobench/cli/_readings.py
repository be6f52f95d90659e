"""The result of each possible reading of an ambiguous table, for the user to choose."""

from __future__ import annotations

import re
from pathlib import Path

from annobench.cli._proposals import words
from annobench.cli._shared import command_context
from annobench.cli._trials import tried
from annobench.core.errors import UnclearLayoutError

#: Readings that are shown at most.
_SHOWN = 5


def said_of_readings(error: UnclearLayoutError) -> list[str]:
    """Report Krippendorff's alpha under each reading of a table that succeeds."""
    from annobench import agreement
    from annobench.reporting.formats import extent_of, number

    typed, takes_repeats = _typed()
    lines = []
    for options, given in error.readings.items():
        others = [word for name, own in typed.items() if name not in given for word in own]
        file = words(Path(error.path), others)
        trial = tried(f"annobench report {file} {options}")
        if trial.refusal or trial.loss(of_repeats="repeats" not in given):
            continue
        # What repeats an item is a question of `report`, and none of `inspect`.
        shown = options if takes_repeats else re.sub(r" --repeats \w+", "", options)
        labels = getattr(trial.selection, "labels", None)
        if labels is None:
            lines.append(f"With {shown}")
            continue
        alpha = agreement.krippendorff_alpha(labels).estimate
        part = ", in the first rows" if trial.in_part else ""
        lines.append(f"With {shown}{part}: {extent_of(labels)}; nominal alpha {number(alpha)}")
    n_more = len(lines) - _SHOWN
    return lines[:_SHOWN] + ([f"and {n_more:,} more readings"] if n_more > 0 else [])


def _typed() -> tuple[dict[str, list[str]], bool]:
    """Return the reading options as typed, and whether the command takes --repeats."""
    from annobench.cli._reading import typed_options

    context = command_context()
    if context is None:
        return {}, True
    return typed_options(context), "repeats" in context.params
