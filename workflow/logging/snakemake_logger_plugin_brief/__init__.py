"""Snakemake's log in brief, for `make`: errors whole, warnings, how much is done, what is running.

Snakemake's own `--quiet rules` leaves out the errors of jobs as well. Snakemake finds this package
by its name, where PYTHONPATH names its folder; the log in `.snakemake/log` stays complete.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Mapping

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Lines that say how much is done.
STEPS = 20

#: Seconds between two reports on what is running, in a log and on a terminal.
PAUSE, PAUSE_ON_TERMINAL = 30.0, 1.0

#: Of what is said in passing, what a run that does nothing says.
ENDS = "Nothing to be done"

#: Returns to the beginning of a terminal's line, and erases it.
ERASE = "\r\x1b[2K"


class LogHandler(LogHandlerBase):
    """Writes to the terminal what a reader who waits for results needs to know."""

    writes_to_stream = True
    writes_to_file = False
    # Snakemake's own formatter shows errors with the end of the job's log; its filter hides them.
    has_filter = True
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin to count, and to report what is running."""
        self.begun = time.monotonic()
        self.shown = 0
        self.done = ""
        #: What is running, by the numbers of jobs: its name, and when it began.
        self.running: dict[int, tuple[str, float]] = {}
        self.on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.ended = threading.Event()
        self.reporter = threading.Thread(target=self.report, daemon=True)
        self.reporter.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, if the record is worth one."""
        self.follow(record)
        text = self.brief(record)
        if text:
            self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """Write a text, on a terminal in the place of the line on what is running."""
        print(ERASE * self.on_terminal + text, end="", file=sys.stderr, flush=True)

    def follow(self, record: logging.LogRecord) -> None:
        """Keep in mind which jobs are running."""
        event, told = getattr(record, "event", None), record.__dict__
        if event == LogEvent.JOB_INFO and not self.common_settings.dryrun:
            name = name_of_job(told["rule_name"], told["wildcards"])
            self.running[told["jobid"]] = name, time.monotonic()
        elif event == LogEvent.JOB_FINISHED:
            self.running.pop(told["job_id"], None)
        elif event == LogEvent.JOB_ERROR:
            self.running.pop(told["jobid"], None)

    def brief(self, record: logging.LogRecord) -> str:
        """Return what is written of a record, or nothing."""
        if getattr(record, "event", None) == LogEvent.PROGRESS:
            return self.progress(record.__dict__["done"], record.__dict__["total"])
        if record.levelno >= logging.WARNING or ENDS in str(record.msg):
            return self.format(record)
        return ""

    def progress(self, done: int, total: int) -> str:
        """Return how much is done, at every step and not oftener."""
        self.done = f"{done / total:4.0%}, {done:,} of {total:,} jobs, "
        step = STEPS * done // total
        if step == self.shown:
            return ""
        self.shown = step
        return self.done + clock(self.begun)

    def report(self) -> None:
        """Say again and again what is running, until the run has ended."""
        while not self.ended.wait(PAUSE_ON_TERMINAL if self.on_terminal else PAUSE):
            self.acquire()
            try:
                self.say_what_is_running()
            finally:
                self.release()

    def say_what_is_running(self) -> None:
        """Write the names of the jobs that are running, and for how long they have been."""
        if not self.running:
            return
        jobs = ", ".join(f"{name} {clock(begun)}" for name, begun in self.running.values())
        line = f"{self.done}{clock(self.begun)}, running: {jobs}"
        if self.on_terminal:
            # A line that is broken could not be erased; jobs write behind the space.
            self.write(f"{line[: shutil.get_terminal_size().columns - 2]} ")
        else:
            self.write(f"{line}\n")

    def close(self) -> None:
        """End the reports."""
        self.ended.set()
        self.reporter.join()
        if self.on_terminal:
            self.write("")
        super().close()


def clock(begun: float) -> str:
    """Return how long something has taken, in minutes and seconds."""
    minutes, seconds = divmod(round(time.monotonic() - begun), 60)
    return f"{minutes}:{seconds:02d}"


def name_of_job(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return a job's name in words: what it does and, after a colon, to what.

    The key of a paper becomes its citation, as in "replicate Beigman Klebanov (2008)".
    """
    values = [f"{name} {each}" if each.isdigit() else each for name, each in wildcards.items()]
    what = " ".join(in_words(each) for each in rule.split("_", maxsplit=1))
    return ": ".join(filter(None, [what, ", ".join(map(in_words, values))]))


def in_words(name: str) -> str:
    """Return a name of the workflow in words."""
    key = re.fullmatch(r"([a-z_]+)((?:19|20)\d\d)", name)
    return f"{in_words(key[1]).title()} ({key[2]})" if key else name.replace("_", " ")
