"""Dry runs of snakemake, one after another: a JSON list of arguments in, status and output out.

Most of the time of a dry run goes to the imports of snakemake and of the library. Here they are
imported once, and each dry run is a fork. A module of the library that is edited meanwhile must
do what it did.
"""

import json
import os
import sys
import tempfile

import snakemake.cli

from annobench import datasets, models
from annobench.course import sessions

for found_by_discovery in (datasets.names, models.discover, sessions.discover):
    found_by_discovery()


def dry_run(arguments):
    """Return the status of a dry run, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), sys.stdout.fileno())
            os.dup2(output.fileno(), sys.stderr.fileno())
            try:
                snakemake.cli.main(["--cores", "all", "--dry-run", *arguments])
            finally:
                sys.stdout.flush()
                os._exit(0 if sys.exc_info()[1].code == 0 else 1)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read()


for line in sys.stdin:
    print(json.dumps(dry_run(json.loads(line))), flush=True)
