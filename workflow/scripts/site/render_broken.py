"""Say in place of a paper's results why it can't be run, and remove those of an earlier run."""

import shutil
from pathlib import Path

import pandas as pd

from annobench.core.files import recording, replacing
from annobench_replication import ledger
from annobench_replication.pages import render
from pages.broken import Fault, write_fault

if snakemake := globals().get("snakemake"):
    key, output = snakemake.wildcards.paper, snakemake.output
    with recording(snakemake.log[0], name=f"{snakemake.rule} {key}"):
        shutil.rmtree(Path(output.comparison).parent, ignore_errors=True)
        Path(f"results/notebooks/{key}.ipynb").unlink(missing_ok=True)
        faults = [Fault(key, "record", snakemake.params.fault)]
        site = Path(snakemake.input.site[0]).parent
        page = render("broken.html.j2", site, key=key, faults=faults)
        for path in (output.index, output.source):
            with replacing(path) as draft:
                draft.write_text(page, encoding="utf-8")
        nothing = pd.DataFrame(columns=list(ledger.COMPARISON_COLUMNS))
        ledger.write_comparison(nothing, Path(output.comparison))
        write_fault(output.fault, snakemake.params.fault)
