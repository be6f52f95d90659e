"""Agreement over time and within groups: against direct computation, and by its properties."""

import html
import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from typer.testing import CliRunner

import annobench as ab
from annobench.agreement.groups import by_group
from annobench.agreement.over_time import over_time
from annobench.cli import app
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.times import parse_times
from annobench.io.formats.base import Options, Source
from annobench.io.formats.export import read_as
from annobench.io.formats.recognition import format_of
from annobench.labels.annotations import Annotations


def panel(rng, n_items=240, *, late=0.0):
    """Labels of four annotators, three an item, and times; the first errs more and more."""
    rows = []
    for n in range(n_items):
        truth = rng.integers(3)
        for j in rng.choice(4, 3, replace=False):
            right = rng.random() < 0.85 - (late * n / n_items if j == 0 else 0)
            rows.append((f"i{n}", f"a{j}", truth if right else rng.integers(3), n + rng.random()))
    return pd.DataFrame(rows, columns=["item", "annotator", "label", "time"])


@pytest.fixture
def frame():
    return panel(np.random.default_rng(5), late=0.8)


def labels_of(frame):
    return Annotations.from_arrays(frame["item"], frame["annotator"], frame["label"])


# --- over time --------------------------------------------------------------------------


def test_windows_hold_each_item_once_and_have_its_alpha(frame):
    found = over_time(labels_of(frame), frame["time"], windows=6)
    assert found.windows["n_items"].tolist() == [40] * 6
    median = frame.groupby("item")["time"].median().sort_values()
    for w in range(6):
        own = frame[frame["item"].isin(median.index[40 * w : 40 * w + 40])]
        alpha = ab.agreement.krippendorff_alpha(labels_of(own))
        row = found.windows.iloc[w]
        assert row["estimate"] == pytest.approx(alpha.estimate)
        assert row["begins"] == own["time"].min()
        assert row["ends"] == own["time"].max()


def fit_robustly(x, y):
    """Slope of a line and its standard error by the sandwich formula in matrices, HC3."""
    design = np.column_stack([np.ones_like(x), x])
    bread = np.linalg.inv(design.T @ design)
    coefficients = bread @ design.T @ y
    residual = y - design @ coefficients
    leverage = np.diag(design @ bread @ design.T)
    meat = design.T @ np.diag((residual / (1 - leverage)) ** 2) @ design
    return coefficients[1], np.sqrt((bread @ meat @ bread)[1, 1])


def test_trends_are_least_squares_with_robust_errors(frame):
    found = over_time(labels_of(frame), frame["time"])
    for row in found.trends.itertuples():
        own, score = frame[frame["annotator"] == row.annotator], []
        for each in own.itertuples():
            others = frame[(frame["item"] == each.item) & (frame["annotator"] != row.annotator)]
            score.append((others["label"] == each.label).mean())
        rank = stats.rankdata(own["time"])
        x = (rank - 1) / (len(own) - 1)
        slope, error = fit_robustly(x, np.array(score))
        assert row.change == pytest.approx(slope)
        t = stats.t(len(own) - 2)
        assert row.p_value == pytest.approx(2 * t.sf(abs(slope / error)))
        ends = slope + t.ppf([0.025, 0.975]) * error
        assert (row.lower, row.upper) == pytest.approx(tuple(ends))
    holm = np.maximum.accumulate(found.trends["p_value"] * [4, 3, 2, 1]).clip(upper=1)
    assert found.trends["p_adjusted"].tolist() == pytest.approx(holm.tolist())
    assert found.trends["annotator"].iloc[0] == "a0"
    assert found.trends["p_adjusted"].iloc[0] < 0.05


def test_bands_are_wilsons(frame):
    found = over_time(labels_of(frame), frame["time"], level=0.9)
    # Where a label is compared with one other, its scores are counts.
    two = frame.groupby("item").head(2)
    found = over_time(labels_of(two), two["time"], level=0.9)
    for row in found.annotators.itertuples():
        n_agreeing = round(row.observed_agreement * row.n_labels)
        ends = stats.binomtest(n_agreeing, row.n_labels).proportion_ci(0.9, method="wilson")
        assert (row.lower, row.upper) == pytest.approx((ends.low, ends.high))


