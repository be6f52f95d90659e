"""`annobench compare`: a method of one's own, on data sets and on one's own labels."""

import datetime
import json
import math
import re
import shlex
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench import compare, datasets, models
from annobench.benchmark import external_methods
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.external_methods import data, stored
from annobench.benchmark.external_methods.comparison import opponents
from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.reporting import comparison_tex

SHARES = """
    def fit(labels, rng):
        '''Shares of votes.'''
        return labels.counts / labels.counts.sum(axis=1, keepdims=True)
    """
QUICK = ("--against", "voting,dawid_skene", "--replicates", "20")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run in a folder of its own, with a cache of its own and without a mirror or a network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setattr(datasets, "_reachable", lambda *_: (False, "the network is off"))
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *words: CliRunner().invoke(app, ["compare", *map(str, words)])


@pytest.fixture
def method(tmp_path):
    path = tmp_path / "my_method.py"
    path.write_text(textwrap.dedent(SHARES))
    return path


def panel(n_items=60, right=0.7, n_annotators=5):
    """Return labels and gold whose names must be quoted."""
    rng = np.random.default_rng(4)
    gold = rng.integers(2, size=n_items)
    wrong = rng.random((n_items, n_annotators)) > right
    names = np.array(["no", 'yes, "rather"'], dtype=object)
    item = [f"item, {i}" for i in range(n_items)]
    labels = pd.DataFrame(
        {
            "item": np.repeat(item, n_annotators),
            "worker": np.tile([f"w{j}" for j in range(n_annotators)], n_items),
            "response": names[(gold[:, None] ^ wrong).ravel().astype(int)],
        }
    )
    return labels, pd.DataFrame({"item": item, "truth": names[gold]})


@pytest.fixture
def own(tmp_path):
    labels, gold = panel()
    labels.to_csv(tmp_path / "labels.csv", index=False)
    gold.iloc[:25].to_csv(tmp_path / "gold.csv", index=False)
    return "--labels", tmp_path / "labels.csv", "--gold", tmp_path / "gold.csv"


def test_a_method_is_compared_on_data_sets(run, method, tmp_path):
    result = run(method.name, "--data", "snow2008_wsd,snow2008_temp", *QUICK)
    assert result.exit_code == 0, result.output
    assert "my_method passes 6 of 6 checks" in result.output
    assert "> my_method" in result.output
    folder = tmp_path / "my_method_comparison"
    scores = pd.read_csv(folder / "scores.csv")
    assert set(scores["method"]) == {"my_method", "voting", "dawid_skene"}
    # The same votes have the same scores.
    wide = scores.pivot_table(index=["problem", "score"], columns="method", values="estimate")
    np.testing.assert_allclose(wide["my_method"], wide["voting"])
    problems = pd.read_csv(folder / "problems.csv").set_index("problem")
    assert problems.loc["snow2008_wsd", "provenance"] == "simulated"
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert 'class="marked"><a href="#method-' in page
    assert "snow2008_wsd" in page
    methods = pd.read_csv(folder / "methods.csv").set_index("method")
    assert methods.loc["my_method", "source"].startswith("my_method.py, SHA-256 ")


def test_by_default_small_data_sets_and_regimes_are_taken(run, monkeypatch):
    chosen = data.default_cases(1)
    assert {case.name for case in chosen} >= set(data.DATA_SETS)
    kinds = {case.provenance for case in chosen}
    assert kinds == {"simulated", "regime"}
    assert max(case.annotations.n_labels for case in chosen) <= 10_000


def test_what_is_not_kept_of_the_contract_goes_to_the_page(run, tmp_path):
    (tmp_path / "mode.py").write_text(
        "import numpy as np\n"
        "def fit(labels):\n"
        "    return np.eye(labels.n_categories)[labels.counts.argmax(axis=1)]\n"
    )
    result = run("mode.py", "--data", "snow2008_wsd", *QUICK)
    assert result.exit_code == 0, result.output
    assert "mode passes 5 of 6 checks" in result.output
    assert "favoured by argmax if votes are tied" in result.output
    page = (tmp_path / "mode_comparison" / "index.html").read_text(encoding="utf-8")
    assert "favoured by argmax if votes are tied" in page


