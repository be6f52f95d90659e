"""The ranking of methods: order, ties, fits that did not converge; one for page, file and table."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from annobench import models
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.external_methods import comparison
from annobench.benchmark.external_methods.comparison import Outcome
from annobench.benchmark.fits import fit_all
from annobench.benchmark.published import beside, published_accuracies
from annobench.benchmark.ranking import conclusion, places, rank, title_of
from annobench.benchmark.regimes import simulate
from annobench.benchmark.tables import tabulate
from annobench.cli.compare import _ranking_table
from annobench.models.base import Conventions, Method
from annobench.reporting import benchmark_page, comparison_tex
from papers.li2019 import values as li2019
from papers.ustalov2024 import values as ustalov2024


def method(name, sharpness=1.0, *, converged=lambda labels: True, noise=0.0):
    """Votes, sharpened; with noise, of items by their number."""

    def fit(labels):
        shares = (labels.counts + 0.5) ** sharpness
        shares = shares + noise * np.abs(np.sin(np.arange(shares.size))).reshape(shares.shape)
        posterior = shares / shares.sum(axis=1, keepdims=True)
        return SimpleNamespace(posterior=posterior, converged=converged(labels))

    conventions = Conventions(*["none"] * 5)
    record = Method(name, "made up", frozenset({"nominal"}), frozenset(), True, conventions)
    return SimpleNamespace(METHOD=record, fit=fit, SOURCE="peer 1.0")


@pytest.fixture(scope="module")
def cases():
    sizes = (60, 80, 100)
    drawn = [
        simulate("good", n_categories=2, labels_per_item=3, n_items=n, n_annotators=8, seed=n)
        for n in sizes
    ]
    return [
        BenchmarkCase(f"of {n}", one.annotations, one.gold, "real", "drawn")
        for n, one in zip(sizes, drawn, strict=True)
    ]


@pytest.fixture(scope="module")
def tables(cases):
    methods = [
        method("dawid_skene"),
        method("twin"),
        method("vague", 0.2),
        method("random", noise=5.0),
        method("lost", converged=lambda labels: labels.n_items != 60),
    ]
    records = fit_all(cases, methods, limit=30, seed=1)
    return tabulate(cases, records, methods, replicates=200, seed=1)


@pytest.fixture(scope="module")
def ranking(tables):
    return rank(tables, "dawid_skene")


def test_ties_share_a_rank_and_the_next_is_skipped(ranking):
    ranks = ranking.set_index("method")["rank"]
    assert ranks["dawid_skene"] == ranks["twin"]
    others = sorted(ranks.drop(["dawid_skene", "twin", "lost"]))
    assert ranks["twin"] == 1
    assert others == [3, 4]
    assert places(ranking) == ["1=", "1=", "3", "4", "†"]


def test_a_fit_that_did_not_converge_has_no_rank_and_no_score_anywhere(tables, cases, ranking):
    lost = ranking.set_index("method").loc["lost"]
    assert np.isnan(lost["rank"])
    assert (lost["n_scored"], lost["n_unconverged"]) == (2, 1)
    own = tables.scores[tables.scores["method"].eq("lost") & tables.scores["score"].eq("accuracy")]
    kept = own[own["problem"] != "of 60"]
    assert lost["accuracy"] == pytest.approx(kept["estimate"].mean())
    alone = rank(tables, "dawid_skene", ["of 60"]).set_index("method").loc["lost"]
    assert np.isnan([alone["rank"], alone["log_loss"], alone["accuracy"]]).all()


def test_terminal_page_latex_and_file_show_one_ranking(tables, ranking, tmp_path):
    rankings = {name: rank(tables, "dawid_skene", [name]) for name in tables.problems["problem"]}
    settings = tables.settings | {"reference": "dawid_skene"}
    tables.settings.update(settings)
    found = Outcome(tables, (), ranking, rankings)
    rows = list(zip(places(ranking), ranking["title"], strict=True))
    terminal = _ranking_table(found)
    shown = list(zip(*(column.cells for column in terminal.columns[:2]), strict=True))
    assert shown == rows
    page = benchmark_page.render(tables)
    section = page[page.index('id="ranking"') : page.index('id="scores"')]
    cells = re.findall(r'<tr[^>]*><td>([^<]*)</td><td class="right">([^<]*)</td>', section)
    assert [(place, title.replace("&#39;", "'")) for title, place in cells] == rows
    tex = comparison_tex.latex(found)
    lines = [line.split(" & ")[:2] for line in tex.splitlines() if "&" in line][1:]
    assert [(place.replace(r"$\dagger$", "†"), title) for place, title in lines] == rows
    found.write(tmp_path)
    written = pd.read_csv(tmp_path / "ranking.csv")
    assert written["title"].tolist() == ranking["title"].tolist()
    np.testing.assert_array_equal(written["rank"], ranking["rank"])
    for text in (section, tex):
        assert "Ordered by mean log loss" in text


def test_the_test_of_log_loss_is_normal_with_holms_correction(tables, ranking):
    first = "dawid_skene"
    table = ranking.set_index("method")
    assert table.index[0] in (first, "twin")
    errors = tables.differences[tables.differences["score"] == "log_loss"]
    loss = tables.scores[tables.scores["score"] == "log_loss"]
    wide = loss.pivot(index="problem", columns="method", values="estimate")
    p_values = {}
    for name in ("vague", "random"):
        # The error of a pair is in the row of the later one.
        row = errors[errors["method"] == name].set_index("problem")[first]
        difference = (wide[name] - wide[first]).sum()
        p_values[name] = 2 * norm.sf(difference / np.sqrt((row**2).sum()))
    low, high = sorted(p_values, key=p_values.get)
    # Of three others: the smallest p-value is tripled, the next doubled, that of the twin is 1.
    assert table.loc[low, "p_log_loss"] == pytest.approx(3 * p_values[low])
    assert table.loc[high, "p_log_loss"] == pytest.approx(
        max(2 * p_values[high], 3 * p_values[low])
    )


def told(p_values, losses=None, **columns):
    n = len(p_values)
    losses = losses or list(np.linspace(0.5, 0.9, n))
    table = pd.DataFrame(
        {
            "method": list("abcdefgh")[:n],
            "title": list("ABCDEFGH")[:n],
            "rank": pd.Series(losses).rank(method="min"),
            "log_loss": losses,
            "p_log_loss": p_values,
            "n_scored": 4,
        }
    ).assign(**columns)
    return conclusion(table)


NONE = float("nan")


def test_a_difference_that_is_none_is_no_headline():
    assert told([NONE, 0.5, 0.2]) == (
        "On 4 data sets, no method has a significantly lower mean log loss than another: "
        "0.500 to 0.900."
    )
    assert told([NONE, 0.05, 0.001]) == (
        "On 4 data sets, A has the lowest mean log loss, 0.500, significantly lower than that "
        "of every other ranked method."
    )
    assert told([NONE, 0.051, 0.001]) == (
        "On 4 data sets, 2 of 3 methods do not differ significantly from the lowest mean log loss, "
        "0.500: A, B."
    )
    assert told([NONE]) == "On 4 data sets, the mean log loss of A is 0.500."
    # Tied methods are the best together, in whatever order.
    assert "2 of 3 methods" in told([NONE, 1.0, 0.001], [0.5, 0.5, 0.9])
    assert told([NONE, *[0.5] * 6, 0.001]).endswith(": A, B, C, D, E and 2 more.")
    assert told([NONE, 0.1], rank=NONE) == ""


def test_models_have_names_for_people():
    titles = [title_of(name) for name in models.discover()]
    assert len(set(titles)) == len(titles)
    assert not [title for title in titles if not title or "_" in title]
    assert title_of("dawid_skene") == "Dawid and Skene's model"
    assert title_of("my_method") == "my_method"


def test_every_model_has_a_publication_with_authors_title_and_year():
    methods = pd.DataFrame(
        [(name, module.METHOD.reference) for name, module in models.discover().items()],
        columns=["method", "reference"],
    )
    found = SimpleNamespace(tables=SimpleNamespace(methods=methods))
    text = comparison_tex.bibtex(found)
    entries = re.findall(r"^% (.+)\n@(\w+)\{(\w+),\n((?:  .+\n)+)\}", text, flags=re.MULTILINE)
    keys = [key for _, _, key, _ in entries]
    assert len(set(keys)) == len(keys)
    years = {}
    for names, kind, key, fields in entries:
        assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) = \{", fields, re.M)), key
        place = {"article": "journal", "inproceedings": "booktitle", "unpublished": "note"}
        assert f"  {place.get(kind, 'eprint')} = " in fields, key
        [year] = re.findall(r"year = \{(\d{4})\}", fields)
        [author] = re.findall(r"author = \{([^,]+),", fields)
        for name in names.split(", "):
            years.setdefault(name, set()).add((author.split()[-1], year))
    # The publication that a record names first is among its entries.
    for name, reference in methods.itertuples(index=False):
        author = re.split(r",| and | et al| \(", reference)[0]
        year = re.search(r"\((\d{4})\)", reference)[1]
        assert (author, year) in years[name], name
    assert "@misc{" not in text.replace("@misc{zhou2015", "")


def test_published_values_are_of_models_and_data_sets_that_exist():
    from annobench import datasets

    table = published_accuracies()
    assert len(table) > 60
    assert set(table["method"]) <= set(models.discover())
    assert set(table["problem"]) <= set(datasets.names())
    assert table["value"].between(0, 1).all()
    assert not table.duplicated(["problem", "published_method"]).any()
    assert table["source"].str.contains(r"\(\d{4}\)").all()


def test_published_values_are_those_of_the_papers_that_we_recompute():
    table = published_accuracies().set_index(["problem", "method"])["text"].to_dict()
    papers = Path(__file__).parents[2] / "workflow/papers"
    ours = {"mv": "voting", "ds": "dawid_skene"}
    printed = {}
    for key, names in (("li2019", li2019.NAMES), ("ustalov2024", ustalov2024.DATASETS)):
        rows = pd.read_csv(papers / key / "published.csv", dtype=str)
        for target, value in zip(rows["target"], rows["value"], strict=True):
            words = target.removesuffix(".accuracy").split(".")
            if len(words) == 2 and set(words) & set(names):
                [problem] = set(words) & set(names)
                [method] = set(words) - {problem}
                printed[names[problem], ours.get(method, method)] = value
    assert {at: float(text) for at, text in table.items()} == {
        at: float(value) for at, value in printed.items()
    }


def test_published_values_stand_beside_ours_on_real_data_alone(tables):
    problem, name = "ti_rte", "voting"
    one = tables.problems.assign(problem=[problem, "ti_dog", "other"])
    names = dict(zip(tables.problems["problem"], one["problem"], strict=True))

    def renamed(table):
        return table.assign(
            problem=table["problem"].map(names),
            method=table["method"].replace({"dawid_skene": "ibcc", "lost": "bwa"}),
        )

    real = SimpleNamespace(
        problems=one, scores=renamed(tables.scores), fits=renamed(tables.fits), name=name
    )
    table = beside(real)
    assert set(table["problem"]) == {"ti_rte", "ti_dog"}
    assert set(table["method"]) == {"ibcc", "bwa"}
    np.testing.assert_allclose(table["difference"], table["accuracy"] - table["value"])
    assert table.loc[table["method"] == "bwa", "unconverged"].tolist() == [
        problem == "ti_rte" for problem in table.loc[table["method"] == "bwa", "problem"]
    ]
    real.problems = one.assign(provenance="simulated")
    assert beside(real).empty


def test_one_case_is_tested_by_accuracy_too(cases):
    outcome = comparison.compare(cases[:1], [], against=["voting"], limit=20, seed=1, replicates=50)
    assert outcome.ranking is outcome.rankings[cases[0].name]
    assert {"minus_best", "p_value", "items_needed"} <= set(outcome.ranking)
    assert outcome.conclusion.startswith("On “of 60”, ")