def test_the_trend_of_alpha_is_tested_as_permutations_of_the_items_do(frame):
    labels = labels_of(frame.query("time < 200"))
    time = np.floor(frame.query("time < 200")["time"].to_numpy())
    found = over_time(labels, time, windows=4)
    influence = ab.agreement.krippendorff_alpha(labels).influence
    of_item = np.array([int(name[1:]) for name in labels.items])
    x = np.floor(of_item * 4 / len(of_item))
    score = (x - x.mean()) @ influence
    rng = np.random.default_rng(1)
    permuted = [(x - x.mean()) @ rng.permutation(influence) for _ in range(20_000)]
    p = (np.abs(permuted) >= abs(score)).mean()
    # Four standard errors of the simulation, and what a normal distribution may be off by.
    assert found.p_value == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 20_000) + 0.005)


def test_the_change_of_alpha_is_that_of_a_line_weighted_by_items(frame):
    found = over_time(labels_of(frame), frame["time"], windows=5)
    x, n = np.linspace(0, 1, 5), found.windows["n_items"].to_numpy()
    centred = x - np.average(x, weights=n)
    slope = (n * centred) @ found.windows["estimate"] / ((n * centred) @ centred)
    assert found.change == pytest.approx(slope)
    assert math.isnan(over_time(labels_of(frame), frame["time"], windows=2).p_value)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_alpha_has_no_trend_more_often_than_by_chance(share):
    # Windows of 25 items with two labels: Wald's test with their own errors rejects in 7 to 9%.
    rng = np.random.default_rng(8)
    rejected = 0
    for _ in range(100):
        truth = rng.random(200) < share
        table = truth[:, None] ^ (rng.random((200, 2)) < 0.15)
        labels = Annotations.from_wide(table.astype(int))
        rejected += over_time(labels, labels.item.astype(float)).p_value < 0.05
    assert stats.binomtest(rejected, 100, 0.05).pvalue > 0.001


def test_the_order_of_rows_and_the_unit_of_time_do_not_matter(frame):
    shuffled = frame.sample(frac=1, random_state=1)
    first = over_time(labels_of(frame), frame["time"])
    second = over_time(labels_of(shuffled), shuffled["time"] * 60 + 1000)
    assert first.windows["estimate"].tolist() == pytest.approx(second.windows["estimate"].tolist())
    assert first.trends["change"].tolist() == pytest.approx(second.trends["change"].tolist())
    dated = pd.Timestamp("2026-01-01") + pd.to_timedelta(frame["time"], unit="h")
    third = over_time(labels_of(frame), dated.to_numpy())
    assert third.p_value == pytest.approx(first.p_value)
    assert third.windows["begins"].dt.year.eq(2026).all()


def test_labels_without_a_time_are_left_out(frame):
    time = frame["time"].where(frame.index % 7 > 0)
    known = frame[time.notna()]
    whole = over_time(labels_of(frame), time)
    assert whole.windows.equals(over_time(labels_of(known), known["time"]).windows)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (lambda n: np.zeros(n), "the same time"),
        (lambda n: np.full(n, np.nan), "the same time"),
        (lambda n: np.arange(n - 1), "one time per label"),
        (lambda n: ["early"] * n, "neither numbers nor"),
    ],
)
def test_times_that_show_nothing_are_refused(frame, times, said):
    with pytest.raises(AnnotationError, match=said):
        over_time(labels_of(frame), times(len(frame)))


def test_too_many_windows_are_refused(frame):
    with pytest.raises(AnnotationError, match="too few for 200"):
        over_time(labels_of(frame), frame["time"], windows=200)
    with pytest.raises(AnnotationError, match="cannot show a change"):
        over_time(labels_of(frame), frame["time"], windows=1)


# --- groups -----------------------------------------------------------------------------


def test_groups_of_items_have_their_own_alpha(frame):
    labels = labels_of(frame)
    of = {name: "even" if int(name[1:]) % 2 == 0 else "odd" for name in labels.items}
    found = by_group(labels, [of[name] for name in labels.items], of="items")
    whole = ab.agreement.krippendorff_alpha(labels)
    sizes, scores = [], []
    for row in found.table.itertuples():
        own = ab.agreement.krippendorff_alpha(labels_of(frame[frame["item"].map(of) == row.group]))
        assert row.estimate == pytest.approx(own.estimate)
        expected = (1 - own.expected_agreement) / (1 - whole.expected_agreement)
        scores.append((own.estimate - whole.estimate) * expected)
        sizes.append(row.n_items)
    variance = whole.influence.var(ddof=1) * len(labels.items) ** 2
    q = np.dot(sizes, (np.array(scores) - np.average(scores, weights=sizes)) ** 2) / variance
    assert found.p_value == pytest.approx(stats.chi2.sf(q, 1))


