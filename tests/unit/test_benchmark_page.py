"""The page of a benchmark: it stands alone, holds its tables, and trusts no name."""

import base64
import gzip
import io
import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.comparison import differences_to
from annobench.benchmark.files import TABLES, file_names
from annobench.benchmark.fits import fit_all
from annobench.benchmark.ranking import conclusion, rank
from annobench.benchmark.refits import refit
from annobench.benchmark.regimes import simulate
from annobench.benchmark.tables import (
    BenchmarkTables,
    read_table,
    read_tables,
    tabulate,
)
from annobench.core.errors import AnnotationError
from annobench.models.base import Conventions, Method
from annobench.reporting import benchmark_page
from annobench.reporting.benchmark_page import render

#: Names that would be HTML, a number or a missing value if they were not only text.
NASTY = '</script><b onclick="x">&,'
REFITS = {
    "datasets": ["NA"],
    "labels_per_item": [1, 2],
    "annotators": [4],
    "repeats": 2,
    "resamples": 3,
}

SITE = Path(__file__).parents[2] / "workflow/site"


def model(name, power):
    """Votes, sharpened."""

    def fit(labels):
        if power is None:
            raise AnnotationError(f"{name}: takes no labels <i>at all</i>. Give none.")
        shares = (labels.counts + 0.1) ** power
        posterior = shares / shares.sum(axis=1, keepdims=True)
        confusion = np.full((labels.n_annotators, 2, 2), 0.5)
        # On the 40 items of the regime one method has not converged.
        converged = power < 3 or labels.n_items > 40
        return SimpleNamespace(posterior=posterior, confusion=confusion, converged=converged)

    conventions = Conventions("counted", "shared", "none", "none", "none")
    record = Method(name, "made up", frozenset({"nominal"}), frozenset(), True, conventions)
    return SimpleNamespace(METHOD=record, fit=fit, SOURCE="peer 1.0")


def through_a_file(case, method, tmp_path_factory):
    path = tmp_path_factory.mktemp("refits") / "refits.csv"
    refit(case, method, settings=REFITS, limit=30, seed=1).to_csv(path, index=False)
    return read_table(path)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    cases = []
    for n in range(6):
        one = simulate(
            "good", n_categories=2, labels_per_item=3, n_items=60, n_annotators=8, seed=n
        )
        name = "NA" if n == 0 else f"set {n} {NASTY}"
        cases.append(BenchmarkCase(name, one.annotations, one.gold, "real", "made <u>up</u>"))
    cases.append(BenchmarkCase("twin", cases[1].annotations, cases[1].gold, "real"))
    cases.append(
        simulate("few", n_categories=2, labels_per_item=2, n_items=40, n_annotators=8, seed=1)
    )
    methods = [model("1", 1), model("NA", 3), model(NASTY, 2), model("refuses", None)]
    return tabulate(
        cases,
        fit_all(cases, methods, limit=30, seed=1),
        methods,
        replicates=40,
        seed=1,
        refits=[through_a_file(cases[0], each, tmp_path_factory) for each in methods],
        settings={"limit": 30, "reference": "NA", "grid": "toy", "fit_command": "fit {method}"},
    )


@pytest.fixture(scope="module")
def html(tables):
    return render(tables, marked=[NASTY])


def test_scores_of_fits_that_have_not_converged_are_marked_and_counted_nowhere(tables, html):
    lost = tables.fits[tables.fits["converged"] == "no"]
    assert lost[["problem", "method"]].to_numpy().tolist() == [["few, K = 2, 2 labels", "NA"]]
    own = tables.scores.merge(lost[["problem", "method"]])
    # One cell of each score, on the page for readers without script.
    assert html.count('<span title="not converged">†</span>') == len(own) > 0
    assert "† The fit had not converged" in html


def test_a_method_of_ones_own_is_marked_wherever_it_stands(html):
    tags = set(re.findall(r'<(\w+)[^>]* class="marked"', html))
    assert {"td", "th", "tr"} <= tags
    styled = " ".join(re.findall(r"\n([^\n{]*\.marked[^\n{]*)\{", html))
    assert all(f"{tag}.marked" in styled for tag in tags)


def test_the_page_opens_with_the_ranking_and_its_conclusion(tables, html):
    ranking = rank(tables, "NA")
    counting = {f"set {n} {NASTY}" for n in range(1, 6)} | {"NA"}
    own = tables.scores[tables.scores["problem"].isin(counting)]
    means = own.groupby(["score", "method"])["estimate"].mean()
    ranked = ranking[ranking["rank"].notna()].set_index("method")
    assert ranked["log_loss"].to_dict() == pytest.approx(means["log_loss"].to_dict())
    assert ranked["accuracy"].to_dict() == pytest.approx(means["accuracy"].to_dict())
    assert ranked["log_loss"].is_monotonic_increasing
    assert (ranked["n_scored"] == 6).all()
    assert (ranked["lower"] < ranked["accuracy"]).all()
    # All methods vote, and so none is more accurate than another.
    assert (ranked[["wins", "losses"]].drop("NA") == 0).all(axis=None)
    assert html.index('id="ranking"') < html.index('id="scores"')
    first = html[html.index('id="ranking"') :]
    assert "On 6 data sets," in first
    assert "none is significantly more accurate on a typical data set, and none is less." in first
    assert conclusion(ranking) in first.replace("&lt;", "<").replace("&gt;", ">").replace(
        "&#34;", '"'
    ).replace("&amp;", "&")