def test_a_program_is_compared(run, tmp_path):
    (tmp_path / "votes.py").write_text(
        textwrap.dedent("""
        import collections, csv, sys
        votes = collections.defaultdict(collections.Counter)
        with open(sys.argv[1], newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                votes[row["item"]][row["label"]] += 1
        names = sorted(set().union(*votes.values()))
        with open(sys.argv[2], "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(
                [["item", *names]]
                + [[i, *(n[k] / n.total() for k in names)] for i, n in votes.items()]
            )
        """)
    )
    command = f"{shlex.quote(sys.executable)} votes.py {{labels}} {{probabilities}}"
    result = run("--program", command, "--data", "snow2008_wsd", "--out", "found", *QUICK)
    assert result.exit_code == 0, result.output
    scores = pd.read_csv(tmp_path / "found" / "scores.csv")
    [name] = set(scores["method"]) - {"voting", "dawid_skene"}
    assert name.endswith("votes.py")
    wide = scores.pivot_table(index="score", columns="method", values="estimate")
    np.testing.assert_allclose(wide[name], wide["voting"])


def test_own_labels_are_ranked_and_gold_is_said_to_be_too_small(run, own, method, tmp_path):
    result = run(method.name, *own, *QUICK)
    assert result.exit_code == 0, result.output
    ranking = pd.read_csv(tmp_path / "labels_comparison" / "ranking.csv")
    assert set(ranking["method"]) == {"my_method", "voting", "dawid_skene"}
    assert (ranking["lower"] <= ranking["accuracy"]).all()
    said = " ".join(result.output.split())
    assert "25 gold items do not distinguish" in said
    assert "Only 25 items have gold and labels: the 95% intervals of the log loss" in said
    # The method of one's own is the vote.
    assert "my_method give the same answers on all gold items" in said
    page = (tmp_path / "labels_comparison" / "index.html").read_text(encoding="utf-8")
    assert "25 gold items do not distinguish" in page


def test_own_labels_need_no_method(run, own):
    result = run(*own, *QUICK)
    assert result.exit_code == 0, result.output
    assert "needed" in result.output


def test_a_second_method_of_a_name_gets_a_number(run, own, method, tmp_path):
    (tmp_path / "voting.py").write_text(method.read_text())
    result = run("voting.py", method.name, method.name, *own, *QUICK)
    assert result.exit_code == 0, result.output
    scores = pd.read_csv(tmp_path / "labels_comparison" / "scores.csv")
    assert set(scores["method"]) == {
        *("voting", "dawid_skene"),
        *("voting (2)", "my_method", "my_method (2)"),
    }


def test_a_method_that_fails_on_some_labels_is_shown_as_failed(run, own, tmp_path):
    (tmp_path / "picky.py").write_text(
        "def fit(labels):\n"
        "    if labels.n_items == 60:\n"
        "        raise RuntimeError('not these')\n"
        "    return labels.counts / labels.counts.sum(axis=1, keepdims=True)\n"
    )
    result = run("picky.py", *own, *QUICK)
    assert result.exit_code == 0, result.output
    fits = pd.read_csv(tmp_path / "labels_comparison" / "fits.csv").set_index("method")
    assert fits.loc["picky", "status"] == "failed"
    assert "picky.py, line 3: RuntimeError: not these" in fits.loc["picky", "note"]


