"""Certificates are in CODECHECK's form, and say what the verdicts say, on which data."""

import json
import re
from datetime import UTC, datetime

import codecheck_form
import pytest
import yaml
from compared import ATTACK, comparison_of, remarks_of

from annobench_replication import ledger
from annobench_replication.faces import Tally
from pages.runner import RUNNER
from scripts.papers import certify_paper

CHECKED = datetime(2026, 11, 27, 10, 30, tzinfo=UTC)
ROWS = [
    {"explanation": ATTACK, "label": ATTACK, "source": ATTACK},
    {"verdict": "reproduced", "erratum": "", "provenance": "real"},
    {"verdict": "reproduced", "erratum": "", "provenance": "printed_table"},
    {"verdict": "unresolved", "erratum": "", "cause": "unexplained", "explanation": "who knows"},
    {"verdict": "input", "erratum": ""},
]


@pytest.fixture
def study(tmp_path):
    """Write the record, the data sets and the results of a study."""
    record = {"key": "study", "title": ATTACK, "authors": "A. One, B. Two and C. Three"}
    record |= {"year": 2008, "venue": ATTACK, "datasets": ["a", "b"], "not_public": ["The seeds."]}
    record["figures"] = [{"name": "one", "title": "Votes", "source": "Figure 1"}]
    record["tables"] = [{"name": "rates", "title": "Rates", "source": "Section 2"}]
    record["layouts"] = [{"name": "table1", "title": "Sizes", "source": "Table 1"}]
    record["contents"] = ["Figure 1", "Table 1"]
    record["stand_ins"] = [{"what": "the pilot", "why": "It was never published"}]
    results = tmp_path / "results"
    for name in ("figures/one.svg", "tables/rates.csv", "printed/table1.csv", "computed.csv"):
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text("")
    captions = {"one": {"provenance": "real"}, "tables/rates": {"provenance": "simulated"}}
    (results / "captions.json").write_text(json.dumps(captions))
    ledger.write_comparison(comparison_of(*ROWS), results / "comparison.csv")
    remarks_of(tmp_path / "remarks.csv")
    for id, provenance in {"a": "real", "b": "simulated"}.items():
        meta = {"id": id, "title": ATTACK, "licence": "CC0", "home": ["https://example.org"]}
        meta |= {"provenance": provenance, "why_simulated": "no network"}
        (tmp_path / f"{id}.json").write_text(json.dumps(meta))

    def certify(**changed):
        (tmp_path / "paper.yaml").write_text(yaml.safe_dump(record | changed))
        metas = [str(tmp_path / f"{id}.json") for id in (record | changed)["datasets"]]
        written = certify_paper.main(
            tmp_path / "paper.yaml", results / "comparison.csv", metas, CHECKED
        )
        (results / "codecheck.yml").write_text(written[0], encoding="utf-8")
        return results / "codecheck.yml", written[1]

    return certify


def test_a_certificate_is_in_the_form_of_codecheck(study):
    path, _ = study()
    assert codecheck_form.faults(path) == []
    read = yaml.safe_load(path.read_text())
    assert [author["name"] for author in read["paper"]["authors"]] == [
        "A. One",
        "B. Two",
        "C. Three",
    ]
    assert read["check_time"] == "2026-11-27T10:30:00+00:00"
    assert {each["file"]: each["comment"] for each in read["manifest"]} == {
        "comparison.csv": "Every printed value, the computed value, and the verdict",
        "computed.csv": "Every computed value",
        "printed/table1.csv": "Table 1. Sizes; printed and computed values",
        "figures/one.svg": "Figure 1. Votes; from real labels",
        "tables/rates.csv": "Ours (Section 2). Rates; by simulation",
    }


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("---\n", ""),
        lambda text: text.replace("figures/one.svg", "figures/two.svg"),
        lambda text: text.replace("file: computed.csv", "file: /computed.csv"),
        lambda text: text.replace("check_time: '2026-11-27T", "check_time: 'yesterday, "),
        lambda text: text.replace("1.0/", "9.0/"),
        lambda text: text + "certificate: self-made\n",
        lambda text: text.replace("C. Three", "FIXME"),
        *(
            lambda text, key=key: re.sub(rf"(?m)^( *){key}: *", rf"\1not_{key}: ", text)
            for key in ("manifest", "authors", "title", "reference", "codechecker", "report")
        ),
        *(
            lambda text, key=key: re.sub(rf"(?m)^{key}: *", f"not_{key}: ", text)
            for key in ("summary", "check_time", "version")
        ),
    ],
)
def test_what_the_form_demands_is_missed(study, damage):
    path, _ = study()
    whole = path.read_text()
    path.write_text(damage(whole))
    assert path.read_text() != whole
    assert codecheck_form.faults(path)


def test_the_placeholders_say_that_they_are(study):
    path, page = study()
    read = yaml.safe_load(path.read_text())
    assert read["codechecker"] == [{"name": RUNNER}]
    assert "To be named" in RUNNER
    assert "certificate" not in read
    assert read["annobench"]["certificate"].startswith("none:")
    for said in (read["summary"], re.sub("&#39;", "'", page)):
        assert certify_paper.SELF_MADE in said
    assert RUNNER in page


def test_the_summary_has_the_counts_of_the_verdicts_and_the_data(study):
    path, page = study()
    said = yaml.safe_load(path.read_text())["summary"]
    assert said.startswith(
        "Of 5 printed values, 4 can be judged: 2 reproduced (1 from real labels, 1 from printed "
        "tables), 1 deviating (1 by a proven erratum), 1 unresolved (1 question). "
        "Data: 1 real data set. Simulated in place of real labels: data set b, the pilot."
    )
    counted = {words: int(n) for n, words in re.findall(r"</span>(\d+) ([a-z ]+)</dt>", page)}
    tally = Tally.of(comparison_of(*ROWS))
    assert counted == {face.words: n for _, face, n in tally.present}


def test_a_page_says_what_differs_and_why_and_runs_nothing(study):
    _, page = study()
    assert ATTACK not in page
    assert re.findall(r'"tag">([a-z ]+)</span>', page) == ["proven erratum", "open question"]
    assert "who knows" in page
    assert "The seeds." in page
    assert "It was never published." in page
    assert "no network" in page
    assert 'href="../figures/one.svg"' in page


def test_a_paper_without_values_and_data_is_certified(study):
    path, page = study(datasets=[], stand_ins=[])
    assert "No data set is used." in page
    assert codecheck_form.faults(path) == []
    said = certify_paper.summary(
        certify_paper.EMPTY, Tally.of(comparison_of({"verdict": "second_hand"})), []
    )
    assert said[0] == "No printed value was checked."


def test_a_missing_result_is_named_with_the_command_that_makes_it(study):
    path, _ = study()
    (path.parent / "figures/one.svg").unlink()
    with pytest.raises(FileNotFoundError, match=r"figures/one\.svg missing.*cores all study"):
        study()
