"""The result of each possible reading of an ambiguous table, for the user to choose."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annobench.cli._options import typed_options
from annobench.cli._running import running
from annobench.cli._trials import TRIED, tried
from annobench.core.errors import UnclearLayoutError

#: Readings that are shown at most.
_SHOWN = 5


def said_of_readings(error: UnclearLayoutError) -> list[str]:
    """Report Krippendorff's alpha under each reading of a table with which the command succeeds."""
    from annobench import agreement
    from annobench.reporting.formats import extent_of, number

    context = running().context()
    takes_repeats = context is None or "repeats" in context.params
    lines = []
    for options, given in error.readings.items():
        words, file = _words(context, Path(error.path), given)
        if words[0] == "consensus" and given.get("counts"):  # nobody knows who chose what
            options = f"{options} --model voting"
        trial = tried([*words, *shlex.split(options)], file)
        if trial.refusal or trial.loss(of_repeats="repeats" not in given):
            continue
        # What repeats an item is a question of `report`, and none of `inspect`.
        shown = options if takes_repeats else re.sub(r" --repeats \w+", "", options)
        labels = getattr(trial.selection, "labels", None)
        if labels is None:
            lines.append(f"With {shown}")
            continue
        alpha = agreement.krippendorff_alpha(labels.first_labels()).estimate
        part = ", in the first rows" if trial.in_part else ""
        lines.append(f"With {shown}{part}: {extent_of(labels)}; nominal alpha {number(alpha)}")
    n_more = len(lines) - _SHOWN
    return lines[:_SHOWN] + ([f"and {n_more:,} more readings"] if n_more > 0 else [])


def _words(context: Any, path: Path, given: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the command as typed, or `report` if it can't be tried, and its file."""
    if context is None:
        return ["report", str(path)], str(path)
    command, typed = running().name, running().words
    files = [word for word in typed if Path(word) == path]
    if command in TRIED and files:
        return [command, *typed], files[0]
    options = typed_options(context)
    others = [word for name, own in options.items() if name not in given for word in own]
    return ["report", str(path), *others], str(path)
