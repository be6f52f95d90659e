"""What the site adds to the documentation: formulas, sections from studies, links, data sets."""

import re
from itertools import pairwise
from pathlib import Path

import links
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import unrendered
from latex2mathml.converter import convert

from annobench import datasets, plotting
from annobench.datasets.base import LoadedData
from pages import links_to_pages, study_sections
from scripts.site import build_site, render_datasets

TOP = Path(__file__).parents[2]
DOCS = sorted((TOP / "docs").rglob("*.md"))
SITE = TOP / "workflow/site"


@pytest.mark.parametrize(
    "typed",
    [
        "$c_i = 0$",
        "$$\\alpha$$",
        "\\(x\\)",
        "\\[x\\]",
        "see $\\pi$ there",
        "$K$",
        "\\begin{aligned}",
    ],
)
def test_a_formula_as_typed_is_found(typed):
    assert unrendered.in_page(f"<p>first</p>\n<p>{typed}</p>")[0][0] == 2


@pytest.mark.parametrize(
    "fine",
    [
        "<p>It costs $5, or $6.</p>",
        "<pre>$ make test\n$ make_lint $x_i$</pre>",
        "<p><code>$c_i$</code></p>",
        "<script>a = `${x_i}$`; /\\(/</script>",
        "<math><mi>x</mi></math>",
    ],
)
def test_what_is_no_formula_is_not_found(fine):
    assert unrendered.in_page(fine) == []


def test_a_command_that_the_converter_left_is_found():
    assert unrendered.in_page("<math><mi>\\arg</mi></math>") == [(1, "\\arg")]