REFUSED = {
    "no gold": (("--labels", "labels.csv"), "--labels needs --gold"),
    "no labels": (("--gold", "gold.csv"), "--gold has no effect on the library's data sets"),
    "unknown model": (("--against", "dawid_skeen"), "no model 'dawid_skeen'. Did you mean"),
    "unknown data": (("--data", "snow2008_rtee"), "no data set 'snow2008_rtee'. Did you mean"),
    "numbers": (("--data", "snow2008_joy"), "the labels of snow2008_joy are numbers"),
    "no gold at all": (("--data", "anesthesia"), "anesthesia has no item with a gold category"),
    "no method": (("nothing.py",), "there is no such file"),
    "wrong shape": (("short.py",), "got shape (1, 2)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_t_be_compared_is_refused(run, tmp_path, name):
    (tmp_path / "short.py").write_text("def fit(labels):\n    return [[0.5, 0.5]]\n")
    (tmp_path / "labels.csv").write_text("item,annotator,label\na,b,c\n")
    words, message = REFUSED[name]
    result = run(*words, "--out", "found")
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "found").exists()


def test_labels_and_data_exclude_each_other(run, own):
    result = run(*own, "--data", "snow2008_wsd")
    assert result.exit_code == 1
    assert "--data has no effect on a table" in result.output


# Labels and gold of one's own.


def test_gold_may_name_a_category_that_no_label_has():
    labels = Annotations.from_arrays(["x", "y"], ["a", "a"], ["1", "10"])
    case = data.own_case("mine", labels, {"y": "2", "elsewhere": "1"})
    assert case.annotations.categories == ("1", "2", "10")
    assert case.gold.tolist() == [-1, 1]
    assert case.annotations.label.tolist() == [0, 2]


def test_gold_of_other_items_is_refused():
    labels = Annotations.from_arrays(["x1"], ["a"], ["no"])
    with pytest.raises(AnnotationError, match="items such as 'x1', gold has items such as 'x01'"):
        data.own_case("mine", labels, {"x01": "no"})


def test_what_gold_tells_is_said_in_numbers():
    n = 200
    labels = Annotations.from_arrays(range(n), ["a"] * n, ["0", "1"] * (n // 2))
    case = BenchmarkCase("mine", labels, np.zeros(n, dtype=np.int64), "real")

    def told(**row):
        others = {"p_value": 0.3, "minus_best": -0.05, "discordance": 0.1, "items_needed": 312.0}
        ranking = pd.DataFrame(
            [
                {"method": "a", "title": "a", "rank": 1, "p_value": math.nan},
                {"method": "b", "title": "b", "rank": 2} | others | row,
            ]
        )
        return external_methods.what_gold_tells(case, ranking)

    first, second, third = told()
    assert first.startswith(
        "200 gold items do not distinguish the accuracy of a from that of 1 of 1 other methods: b"
    )
    assert "difference to b is 5 points as estimated, about 312 gold items" in second
    assert "Only 200 items have labels" in second
    # 2.8 sqrt(.1 / 200) = .0626
    assert "200 items would show a difference of 6.3 points" in third
    assert told(p_value=0.01) == [
        "200 gold items distinguish the accuracy of a from that of all 1 other methods (McNemar's "
        "test with Holm's correction, level .05)."
    ]
    equal = told(minus_best=0.0, items_needed=math.inf)
    assert "equally accurate" in equal[1]
    assert "same answers on all gold items" in told(discordance=0.0, items_needed=math.inf)[1]


# Fits that are kept.


@pytest.fixture
def case():
    labels, gold = panel(20)
    found = Annotations.from_arrays(*(labels[name] for name in ("item", "worker", "response")))
    codes = [found.categories.index(name) for name in gold["truth"]]
    return BenchmarkCase("mine", found, np.array(codes), "real")


def counting(monkeypatch):
    """Count the fits of the vote."""
    calls = []
    real = voting.fit
    monkeypatch.setattr(voting, "fit", lambda a: calls.append(a.n_items) or real(a))
    return calls


def test_a_fit_is_kept_and_recalled(case, tmp_path, monkeypatch):
    calls = counting(monkeypatch)
    first = stored.fit_or_recall([case], voting, limit=5, seed=1, folder=tmp_path)
    assert 20 in calls
    calls.clear()
    [again] = stored.fit_or_recall([case], voting, limit=5, seed=1, folder=tmp_path)
    assert calls == []
    np.testing.assert_array_equal(again.posterior, first[0].posterior)
    assert again.seconds == first[0].seconds


@pytest.mark.parametrize("what", ["labels", "names", "seed", "sources", "file"])
def test_a_fit_of_something_else_is_not_recalled(case, tmp_path, monkeypatch, what):
    stored.fit_or_recall([case], voting, limit=5, seed=1, folder=tmp_path)
    seed = 1
    if what == "labels":
        kept = case.annotations.select(labels=np.arange(99))
        case = BenchmarkCase("mine", kept, case.gold, "real")
    elif what == "names":
        case = BenchmarkCase("another", case.annotations, case.gold, "real")
    elif what == "seed":
        seed = 2
    elif what == "sources":
        monkeypatch.setattr(stored, "_digest_of_library", lambda: "edited")
    else:
        [path] = tmp_path.glob("*.npz")
        path.write_bytes(path.read_bytes()[:40])
    calls = counting(monkeypatch)
    [record] = stored.fit_or_recall([case], voting, limit=5, seed=seed, folder=tmp_path)
    assert 20 in calls
    assert record.status == "scored"


def test_a_fit_that_was_stopped_is_tried_again_with_more_time(case, tmp_path, monkeypatch):
    def endless(annotations):
        while annotations.n_items == 20:
            pass
        return real(annotations)

    real = voting.fit
    monkeypatch.setattr(voting, "fit", endless)
    [record] = stored.fit_or_recall([case], voting, limit=0.1, seed=1, folder=tmp_path)
    assert record.status == "over budget"
    calls = counting(monkeypatch)
    stored.fit_or_recall([case], voting, limit=0.05, seed=1, folder=tmp_path)
    assert 20 not in calls
    monkeypatch.setattr(voting, "fit", real)
    [record] = stored.fit_or_recall([case], voting, limit=5, seed=1, folder=tmp_path)
    assert record.status == "scored"


def test_a_folder_that_can_t_be_written_costs_only_time(case, tmp_path):
    (tmp_path / "file").write_text("")
    [record] = stored.fit_or_recall([case], voting, limit=5, seed=1, folder=tmp_path / "file")
    assert record.status == "scored"


def test_all_models_are_opponents_unless_some_are_named():
    assert [each.METHOD.name for each in opponents([])] == sorted(models.discover())
    assert {each.METHOD.name for each in opponents(["mace"])} == {"mace", "dawid_skene"}


@pytest.fixture
def left_behind(run, tmp_path, monkeypatch):
    """A folder that `annobench data fetch` left without a network, and real data since then."""
    datasets.prepare("snow2008_wsd", tmp_path / "snow2008_wsd", network=False)
    obtain = datasets._obtain

    def real(*words):
        tables, meta = obtain(*words)
        return tables, meta | {"provenance": "real"}

    monkeypatch.setattr(datasets, "_obtain", real)


def test_a_folder_never_takes_the_place_of_a_data_set(left_behind):
    [case] = data.find_cases(["snow2008_wsd"], 1)
    assert case.provenance == "real"


def test_a_simulated_folder_says_so_wherever_it_is_used(left_behind, run, method, tmp_path, caplog):
    both = data.find_cases(["snow2008_wsd", "./snow2008_wsd", "./snow2008_wsd"], 1)
    assert [case.provenance for case in both] == ["real", "simulated"]
    assert [case.name for case in both] == ["snow2008_wsd", "./snow2008_wsd"]
    assert "snow2008_wsd is SIMULATED, not real" in caplog.text.replace(" of ./snow2008_wsd", "")
    result = run(method.name, "--data", "./snow2008_wsd", *QUICK)
    assert result.exit_code == 0, result.output
    assert "WARNING: snow2008_wsd is SIMULATED, not real (" in " ".join(result.output.split())
    assert "the network is off" in " ".join(result.output.split())
    page = (tmp_path / "my_method_comparison" / "index.html").read_text(encoding="utf-8")
    assert "snow2008_wsd is SIMULATED, not real" in page


def test_a_data_set_that_is_simulated_is_announced_once(run, method):
    result = run(method.name, "--data", "snow2008_wsd", *QUICK)
    assert result.output.count("SIMULATED") == 1


def test_a_folder_is_given_as_a_path(run, tmp_path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(datasets.UnknownDatasetError, match=r"is a folder.* Write \./mine"):
        data.find_cases(["mine"], 1)
    with pytest.raises(datasets.UnknownDatasetError, match="no data set 'nobody'"):
        data.find_cases(["nobody"], 1)


@pytest.mark.parametrize("words", [("report",), ("consensus", "--model", "voting")])
def test_a_table_of_simulated_labels_says_so_in_every_command(tmp_path, monkeypatch, words):
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    datasets.prepare("snow2008_wsd", tmp_path / "wsd", mode="simulated")
    command, *options = words
    path = tmp_path / "wsd" / "labels.parquet"
    result = CliRunner().invoke(app, [command, str(path), *options])
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert "Note: snow2008_wsd is SIMULATED, not real (the data mode is 'simulated')." in said


def test_what_is_fetched_is_announced(tmp_path):
    words = ["data", "fetch", "snow2008_wsd", "--mode", "simulated", "--out", str(tmp_path / "x")]
    assert ": SIMULATED, not real, 1,770 labels" in CliRunner().invoke(app, words).output


def test_answers_that_are_exported_are_scored_as_the_method_is(run, method, tmp_path):
    chosen = "--data", "snow2008_wsd", *QUICK
    done = run(method.name, *chosen, "--export", "mine.json", "--author", "Zoë & B")
    assert done.exit_code == 0, done.output
    assert '"author": "Zoë & B"' in (tmp_path / "mine.json").read_text(encoding="utf-8")
    assert run("mine.json", *chosen).exit_code == 0
    found = [pd.read_csv(tmp_path / f"{n}_comparison/scores.csv") for n in ("my_method", "mine")]
    own = [
        table[table["method"].str.startswith("my_method")].set_index("score")["estimate"]
        for table in found
    ]
    assert not own[0].empty
    pd.testing.assert_series_equal(*own)
    told = pd.read_csv(tmp_path / "mine_comparison/methods.csv").set_index("method")
    today = datetime.date.today().isoformat()
    assert f"(Zoë & B, {today})" in told.loc["my_method, Zoë & B", "reference"]
    page = (tmp_path / "mine_comparison/index.html").read_text()
    assert "my_method, Zoë &amp; B" in page
    # Other labels have no answers in the file.
    other = run("mine.json", "--data", "snow2008_temp", *QUICK, "--out", "other")
    assert other.exit_code == 0, other.output
    fits = pd.read_csv(tmp_path / "other/fits.csv").set_index("method")
    assert fits.loc["my_method, Zoë & B", "status"] != "scored"
    assert "has no answers for these labels" in fits.loc["my_method, Zoë & B", "note"]


def spoilt(change):
    row = {"problem": "a", "labels": "b", "categories": ["x"], "seconds": None}
    content = {"form": "annobench submission 1", "annobench": "0.3.0", "author": "A"}
    content |= {"date": "2026-11-27", "method": {}, "seed": 1, "benchmark": "c"}
    content["answers"] = [row | {"probabilities": [[0.5, 0.5]]}]
    change(content)
    return content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("form"), "does not have the format"),
        (lambda c: c.pop("author"), "'author' is missing"),
        (lambda c: c.update(seed="1"), "'seed' is missing or not int"),
        (lambda c: c["answers"][0].pop("labels"), "answer 1 is incomplete"),
        (lambda c: c["answers"].append(7), "answer 2 is incomplete"),
        (lambda c: c["answers"][0].update(probabilities=[[0.9, 0.9]]), "not probabilities"),
        (lambda c: c["answers"][0].update(probabilities=[[2, -1]]), "not probabilities"),
        (lambda c: c["answers"][0].update(probabilities=[0.5]), "not probabilities"),
    ],
)
def test_a_file_of_another_form_is_refused(run, tmp_path, change, message):
    external_methods.from_submission(saved(tmp_path, spoilt(lambda _: None)))
    result = run(saved(tmp_path, spoilt(change)).name, "--data", "snow2008_wsd", *QUICK)
    assert result.exit_code != 0
    assert message in words_of(result.output)
    assert "--export FILE" in words_of(result.output)


def saved(folder, content):
    path = folder / "answers.json"
    path.write_text(json.dumps(content))
    return path


def words_of(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--export", "a.json"), "--export needs --author"),
        (("--author", "A"), "--author has no effect without --export"),
        (("--export", "a.txt", "--author", "A"), "must end in .json"),
    ],
)
def test_an_export_needs_an_author_and_a_name(run, method, options, message):
    result = run(method.name, "--data", "snow2008_wsd", *QUICK, *options)
    assert result.exit_code != 0
    assert message in words_of(result.output)


