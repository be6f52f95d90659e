"""Build the site: documentation, computed pages, notebooks and reference, by one run of Sphinx."""

import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from functools import cache, partial
from pathlib import Path

from sphinx.cmd.build import build_main

import annobench
from annobench.core.errors import PublicationError
from annobench.core.files import recording, replacing
from annobench.reporting.pages import picture_size
from pages.empty_titles import without_empty_titles
from pages.links_to_pages import ids, known, linked, linked_in_html
from pages.reference_pages import write_reference
from pages.study_sections import append, sections

#: What the masthead shows, by the words that it shows, in this order.
MASTHEAD = {
    "papers/index": "Papers",
    "discrepancies": "Discrepancies",
    "values": "Values",
    "studies/aggregation/index": "Benchmark",
    "how-to/index": "Guides",
    "coefficients/index": "Coefficients",
    "models/index": "Models",
    "datasets/index": "Data sets",
    "course/index": "Course",
    "studies/index": "Studies",
    "figures": "Figures",
    "explanation/index": "Background",
    "reference/index": "Reference",
}

FORWARD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=site/index.html">
<title>annobench</title>
<p><a href="site/index.html">annobench: results and documentation</a></p>
</html>
"""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]*)\)")


#: The theme's button that shows the pages below another, which has no name for a screen reader.
_TOGGLE = '<summary><span class="toctree-toggle"'

#: Names for screen readers that the theme gives, and the words that are seen, which they must hold:
#: those of the button of the search, which a phone does not show, and of a fold.
_SEEN_AS_NAMED = {
    'title="Search" aria-label="Search" data-bs-placement': (
        'title="Search" aria-label="Search Ctrl+K" data-bs-placement'
    ),
    '<summary aria-label="Toggle hidden content">': "<summary>",
    _TOGGLE: '<summary aria-label="pages below"><span class="toctree-toggle"',
}

#: The parameters of a long signature, which are no list of terms and what they mean.
_PARAMETERS = re.compile(r"<dl>\n((?:(?!</?d[lt]\b).)*)</dl>", re.DOTALL)

#: A picture of the documentation, alone in its paragraph.
_PICTURE = re.compile(r'<p><img alt="([^"]*)" src="([^":]*\.svg)" /></p>')

#: The same as computed pages show it: at a size at which it is read.
_BOX = (
    '<div class="picture"><a href="{source}"><img class="dark-light" src="{source}" alt="{alt}" '
    'width="{width}" height="{height}" style="--width: {width}px" loading="lazy"></a></div>'
)

#: Bytes without which a disk is full.
ROOM = 1 << 20

_ID = re.compile(r'\bid="([^"]*)"')

#: Where a source says that it is documented.
_BACK = re.compile(r'(?<=<a class="viewcode-back" href=")([^"#]*)#([^"]*)(?=")')

#: An entry of the masthead, and that of the page itself, which the theme marks unless the page lies
#: in the folder of another entry.
_ENTRY = '<li class="nav-item {}">\n  <a class="nav-link nav-internal" '
_HERE = 'href="#" aria-current="page"'

#: What the theme tells the console of every page.
_CHATTER = re.compile(r"""console\.log\((["`])\[PST\].*?\1,?\)""")


def lay_together(
    source: Path,
    docs: Path,
    pages: Path,
    named: Collection[Path],
    notebooks: Mapping[str, Path],
    package: Path | None,
    stored: Path,
) -> None:
    """Put everything that Sphinx reads into one folder.

    Parameters
    ----------
    source : Path
        An empty folder.
    docs : Path
        The documentation. `README.md` of a folder becomes its index.
    pages : Path
        Folder of the computed pages, in folders as they are to stand on the site.
    named : collection of Path
        The pages of it that the site has.
    notebooks : mapping of str to Path
        Notebooks that were run, by their places on the site.
    package : Path, optional
        The library, for its reference.
    stored : Path
        Folder of the stored tables of the benchmark of models.
    """
    shutil.copytree(
        docs, source, ignore=shutil.ignore_patterns("*.py", "__pycache__"), dirs_exist_ok=True
    )
    for readme in source.rglob("README.md"):
        readme.rename(readme.with_name("index.md"))
    (source / "index.md").unlink(missing_ok=True)
    (source / "how-to").mkdir(exist_ok=True)
    shutil.copy(docs.parent / "CONTRIBUTING.md", source / "how-to/contributing.md")
    for page in named:
        # A computed index has what the one for readers of the repository lists.
        (source / page.relative_to(pages)).with_suffix(".md").unlink(missing_ok=True)
    copy_files(named, pages, source)
    names = known(source)
    for document in source.rglob("*.md"):
        text = document.read_text(encoding="utf-8")
        document.write_text(linked(text, document, names), encoding="utf-8")
    for page in (source / page.relative_to(pages) for page in named):
        text = page.read_text(encoding="utf-8")
        page.write_text(linked_in_html(text, page, names | ids(source)), encoding="utf-8")
    append(source, sections(pages.parent / "studies", stored, source))
    for place, notebook in notebooks.items():
        text = notebook.read_text(encoding="utf-8")
        target = (source / place).with_suffix(".ipynb")
        target.write_text(_mended_notebook(text, place, notebooks), encoding="utf-8")
    if package is not None:
        write_reference(source / "reference", package, "Reference")
        for name in ("annobench_course", "annobench_datasets", "annobench_replication"):
            write_reference(source / "reference" / name, package.with_name(name), name)
    for document in source.rglob("*.md"):
        _mend_links(document, source)
    _list_contents(source)


def _mended_notebook(text: str, place: str, notebooks: Mapping[str, Path]) -> str:
    """Let links of a notebook lead to the other notebooks and to the documentation."""
    up = "../" * place.count("/")
    places = {notebook.stem: other for other, notebook in notebooks.items()}

    def led(link: re.Match[str]) -> str:
        found = places.get(link[1])
        return f"]({up}{found}.ipynb)" if found else link[0]

    return re.sub(r"\]\((\w+)\.ipynb\)", led, text).replace("](../docs/", f"]({up}")


def _mend_links(document: Path, source: Path) -> None:
    """Let links among the files of the repository lead to the pages of the site.

    Of a link to a file that is no page the words stay.
    """
    up = "../" * (len(document.relative_to(source).parts) - 1)

    def mended(link: re.Match[str]) -> str:
        mark, words, path = link.groups()
        path = path.replace("README.md", "index.md")
        path = re.sub(r"^(\.\./)+CONTRIBUTING\.md", f"{up}how-to/contributing.md", path)
        if named := re.match(r"(\.\./)+notebooks/(\w+)\.ipynb", path):
            is_guide = (source / f"how-to/{named[2]}.ipynb").is_file()
            place = f"how-to/{named[2]}" if is_guide else f"papers/{named[2]}/notebook"
            path = f"{up}{place}.ipynb"
        found = (document.parent / path.partition("#")[0]).is_file()
        return f"{mark}[{words}]({path})" if found else words

    text = document.read_text(encoding="utf-8")
    document.write_text(_LINK.sub(mended, text), encoding="utf-8")


def _list_contents(source: Path) -> None:
    """Name the pages of each folder on its index, for navigation."""
    documents = {
        str(path.relative_to(source).with_suffix("")): path
        for suffix in ("md", "rst", "html", "ipynb")
        for path in source.rglob(f"*.{suffix}")
    }
    for name, path in documents.items():
        if Path(name).name != "index":
            continue
        folder = Path(name).parent
        children = [other for other in documents if _parent(other) == folder and other != name]
        of_site = documents if name == "index" else children
        listed = [name for name in MASTHEAD if name in of_site]
        _append_contents(path, listed + sorted(set(children) - set(listed)))


def _parent(name: str) -> Path:
    path = Path(name)
    return path.parent.parent if path.name == "index" else path.parent


def _append_contents(path: Path, names: list[str]) -> None:
    entries = [f"{MASTHEAD.get(name, '')} </{name}>".lstrip() for name in names]
    plain = [
        entry if name in MASTHEAD else f"/{name}"
        for name, entry in zip(names, entries, strict=True)
    ]
    lines = {
        ".html": [f"<!-- contents: {entry.replace('</', '<')} -->" for entry in entries],
        ".md": ["```{toctree}", ":hidden:", "", *plain, "```"],
        ".rst": [".. toctree::", "   :hidden:", "", *(f"   {entry}" for entry in plain)],
    }[path.suffix]
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(lines) + "\n")


def build(source: Path, generator: Path, target: Path) -> None:
    """Run Sphinx.

    Parameters
    ----------
    source : Path
        What `lay_together` made.
    generator : Path
        Folder of `conf.py`.
    target : Path
        Folder of the site.

    Raises
    ------
    PublicationError
        If Sphinx warns of anything.
    OSError
        If the disk is full.
    """
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-d", str(source.parent / "doctrees")]
    if build_main([*options, "-c", str(generator), str(source), str(target)]):
        # Of a full disk Sphinx tells its log alone.
        (source.parent / "room").write_bytes(bytes(ROOM))
        raise PublicationError(f"Sphinx, for {target}: the messages above name pages to be mended.")
    for left in (".buildinfo", "_static/webpack-macros.html"):
        (target / left).unlink(missing_ok=True)
    for page in target.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(_mended(text, page.parent), encoding="utf-8")
    _lead_back(target)
    for script in (target / "search.html", *(target / "_static/scripts").glob("*.js")):
        text = script.read_text(encoding="utf-8")
        script.write_text(_CHATTER.sub("void 0", text), encoding="utf-8")


def _lead_back(site: Path) -> None:
    """Let sources lead to what they define where another module offers it, by its name there."""
    named = cache(lambda page: sorted(_ID.findall(page.read_text(encoding="utf-8"))))

    def led(folder: Path, link: re.Match[str]) -> str:
        path, anchor = link.groups()
        ids, parts = named((folder / path).resolve()), anchor.split(".")
        for suffix in (".".join(parts[n:]) for n in range(len(parts))):
            for found in ids:
                if f".{found}".endswith(f".{suffix}"):
                    return f"{path}#{found}"
        return str(path)

    for page in (site / "_modules").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(_BACK.sub(partial(led, page.parent), text), encoding="utf-8")


def _mended(html: str, folder: Path) -> str:
    """Show pictures as computed pages do, name what the theme leaves without a name."""

    def boxed(picture: re.Match[str]) -> str:
        alt, source = picture.groups()
        width, height = picture_size(folder / source)
        return _BOX.format(source=source, alt=alt, width=width, height=height)

    def listed(parameters: re.Match[str]) -> str:
        items = parameters[1].replace("<dd>", "<li>").replace("</dd>", "</li>")
        return f'<ul class="sig-parameters">\n{items}</ul>'

    for theirs, ours in _SEEN_AS_NAMED.items():
        html = html.replace(theirs, ours)
    entry, marked = _ENTRY.format(""), _ENTRY.format("current active")
    if entry + _HERE in html:
        html = html.replace(marked, entry).replace(entry + _HERE, marked + _HERE)
    named = without_empty_titles(html)
    return _PICTURE.sub(boxed, _PARAMETERS.sub(listed, named))


def copy_files(paths: Iterable[Path], results: Path, site: Path) -> None:
    """Copy what pages show and offer to the same places below the site.

    Parameters
    ----------
    paths : iterable of Path
        Files below `results`.
    results, site : Path
        Folders.
    """
    for path in paths:
        target = site / path.relative_to(results)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def main(
    target: Path,
    docs: Path,
    named: Iterable[Path],
    notebooks: Mapping[str, Path],
    files: Iterable[Path],
    generator: Path,
    package: Path | None,
    stored: Path,
) -> None:
    """Make the site anew, whole or not at all."""
    results, named = target.parent, list(named)
    pages = results / "pages"
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch) / "source", Path(scratch) / "site"
        source.mkdir()
        lay_together(source, docs, pages, named, notebooks, package, stored)
        build(source, generator, made)
        beside = (path for page in named for path in page.parent.iterdir() if path.is_file())
        copy_files((path for path in beside if path.suffix != ".html"), pages, made)
        copy_files(files, results, made)
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(made, target)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        notebooks = snakemake.params.notebooks
        main(
            Path(snakemake.output.site),
            docs=Path(snakemake.input.contributing).with_name("docs"),
            named=map(Path, snakemake.input.pages),
            notebooks={
                place: Path(f"results/notebooks/{name}.ipynb") for place, name in notebooks.items()
            },
            files=map(Path, snakemake.input.files),
            generator=Path(snakemake.input.conf).parent,
            package=Path(annobench.__file__).parent if snakemake.params.reference else None,
            stored=Path(snakemake.input.stored[0]).parent,
        )
        with replacing(snakemake.output.index) as draft:
            draft.write_text(FORWARD, encoding="utf-8")