def test_averages_leave_out_what_has_not_converged():
    def cases_of(names):
        for n, name in enumerate(names):
            one = simulate(
                "good",
                n_categories=2,
                labels_per_item=3,
                n_items=60 - 20 * (n == 5),
                n_annotators=8,
                seed=n,
            )
            yield BenchmarkCase(name, one.annotations, one.gold, "real", "")

    methods = [model("1", 1), model("3", 3)]
    settings = {"replicates": 20, "seed": 1, "settings": {"reference": "1"}}
    six, five = list(cases_of("abcdef")), list(cases_of("abcde"))
    found, fewer = (
        tabulate(each, fit_all(each, methods, limit=30, seed=1), methods, **settings)
        for each in (six, five)
    )
    own, without = (each.averages.set_index("method") for each in (found, fewer))
    assert own["n_datasets"].to_dict() == {"1": 6, "3": 5}
    assert own["whole"].to_dict() == {"1": "yes", "3": "no"}
    pd.testing.assert_series_equal(
        own.loc["3", "mean_log_loss":], without.loc["3", "mean_log_loss":]
    )
    assert found.across["n_datasets"].unique().tolist() == [5]
    assert ((found.scores["problem"] == "f") & (found.scores["method"] == "3")).any()


def test_tables_are_read_as_they_were_written(tables, tmp_path):
    tables.write(tmp_path)
    again = read_tables(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*file_names().values(), "settings.json"}
    assert again.settings == tables.settings
    for name, frame in again.frames.items():
        expected = getattr(tables, name)
        assert list(frame.columns) == list(expected.columns)
        pd.testing.assert_frame_equal(frame, expected, check_dtype=False, rtol=6e-3, atol=1e-5)
    # Written again the rounded tables are the same files, byte for byte.
    (tmp_path / "again").mkdir()
    again.write(tmp_path / "again")
    for name in file_names().values():
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / name).read_bytes()


