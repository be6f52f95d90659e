"""Run a notebook on the results, and render it as a page that opens without a network."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
import papermill
from markupsafe import Markup
from nbconvert import HTMLExporter
from nbconvert.preprocessors import TagRemovePreprocessor
from pygments.formatters import HtmlFormatter

from annobench.core.files import recording, replacing
from annobench.reporting.pages import render
from sources import read_metas, simulated


def run(source: Path, target: Path, parameters: dict[str, Any]) -> None:
    """Execute a notebook with parameters into `target`, whole or not at all."""
    with tempfile.TemporaryDirectory() as profile, replacing(target) as draft:
        # A reader's own IPython start-up files must not change what a notebook shows.
        os.environ["IPYTHONDIR"] = profile
        papermill.execute_notebook(
            source, draft, parameters, cwd=".", progress_bar=False, kernel_name="python3"
        )


def to_html(notebook: Path, page: Path, site: Path, paper: str, metas: Iterable[str]) -> None:
    """Render an executed notebook in the site's looks, everything inlined."""
    exporter = HTMLExporter(template_name="basic", embed_images=True)
    # The values given stand in the cell that papermill put in; the defaults would repeat them.
    exporter.register_preprocessor(
        TagRemovePreprocessor(remove_cell_tags={"parameters"}), enabled=True
    )
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    body, _ = exporter.from_notebook_node(nbformat.read(notebook, as_version=4))
    highlighting = HtmlFormatter(style="friendly").get_style_defs(".highlight")
    html = render(
        "notebook.html.j2",
        site,
        title=f"{notebook.stem}: notebook",
        depth=1,
        paper=paper,
        source=notebook.name,
        simulated=simulated(read_metas(metas)),
        body=Markup(body),  # noqa: S704  (nbconvert's own, which escapes what the notebook shows)
        highlighting=Markup(highlighting),  # noqa: S704
    )
    with replacing(page) as draft:
        draft.write_text(html, encoding="utf-8")


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.notebook}"):
        run(
            Path(snakemake.input.notebook),
            Path(snakemake.output.notebook),
            {"paper_folder": f"results/papers/{snakemake.params.paper}"},
        )
        to_html(
            Path(snakemake.output.notebook),
            Path(snakemake.output.html),
            Path(snakemake.input.site[0]).parent,
            paper=snakemake.params.paper,
            metas=snakemake.input.metas,
        )
