"""Execute a session's solutions beside the course's data, in a process of its own."""

import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from annobench.core.files import recording, replacing


def execute(notebook: NotebookNode, folder: Path, seconds: int = 300) -> NotebookNode:
    """Run all cells in a folder; an error of a cell is an error."""
    with tempfile.TemporaryDirectory() as profile:
        # A reader's own IPython start-up files must not change what a notebook shows.
        os.environ["IPYTHONDIR"] = profile
        client = NotebookClient(
            notebook,
            timeout=seconds,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
        )
        executed: NotebookNode = client.execute()
    for cell in executed.cells:
        cell.metadata.pop("execution", None)  # the times, which differ in every run
    return executed


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.session}"):
        target = Path(snakemake.output.notebook)
        done = execute(nbformat.read(snakemake.input.notebook, as_version=4), target.parent)
        with replacing(target) as draft:
            nbformat.write(done, draft)
