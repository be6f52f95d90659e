"""Run a notebook on the results, and keep what two runs have in common."""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode

from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing

#: The tag of cells that a reader is to change: their code stays open.
PLAY = "play"
#: What a run says of itself, in the metadata of the notebook and of its cells.
TIMES = ("papermill", "execution")


def run(source: Path, target: Path, parameters: dict[str, Any]) -> None:
    """Execute a notebook with parameters into `target`, whole or not at all.

    Raises
    ------
    PublicationError
        If the notebook has no such parameter, which would have no effect.
    """
    known = papermill.inspect_notebook(source)
    if unknown := sorted(set(parameters) - set(known)):
        raise PublicationError(
            f"{source} has no parameter {', '.join(unknown)}; it has {', '.join(known)}. "
            "Correct the name, or leave it out."
        )
    with tempfile.TemporaryDirectory() as scratch, replacing(target) as draft:
        # A reader's own IPython start-up files must not change what a notebook shows.
        os.environ["IPYTHONDIR"] = scratch
        # A kernel without ipywidgets needs no word on progress bars.
        os.environ["PYTHONWARNINGS"] = "ignore:IProgress not found"
        executed = papermill.execute_notebook(
            source, None, parameters, cwd=".", progress_bar=False, kernel_name="python3"
        )
        settle(executed)
        fold(executed)
        nbformat.write(executed, draft)  # type: ignore[no-untyped-call]


def settle(notebook: NotebookNode) -> None:
    """Remove what differs between two runs: times, and the name of the cell of a variation."""
    for part in (notebook, *notebook.cells):
        for name in TIMES:
            part.metadata.pop(name, None)
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.id = "variation"


def fold(notebook: NotebookNode) -> None:
    """Fold the code, on the site and in JupyterLab, but of the cells that a reader is to change.

    A line that only shows something, such as ``paper.figure("figure2")``, is not on the site.
    """
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and PLAY not in tags:
            shows = re.fullmatch(r"paper\.(figure|printed_table)\([^()]*\)", cell.source.strip())
            cell.metadata.tags = [*tags, "remove-input" if shows else "hide-input"]
            cell.metadata.jupyter = {"source_hidden": True}


if snakemake := globals().get("snakemake"):
    name = Path(snakemake.output.notebook).stem
    with recording(snakemake.log[0], name=f"{snakemake.rule} {name}"):
        run(
            Path(snakemake.input.notebook),
            Path(snakemake.output.notebook),
            snakemake.params.parameters,
        )
