"""Findings: one entry a cause, on the papers' pages and on that of all; what filters count."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest
import yaml
from compared import ATTACK, DAY, comparison_of, remarks_of

from annobench_replication import ledger, vocabulary
from commands import conclude, count_verdicts
from pages import counts, discrepancies, findings, short_names, table_columns
from pages.records import read_record
from pages.source_lines import Place, Sources
from scripts.site import render_index, render_lists

SITE = Path(__file__).parents[2] / "workflow" / "site"
STUDIES = [str(path) for path in (SITE.parent / "studies").glob("*/study.yaml")]
CAUSES = ("misprint", "formula", "method")


def test_values_of_one_cause_are_one_finding():
    rows = {}, {"evidence": "more"}, {"erratum": "", "cause": ""}
    found = discrepancies.of_values(comparison_of(*rows))
    assert [[change.target for change in finding.changes] for finding in found] == [
        ["a.0", "a.1"],
        ["a.2"],
    ]
    assert found[0].explanations == [("", "why")]
    assert found[0].evidence == [("", "sums"), ("kappa", "more")]
    assert found[0].changes[0].should_be == "0.7500"


def test_a_stand_in_that_is_explained_is_listed_without_a_number():
    rows = {"verdict": "stand_in"}, {"verdict": "stand_in", "explanation": "", "erratum": ""}
    [finding] = discrepancies.of_values(comparison_of(*rows))
    assert finding.changes[0].should_be == ""


def test_the_weightiest_come_first_and_remarks_are_among_them(tmp_path):
    remark = ["prose", "§2", "so", "not so", "formula", "conclusion", "why", "how", "if", "", DAY]
    remarks = discrepancies.of_remarks("study", remarks_of(tmp_path / "remarks.csv", remark))
    values = discrepancies.of_values(comparison_of({"weight": "digit"}, {"erratum": "other"}))
    found = discrepancies.weightiest_first([*values, *remarks])
    assert [finding.id for finding in found] == ["prose", "other", "slip"]
    assert found[0].anchor == "study-prose"
    table = discrepancies.table_of(found, {"study": "A study"})
    assert list(table["should_be"]) == ["not so", "0.7500", "0.7500"]
    assert list(table["permalink"]) == [f"discrepancies.html#{finding.anchor}" for finding in found]


@pytest.fixture
def lists(tmp_path):
    """Render the pages across papers of a study whose every text is an attack."""
    folder = tmp_path / "papers" / "study"
    (folder / "figures").mkdir(parents=True)
    (folder / "figures" / "one.svg").write_text('<svg width="72pt" height="36pt" x="">')
    record = {"key": "study", "title": ATTACK, "authors": ATTACK, "year": 2008, "venue": ATTACK}
    record["figures"] = [{"name": "one", "title": ATTACK, "source": ATTACK}]
    (folder / "paper.yaml").write_text(yaml.safe_dump(record))
    (folder / "captions.json").write_text(
        json.dumps({"one": {"caption": ATTACK, "provenance": "real"}})
    )
    texts = dict.fromkeys(("label", "source", "explanation", "evidence", "condition"), ATTACK)
    comparison = comparison_of(
        texts,
        {"erratum": "open", "cause": "unexplained", "verdict": "unresolved"},
        {"verdict": "reproduced", "erratum": "", "explanation": ""},
        {"verdict": "reproduced", "erratum": "", "explanation": ""},
    )
    ledger.write_comparison(comparison, tmp_path / "comparison.csv")
    remark = ["prose", *[ATTACK] * 3, "formula", "digit", *[ATTACK] * 3, "disputed", DAY]
    remarks_of(folder / "remarks.csv", remark)
    pages, table = render_lists.main(tmp_path, [str(folder / "paper.yaml")], SITE)
    return pages, table, comparison


def test_hostile_texts_are_shown_and_never_run(lists):
    pages, *_ = lists
    for page in pages.values():
        assert ATTACK not in page
        assert "&lt;script&gt;alert(" in page


def test_the_buttons_count_what_the_table_has(lists):
    pages, _, comparison = lists
    button = r'data-key="verdict" data-value="(\w+)" .*?<b>(\d+)</b></button>'
    counted = {name: int(n) for name, n in re.findall(button, pages["values"])}
    assert counted == comparison["verdict"].value_counts().to_dict()
    rows = re.findall(r'<tr data-row [^>]*data-verdict="(\w+)"', pages["values"])
    assert rows == list(comparison["verdict"])


def test_the_page_of_discrepancies_has_an_entry_a_cause_each_in_its_part(lists):
    pages, table, _ = lists
    page = pages["discrepancies"]
    parts = re.split(r'<h2 id="(\w+)">', page)[1:]
    entries = {
        part: re.findall(r'<article class="finding[^"]*" id="([^"]*)" data-row', text)
        for part, text in zip(parts[::2], parts[1::2], strict=True)
    }
    # What holds under a condition is not among the errata.
    assert entries == {
        "conditional": ["study-slip", "study-prose"],
        "open": ["study-open"],
        "answer": [],
    }
    assert "It holds only if" in page
    assert list(table["part"]) == ["conditional", "open", "conditional"]


def test_an_entry_says_what_became_of_it_and_when(lists):
    page = lists[0]["discrepancies"]
    entry = re.search(r'<article [^>]*id="study-prose".*?</article>', page, re.DOTALL)[0]
    assert f'disputed by the authors (<time datetime="{DAY}">' in entry
    assert 'href="discrepancies.html#answer"' in entry
    assert 'id="answer"' in page


@pytest.mark.parametrize(("text", "says"), [("whole", False), ("part", True), ("none", True)])
def test_a_finding_says_that_the_text_was_not_at_hand(lists, tmp_path, text, says):
    path = tmp_path / "papers/study/paper.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"text": text}))
    page = render_lists.main(tmp_path, [str(path)], SITE)[0]["discrepancies"]
    told = discrepancies.TEXT_WORDS[text].replace("'", "&#39;")
    assert page.count(told) == 3 if says else "available to us" not in page


def test_a_page_is_readable_without_a_script(lists):
    pages, *_ = lists
    for name in ("discrepancies", "values"):
        page = pages[name]
        assert re.search(r'<form class="filter" [^>]*hidden>', page)
        assert not re.search(r"<(tr|article)[^>]*data-row[^>]* hidden", page)


def test_the_script_of_a_page_is_short_and_asks_nobody():
    script = (SITE / "filter.js").read_text(encoding="utf-8")
    assert script.count("\n") < 150
    assert not re.search(r"fetch\(|XMLHttpRequest|https?:|import ", script)


# --- counts ---------------------------------------------------------------------------


@pytest.fixture
def studied(tmp_path):
    """Write results of a seed paper, and of an added study with a notebook, all kinds in each."""
    rows, n = [], 0
    for paper, source in (("old", "Table 1"), ("new", "Table 1"), ("new", "a.ipynb")):
        for verdict, times, cause, condition in (
            ("reproduced", 3, "", ""),
            ("deviates", 5, "misprint", ""),
            ("deviates", 7, "formula", "it rains"),
            ("deviates", 11, "method", ""),
            ("unresolved", 13, "unexplained", ""),
            ("inconclusive", 17, "", ""),
            ("input", 19, "", ""),
        ):
            n += 1
            row = {"paper": paper, "source": source, "verdict": verdict, "provenance": "real"}
            row |= {"cause": cause, "condition": condition, "erratum": cause and f"slip{n}"}
            rows += [row | {"explanation": "why" if cause else ""}] * (times + n)
    comparison = comparison_of(*rows)
    ledger.write_comparison(comparison, tmp_path / "comparison.csv")
    for key, more in (("old", {"collection": "seed"}), ("new", {"released": ["a.ipynb"]})):
        folder = tmp_path / "workflow" / key
        folder.mkdir(parents=True)
        record = {"key": key, "title": key, "authors": "A. B", "year": 2008, "figures": []}
        (folder / "paper.yaml").write_text(yaml.safe_dump(record | more))
        remarks_of(folder / "remarks.csv")
    return tmp_path, comparison


def numbers_of(text):
    """Return all whole numbers of a text without its markup, in their order."""
    return [int(number) for number in re.findall(r"\d+", re.sub(r"<[^>]*>", "", text))]


def outcomes_of(comparison):
    """Count by hand: values that can be judged, and what became of them."""
    verdict = comparison["verdict"]
    names = ("reproduced", "deviates", "unresolved", "inconclusive")
    found = [int((verdict == name).sum()) for name in names]
    return sum(found), found


def test_the_same_counts_stand_on_all_pages_and_in_the_readme(studied):
    folder, comparison = studied
    paths = [str(path) for path in sorted(folder.glob("workflow/*/paper.yaml"))]
    pages, table = render_lists.main(folder, paths, SITE)
    pages |= render_index.main(folder / "comparison.csv", paths, [], [], [], STUDIES, SITE)
    of_seed = comparison["paper"] == "old"
    of_notebook = comparison["source"] == "a.ipynb"
    judged, outcomes = outcomes_of(comparison[of_seed])
    printed, in_print = outcomes_of(comparison[~of_seed & ~of_notebook])
    released, in_notebook = outcomes_of(comparison[of_notebook])
    for name in ("index", "papers", "values"):
        lede = re.search(r'<p class="lede">(.*?)</p>', pages[name], re.DOTALL)[1]
        assert numbers_of(lede) == [judged, 1, 2008, *outcomes], name
        added = re.search(r'<p class="added">(.*?)</p>', pages[name], re.DOTALL)[1]
        assert numbers_of(added) == [1, printed, *in_print, released, *in_notebook], name
    counted = conclude.counts_of(comparison, folder / "workflow")
    of_seeds, of_added = counts.sentences(counted)
    deviating = [comparison[of_seed & (comparison["cause"] == cause)] for cause in CAUSES]
    explained = [len(each) for each in deviating]
    assert numbers_of(of_seeds) == [
        *(int(of_seed.sum()), 1, 2008, judged, outcomes[0], outcomes[0]),
        # Unresolved values are one question.
        *(outcomes[1], *explained, outcomes[2], 1, *outcomes[3:]),
    ]
    assert str(released) in of_added
    # Entries: of one function, and as many as the page and its file have.
    lede = re.search(r'<p class="lede">(.*?)</p>', pages["discrepancies"], re.DOTALL)[1]
    assert counts.entries(counted.seed) in lede
    assert counts.entries(counted.added) in lede
    each = table.drop_duplicates(["paper", "id"])
    both = {p: counted.seed.entries[p] + counted.added.entries[p] for p in vocabulary.PARTS}
    assert each["part"].value_counts().to_dict() == both
    records = (read_record(path) for path in sorted(folder.glob("workflow/*/paper.yaml")))
    readme = count_verdicts.counted(comparison, records, [])
    assert f"| **1 paper** |  | {judged} | {outcomes[0]} |" in readme
    assert f"| **1 added study**, in print |  | {printed} | {in_print[0]} |" in readme
    assert f"| released files of these |  | {released} | {in_notebook[0]} |" in readme
    assert numbers_of(readme.splitlines()[-1]) == [1, *outcomes[1:]]


def test_each_value_and_each_entry_has_a_record_with_the_fields_that_the_guide_names(studied):
    folder, comparison = studied
    paths = [str(path) for path in sorted(folder.glob("workflow/*/paper.yaml"))]
    _, table = render_lists.main(folder, paths, SITE)
    written = render_lists.records_of(folder / "comparison.csv", paths, table)
    values, errata = (json.loads(written[name]) for name in ("values_json", "errata_json"))
    assert len(values["values"]) == len(comparison)
    assert len(errata["errata"]) == len(table)
    guide = (SITE.parents[1] / "docs/how-to/cite.md").read_text()
    of_values, of_errata = guide.split("`errata.json` has")
    for records, text in ((values["values"], of_values), (errata["errata"], of_errata)):
        rows = re.findall(r"^\| (`.*?) \| .+ \|$", text, re.MULTILINE)
        assert set(records[0]) == set(re.findall(r"`(\w+)`", " ".join(rows)))
    first = values["values"][0]
    assert first["cite"].endswith(f"papers/{first['paper']}/index.html#{first['target']}")
    assert first["printed"] in first["cite"]


def test_columns_of_the_front_page_add_up(studied):
    folder, _ = studied
    paths = [str(path) for path in sorted(folder.glob("workflow/*/paper.yaml"))]
    page = render_index.main(folder / "comparison.csv", paths, [], [], [], STUDIES, SITE)["index"]
    bodies = re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert len(bodies) == 2
    for body in bodies:
        total, *rows = [
            [int(n or 0) for n in re.findall(r'<t[dh] class="right">(\d*)</t[dh]>', row)][-5:]
            for row in body.split("</tr>")[:-1]
        ]
        assert total[0] > 0
        assert total == [sum(column) for column in zip(*rows, strict=True)]
        for judged, *outcomes in (total, *rows):
            assert judged == sum(outcomes)


def test_mace_is_told_from_all_its_starts(tmp_path):
    starts = [("release", 0.825), ("release", 0.831), ("converged", 0.8438), ("converged", 0.844)]
    table = pd.DataFrame(starts, columns=["steps", "accuracy"])
    path = tmp_path / "papers/ustalov2024/tables/mace.csv"
    path.parent.mkdir(parents=True)
    table.assign(dataset="product", inference="variational").to_csv(path, index=False)
    row = {"paper": "ustalov2024", "target": "mace.product", "published": "0.929"}
    [finding] = findings.findings(comparison_of(row), tmp_path)
    assert finding.claim == "MACE has an accuracy of 0.844 on Product, not 0.929."
    assert "the accuracy is 0.825 to 0.831 after the release's 50 steps" in finding.detail
    assert "0.844 after convergence" in finding.detail
    path.unlink()
    assert not list(findings.findings(comparison_of(row), tmp_path))


@pytest.mark.parametrize(
    ("authors", "name"),
    [
        ("Bob Carpenter", "Carpenter (2008)"),
        ("Dennis Reidsma and Rieks op den Akker", "Reidsma and op den Akker (2008)"),
        ("Beata Beigman Klebanov and Eyal Beigman", "Beigman Klebanov and Beigman (2008)"),
        ("A. One, B. Two and C. Three", "One and others (2008)"),
    ],
)
def test_papers_are_called_by_their_authors(authors, name):
    paper = {"key": "study", "authors": authors, "year": 2008}
    assert short_names.short_names([paper]) == {"study": name}


def luminance(colour):
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("verdict", vocabulary.VERDICTS)
def test_marks_of_verdicts_are_readable_in_both_themes(verdict):
    style = (files("annobench.reporting") / "templates/verdicts.css").read_text(encoding="utf-8")
    tone = re.search(rf"--{verdict}: (#[0-9a-f]{{6}});", style)[1]
    dark = re.search(r"((?:\.mark\.v-\w+, )+\.mark\.v-\w+) \{ color: (#[0-9a-f]{6}); \}", style)
    text = dark[2] if f".mark.v-{verdict}" in dark[1].split(", ") else "#ffffff"
    bright, dim = sorted((luminance(tone), luminance(text)), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


# --- tables ---------------------------------------------------------------------------


def test_numbers_have_the_digits_that_tell_them_apart():
    assert table_columns.digits_of(pd.Series([0.123456, 0.98])) == ["0.123", "0.980"]
    assert table_columns.digits_of(pd.Series([12.3456, -7.0])) == ["12.35", "\u22127.00"]
    assert table_columns.digits_of(pd.Series([0.005, 0.05])) == ["0.005", "0.050"]
    assert table_columns.digits_of(pd.Series([0.5, 1e-7])) == ["0.500", "1e-07"]
    assert table_columns.digits_of(pd.Series([1234.0, float("nan")])) == ["1,234", ""]


def test_a_table_has_titles_and_its_texts_stay():
    frame = pd.DataFrame({"n_items": ["1000", ""], "by_word": ["fair_a", "10%"], "none": ["", ""]})
    shown = table_columns.shown_table(frame)
    assert shown["columns"] == ["number of items", "by word", "none"]
    assert shown["numeric"] == [True, False, False]
    assert shown["rows"] == [["1,000", "fair a", ""], ["", "10%", ""]]


# --- the lines that compute values -----------------------------------------------------

ANALYSIS = """from . import values
from .values import more


