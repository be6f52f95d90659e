"""The study of intervals: what a row counts, which rows are measured again, and its page."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from study_run import run_study

from annobench.core.errors import AnnotationError
from studies.intervals import __main__ as runner
from studies.intervals.case import Case
from studies.intervals.measuring import all_cases, judged, measure
from study_contract.running import OwnStudy


def case(trial, kind="coverage", wanted=(0.93, 0.97), interval="report.example", data_sets=400):
    return Case(interval, "a design", kind, wanted, trial, data_sets)


def normal(half_width):
    """Return a trial whose interval is a standard normal draw with a margin; the truth is 0."""

    def trial(rng):
        centre = rng.standard_normal()
        return centre - half_width, centre + half_width, 0.0

    return trial


def test_the_coverage_of_a_normal_interval_and_its_misses():
    row = measure(case(normal(1.0), data_sets=4000), 1).iloc[0]
    # P(|Z| < 1), within four standard errors.
    assert row["value"] == pytest.approx(0.6827, abs=4 * np.sqrt(0.6827 * 0.3173 / 4000))
    assert row["n_below"] + row["n_above"] == round(4000 * (1 - row["value"]))
    assert row["lower"] < row["value"] < row["upper"]
    assert row["width"] == pytest.approx(2)


def test_the_level_of_a_test_and_the_mean_of_a_value():
    level = measure(case(lambda rng: (rng.random(),), "level", data_sets=4000), 1).iloc[0]
    assert level["value"] == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 4000))
    value = measure(case(lambda rng: (1.0 + rng.standard_normal(),), "value"), 1).iloc[0]
    assert value["value"] == pytest.approx(1, abs=4 / np.sqrt(400))
    assert value["upper"] - value["lower"] == pytest.approx(2 * 1.966 / np.sqrt(400), rel=0.15)


def test_a_data_set_without_an_interval_counts_as_undefined():
    def trial(rng):
        if rng.random() < 0.5:
            raise AnnotationError("report: too few items.")
        return (np.nan, np.nan, 0.0) if rng.random() < 0.5 else (-1.0, 1.0, 0.0)

    row = measure(case(trial), 1).iloc[0]
    assert 250 < row["n_undefined"] < 350
    assert row["value"] == 1
    nothing = measure(case(lambda rng: (np.nan, np.nan, 0.0)), 1)
    assert judged(nothing, [case(normal(1))])["verdict"].tolist() == ["undefined"]


@pytest.mark.parametrize(
    ("half_width", "verdict"), [(1.0, "below"), (1.959964, "holds"), (4.0, "above")]
)
def test_a_row_holds_if_its_monte_carlo_interval_meets_what_is_wanted(half_width, verdict):
    one = case(normal(half_width), data_sets=2000)
    assert judged(measure(one, 1), [one])["verdict"].tolist() == [verdict]


def test_only_what_is_missing_or_named_is_measured_again(tmp_path, monkeypatch):
    tried = []

    def counting(name):
        def trial(rng):
            tried.append(name)
            return normal(2.0)(rng)

        return trial

    def cases():
        names = ("report.one", "report.two")
        return [case(counting(name), interval=name, data_sets=3) for name in names]

    monkeypatch.setattr(runner, "all_cases", cases)
    runner.main([], tmp_path)
    assert tried == ["report.one"] * 3 + ["report.two"] * 3
    first = (tmp_path / "coverage.csv").read_bytes()
    runner.main([], tmp_path)
    assert len(tried) == 6
    runner.main(["report.two"], tmp_path)
    assert tried[6:] == ["report.two"] * 3
    assert (tmp_path / "coverage.csv").read_bytes() == first
    table = pd.read_csv(tmp_path / "coverage.csv")
    table[table["interval"] != "report.one"].to_csv(tmp_path / "coverage.csv", index=False)
    runner.main([], tmp_path)
    assert tried[9:] == ["report.one"] * 3
    assert (tmp_path / "coverage.csv").read_bytes() == first
    assert json.loads((tmp_path / "settings.json").read_text("utf-8"))["grid"] == "full"
    with pytest.raises(SystemExit, match=r"report\.on'.* Did you mean 'report\.one'"):
        runner.main(["report.on"], tmp_path)


def test_two_cases_of_a_row_are_an_error(monkeypatch):
    from studies.intervals.rows import agreement

    twice = agreement.cases()[0]
    monkeypatch.setattr(agreement, "cases", lambda: [twice, twice])
    with pytest.raises(ValueError, match="the same row"):
        all_cases()


def test_the_page_shows_each_row_with_what_is_wanted(tmp_path):
    chosen = [one for one in all_cases() if one.interval == "report.light_kappa"][:1]
    part = tmp_path / "0.parquet"
    measure(chosen[0], 1, 3).assign(cell=0).to_parquet(part)
    design = {"intervals": ["report.light_kappa"], "data_sets": 3}
    study = OwnStudy({"grid": "reduced", "design": design, "seed": 1}, parts=[part])
    page = run_study("intervals", study, tmp_path / "made")
    assert chosen[0].design in page
    assert "A smoke test" in page
    text = re.sub("<[^>]+>", " ", page)
    assert re.search(r"light kappa\s.*\s0\.930 to 0\.970\s", text, re.DOTALL)
