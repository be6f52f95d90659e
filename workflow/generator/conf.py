"""How Sphinx makes the site, from sources that `build_site.py` lays together."""

import sys
from importlib import import_module
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

import annobench
from annobench.reporting import pages
from annobench_replication.pages import TEMPLATES

#: The library's own pages, and printed tables in notebooks, share a style with the site.
_STYLES = [
    *(Path(pages.__file__).with_name("templates") / name for name in ("verdicts.css", "parts.css")),
    TEMPLATES / "printed_table.css",
]

project = "annobench"
version = release = annobench.__version__
copyright = "the annobench authors"
language = "en"
extensions = [
    "fragments",
    "formulas",
    "search_words",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
source_suffix = {
    ".md": "myst-nb",
    ".rst": "restructuredtext",
    ".html": "fragment",
    ".ipynb": "myst-nb",
}

# Notebooks were run by the workflow.
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
add_module_names = False
# A block of code that names no language is a table or a command.
highlight_language = "none"
# A short name in a docstring may be that of several classes; CSV has no colours.
suppress_warnings = ["misc.highlighting_failure", "ref.python"]
python_maximum_signature_line_length = 88
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_title = "annobench"
html_static_path = ["static", *map(str, _STYLES)]
html_css_files = [*(path.name for path in _STYLES), "site.css", "results.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# A page opened from disk may read no other.
html_show_search_summary = False
html_search_scorer = str(Path(__file__).parent / "scorer.js")
html_use_index = False
html_domain_indices = False
# `make address` sets it; without one the foot of the pages has no link.
html_context = {"default_mode": "auto", "repository": "https://annobench.invalid"}
templates_path = ["templates"]
html_js_files = [("stamp.js", {"defer": "defer"})]
html_theme_options = {
    "logo": {"text": "annobench"},
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navbar_persistent": ["search-button-field"],
    "collapse_navigation": True,
    "show_nav_level": 1,
    "show_toc_level": 1,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "papers/index": []},
    "footer_start": ["about"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# What is wide has the width of the page.
html_sidebars: dict[str, list[str]] = {
    page: []
    for page in (
        *("index", "discrepancies", "values", "figures", "search"),
        *("papers/**", "studies/**", "datasets/index"),
    )
}


def show_formulas_as_typed(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Let indented paragraphs of a module's docstring be literal: they are formulas."""
    if what != "module":
        return
    paragraphs = "\n".join(lines).split("\n\n")
    shown = paragraphs[:1]
    for before, paragraph in pairwise(paragraphs):
        typed = all(line.startswith("    ") for line in paragraph.splitlines())
        plain = not before.startswith(("    ", "- ")) and not before.endswith("::")
        shown += ["::"] * (typed and plain) + [paragraph]
    lines[:] = "\n\n".join(shown).splitlines()


def skip_fields_of_tuples(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave out what a named tuple says of its fields: the docstring says it."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def show_no_source_of_others(app: Sphinx, module: str | None, name: str | None) -> str | None:
    """Look for the source of an alias, such as of `tuple`, where it is given its name."""
    if not module or not name:
        return None
    try:
        value = attrgetter(name)(import_module(module))
    except AttributeError:  # a field without a default
        return None
    home = getattr(value, "__module__", None)
    return module if home and not home.startswith("annobench") else None


#: What a page may load: the site's own files, also where it is opened from disk.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'self' file:",
        "font-src 'self' file: data:",
        "img-src 'self' file: data:",
        "script-src 'self' file: 'unsafe-inline'",
        "style-src 'self' file: 'unsafe-inline'",
    ]
)


def forbid_connections(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: object
) -> None:
    """Declare on each page that it needs no server."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    context["metatags"] = policy + context.get("metatags", "")


def setup(app: Sphinx) -> None:
    """Connect what prepares docstrings, and what finds sources."""
    app.connect("html-page-context", forbid_connections)
    app.connect("autodoc-process-docstring", show_formulas_as_typed)
    app.connect("autodoc-skip-member", skip_fields_of_tuples)
    app.connect("viewcode-follow-imported", show_no_source_of_others)
