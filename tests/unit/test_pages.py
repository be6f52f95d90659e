"""Pages show what others wrote, and run none of it."""

import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from annobench import plotting
from annobench.reporting import printed
from annobench.reporting.formats import shown
from annobench.reporting.pages import picture_size
from annobench_replication import ledger, schemas, verdicts, vocabulary
from annobench_replication.faces import FACES, RELATIONS, Tally
from annobench_replication.ledger import Computed
from pages import table_columns, value_rows
from pages.captioned import figures_of
from scripts.site import render_index, render_paper

SITE = Path(__file__).parents[2] / "workflow" / "site"
DAY = "2026-11-26"
ATTACK = "<script>alert('x')</script>"


@pytest.fixture
def paper(tmp_path):
    """Write a paper whose every text is an attack; return the arguments of its page."""
    folder = tmp_path / "study"
    (folder / "tables").mkdir(parents=True)
    (folder / "analysis.py").write_text(f'def analyse():\n    return "{ATTACK}"\n')
    exhibit = {"name": "one", "title": ATTACK, "source": ATTACK}
    record = {
        "key": "study",
        "title": ATTACK,
        "authors": ATTACK,
        "year": 2008,
        "venue": ATTACK,
        "datasets": ["flips"],
        "figures": [exhibit],
        "tables": [exhibit],
        "results": "all",
        "not_public": [ATTACK],
        "searches": [{"for": "all", "where": ATTACK, "when": "2026-11-26", "found": ATTACK}],
        "notebook": "study",
        "url": "https://example.org/study",
        "summary": ATTACK,
        "missing_figures": [{"source": ATTACK, "reason": ATTACK}],
        "contents": ["Table 1", ATTACK],
        "layouts": [{"name": "one", "title": ATTACK, "source": "Table 1"}],
    }
    (folder / "layouts").mkdir()
    cells = [[ATTACK, f"{ATTACK} | {ATTACK}"], [ATTACK, f"{{a.b}} {ATTACK}"]]
    pd.DataFrame(cells).to_csv(folder / "layouts/one.csv", index=False, header=False)
    (folder / "paper.yaml").write_text(yaml.safe_dump(record))
    pd.DataFrame({ATTACK: [ATTACK]}).to_csv(folder / "tables" / "one.csv", index=False)
    caption = {"caption": ATTACK, "provenance": ATTACK, "seed": 1}
    (folder / "captions.json").write_text(json.dumps({"one": caption}))
    (folder / "figures").mkdir()
    with plotting.house_figure(1) as (figure, _):
        plotting.save_figure(figure, folder / "figures" / "one")
    columns = list(schemas.PUBLISHED.columns)
    published = pd.DataFrame(
        [
            ["a.b", ATTACK, "eq", "0.50", ATTACK, "result", "closed_form", "", ATTACK, ATTACK],
            ["a.c", "Table 1", "lt", "3", "", "result", "closed_form", "", "", ""],
            ["a.e", "Table 1", "eq", ".50", "", "result", "closed_form", "", "", ""],
            ["a.f", "Table 1", "eq", ".50", "", "result", "closed_form", "", "", ""],
        ],
        columns=columns,
    )
    ledger.write_computed(
        [
            Computed("a.b", 0.75, lower=0.7, upper=0.8, level=0.95, provenance="closed_form"),
            Computed("a.b", 0.5, method=ATTACK, provenance="closed_form"),
            Computed("a.d", 0.5, method=ATTACK, provenance="closed_form"),
            Computed("a.e", 0.501, provenance="closed_form"),
            Computed("a.f", 0.5, provenance="closed_form"),
        ],
        folder / "computed.csv",
    )
    computed = ledger.read_computed(folder / "computed.csv")
    errata = pd.DataFrame(
        [
            [
                "a.b",
                "slip",
                "misprint",
                "value",
                *[ATTACK] * 2,
                "",
                ATTACK,
                "not_contacted",
                "2026-11-26",
            ]
        ],
        columns=list(schemas.ERRATA.columns),
    )
    dependence = pd.DataFrame(
        [
            ["a.e", "0.501", f"text.csv; {ATTACK}", "", "0.7 0.5", ""],
            ["a.f", "0.5", ATTACK, ATTACK, "0.7", ""],
        ],
        columns=["target", "base", "rests_on", "restates", "values", "data_values"],
    )
    comparison = verdicts.compare(published, computed, errata, dependence=dependence, paper="study")
    ledger.write_comparison(comparison, folder / "comparison.csv")
    remark = ["prose", *[ATTACK] * 3, "formula", "conclusion", *[ATTACK] * 3, "", "2026-11-26"]
    remarks = pd.DataFrame([remark], columns=list(schemas.REMARKS.columns))
    remarks.to_csv(folder / "remarks.csv", index=False)
    verdicts.other_methods(computed).to_csv(folder / "others.csv", index=False)
    lone = pd.DataFrame(
        [["study", ATTACK, ATTACK, "1", "a.e"], ["study", "not counted", "1", "1", "a.c"]],
        columns=["paper", "input", "text", "values", "value"],
    )
    lone.to_csv(folder / "inputs.csv", index=False)
    meta = {"id": ATTACK, "title": ATTACK, "citation": ATTACK, "licence": ATTACK}
    meta |= {"provenance": "simulated", "why_simulated": ATTACK}
    meta |= {"n_items": 1000, "n_annotators": 1, "n_labels": 1}
    (folder / "meta.json").write_text(json.dumps(meta))
    return folder