def test_a_comparison_is_written_for_a_paper(run, method, own, tmp_path):
    assert run(method.name, *own, *QUICK, "--format", "latex").exit_code == 0
    folder = tmp_path / "labels_comparison"
    table = (folder / "ranking.tex").read_text()
    ranking = pd.read_csv(folder / "ranking.csv").set_index("method")
    for row in ranking.itertuples():
        title = row.title.replace("_", r"\_")
        assert f"{title} & {row.log_loss:.3f} & {row.accuracy:.3f} & " in table
    assert r"95\% interval" in table
    for text in ranking["difference"].dropna().map("{:+.3f} (".format):
        assert text.replace("-", "$-$") in table
    entries = (folder / "methods.bib").read_text()
    assert "@article{dawid1979," in entries
    assert "@inproceedings{snow2008," in entries
    assert entries.count("@misc") == 1
    assert "@misc{my_method,\n  title = {my\\_method}," in entries


def test_the_difference_from_dawid_and_skene_has_a_paired_interval():
    """Its standard error is that of the mean over items of right minus right."""
    cases = [own_panel(f"of {n} items", n) for n in (200, 400)]
    found = external_methods.compare(
        cases, [], against=["voting"], limit=20, seed=1, replicates=1_000
    )
    margins = []
    for case in cases:
        right = [
            models.fit(case.annotations, name).posterior.argmax(axis=1) == case.gold
            for name in ("voting", "dawid_skene")
        ]
        difference = np.subtract(*right, dtype=float)
        row = found.rankings[case.name].set_index("method").loc["voting"]
        assert row["difference"] == pytest.approx(difference.mean())
        margin = 1.96 * difference.std() / math.sqrt(difference.size)
        margins.append((row["difference_upper"] - row["difference_lower"]) / 2)
        # A standard deviation of n draws has a relative error of 1 / sqrt(2 n): five of these.
        assert margins[-1] == pytest.approx(margin, rel=5 / math.sqrt(2_000))
        assert row["difference_upper"] - row["difference"] == pytest.approx(margins[-1])
    table = found.ranking.set_index("method")
    means = [ranking.set_index("method")["difference"] for ranking in found.rankings.values()]
    voting = table.loc["voting"]
    assert voting["difference"] == pytest.approx(np.mean([m["voting"] for m in means]))
    half_width = (voting["difference_upper"] - voting["difference_lower"]) / 2
    assert half_width == pytest.approx(math.hypot(*margins) / 2)
    assert math.isnan(table.loc["dawid_skene", "difference"])
    tex = comparison_tex.latex(found)
    assert f"{voting['difference']:+.3f} (".replace("-", "$-$") in tex
    assert "accuracy over 2 data sets" in tex
    assert "Data sets: of 200 items; of 400 items." in tex


