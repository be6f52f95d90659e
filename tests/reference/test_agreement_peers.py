"""Other packages give the same coefficients, or differ by a convention that is named and checked.

The packages are not needed: their answers are stored, and `make conformance` asks anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_run import run_study

from studies.conformance import conformance
from studies.conformance.conventions import RULES
from study_contract.running import OwnStudy

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "agreement"
PACKAGES = {
    *("statsmodels", "scikit-learn", "krippendorff", "simpledorff", "nltk", "crowd-kit"),
    *("pingouin", "scipy", "irrCAC"),
}


@pytest.fixture(scope="module")
def datasets():
    return conformance.load_datasets(FOLDER / "datasets.py")


@pytest.fixture(scope="module")
def peers():
    return conformance.read_peers(FOLDER / "peers.csv")


@pytest.fixture(scope="module")
def entries():
    return conformance.read_disagreements(FOLDER / "disagreements.csv")


@pytest.fixture(scope="module")
def compared(peers, datasets, entries):
    return conformance.compare(peers, datasets, entries)


def test_every_value_is_equal_or_explained_and_no_explanation_is_stale(compared, entries):
    faults = conformance.faults(compared, entries)
    assert not faults, "\n".join(faults)


def test_stored_answers_belong_to_these_data_sets_and_this_script(datasets):
    text = (FOLDER / "peers.csv").read_text(encoding="utf-8")
    header = dict(re.findall(r"^# (\w+): (.*)$", text, re.M))
    assert (ROOT / header["script"]).is_file()
    module = __import__("sys").modules["conformance_datasets"]
    assert header["datasets_sha256"] == module.digest(datasets.values())


def test_every_package_answered_on_every_kind_of_data(peers, datasets):
    assert len(datasets) >= 25
    assert set(peers["package"]) == PACKAGES
    assert set(peers["dataset"]) == set(datasets)
    assert (peers["value"].notna() | (peers["error"] != "") | peers["value"].isna()).all()


def test_most_values_are_equal(compared):
    equal = compared.groupby("package")["outcome"].apply(lambda came: (came == "equal").sum())
    assert (equal > 0).all()


@pytest.mark.parametrize("digit", [1e-11, -1e-11])
def test_a_difference_in_the_eleventh_digit_is_seen(peers, datasets, entries, digit):
    one = peers[(peers["dataset"] == "two_three") & (peers["quantity"] == "estimate")]
    clean = conformance.compare(one, datasets, entries)
    off = conformance.compare(one.assign(value=one["value"] + digit), datasets, entries)
    equal = clean["outcome"] == "equal"
    assert equal.any()
    assert (off.loc[equal, "outcome"] == "different").all()


def test_an_explanation_of_equal_values_is_stale(peers, datasets):
    one = peers[(peers["dataset"] == "two_binary") & (peers["function"] == "cohens_kappa")]
    one = one[one["coefficient"] == "cohen_kappa"].iloc[:1]
    entry = dict.fromkeys(("function", "coefficient", "options", "quantity"), "*")
    entry |= {
        "package": "statsmodels",
        "datasets": "two_binary",
        "rule": "",
        "convention": "",
        "explanation": "",
    }
    faults = conformance.faults(conformance.compare(one, datasets, [entry]), [entry])
    assert len(faults) == 1
    assert "nothing differs any more on two_binary" in faults[0]


def test_a_rule_that_does_not_give_their_value_explains_nothing(peers, datasets):
    one = peers[(peers["dataset"] == "two_binary") & (peers["function"] == "cohens_kappa")]
    one = one.iloc[:1].assign(value=0.123)
    entry = dict.fromkeys(("function", "coefficient", "options", "quantity"), "*")
    entry |= {
        "package": "statsmodels",
        "datasets": "*",
        "rule": next(iter(RULES)),
        "convention": "",
        "explanation": "",
    }
    compared = conformance.compare(one, datasets, [entry])
    assert compared["entry"].to_list() == [-1]
    assert "Explain it" in conformance.faults(compared, [entry])[0]


def test_the_page_shows_what_is_unexplained_and_runs_nothing(peers, tmp_path):
    attack = "<script>alert('x')</script>"
    one = peers[(peers["dataset"] == "two_ordinal_missing") & (peers["quantity"] != "lower")]
    one = one[(one["function"] == "cohens_kappa") & (one["options"] == "weights=quadratic")]
    one.assign(function=attack, version=attack).to_csv(tmp_path / "peers.csv", index=False)
    entry = dict.fromkeys(("function", "coefficient", "options", "datasets"), "*")
    entry |= {"package": "statsmodels", "quantity": "upper", "rule": "uncut_normal_interval"}
    entry |= {"convention": attack, "explanation": attack}
    stale = entry | {"package": attack}
    for entries, explained in (([entry, stale], 1), ([stale], 0)):
        pd.DataFrame(entries).to_csv(tmp_path / "disagreements.csv", index=False)
        files = {name: tmp_path / f"{name}.csv" for name in ("peers", "disagreements")}
        study = OwnStudy({}, files=files | {"datasets": FOLDER / "datasets.py"})
        page = run_study("conformance", study, tmp_path / "out")
        faults = pd.read_csv(tmp_path / "out/faults.csv")
        listed = (tmp_path / "out/disagreements.csv").read_text().splitlines()
        assert len(list(filter(None, listed[1:]))) == explained
        assert len(faults) == 2 - explained
        assert f"{2 - explained} disagreement" in page
        assert attack not in page
        assert page.count("&lt;script&gt;") >= 2


def test_every_rule_is_used(entries):
    assert {entry["rule"] for entry in entries} == set(RULES)


def test_entries_say_which_convention(entries):
    frame = pd.DataFrame(entries)
    assert not frame.duplicated().any()
    assert np.all(frame[["convention", "explanation"]] != "")
