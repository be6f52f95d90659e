"""Bring data sets into the common layout, and say loudly which had to be simulated."""

import json
from pathlib import Path
from typing import Any

from annobench import datasets
from annobench.core.files import recording, replacing


def main(
    id: str, folder: Path, mode: datasets.Mode, seed: int, upgrades: int, answer: dict[str, Any]
) -> None:
    """Prepare the data set in `folder`; warn on the terminal where `auto` fell back."""
    network = answer["reason"] if answer["reachable"] is False else answer["reachable"]
    meta = datasets.prepare(id, folder, mode=mode, seed=seed, network=network)
    if upgrades:
        with replacing(folder / "meta.json") as draft:
            draft.write_text(json.dumps(meta | {"upgrades": upgrades}, indent=1) + "\n")
    if meta["provenance"] == "simulated" and mode == "auto":
        print(f"WARNING: data set {id} is SIMULATED: {meta['why_simulated']}", flush=True)
    elif "without" in meta and mode == "auto":
        print(
            f"WARNING: data set {id} has real labels, but lacks texts: {meta['why_without']}",
            flush=True,
        )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        answer: dict[str, Any] = {"reachable": None, "reason": ""}
        for path in snakemake.input.network:
            answer = json.loads(Path(path).read_text())
        for id, path in zip(snakemake.params.ids, snakemake.output.metas, strict=True):
            main(
                id,
                folder=Path(path).parent,
                mode=snakemake.params.modes[id],
                seed=snakemake.config["seed"],
                upgrades=snakemake.params.upgrades[id],
                answer=answer,
            )