def test_own_labels_are_compared_in_one_call():
    labels, gold = panel()
    frame = labels.set_axis(["item", "annotator", "label"], axis=1)
    gold = gold.set_index("item")["truth"]

    def shares(labels):
        return labels.counts / labels.counts.sum(axis=1, keepdims=True)

    for fit, own in ((None, []), (shares, ["shares"])):
        found = compare(fit, frame, gold, against=["voting"], replicates=20)
        assert sorted(found.ranking["method"]) == sorted([*own, "voting", "dawid_skene"])


def own_panel(name, n_items):
    labels, gold = panel(n_items)
    made = Annotations.from_arrays(*(labels[of] for of in ("item", "worker", "response")))
    return data.own_case(name, made, dict(zip(gold["item"], gold["truth"], strict=True)))


def test_a_table_of_all_models_fits_a_terminal_of_80_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run("--data", "snow2008_wsd", "--against", "hierarchical_dawid_skene,voting")
    assert result.exit_code == 0, result.output
    [row] = [line for line in result.output.splitlines() if "hierarchical" in line][:1]
    assert re.search(r"hierarchical Dawid-Skene +0\.\d+ +\d\.\d+ +0\.\d+–[01]\.\d+", row)
    assert len(row.rstrip()) <= 80


def test_failures_are_counted_in_the_terminal(run, tmp_path):
    path = tmp_path / "sometimes.py"
    path.write_text(
        "def fit(labels):\n"
        "    if labels.n_items > 300:\n"
        "        raise RuntimeError('too many')\n"
        "    return labels.counts / labels.counts.sum(axis=1, keepdims=True)\n"
    )
    result = run(path.name, "--data", "snow2008_wsd,snow2008_temp", *QUICK)
    assert result.exit_code == 0, result.output
    [row] = [line for line in result.output.splitlines() if "> sometimes" in line]
    # Without a rank.
    assert row.split()[:5] == [">", "sometimes", "1", "of", "2"]
    assert "Ordered by mean log loss" in words_of(result.output)


def test_gold_without_labels_or_of_another_spelling_is_said(run, own, method):
    gold = own[-1]
    table = pd.read_csv(gold, dtype=str)
    table.loc[table["truth"].eq("no").idxmax(), "truth"] = "NO"
    table.loc[len(table)] = {"item": "unknown", "truth": "no"}
    table.to_csv(gold, index=False)
    done = run(method, *own, *QUICK)
    said = " ".join(done.output.split())
    assert done.exit_code == 0, said
    assert "1 of 26 gold items have no labels: left out." in said
    assert "'NO' is written 'no' there: write both alike." in said