def test_groups_that_do_not_differ_are_seldom_said_to():
    # A rare category and a group of ten items: Cochran's Q with their own errors rejects in 25%.
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(200):
        truth = rng.random(120) < 0.1
        labels = Annotations.from_wide((truth[:, None] ^ (rng.random((120, 2)) < 0.1)).astype(int))
        groups = np.repeat(["a", "b", "c"], [80, 30, 10])
        rejected += by_group(labels, groups, of="items").p_value < 0.05
    assert stats.binomtest(rejected, 200, 0.05).pvalue > 0.001


def test_groups_that_differ_in_agreement_are_said_to():
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.5
    wrong = rng.random((300, 2)) < np.repeat([0.05, 0.3], 150)[:, None]
    labels = Annotations.from_wide((truth[:, None] ^ wrong).astype(int))
    assert by_group(labels, np.repeat(["a", "b"], 150), of="items").p_value < 1e-4


def test_groups_of_annotators_are_compared_within_and_between(frame):
    labels = labels_of(frame)
    role = {"a0": "expert", "a1": "expert", "a2": "crowd", "a3": None}
    found = by_group(labels, [role[name] for name in labels.annotators], of="annotators").table
    assert found["group"].tolist() == ["expert", "crowd"]
    own = frame[frame["annotator"].isin(["a0", "a1"])]
    alpha = ab.agreement.krippendorff_alpha(labels_of(own))
    assert found["estimate"].iloc[0] == pytest.approx(alpha.estimate)
    pairs = frame.merge(frame, on="item")
    across = pairs[pairs["annotator_x"].map(role).eq("expert")]
    across = across[across["annotator_y"].eq("a2")]
    between = (across["label_x"] == across["label_y"]).mean()
    assert found["between"].tolist() == pytest.approx([between, between])
    assert np.isnan(found["estimate"].iloc[1])


def test_groups_are_one_for_each_and_at_least_two(frame):
    labels = labels_of(frame)
    with pytest.raises(AnnotationError, match="one for each"):
        by_group(labels, ["a"], of="items")
    with pytest.raises(AnnotationError, match="at least two"):
        by_group(labels, ["a"] * labels.n_items, of="items")


# --- times as they are written ------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (["2026-11-24 10:05:00"], "2026-11-24T10:05:00"),
        (["2026-11-24T10:05:00.123+02:00"], "2026-11-24T08:05:00"),
        (["1700000000"], "2023-11-14T22:13:20"),
        (["1700000000123"], "2023-11-14T22:13:20"),
        (["Tue Nov 24 10:05:00 PST 2026"], "2026-11-24T10:05:00"),
        (["11/27/2014 9:03:11"], "2014-11-27T09:03:11"),
        (["27.11.2014"], "2014-11-27T00:00:00"),
        (["11/27/2014 9:03:11 PM"], "2014-11-27T21:03:11"),
        (["2015-08-13 20:02:39 UTC"], "2015-08-13T20:02:39"),
        # One date shows which order all have.
        (["03/04/2026", "03/14/2026"], "2026-03-04T00:00:00"),
    ],
)
def test_times_of_tools_and_people_are_read(texts, read):
    assert str(parse_times([*texts, ""], "when")[0]) == read


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["03/04/2026", "05/06/2026"], "the day or the month"),
        (["yesterday"], "not a readable time"),
        (["2026-11-24", "soon"], "'soon'"),
        (["", ""], "no label has a time"),
    ],
)
def test_times_that_may_mean_two_things_or_nothing_are_refused(texts, said):
    with pytest.raises(AnnotationError, match=said):
        parse_times(texts, "when")


# --- the command ------------------------------------------------------------------------


