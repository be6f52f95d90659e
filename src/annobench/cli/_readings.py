"""The result of each possible reading of an ambiguous table, for the user to choose."""

from __future__ import annotations

from annobench.core.errors import UnclearLayoutError


def said_of_readings(error: UnclearLayoutError) -> list[str]:
    """Report Krippendorff's alpha under each possible reading of a table."""
    import warnings
    from pathlib import Path

    from annobench import agreement
    from annobench.io import select_labels
    from annobench.reporting.formats import extent_of, number

    lines = []
    for options, given in error.readings.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                labels = select_labels(Path(error.path), **given).labels
                alpha = agreement.krippendorff_alpha(labels).estimate
        except (ValueError, OSError):
            continue
        lines.append(f"With {options}: {extent_of(labels)}; nominal alpha {number(alpha)}")
    return lines
