"""Bring one data set into the common layout, and say loudly if it had to be simulated."""

import json
from pathlib import Path
from typing import Any

from annobench import datasets
from annobench.core.files import recording, replacing


def main(
    id: str, folder: Path, mode: datasets.Mode, seed: int, upgrades: int, network: Path | None
) -> None:
    """Prepare the data set in `folder`; warn on the terminal where `auto` fell back."""
    answer: dict[str, Any] = {"reachable": None, "reason": ""}
    if network is not None:
        answer = json.loads(network.read_text())
    meta = datasets.prepare(id, folder, mode=mode, seed=seed, network=answer["reachable"])
    if upgrades:
        with replacing(folder / "meta.json") as draft:
            draft.write_text(json.dumps(meta | {"upgrades": upgrades}, indent=1) + "\n")
    if meta["provenance"] == "simulated" and mode == "auto":
        network_says = f" ({answer['reason']})" if answer["reachable"] is False else ""
        why = meta["why_simulated"] + network_says
        print(f"WARNING: data set {id} is SIMULATED: {why}", flush=True)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.dataset}"):
        main(
            id=snakemake.wildcards.dataset,
            folder=Path(snakemake.output.meta).parent,
            mode=snakemake.params.mode,
            seed=snakemake.params.seed,
            upgrades=snakemake.params.upgrades,
            network=Path(snakemake.input.network[0]) if snakemake.input.network else None,
        )
