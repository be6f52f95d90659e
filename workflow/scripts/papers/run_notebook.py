"""Run a notebook on the results, and keep what two runs have in common."""

import os
import re
import tempfile
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from papermill.exceptions import PapermillExecutionError

from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing
from pages.broken import recording_paper

#: The tag of cells that a reader is to change: their code stays open.
PLAY = "play"
#: What a run says of itself, in the metadata of the notebook and of its cells.
TIMES = ("papermill", "execution")


def run(source: Path, target: Path, parameters: dict[str, Any]) -> None:
    """Execute a notebook with parameters into `target`, whole or not at all.

    Raises
    ------
    PublicationError
        If the notebook has no such parameter, which would have no effect, or a cell fails.
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
        try:
            executed = papermill.execute_notebook(
                source, None, parameters, cwd=".", progress_bar=False, kernel_name="python3"
            )
        except PapermillExecutionError as error:
            raise PublicationError(
                f"{source}, cell {error.cell_index + 1}: {error.ename}: {error.evalue}"
            ) from error
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


def write_broken(target: Path, message: str) -> None:
    """Write a notebook that says why there is none."""
    says = new_markdown_cell(  # type: ignore[no-untyped-call]
        f"# {target.stem}\n\nThis notebook did not run.\n\n```text\n{message}\n```", id="broken"
    )
    with replacing(target) as draft:
        nbformat.write(new_notebook(cells=[says]), draft)  # type: ignore[no-untyped-call]


if snakemake := globals().get("snakemake"):
    target = Path(snakemake.output.notebook)
    job: AbstractContextManager[object]
    if snakemake.rule == "run_variation":
        job = recording(snakemake.log[0], name=f"{snakemake.rule} {target.stem}")
    else:
        # A kernel that does not start is no fault of the notebook: the job is run again.
        errors = (PublicationError, nbformat.ValidationError)
        job = recording_paper(snakemake, partial(write_broken, target), *errors)
    with job:
        run(Path(snakemake.input.notebook), target, snakemake.params.parameters)