def analyse(study, results, rng, effort):
    results.values(values.kappas(study), of="printed")
    found = more(study)
    results.values(found, of="printed")
    results.values({"own.share": 1.0}, of="printed")
    for exact in (values.kappas, values.more):
        results.values(exact(study), of="printed")
"""
VALUES = """def kappas(study):
    name = "a"
    return {
        f"{name}.kappa": 1.0,
        "b.kappa": 2.0,
    }


def more(study):
    return [Computed("c.share", 1.0)]
"""


@pytest.mark.parametrize(
    ("made_by", "target", "place"),
    [
        ("analysis.py:6", "a.kappa", Place("values.py", 4, "kappas")),
        ("analysis.py:6", "b.kappa", Place("values.py", 5, "kappas")),
        ("analysis.py:6", "unnamed", Place("values.py", 1, "kappas")),
        ("analysis.py:8", "c.share", Place("values.py", 10, "more")),
        ("analysis.py:9", "own.share", Place("analysis.py", 9, "analyse")),
        ("analysis.py:11", "c.share", Place("values.py", 10, "more")),
        ("values.py:10", "c.share", Place("values.py", 10, "more")),
        ("gone.py:1", "c.share", None),
        ("values.py:99", "c.share", None),
        ("", "c.share", None),
    ],
)
def test_a_value_leads_to_the_function_that_computes_it(tmp_path, made_by, target, place):
    (tmp_path / "analysis.py").write_text(ANALYSIS)
    (tmp_path / "values.py").write_text(VALUES)
    assert Sources(sorted(tmp_path.glob("*.py"))).place_of(made_by, target) == place


def test_the_sources_keep_their_lines(tmp_path):
    (tmp_path / "analysis.py").write_text('"""One\n\nthree."""\n\nx = "<b>"\n')
    [module] = Sources([tmp_path / "analysis.py"]).shown()
    assert len(module["lines"]) == 5
    assert "&lt;b&gt;" in module["lines"][4]
