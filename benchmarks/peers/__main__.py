"""Compare a package with the library's models: ``python -m benchmarks.peers crowd_kit PYTHON``.

The package's methods are run as programs: `adapter.py` in the folder of the package is
run by the Python of the package's own environment. What is found is stored in
`benchmarks/measured/peers/<package>`, in the tables of the benchmark, and shown on the page
`results/peers/<package>.html`.
"""

from __future__ import annotations

import importlib
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
from packaging.requirements import Requirement

from annobench.benchmark import external_methods
from annobench.benchmark.external_methods.data import find_cases
from annobench.core.choices import DEFAULT_SEED
from annobench.core.files import replacing
from annobench.reporting import benchmark_page

HOME = Path(__file__).parent
MEASURED = HOME.parent / "measured" / "peers"
PAGES = HOME.parents[1] / "results" / "peers"
#: Small sets: the start of Python and the import of a package take seconds for each fit.
DATA = ("snow2008_temp", "snow2008_rte", "ti_bluebird", "ti_cf")
#: Seconds of a fit, the start of Python and the import of the package included.
LIMIT = 120.0
REPLICATES = 1000


def version(peer: str) -> str:
    """Return the package of a peer with the version that is locked."""
    package = importlib.import_module(f"benchmarks.peers.{peer}.adapter").PACKAGE
    lines = (HOME / peer / "requirements.txt").read_text(encoding="utf-8").splitlines()
    entries = [Requirement(line.rstrip(" \\")) for line in lines if line[:1].isalnum()]
    [locked] = [str(e.specifier).removeprefix("==") for e in entries if e.name == package]
    return f"{package} {locked}"


def candidates(peer: str, python: str) -> list[external_methods.Candidate]:
    """Make a method of everything that a peer's adapter offers."""
    adapter = importlib.import_module(f"benchmarks.peers.{peer}.adapter")
    source = version(peer)
    found = []
    for name, random in adapter.METHODS.items():
        # As seen from the top of the repository, where this runs: notes name no machine's paths.
        words = [python, f"benchmarks/peers/{peer}/adapter.py", name]
        seed = "{seed}" if random else "0"
        command = f"{shlex.join(words)} {{labels}} {{probabilities}} {seed}"
        made = external_methods.from_program(command, limit=LIMIT)
        title = f"{adapter.PACKAGE} {name}"
        record = replace(made.METHOD, name=title, reference=(adapter.__doc__ or "").split(":")[0])
        found.append(replace(made, METHOD=record, SOURCE=source))
    return found


def main(peer: str, python: str) -> None:
    """Check and compare the methods of a peer, and store the tables."""
    own = candidates(peer, python)
    findings = []
    for each in own:
        checks = external_methods.check(each, limit=LIMIT, seed=DEFAULT_SEED)
        findings += [{"method": each.METHOD.name, **vars(finding)} for finding in checks]
        print(f"{each.METHOD.name}: {sum(c.kept for c in checks)} of {len(checks)} checks kept")
    outcome = external_methods.compare(
        find_cases(DATA, DEFAULT_SEED),
        own,
        limit=LIMIT,
        seed=DEFAULT_SEED,
        replicates=REPLICATES,
        settings={"command": f"make peer PEER={peer}"},
        begin=lambda name: print(f"fitting {name}", flush=True),
    )
    outcome.write(MEASURED / peer)
    page = benchmark_page.render(outcome.tables, marked=outcome.candidates)
    with replacing(PAGES / f"{peer}.html") as draft:
        draft.write_text(page, encoding="utf-8")
    pd.DataFrame(findings).to_csv(MEASURED / peer / "contract.csv", index=False)
    print(outcome.summary().to_string(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
