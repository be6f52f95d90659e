"""Make a paper's page and that of its sources readable without the site."""

from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from annobench.core.files import recording, replacing
from annobench.reporting.pages import render


def alone(page: str, title: str, styles: Iterable[Path], folder: Path) -> str:
    """Return a page of the site with its style, whose sources are a page of this kind, too."""
    linked = Markup(page.replace('href="source.html', 'href="page_source.html'))  # noqa: S704  (rendered)
    style = Markup("\n".join(path.read_text(encoding="utf-8") for path in styles))  # noqa: S704
    return render("alone.html.j2", folder, title=title, page=linked, more_style=style)


if snakemake := globals().get("snakemake"):
    key = snakemake.wildcards.paper
    with recording(snakemake.log[0], name=f"{snakemake.rule} {key}"):
        for name in ("index", "source"):
            text = Path(snakemake.input[name]).read_text(encoding="utf-8")
            own = alone(
                text,
                key,
                map(Path, snakemake.input.styles),
                Path(snakemake.input.template).parent,
            )
            with replacing(snakemake.output[name]) as draft:
                draft.write_text(own, encoding="utf-8")
