"""Render a session's notebooks as pages and slides, each one file that opens offline.

Formulas become MathML, which browsers show without a script; reveal.js, which shows the slides, is
put into them from the copy that sphinx-revealjs ships.
"""

import importlib.util
import re
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import pass_context
from latex2mathml.converter import convert
from markupsafe import Markup
from nbconvert import HTMLExporter, SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor, TagRemovePreprocessor
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from annobench.core.files import recording, replacing
from annobench_replication.pages import render
from editions.course_slides import OUTPUT_ALONE, slides_edition
from editions.course_source import page_edition
from pages.empty_titles import without_empty_titles

SLIDES = "annobench_slides"


class _Renderer(IPythonRenderer):
    """Markdown to HTML, with formulas in MathML."""

    def inline_math(self, body: str) -> str:
        return _mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return f'<div class="formula" tabindex="0">{_mathml(body, "block")}</div>'

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")


def _mathml(formula: str, display: str) -> str:
    # The text of a formula was escaped for HTML, in which MathJax would have read it.
    plain = formula.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return convert(plain.strip(), display=display)


class _Formulas:
    """An exporter whose markdown has formulas in MathML."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        renderer = _Renderer(escape=False, exclude_anchor_links=True)
        return str(MarkdownWithMath(renderer=renderer).render(source))


class AlternativeTexts(Preprocessor):
    """Say of each figure, which describes itself no further, under which heading it is shown."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook with alternative texts."""
        heading = ""
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                heading = (re.findall(r"^#+ +(.+)$", cell.source, re.M) or [heading])[-1]
                continue
            alternative = escape(f"Figure: {heading}")
            for output in cell.get("outputs", []):
                if picture := output.get("data", {}).get("image/png"):
                    shown = f'<img src="data:image/png;base64,{picture}" alt="{alternative}">'
                    output.data = NotebookNode({"text/html": shown})
        return nb, resources


class PageExporter(_Formulas, HTMLExporter):
    """Cells as HTML, for a page of the site's looks."""


class OfflineSlidesExporter(_Formulas, SlidesExporter):
    """Slides that ask no server for anything."""


def page(notebook: NotebookNode, site: Path, **content: Any) -> str:
    """Return a notebook as a page of the site."""
    exporter = PageExporter(template_name="basic", embed_images=True)
    exporter.register_preprocessor(AlternativeTexts(), enabled=True)
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    body, _ = exporter.from_notebook_node(notebook)
    # What scrolls is reached by the keyboard.
    for plain, mended in (
        ("<table", '<table tabindex="0"'),
        ('<div class="highlight', '<div tabindex="0" class="highlight'),
    ):
        body = body.replace(plain, mended)
    body = without_empty_titles(body)
    highlighting = HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".highlight")
    return render(
        "course_session.html.j2",
        site,
        body=Markup(body),  # noqa: S704  (nbconvert's own, which escapes what the notebook shows)
        highlighting=Markup(highlighting),  # noqa: S704
        **content,
    )


def slides(notebook: NotebookNode, site: Path, title: str) -> str:
    """Return slides as one file of HTML."""
    exporter = OfflineSlidesExporter(
        template_name=SLIDES, extra_template_basedirs=[str(site)], embed_images=True
    )
    exporter.register_preprocessor(AlternativeTexts(), enabled=True)
    exporter.register_preprocessor(
        TagRemovePreprocessor(remove_input_tags={OUTPUT_ALONE}), enabled=True
    )
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    body, _ = exporter.from_notebook_node(
        notebook, resources={"revealjs": reveal(), "title": title}
    )
    return without_empty_titles(str(body))


def reveal() -> dict[str, str]:
    """Return the parts of reveal.js: its program, its notes, its style and its white theme."""
    spec = importlib.util.find_spec("sphinx_revealjs")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("sphinx-revealjs, from which reveal.js is taken, is missing.")
    home = Path(spec.origin).parent / "_static" / "revealjs"
    theme = (home / "dist/theme/white.css").read_text(encoding="utf-8")
    return {
        "program": (home / "dist/reveal.js").read_text(encoding="utf-8"),
        "notes": (home / "plugin/notes/notes.js").read_text(encoding="utf-8"),
        "style": (home / "dist/reveal.css").read_text(encoding="utf-8"),
        # Its fonts lie in other files; without them a sans-serif of the system is taken.
        "theme": re.sub(r"@import url\([^)]*\);?", "", theme),
    }


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.session}"):
        name, site = snakemake.wildcards.session, Path(snakemake.input.site[0]).parent
        student = nbformat.read(snakemake.input.student, as_version=4)
        executed = nbformat.read(snakemake.input.solutions, as_version=4)
        title = snakemake.params.title
        written = {
            snakemake.output.student: page(
                page_edition(student, executed), site, title=title, source=f"{name}.ipynb"
            ),
            snakemake.output.solutions: page(
                executed, site, title=f"{title}: solutions", source=f"{name}.ipynb"
            ),
            snakemake.output.slides: slides(slides_edition(executed), site, title),
        }
        for path, html in written.items():
            with replacing(path) as draft:
                draft.write_text(html, encoding="utf-8")
