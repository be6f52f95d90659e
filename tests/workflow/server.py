"""Runs of snakemake, one after another: a request a line of JSON in, status and output out.

Half of the time of a short run goes to the imports of snakemake and of the library. Here they are
imported once, and each run is a fork. A module of the library that is edited meanwhile must
do what it did, and one that is added is not found.
"""

import json
import os
import signal
import sys
import tempfile
import threading
from contextlib import suppress

import snakemake.cli

from annobench import datasets
from annobench_course import sessions

for found_by_discovery in (datasets.names, sessions.discover):
    found_by_discovery()

#: Seconds after which a run is ended.
LIMIT = 900


def kill(group):
    """Kill a run and its jobs, unless it has ended."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def run(folder, arguments, environment, kill_after):
    """Return the status of a run in a folder, and what it printed.

    After `kill_after` seconds, if it is a number, the run and its jobs are killed.
    """
    with tempfile.TemporaryFile("w+") as output, open(os.devnull) as nothing:
        child = os.fork()
        if child == 0:
            signal.alarm(LIMIT)
            if kill_after is not None:
                os.setpgid(0, 0)
            os.dup2(nothing.fileno(), sys.stdin.fileno())
            os.dup2(output.fileno(), sys.stdout.fileno())
            os.dup2(output.fileno(), sys.stderr.fileno())
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            try:
                snakemake.cli.main(arguments)
            finally:
                sys.stdout.flush()
                os._exit(0 if sys.exc_info()[1].code == 0 else 1)
        if kill_after is not None:
            with suppress(PermissionError):  # the child has done so, and runs another program
                os.setpgid(child, child)
            killer = threading.Timer(kill_after, kill, [child])
            killer.start()
        _, status = os.waitpid(child, 0)
        if kill_after is not None:
            killer.cancel()
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read()


for line in sys.stdin:
    print(json.dumps(run(**json.loads(line))), flush=True)