def test_pages_of_a_folder_are_searched(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/page.html").write_text("<p>$x_1$</p>")
    assert list(unrendered.in_folder(tmp_path)) == ["deep/page.html, line 1: $x_1$"]


def test_links_that_lead_nowhere_and_what_comes_from_a_server_are_found(tmp_path):
    (tmp_path / "there.html").write_text('<p id="here">')
    script = "<script>`<a href='gone' src=\"${gone}\">`</script>"
    good = script + '<a href="there.html#here"></a><a href="https://aclanthology.org"></a>'
    bad = '<a href="gone.html"></a><a href="there.html#gone"></a><img src="//server/a.png">'
    (tmp_path / "page.html").write_text(good + bad)
    assert [line.split()[-1] for line in links.broken(tmp_path)] == [
        *("//server/a.png", "gone.html", "there.html#gone"),
    ]
    assert list(links.fetched(tmp_path)) == ['page.html: <img src="//server/a.png">']


def test_a_source_leads_to_where_it_is_documented(tmp_path):
    (tmp_path / "_modules").mkdir()
    (tmp_path / "records.html").write_text('<dt id="a.records.Exercise"><dt id="a.base.Lesson">')
    back = '<a class="viewcode-back" href="../records.html#a.base.{}">'
    names = ("Exercise", "Lesson", "Gone")
    (tmp_path / "_modules/base.html").write_text("".join(map(back.format, names)))
    build_site._lead_back(tmp_path)
    led = re.findall(r'href="([^"]*)"', (tmp_path / "_modules/base.html").read_text())
    page = "../records.html"
    assert led == [f"{page}#a.records.Exercise", f"{page}#a.base.Lesson", page]


def test_no_corner_of_a_table_is_an_empty_title(tmp_path):
    page = "<tr><th></th><th>kappa</th></tr>"
    assert build_site._mended(page, tmp_path) == "<tr><td></td><th>kappa</th></tr>"


def masthead(*entries):
    """Return entries of the masthead as the theme writes them, by state and attributes."""
    return "".join(
        f'\n<li class="nav-item {state}">\n  <a class="nav-link nav-internal" {where}>\n'
        for state, where in entries
    )


def test_the_masthead_marks_the_entry_of_the_page_and_not_the_folder_it_lies_in(tmp_path):
    here, other = 'href="#" aria-current="page"', 'href="../index.html"'
    of_theme = masthead(("", here), ("current active", other))
    marked = masthead(("current active", here), ("", other))
    assert build_site._mended(of_theme, tmp_path) == marked
    # A page below an entry is marked by the theme
    below = masthead(("", other), ("current active", other))
    assert build_site._mended(below, tmp_path) == below


def test_a_picture_of_the_documentation_has_a_box_and_its_size(tmp_path):
    plotting.save_figure(plt.figure(figsize=(3, 2)), tmp_path / "drawing")
    page = '<p><img alt="Votes &amp; truth" src="drawing.svg" /></p>'
    shown = build_site._mended(page, tmp_path)
    assert shown.startswith('<div class="picture"><a href="drawing.svg">')
    assert 'alt="Votes &amp; truth" width="288" height="192"' in shown


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_formulas_of_the_documentation_are_converted(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for block, inline in re.findall(
        r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.sub(r"`[^`]*`", "", text), re.S
    ):
        assert "\\" not in convert((block or inline).strip())


def matrix():
    counts = {"equal": 3, "undefined": 1, "different": 1, "refused": 0, "answered": 0}
    row = {"coefficient": "cohen_kappa", "package": "peer", "version": "1.0", "function": "f"}
    return pd.DataFrame([row | {"quantity": "estimate"} | counts])


def disagreements():
    row = {"package": "peer", "functions": "f, g", "coefficients": "cohen_kappa, scott_pi"}
    return pd.DataFrame([row | {"convention": "it cuts", "explanation": "We don't."}])


def test_conformance_counts_what_is_equal_and_says_what_differs():
    text = study_sections.conformance("cohen_kappa", matrix(), disagreements())
    assert "| peer 1.0 | 4 of 5 | none | none |" in text
    assert "- **peer**, `f`: it cuts. We don't." in text
    assert "No package" in study_sections.conformance("icc", matrix(), disagreements())


def test_coverage_is_averaged_by_kind_of_interval():
    rows = [
        {"coefficient": "icc", "unit": "items", "kind": "bca", "n_items": n, "coverage": c}
        for n, c in ((20, 0.9), (50, 1.0))
    ]
    same = {"options": "", "scale": "interval", "n_categories": 5, "n_annotators": 3}
    table = pd.DataFrame(rows).assign(**same, prevalence=0.5, missing=0, repetitions=1000)
    text = study_sections.coverage("icc", table)
    assert "2 settings with 1,000 repetitions" in text
    assert "| items | bca | 2 | 0.950 | 0.900 |" in text
    assert "doesn't include" in study_sections.coverage("pearson", table)


def test_a_model_is_ranked_among_those_that_fit_every_data_set():
    stored = TOP / "benchmarks/measured/aggregation"
    averages, scores, problems = (
        pd.read_csv(stored / f"{name}.csv") for name in ("averages", "scores", "problems")
    )
    best = averages[averages["n_datasets"] == averages["n_datasets"].max()].nlargest(
        1, "mean_accuracy"
    )
    text = study_sections.benchmark(best["method"].iloc[0], averages, scores, problems, {"ti_dog"})
    assert re.search(r"mean accuracy 0\.\d+ \(rank 1 of \d+\)", text)
    assert "{doc}`ti_dog </datasets/ti_dog/index>`" in text
    assert "| ti_rte |" in text
    assert "doesn't include" in study_sections.benchmark(
        "no_such_model", averages, scores, problems
    )


@pytest.fixture
def source(tmp_path):
    for place, text in {
        "coefficients/scott_pi.md": "# Scott's pi\n",
        "coefficients/index.md": "# Coefficients of agreement\n",
        "models/voting.md": "# Voting\n",
        "models/glad.md": "# GLAD\n",
        "datasets/anesthesia/index.html": "<h1>anesthesia</h1>",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    return tmp_path


def test_titles_that_are_names_are_known(source):
    assert set(links_to_pages.known(source)) == {"Scott's pi", "GLAD", "`anesthesia`"}


def test_a_name_is_linked_once_where_it_stands_in_text(source):
    text = "# GLAD of old\n\n`glad` $GLAD$ [GLAD here](x.md), GLAD and GLAD.\n```\nGLAD\n```\n"
    text += "`anesthesia`\n"
    page = source / "models/voting.md"
    found = links_to_pages.linked(text, page, links_to_pages.known(source))
    assert found == text.replace(", GLAD", ", [GLAD](glad.md)").replace(
        "`anesthesia`", "[`anesthesia`](../datasets/anesthesia/index.html)"
    )


def test_no_page_links_to_itself_or_twice_to_another(source):
    known = links_to_pages.known(source)
    assert links_to_pages.linked("GLAD", source / "models/glad.md", known) == "GLAD"
    text = "GLAD, or [this](glad.md)"
    assert links_to_pages.linked(text, source / "models/voting.md", known) == text


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<td>voting</td>", '<td><a href="../models/voting.html">voting</a></td>'),
        (
            "<td> anesthesia\n</td>",
            '<td> <a href="../datasets/anesthesia/index.html">anesthesia</a>\n</td>',
        ),
        (
            "<p>Scott&#39;s pi &lt; 1, scott_pi</p>",
            '<p><a href="../coefficients/scott_pi.html">Scott&#x27;s pi</a> &lt; 1, scott_pi</p>',
        ),
        ("<p>by voting</p>", None),
        ('<a href="#m">voting</a>', None),
        ("<h2>voting</h2><svg><text>voting</text></svg>", None),
        ('<p title="scott_pi">no_scott_pi, scott_pi.csv/scott_pi/x</p>', None),
    ],
)
def test_names_on_computed_pages_lead_to_their_pages(source, html, found):
    named = links_to_pages.known(source) | links_to_pages.ids(source)
    assert links_to_pages.linked_in_html(html, source / "studies/page.html", named) == (
        found or html
    )


@pytest.mark.parametrize(
    "numbers", [[10] * 5, [1, 2, 2, 3], list(range(200)), [1] * 50 + [5_000], [0, 0, 40]]
)
def test_a_histogram_counts_everything_in_bins_that_touch(numbers):
    bins = render_datasets.histogram(np.array(numbers))
    assert sum(bin["n"] for bin in bins) == len(numbers)
    assert len(bins) <= 25
    assert bins[0]["first"] == min(numbers)
    assert all(a["last"] + 1 == b["first"] for a, b in pairwise(bins))


def simulated(id):
    data = datasets.load(id, mode="simulated")
    return LoadedData(id, data.labels, data.items, data.meta)


def test_a_page_of_a_data_set_shows_size_agreement_uses_and_licence(tmp_path, monkeypatch):
    monkeypatch.setattr(render_datasets, "read", lambda folder: simulated(folder.name))
    users = [
        {"title": "One <paper>", "page": "papers/one2000/index", "datasets": ["anesthesia"]},
        {"title": "Another", "page": "papers/two2000/index", "datasets": ["caries"]},
    ]
    about = {
        "documented": {"anesthesia": {"page": "anesthesia", "title": "Anaesthesia"}},
        "users": users,
        "offered": ["anesthesia"],
    }
    pages = dict(render_datasets.main({"anesthesia": tmp_path / "anesthesia"}, SITE, about))
    page = pages["anesthesia"]
    assert page.lstrip().startswith("<h1>anesthesia</h1>")
    assert "45 items, 5 annotators, 315 labels, 7.0 per item" in page
    assert '<a href="../../papers/one2000/index.html">One &lt;paper&gt;</a>' in page
    assert "two2000" not in page
    assert "GPL-2" in page
    assert 'href="labels.parquet"' in page
    assert ">simulated<" in page
    assert re.search(
        r"Krippendorff&#39;s alpha</a></td><td>all annotators, first labels</td><td[^>]*>0\.\d{3}",
        page,
    )
    assert 'href="anesthesia/index.html"' in pages["index"]


def test_humans_and_models_are_compared_apart():
    rows = render_datasets.at_a_glance(simulated("alt_mtbench"))
    assert [row["group"] for row in rows if row["name"] == "krippendorff_alpha"] == [
        "humans",
        "models",
    ]


def test_labels_that_cannot_be_compared_say_why():
    (row, _) = render_datasets.at_a_glance(simulated("arena_qwen"))
    assert "estimate" not in row
    assert row["note"]


@pytest.mark.parametrize(
    "folder",
    [
        *(
            "src/annobench/reporting/templates",
            "src/annobench_replication/templates",
            "workflow/site",
        ),
    ],
)
def test_every_column_of_a_table_has_a_heading(folder):
    templates = (Path(__file__).parents[2] / folder).rglob("*.j2")
    empty = re.compile(r"<th[^>]*>\s*</th>")
    assert not [path.name for path in templates if empty.search(path.read_text(encoding="utf-8"))]


def test_corners_of_tables_and_long_signatures_have_elements_that_say_what_they_are(tmp_path):
    page = (
        '<th class="head"><p></p></th><th class="head"><p>a</p></th>'
        "<dl>\n<dd><em>x</em>,</dd>\n<dd><em>y</em></dd>\n</dl>"
        "<dl>\n<dt>term</dt><dd>meaning</dd>\n</dl>"
    )
    assert build_site._mended(page, tmp_path) == (
        '<td></td><th class="head"><p>a</p></th>'
        '<ul class="sig-parameters">\n<li><em>x</em>,</li>\n<li><em>y</em></li>\n</ul>'
        "<dl>\n<dt>term</dt><dd>meaning</dd>\n</dl>"
    )