def run(*words):
    done = CliRunner().invoke(app, ["report", *map(str, words)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_the_report_follows_time_and_groups(frame, tmp_path):
    path = tmp_path / "labels.csv"
    frame["domain"] = np.where(frame["item"].str[1:].astype(int) % 2, "news <b>", "web")
    frame.to_csv(path, index=False)
    done = run(path, "--over", "time", "--by", "domain")
    assert done.exit_code == 0, done.output
    out = tmp_path / "labels_agreement"
    tables = {p.stem for p in out.glob("*.csv")}
    assert tables == {
        *("report", "to_discuss", "margins", "margins_by_category"),
        *("over_time", "annotators_over_time", "trends", "groups"),
    }
    page = (out / "report.html").read_text()
    assert 'id="time"' in page
    assert 'id="groups"' in page
    assert "news &lt;b&gt;" in page
    assert "news <b>" not in page
    assert "'a0' with the others changes" in " ".join(done.output.split())
    assert set(pd.read_csv(out / "groups.csv")["group"]) == {"news <b>", "web"}


def test_groups_of_people_may_stand_in_a_file_of_their_own(frame, tmp_path):
    path, people = tmp_path / "labels.csv", tmp_path / "people.csv"
    frame["annotator"] += "@lab.org"
    frame.to_csv(path, index=False)
    people.write_text("who,role\na0@lab.org,new\na1@lab.org,new\na2@lab.org,old\na3@lab.org,old\n")
    assert run(path, "--by", people).exit_code == 0
    table = pd.read_csv(tmp_path / "labels_agreement" / "groups.csv")
    assert set(table["group"]) == {"new", "old"}
    assert table["n_annotators"].tolist() == [2, 2]
    people.write_text("who,role\na0@lab.org,new\na0@lab.org,old\n")
    assert "in the groups 'new' and 'old'" in " ".join(run(path, "--by", people).output.split())


def test_a_column_that_groups_neither_items_nor_people_is_refused(frame, tmp_path):
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    assert "have several values" in " ".join(run(path, "--by", "time").output.split())


def test_an_export_says_when_its_labels_were_given(frame, tmp_path):
    path = tmp_path / "prodigy.jsonl"
    lines = [
        {
            "text": row.item,
            "_input_hash": int(row.item[1:]),
            "_annotator_id": row.annotator,
            "options": [{"id": str(k), "text": f"c{k}"} for k in range(3)],
            "accept": [str(row.label)],
            "answer": "accept",
            "_view_id": "choice",
            "_timestamp": 1_700_000_000 + int(3600 * row.time),
        }
        for row in frame.itertuples()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(path, "--over", "time")
    assert done.exit_code == 0, done.output
    windows = pd.read_csv(tmp_path / "prodigy_agreement" / "over_time.csv")
    expected = over_time(labels_of(frame), np.floor(3600 * frame["time"])).windows
    assert windows["estimate"].tolist() == pytest.approx(expected["estimate"].tolist())
    assert run(path, "--over", "_timestamp", "--force").exit_code == 0
    refused = " ".join(run(path, "--over", "created", "--force").output.split())
    assert "the times of this export stand in '_timestamp'" in refused
    for line in lines:
        line.pop("_timestamp")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "no record has one" in " ".join(run(path, "--over", "time", "--force").output.split())


WHEN = "2026-11-24T10:05:00Z"
SECONDS = 1_795_514_700  # the same

#: An export with one label of which the tool says when it was given, by format: name, content.
TIMED = {
    "argilla": (
        "records.json",
        [
            {
                "id": "r1",
                "fields": {"text": "one"},
                "responses": [
                    {
                        "user_id": "u1",
                        "status": "submitted",
                        "values": {"mood": {"value": "good"}},
                        "inserted_at": "2026-11-20T09:00:00Z",
                        "updated_at": WHEN,
                    }
                ],
            }
        ],
    ),
    "ground_truth": (
        "responses.json",
        {
            "answers": [
                {
                    "workerId": "w1",
                    "submissionTime": WHEN,
                    "answerContent": {"mood": {"label": "good"}},
                }
            ]
        },
    ),
    "superannotate": (
        "item.json",
        {
            "metadata": {
                "name": "one.jpg",
                "status": "Completed",
                "lastAction": {"email": "ann@lab.org", "timestamp": 1000 * SECONDS},
            },
            "instances": [],
            "tags": ["good"],
        },
    ),
    "openai_evals": (
        "log.jsonl",
        [
            {"spec": {"eval_name": "e", "run_id": "1", "completion_fns": ["m"]}},
            {
                "type": "metrics",
                "sample_id": "s1",
                "data": {"choice": "good"},
                "created_at": WHEN,
            },
        ],
    ),
}


@pytest.mark.parametrize("format", TIMED)
def test_the_times_of_tools_are_read(format, tmp_path):
    name, content = TIMED[format]
    lines = content if name.endswith(".jsonl") else [content]
    path = tmp_path / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    source = Source(path)
    found = read_as(*format_of(source, None), source, Options(over="time")).select()
    assert [str(when) for when in parse_times(found.times, "time")] == ["2026-11-24T10:05:00"]


def test_the_times_of_batches_stand_in_the_column_that_is_named(tmp_path):
    for day in (1, 2):
        text = f"item,annotator,label,day\nx{day},a,yes,2026-11-0{day}\n"
        (tmp_path / f"batch {day}.csv").write_text(text)
    source = Source(tmp_path)
    found = read_as(*format_of(source, None), source, Options(over="day")).select()
    assert list(found.times) == ["2026-11-01", "2026-11-02"]
    with pytest.raises(ReaderError, match=r"'days', given as --over, is not among.*'day'"):
        read_as(*format_of(source, None), source, Options(over="days"))


# --- what to do next ---------------------------------------------------------------------


def test_the_page_names_commands_that_read_the_labels_alike(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = frame.rename(columns={"item": "my item"}).assign(said="text")
    frame.to_csv("the labels.csv", index=False)
    given = ("the labels.csv", "--item", "my item", "--text", "said")
    found = run(*given, "--target", "0.5")
    assert found.exit_code == 0, found.output
    page = Path("the labels_agreement/report.html").read_text()
    commands = re.findall(r"<code>annobench ((?:plan|consensus|audit) .*?)</code>", page)
    assert {each.split()[0] for each in commands} >= {"consensus", "audit"}
    for each in dict.fromkeys(commands):
        done = CliRunner().invoke(app, shlex.split(html.unescape(each)))
        assert done.exit_code == 0, (each, done.output)


def test_items_to_discuss_are_listed_with_who_said_what(frame, tmp_path):
    path = tmp_path / "labels.csv"
    frame.assign(said="about " + frame["item"]).to_csv(path, index=False)
    assert run(path, "--text", "said").exit_code == 0
    table = pd.read_csv(tmp_path / "labels_agreement" / "to_discuss.csv")
    assert table["observed_agreement"].is_monotonic_increasing
    assert (table["text"] == "about " + table["item"]).all()
    first = table.iloc[0]
    own = frame[frame["item"] == first["item"]]
    said = dict(part.split(": ") for part in first["labels"].split("; "))
    assert said == dict(zip(own["annotator"], own["label"].astype(str), strict=True))
    assert first["observed_agreement"] == 0


def test_labels_and_items_that_are_left_out_are_said(frame, tmp_path):
    path = tmp_path / "labels.csv"
    number = frame["item"].str[1:].astype(int)
    frame["domain"] = np.where(number % 2, "news", "web")
    frame.loc[number < 3, "domain"] = ""
    frame.loc[frame.index[:5], "time"] = np.nan
    frame.to_csv(path, index=False)
    said = " ".join(run(path, "--over", "time", "--by", "domain").output.split())
    assert "5 labels without a time left out." in said
    assert "3 items without a group left out." in said


def test_groups_may_be_named_by_item_in_any_order():
    labels = Annotations.from_wide([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
    in_order = by_group(labels, list("aaaabbb"), of="items").table
    named = dict(zip("6543210", "bbbaaaa", strict=True))
    for groups in (named, pd.Series(named)):
        assert by_group(labels, groups, of="items").table.equals(in_order)


def test_groups_of_two_spellings_are_said(tmp_path):
    rows = [f"i{n},{who},{n % 2},{'A' if n < 4 else 'a '}" for n in range(8) for who in "xy"]
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label,kind\n" + "\n".join(rows) + "\n")
    done = CliRunner().invoke(app, ["report", str(path), "--by", "kind"])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "The groups “A” and “a ” differ only by spaces or capitals" in said