@pytest.fixture
def pages(paper):
    own = render_paper.main(
        record=paper / "paper.yaml",
        comparison=paper / "comparison.csv",
        others=paper / "others.csv",
        captions=paper / "captions.json",
        metas=[str(paper / "meta.json")],
        modules=[paper / "analysis.py"],
        inputs=paper / "inputs.csv",
        site=SITE,
    )
    overviews = render_index.main(
        comparison=paper / "comparison.csv",
        papers=[str(paper / "paper.yaml")],
        metas=[str(paper / "meta.json")],
        network=[],
        peers=["crowd_kit"],
        studies=map(str, (SITE.parent / "studies").glob("*/study.yaml")),
        site=SITE,
    )
    return own["index"], overviews["index"], overviews["papers"], own["source"]


def test_names_from_files_are_shown_and_never_run(pages):
    for page in pages:
        assert ATTACK not in page
        assert "&lt;script&gt;alert(" in page


def test_inputs_that_one_counted_value_alone_uses_are_listed(pages):
    inputs = pages[0].partition('id="inputs"')[2].partition("</details>")[0]
    assert inputs.count("<tr>") == 2  # the header and one row
    assert "#a.e" in inputs
    assert "not counted" not in inputs


def test_a_page_says_loudly_that_its_data_are_simulated(pages):
    for page in pages[:2]:
        assert 'class="banner"' in page
        assert "--forcerun probe_network" in page


def test_every_value_has_its_verdict_in_words(pages):
    own, overview, *_ = pages
    assert "deviates" in own
    assert "missing" in own
    assert "In 1 added study: of" in overview
    assert "Reproduced: 1 in closed form" in overview
    assert "from real labels, from printed" not in overview


def test_a_counted_value_says_what_it_rests_on_and_what_would_have_made_it_fail(pages):
    own, *_ = pages
    assert "It rests on text.csv, &lt;script&gt;" in own
    assert "It would have failed at any value outside 0.495 to 0.505." in own
    assert (
        "The one change to its inputs that moved it made it disagree with the printed value." in own
    )
    assert "Restates: &lt;script&gt;" in own


@pytest.mark.parametrize(
    ("published", "relation", "check_lower", "words"),
    [
        ("1600", "about", math.nan, "at any value outside 1500 to 1700"),
        (".50", "eq", 0.4, "if its check interval had missed 0.495 to 0.505"),
        (".05", "lt", math.nan, "at a value not below .05"),
    ],
)
def test_what_would_have_failed_is_said_for_every_relation(published, relation, check_lower, words):
    row = {"published": published, "relation": relation, "check_lower": check_lower}
    assert value_rows.failure(row) == words


def test_other_methods_stand_beside_the_papers(pages):
    own, *_ = pages
    assert own.count("<b>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</b> gives 0.5") == 1


def test_a_page_has_the_papers_order(pages):
    sections = re.findall(r'<h2 id="([^"]*)"', pages[0])
    assert sections == ["discrepancies", "printed", "ours", "not-public", "values"]
    items = re.findall(r'<section class="printed-item" id="([^"]*)"', pages[0])
    assert items == ["table-1", "-script-alert-x-script-"]


def test_a_figure_without_a_caption_is_an_error(paper):
    (paper / "captions.json").write_text("{}")
    with pytest.raises(ValueError, match=r"study: captions\.json has no entry for one"):
        figures_of(
            yaml.safe_load((paper / "paper.yaml").read_text()),
            json.loads((paper / "captions.json").read_text()),
            paper / "figures",
        )


def test_a_picture_has_its_size_and_its_caption_for_who_cannot_see_it(pages):
    [picture] = re.findall(r"<img [^>]*>", pages[0])
    assert 'src="figures/one.svg"' in picture
    # 3.7 by 3.6 inches of 96 pixels.
    assert 'width="355" height="346"' in picture
    assert 'alt="&lt;script&gt;' in picture
    assert '<a href="figures/one.svg"><img' in pages[0]


def test_a_drawing_without_a_size_is_an_error(tmp_path):
    (tmp_path / "one.svg").write_text("<svg></svg>")
    with pytest.raises(ValueError, match=r"one\.svg: no width and height in points"):
        picture_size(tmp_path / "one.svg")


