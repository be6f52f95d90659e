"""Ask once whether the data's home answers, if a file is missing."""

import json
import logging
from collections.abc import Iterable
from pathlib import Path

from annobench import datasets
from annobench.core.files import recording, replacing
from annobench.datasets.sources import address, probe_network

LOG = logging.getLogger(__name__)


def main(ids: Iterable[str], base_url: str, answer: Path) -> None:
    """Write whether the network is reachable: null where nobody needs to know."""
    missing = {id: files for id in ids if (files := datasets.missing_files(id))}
    if missing:
        # A file that is needed: a server may answer for its root and hang on everything else.
        first = next(iter(missing))
        reachable, reason = probe_network(
            address(base_url, datasets.get(first).source, missing[first][0])
        )
        LOG.info("needed by %s: reachable is %s %s", ", ".join(missing), reachable, reason)
    else:
        reachable, reason = None, "every file is held locally"
    with replacing(answer) as draft:
        draft.write_text(json.dumps({"reachable": reachable, "reason": reason}) + "\n")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        # The modes come from the configuration and not from params, so that a data set added
        # later does not ask again: that would rerun all data sets and all that hangs on them.
        modes = snakemake.config["data"]
        main(
            ids=[
                id
                for id in datasets.names()
                if modes["datasets"].get(id, modes["mode"]) != "simulated"
            ],
            base_url=snakemake.params.base_url,
            answer=Path(snakemake.output.answer),
        )