class Page(HTMLParser):
    """What a browser would see of tags, ids and addresses."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.ids, self.addresses, self.open, self.text = [], [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("href", "src") if name in given]
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)


def test_the_page_stands_alone_and_its_parts_are_there(html):
    page = Page(html)
    outside = [each for each in page.addresses if not each.startswith(("#", "data:"))]
    assert outside == []
    assert {each[1:] for each in page.addresses if each.startswith("#")} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    expected = {
        "scores",
        "across",
        "probabilities",
        "curves",
        "methods",
        "data",
        "reading",
        "cite",
        "about",
    }
    assert expected <= set(page.ids)
    assert [tag for tag, _ in page.tags].count("script") == 2
    policy = next(given for tag, given in page.tags if given.get("http-equiv"))
    assert "default-src 'none'" in policy["content"]


def test_every_id_that_the_script_looks_for_exists(html):
    script = html[html.rindex("<script>") :]
    sought = set(re.findall(r'\$\("#([\w-]+)"\)', script)) | set(
        re.findall(r'fill\("#([\w-]+)"', script)
    )
    assert {"score", "reference", "forest", "across-table"} <= sought
    assert sought <= set(Page(html).ids)


def test_names_are_text(html):
    page = Page(html)
    assert not [tag for tag, given in page.tags if "onclick" in given]
    # In the rows of methods and of the five scores' tables and in their columns.
    assert "".join(page.text).count(NASTY) > 10
    assert "made <u>up</u>" in "".join(page.text)
    about = html[html.index('id="about">') + len('id="about">') :]
    found = json.loads(about[: about.index("</script>")])
    assert found["marked"] == [NASTY]
    assert found["reference"] == "NA"
    assert found["focus"] == "NA"


def test_the_tables_are_inside_to_download(html, tables):
    links = {given["data-table"]: given for tag, given in Page(html).tags if "data-table" in given}
    assert list(links) == list(tables.frames)
    for name, link in links.items():
        content = base64.b64decode(link["href"].split(",")[1])
        assert link["download"] == file_names()[name]
        text = gzip.decompress(content) if link["download"].endswith(".gz") else content
        frame = pd.read_csv(io.BytesIO(text))
        assert list(frame.columns) == list(getattr(tables, name).columns)
        assert len(frame) == len(getattr(tables, name))


def test_the_static_table_shows_scores_verdicts_and_reasons(html, tables):
    text = "".join(Page(html).text)
    first = tables.scores.query("problem == 'NA' and method == '1' and score == 'log_loss'")
    assert f"{first['estimate'].iloc[0]:.3f}".removeprefix("0") in text
    assert "refuses: takes no labels <i>at all</i>" in text
    # Sharper votes have another log loss everywhere, and the same accuracy.
    table = differences_to("NA", tables.scores, tables.differences).query("problem == 'NA'")
    row = table[table["method"].eq("1") & table["score"].eq("log_loss")].iloc[0]
    assert abs(row["difference"]) > row["critical"] * row["error"] > 0
    mark = "▲" if row["difference"] < 0 else "▼"
    score = f"{first['estimate'].iloc[0]:.3f}".removeprefix("0")
    assert f"{mark}{score}" in text
    assert text.count("n/a") >= 7


def test_equal_labels_are_shown_and_counted_once(html, tables):
    text = "".join(Page(html).text)
    assert tables.problems["same_labels_as"].tolist() == [""] * 6 + [tables.problems.iloc[1, 0], ""]
    assert f"The labels of set 1 {NASTY} under other names" in text
    assert "6 hold different labels" in text
    assert set(tables.averages["n_datasets"]) == {6}
    assert set(tables.across["n_datasets"]) == {6}


def test_what_is_said_of_new_data_sets_stands_in_the_static_page(html, tables):
    row = tables.across.query("score == 'accuracy' and method == '1' and other == 'NA'").iloc[0]
    section = html[html.index('<h2 id="across">') : html.index('<h2 id="probabilities">')]
    cells = re.findall(r'<td class="right">([^<]*)</td>', section[section.index("<td>1</td>") :])
    new = [f"{row[name]:.2f}" for name in ("new_better", "new_equivalent", "new_worse")]
    assert cells[:4] == ["6", *new]


def test_the_averages_are_in_order_and_the_best_are_bold(html, tables):
    section = html[html.index('id="averages-table"') : html.index('<h2 id="curves">')]
    assert len(re.findall(r'<th scope="row"', section)) == len(tables.averages)
    assert tables.averages["median_log_loss"].is_monotonic_increasing
    best = re.search(r'class="right best">([^<]*)<', section)[1]
    assert best == f"{tables.averages['mean_log_loss'].min():.3f}"


def test_learning_curves_have_errors_over_items(tables):
    errors = tables.refit_errors
    assert set(errors["design"]) == {"labels per item", "annotators"}
    assert (errors["NA"] > 0).any()


def test_marked_rows_are_marked_and_no_others(html):
    rows = re.findall(r'<tr id="method-\d+"( class="marked")?><td><b>(.*?)</b>', html)
    assert [bool(mark) for mark, _ in rows] == [False, False, True, False]


def test_verdicts_are_simultaneous_single_or_none():
    rows = [
        ("accuracy", 0.10, 0.02, 3.0, "better"),
        ("accuracy", 0.05, 0.02, 3.0, "better?"),
        ("log_loss", 0.10, 0.02, 3.0, "worse"),
        ("log_loss", -0.05, 0.02, 3.0, "better?"),
        ("accuracy", 0.03, 0.02, 3.0, ""),
        ("accuracy", 0.00, 0.00, np.nan, ""),
    ]
    columns = ["score", "difference", "error", "critical", "expected"]
    table = pd.DataFrame(rows, columns=columns)
    assert benchmark_page._verdicts(table).tolist() == table["expected"].tolist()


def test_a_page_of_one_method_and_one_data_set_is_made():
    one = simulate("good", n_categories=2, labels_per_item=3, n_items=20, n_annotators=5, seed=1)
    own = BenchmarkCase("mine", one.annotations, one.gold, "real")
    method = [model("only", 1)]
    found = tabulate([own], fit_all([own], method, limit=30, seed=1), method, replicates=5, seed=1)
    html = render(found, layout=SITE, other="../other.html", title="Mine")
    assert html.startswith("<h1>Mine</h1>\n")
    assert "<title>" not in html
    assert "Fewer than 5 real data sets" in html


def test_a_page_without_any_score_is_made():
    one = simulate("good", n_categories=2, labels_per_item=3, n_items=20, n_annotators=5, seed=1)
    method = [model("refuses", None)]
    found = tabulate([one], fit_all([one], method, limit=30, seed=1), method, replicates=5, seed=1)
    html = render(found, absent={"later", "<i>"})
    assert "not in them: &lt;i&gt;, later." in html
    assert "n/a" in html


@pytest.mark.parametrize("names", [("same", "same"), ("one", "critical"), ("repeat", "one")])
def test_names_that_the_tables_cannot_hold_are_refused(names):
    with pytest.raises(AnnotationError, match="tabulate: the name"):
        tabulate([], [], [model(name, 1) for name in names], replicates=5, seed=1)


def test_the_stored_tables_are_those_of_this_code_and_small():
    folder = Path(__file__).parents[2] / "benchmarks" / "measured" / "aggregation"
    stored = read_tables(folder)
    assert {"seed", "versions", "grid", "command"} <= set(stored.settings)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_600_000
    found = Page(render(stored))
    rows = [given for tag, given in found.tags if given.get("id", "").startswith("method-")]
    assert len(rows) == len(stored.methods)


def test_the_files_are_those_of_the_tables():
    assert [each.name for each in fields(BenchmarkTables)] == [*TABLES, "settings"]
