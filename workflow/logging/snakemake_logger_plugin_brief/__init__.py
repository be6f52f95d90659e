"""Snakemake's log in brief, for `make`: errors whole, warnings, and a line at each twentieth done.

Snakemake's own `--quiet rules` leaves out the errors of jobs as well. Snakemake finds this package
by its name, where PYTHONPATH names its folder; the log in `.snakemake/log` stays complete.
"""

from __future__ import annotations

import logging
import sys
import time

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Lines that say how much is done.
STEPS = 20

#: Of what is said in passing, what a run that does nothing says.
ENDS = "Nothing to be done"


class LogHandler(LogHandlerBase):
    """Writes to the terminal what a reader who waits for results needs to know."""

    writes_to_stream = True
    writes_to_file = False
    # Snakemake's own formatter shows errors with the end of the job's log; its filter hides them.
    has_filter = True
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin to count."""
        self.begun = time.monotonic()
        self.shown = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, if the record is worth one."""
        text = self.brief(record)
        if text:
            print(text, file=sys.stderr, flush=True)

    def brief(self, record: logging.LogRecord) -> str:
        """Return what is written of a record, or nothing."""
        if getattr(record, "event", None) == LogEvent.PROGRESS:
            return self.progress(record.__dict__["done"], record.__dict__["total"])
        if record.levelno >= logging.WARNING or ENDS in str(record.msg):
            return self.format(record)
        return ""

    def progress(self, done: int, total: int) -> str:
        """Return how much is done, at every step and not oftener."""
        step = STEPS * done // total
        if step == self.shown:
            return ""
        self.shown = step
        minutes, seconds = divmod(round(time.monotonic() - self.begun), 60)
        return f"{done / total:4.0%}, {done:,} of {total:,} jobs, {minutes}:{seconds:02d}"