def test_a_figure_that_is_missing_is_named_with_the_reason(pages):
    missing = r"<p><b>(&lt;script&gt;[^<]*) is not shown\.</b> (&lt;script&gt;[^<]*)</p>"
    assert len(re.findall(missing, pages[0])) == 1


def test_a_table_names_values_by_their_labels(tmp_path):
    table = pd.DataFrame({"target": ["a.b", "a.c"], "n": [1, 2]})
    table.to_csv(tmp_path / "one.csv", index=False)
    record = {"tables": [{"name": "one", "source": "Table 1", "title": "One"}]}
    [shown] = render_paper.tables_of(record, tmp_path, {}, {"a.b": "a value in words"})
    assert [row[0] for row in shown["rows"]] == ["a value in words", "a.c"]
    assert shown["columns"][0] == "value"


def test_a_long_table_is_cut_and_says_how_long_it_is(tmp_path):
    pd.DataFrame({"n": range(100)}).to_csv(tmp_path / "one.csv", index=False)
    [table] = render_paper.tables_of(
        {"tables": [{"name": "one", "source": "Table 1", "title": "One"}]},
        tmp_path,
        {"tables/one": {"provenance": "real"}},
        {},
    )
    assert table["provenance"] == "real"
    assert len(table["rows"]) == table_columns.ROWS_SHOWN
    assert table["n_rows"] == 100


@pytest.mark.parametrize(
    ("value", "published", "text"),
    [
        (0.92751, ".928", "0.92751"),
        (8000.0, "8,000", "8,000"),
        (7999.5, "8,000", "7,999.50"),
        (-0.5, "", "\u22120.5"),
        (math.nan, "1", ""),
        (math.inf, "1", "∞"),
        (1 / 3, "", "0.333333"),
    ],
)
def test_a_number_is_shown_two_places_beyond_its_printed_ones(value, published, text):
    assert shown(value, published) == text


def test_every_verdict_has_a_face_and_every_relation_a_sign():
    assert set(FACES) == set(vocabulary.VERDICTS)
    assert set(RELATIONS) == set(printed.RELATIONS)
    assert len({face.mark for face in FACES.values()}) == len(FACES)


@pytest.mark.parametrize(
    ("changes", "refuted", "words"),
    [
        (5, 2, "Of 5 changes to its inputs that moved it, 2 made it disagree"),
        (5, 0, "Of 5 changes to its inputs that moved it, none made it disagree"),
        (1, 1, "The one change to its inputs that moved it made it disagree"),
        (1, 0, "The one change to its inputs that moved it did not make it disagree"),
    ],
)
def test_changes_are_counted_in_a_sentence(changes, refuted, words):
    assert value_rows.refuting(changes, refuted) == f"{words} with the printed value."


@pytest.mark.parametrize(("computed", "outcome"), [(0.5, "agrees with"), (0.6, "differs from")])
def test_a_value_at_second_hand_says_whether_it_agrees(computed, outcome):
    row = {"verdict": "second_hand", "published": ".50", "relation": "eq", "computed": computed}
    told, why = value_rows.grounds(row | {"explanation": "The text is of another version."})
    assert outcome in told
    assert why.startswith("The text")


def test_values_at_second_hand_count_nowhere():
    columns = ["paper", "provenance", "cause", "condition", "erratum", "target"]
    frame = pd.DataFrame({"verdict": ["second_hand", "reproduced"]}).assign(
        **dict.fromkeys(columns, "real")
    )
    tally = Tally.of(frame)
    assert (tally.total, tally.judged, sum(tally.columns.values())) == (1, 1, 2)
    assert [verdict for verdict, _, _ in tally.present] == ["reproduced", "second_hand"]


def test_a_tally_counts_what_can_be_judged():
    verdicts = ["reproduced", "within_interval", "cited", "deviates", "restated"]
    provenances = ["real", "simulated", "", "real", "printed_table"]
    frame = pd.DataFrame({"verdict": verdicts, "provenance": provenances, "cause": "misprint"})
    frame = frame.assign(paper="study", target=list("abcde"), erratum="")
    tally = Tally.of(frame.assign(condition="it rains"))
    assert tally.explained == [("conditional", "by an error under a condition", 1)]
    assert (tally.total, tally.judged, tally.reproduced) == (5, 3, 2)
    # Unresolved values with one explanation are one question.
    open_ = frame.assign(condition="", verdict="unresolved", erratum=["x", "x", "", "", "y"])
    assert Tally.of(open_).questions == 4
    assert tally.grounds == [("real", "from real labels", 1), ("simulated", "by simulation", 1)]


def test_every_name_on_a_page_stands_there_once_and_links_within_it_lead_somewhere(pages):
    for page in pages:
        names = re.findall(r'\sid="([^"]*)"', page)
        assert len(names) == len(set(names))
        assert set(re.findall(r'href="#([^"]*)"', page)) <= set(names)
