"""What every data set promises, found by discovery and not by a list."""

import functools
import math
import re
import zlib

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from annobench import datasets
from annobench.core.discovery import records
from annobench.core.errors import ReaderError
from annobench.datasets.base import DataTables, validate
from annobench.models import dawid_skene
from annobench_datasets import _simulators, alt_test, anesthesia
from annobench_datasets._pins import PINS
from annobench_datasets._simulators import Forms, Stratum, aggregates

IDS = datasets.names()

#: The real labels of these are too large for a mirror, and are had from the network; the
#: tests of downloads parse made-up files in their place.
NOT_MIRRORED = {"muc6_person", "masc_crowd_text", "masc_trained_rest"}
MIRRORED = [id for id in IDS if id not in NOT_MIRRORED]

SIZES = {
    "snow2008_rte": (800, 164, 8000),
    "snow2008_temp": (462, 76, 4620),
    "snow2008_wsd": (177, 34, 1770),
    "snow2008_wordsim": (30, 10, 300),
    "snow2008_zaenen": (80, 140, 4000),
    **{
        f"snow2008_{name}": (100, 38, 1000)
        for name in ("anger", "disgust", "fear", "joy", "sadness", "surprise", "valence")
    },
    "ti_bluebird": (108, 39, 4212),
    "ti_dog": (807, 109, 8070),
    "ti_rte": (800, 164, 8000),
    "ti_trec": (19033, 762, 88385),
    "ti_cf": (300, 461, 1720),
    "ti_ms": (700, 44, 2945),
    "ti_sp": (500, 143, 10000),
    "ti_zencrowd_all": (2040, 78, 21855),
    "ti_zencrowd_in": (2040, 25, 11205),
    "ti_zencrowd_us": (2040, 74, 12190),
    "ti_product": (8315, 176, 24945),
    "ti_sentiment": (1000, 85, 20000),
    "ti_relevance": (20232, 766, 98453),
    "ti_adult": (11040, 825, 92721),
    "ti_facts": (42624, 57, 216725),
    "cti_product": (8315, 176, 24945),
    "anesthesia": (45, 5, 315),
    "anesthesia_table1": (45, 5, 315),
    "caries": (3869, 5, 19345),
    "muc6_gold": (190124, 1, 190124),
    "muc6_error_analysis": (205, 1, 205),
    "carpenter_figures": (4484, 8, 14152),
    "masc_crowd": (44682, 228, 1084551),
    "masc_crowd_senses": (398, 1, 398),
    "ami_dialogue_acts": (117915, 3, 117887),
    "ami_focus": (31271, 2, 31271),
    "masc_trained_samples": (3988, 8, 14145),
    "masc_trained_full": (9087, 8, 16152),
    **{
        f"micro_wnop_{part}_{score}": size
        for part, size in (
            ("common", (110, 1, 110)),
            ("group1", (496, 3, 1488)),
            ("group2", (499, 2, 998)),
        )
        for score in ("positive", "negative")
    },
    **{
        f"semeval2007_{name}": (1000, 6, 6000)
        for name in ("anger", "disgust", "fear", "joy", "sadness", "surprise", "valence")
    },
    "judge_bench_dices_350": (350, 123, 43050),
    "judge_bench_dices_990": (990, 76, 72103),
    "judge_bench_inferential_strategies": (300, 2, 600),
    **{
        f"judge_bench_recipes_{name}": (52, 88, 1056)
        for name in ("grammar", "fluency", "verbosity", "structure", "success", "overall")
    },
    **{
        f"judge_bench_newsroom_{name}": (420, 3, 1260)
        for name in ("informativeness", "relevance", "fluency", "coherence")
    },
    "varierr_labels": (500, 4, 1933),
    "varierr_judgements": (1933, 4, 7574),
    "varierr_scores": (895, 19, 16768),
    "chaosnli_snli": (1514, 100, 151400),
    "chaosnli_mnli": (1599, 100, 159900),
    "chaosnli_alphanli": (1532, 100, 153200),
    "chaosnli_predictions": (4542, 3, 13626),
    "lewidi_armis": (798, 3, 2394),
    "lewidi_hs_brexit": (952, 6, 5712),
    "arena_gemini_pro": (277, 1, 276),
    "arena_gemini_flash": (325, 1, 325),
    "arena_qwen": (275, 1, 275),
    "alt_wax": (246, 14, 2856),
    "alt_lgbteen": (880, 10, 7840),
    "alt_mtbench": (120, 9, 966),
    "alt_framing": (2552, 10, 22968),
    "alt_cebab_aspects": (1008, 16, 10080),
    "alt_summeval": (6400, 9, 57600),
    "alt_10k_prompts": (1698, 19, 14032),
    "alt_cebab_stars": (711, 16, 6459),
    "alt_lesion": (500, 10, 4980),
    "alt_kilogram": (993, 54, 11187),
    "label_errors_mnist": (100, 10, 562),
    "label_errors_cifar10": (275, 5, 1375),
    "label_errors_cifar100": (2235, 5, 11175),
    "label_errors_caltech256": (2360, 5, 11800),
    "label_errors_imagenet": (5440, 5, 27200),
    "label_errors_quickdraw": (2500, 5, 12500),
    "label_errors_20news": (93, 5, 465),
    "label_errors_imdb": (1310, 5, 6550),
    "label_errors_amazon": (1000, 5, 5000),
    "label_errors_audioset": (1229, 5, 6145),
    "label_errors_mnist_predictions": (10000, 1, 10000),
    "label_errors_cifar10_predictions": (10000, 1, 10000),
    "label_errors_20news_predictions": (7532, 1, 7532),
    "label_errors_imdb_predictions": (25000, 1, 25000),
    "chiang2023_naturalness": (360, 7, 49787),
    "chiang2023_coherence": (360, 7, 49986),
    "chiang2023_engagingness": (360, 7, 49989),
    "chiang2023_groundedness": (360, 7, 49857),
    "llm_eval_v1": (3600, 11, 39415),
    "llm_eval_v2": (3200, 9, 28800),
    "metaphor_discourse_rating": (1000, 183, 15000),
    "metaphor_discourse_binary": (1000, 688, 10000),
}


def unless_large(n_labels, ids=IDS):
    """Leave the data sets with more labels to `make test-all`."""
    return [
        pytest.param(
            id, marks=() if SIZES.get(id, (0, 0, math.inf))[2] < n_labels else pytest.mark.slow
        )
        for id in ids
    ]


def simulated(id, seed):
    stream = np.random.default_rng([seed, zlib.crc32(id.encode())])
    return datasets.get(id).simulate(stream, {})


@pytest.fixture(scope="session")
def real(real_folder):
    return functools.cache(lambda id: datasets.read(real_folder(id)))


def test_discovery_finds_the_data_sets():
    assert set(SIZES) | NOT_MIRRORED <= set(IDS)


def test_two_data_sets_of_one_id_are_an_error_naming_both_modules(monkeypatch):
    monkeypatch.setattr(anesthesia, "DATASETS", (datasets.get("caries"),))
    with pytest.raises(ImportError, match=r"'caries' occurs in .*anesthesia and in .*caries"):
        records("annobench_datasets", "DATASETS")


def test_an_unknown_data_set_is_an_error_with_close_matches():
    with pytest.raises(
        datasets.UnknownDatasetError, match=r"Did you mean 'caries'\?.*Known: alt_10k_prompts"
    ):
        datasets.get("carries")


@pytest.mark.parametrize("id", IDS)
def test_the_record_is_complete_and_pinned(id):
    dataset = datasets.get(id)
    assert dataset.id == id
    if not dataset.source.release:
        # Of some sources the commit is known in short; the checksums pin the bytes.
        assert 8 <= len(dataset.source.commit) <= 40
        assert int(dataset.source.commit, 16) >= 0
    assert dataset.title
    assert dataset.citation
    assert dataset.home
    assert dataset.source.licence
    assert dataset.calibration
    assert dataset.targets
    assert set(dataset.files) <= set(dataset.source.files)
    assert set(dataset.simulate_from) <= set(dataset.files)
    assert (dataset.categories is None) == (dataset.scale == "interval")
    for file in dataset.files:
        assert len(file.sha256 or "") == 64 or len(file.git_blob or "") == 40


#: Their publications have neither a DOI nor a page of their own.
UNPUBLISHED = re.compile("alt_10k_prompts|micro_wnop_|ti_facts|ti_trec|ti_relevance")
PUBLICATION = re.compile(
    r"https?://(doi\.org/10\.\d{4,5}/|aclanthology\.org/|papers\.nips\.cc/paper/"
    r"|proceedings\.mlr\.press/|ojs\.aaai\.org/)\S+$|\.pdf$"
)


@pytest.mark.parametrize("id", IDS)
def test_the_publication_of_a_data_set_can_be_reached(id):
    dataset = datasets.get(id)
    addresses = [*re.findall(r"https?://\S+", dataset.citation), *dataset.home]
    assert any(map(PUBLICATION.search, addresses)) != bool(UNPUBLISHED.match(id))


def test_every_table_of_pins_belongs_to_a_source():
    sources = {datasets.get(id).source.name for id in IDS}
    assert {table.stem for table in PINS.glob("*.csv")} <= sources


@pytest.mark.parametrize("id", unless_large(50_000, MIRRORED))
def test_real_and_simulated_share_one_layout(id, real, simulated_folder):
    found, made = real(id), datasets.read(simulated_folder(id))
    for table in ("labels", "items"):
        assert getattr(found, table).dtypes.to_dict() == getattr(made, table).dtypes.to_dict()


@pytest.mark.parametrize("id", unless_large(50_000))
def test_the_same_seed_gives_the_same_bytes_and_provenance_survives(id, tmp_path, simulated_folder):
    first = simulated_folder(id)
    meta = datasets.read(first).meta
    if "without" in meta:
        pytest.skip("a mirror or the cache has the labels, which are then real")
    seed = meta["seed"]
    datasets.prepare(id, tmp_path, mode="simulated", seed=seed, network=False)
    for file in ("labels.parquet", "items.parquet", "meta.json"):
        assert (first / file).read_bytes() == (tmp_path / file).read_bytes()
    data = datasets.read(tmp_path)
    assert data.provenance == "simulated"
    assert data.meta["why_simulated"]
    assert data.meta["seed"] == seed
    assert data.meta["calibration"]
    assert data.annotations.n_labels == data.meta["n_labels"]
    assert data.annotations.items == tuple(data.items["item"])
    assert data.gold.shape == (data.annotations.n_items,)


def test_data_sets_are_simulated_independently():
    first, second = (simulated(f"snow2008_{name}", 1).labels for name in ("anger", "fear"))
    assert not first["annotator"].equals(second["annotator"])


@pytest.mark.parametrize("id", sorted(SIZES))
def test_real_sizes_are_the_published_ones(id, real):
    a = real(id).annotations
    assert (a.n_items, a.n_annotators, a.n_labels) == SIZES[id]


@pytest.mark.parametrize("id", MIRRORED)
def test_calibration_targets_are_facts_of_the_real_data(id, real):
    dataset = datasets.get(id)
    found = aggregates(real(id), dataset.scale)
    for name, value in dataset.targets.items():
        # Targets are typed in with three digits behind the point.
        assert found[name] == pytest.approx(value, abs=6e-4), name


def strays(dataset, tables):
    """Return the aggregates whose mean over independent simulations is off the target.

    The mean of R simulations, less the target and divided by its standard error, follows
    Student's distribution with R - 1 degrees of freedom; it goes beyond the quantile used
    here once in 10,000 times. An aggregate that the design fixes must be met exactly.
    """
    found = [aggregates(each, dataset.scale) for each in tables]
    bound = scipy.stats.t.isf(0.5e-4, df=len(found) - 1)
    wrong = {}
    for name, target in dataset.targets.items():
        values = np.array([each.get(name, 0.0) for each in found])
        if np.ptp(values) < 1e-12:
            if values[0] != pytest.approx(target, abs=6e-4):
                wrong[name] = (values[0], target)
        elif abs(scipy.stats.ttest_1samp(values, target).statistic) > bound:
            wrong[name] = (values.mean(), target)
    return wrong


@pytest.mark.parametrize("id", unless_large(2_000))
def test_the_simulator_meets_the_published_aggregates(id):
    dataset = datasets.get(id)
    # The large ones are fixed by design, or vary little from one simulation to the next.
    few = {"muc6_gold": 2, "muc6_person": 8, "masc_crowd": 2, "masc_crowd_text": 2}
    few |= {"masc_trained_samples": 6, "masc_trained_full": 6}
    few |= {"ami_dialogue_acts": 2, "ami_focus": 2}
    few |= dict.fromkeys(("ti_adult", "ti_facts", "ti_relevance", "ti_trec"), 6)
    rounds = few.get(id, 24)
    assert strays(dataset, [simulated(id, seed) for seed in range(rounds)]) == {}


@pytest.mark.parametrize("id", ["snow2008_rte", "snow2008_anger", "caries"])
def test_a_simulator_that_errs_would_be_caught(id):
    dataset = datasets.get(id)

    def spoilt(seed):
        tables = simulated(id, seed)
        label = tables.labels["label"].copy()
        hit = np.random.default_rng(seed).random(len(label)) < 0.25
        label[hit] = 50.0 if dataset.scale == "interval" else "1"
        return DataTables(tables.labels.assign(label=label), tables.items)

    assert strays(dataset, [spoilt(seed) for seed in range(24)])


def test_muc6_persons_are_simulated_from_the_real_gold_where_it_is_at_hand(mirror):
    data = datasets.load("muc6_person", mode="simulated", mirror=mirror)
    assert [file["origin"] for file in data.meta["files"]] == ["mirror"]
    # All 4,155 names of the gold file, and capitalised tokens up to the printed 6,753.
    assert data.gold.sum() == 4155
    assert data.annotations.n_items == 6753
    assert data.items["capitalised"].fillna(True).all()


def test_every_simulated_muc6_token_is_one_the_paper_would_keep():
    tables = simulated("muc6_person", 5)
    marked = tables.labels.loc[tables.labels["label"] == "1", "item"]
    names = tables.items.loc[tables.items["gold"] == "1", "item"]
    assert set(tables.items["item"]) == set(marked) | set(names)


def test_the_first_anaesthetist_labels_three_times(real):
    for tables in (real("anesthesia"), simulated("anesthesia", 1)):
        rounds = tables.labels.groupby(["annotator", "item"])["repetition"].agg(list)
        assert all(given == [1, 2, 3] for given in rounds["1"])
        assert all(given == [1] for given in rounds.drop("1"))


def test_caries_labels_have_the_printed_patterns(real):
    from annobench_datasets import caries

    wide = real("caries").labels.pivot_table(
        index="item", columns="annotator", values="label", aggfunc="first"
    )
    patterns = wide.agg("".join, axis=1).map(lambda bits: int(bits, 2))
    assert patterns.value_counts().sort_index().tolist() == list(caries._PATTERNS)


def test_texts_are_those_of_the_items(real):
    rte = real("snow2008_rte").items.set_index("item")
    assert rte.loc["822", "hypothesis"] == "Satomi Mitarai bled to death."
    assert not rte["text"].str.contains("&apos;").any()
    assert real("snow2008_anger").items["text"].notna().all()
    assert "boy lad" in set(real("snow2008_wordsim").items["text"])


HEADER = "!amt_annotation_ids\t!amt_worker_ids\torig_id\tresponse\tgold\n"


@pytest.mark.parametrize(
    ("id", "rows", "message"),
    [
        ("wsd", "s\ta\tx\t1\t1\ns\tb\tx\t1\t2\n", "line 3: item 'x' has gold '2', but '1' above"),
        ("wsd", "s\ta\tx\t4\t1\n", "line 2: label '4' is not one of"),
        ("wsd", "s\ta\tx\t1\n", "line 2: 4 fields where 5 are needed"),
        ("wsd", "s\t\tx\t1\t1\n", "line 2: no annotator"),
        ("wordsim", "s\ta\tx\tmuch\t1\n", "line 2: label 'much' is not a number"),
        ("wordsim", "s\ta\tx\tinf\t1\n", "line 2: label 'inf' is not a number"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(tmp_path, id, rows, message):
    dataset = datasets.get(f"snow2008_{id}")
    path = tmp_path / "labels.tsv"
    path.write_text(HEADER + rows)
    with pytest.raises(ReaderError, match=rf"(?s)labels\.tsv:.*{message}"):
        dataset.parse({dataset.files[0].path: path})


def test_malformed_files_of_other_sources_are_errors(tmp_path):
    path = tmp_path / "file"
    for id, content, message in (
        ("caries", b"# note\nrater,item,rating\n1,1,0\n1,1,1\n", "line 4: this dentist has judged"),
        ("caries", b"rater,item,rating\n1,1,2\n", "line 2: label '2' is not 0 or 1"),
        ("caries", b"rater,item\n", "the header is"),
        ("caries", b"", "the header is"),
        ("caries", b"\xff", "byte 0: not UTF-8"),
        ("anesthesia", b"no R data", "not an R data file"),
        ("chiang2023_coherence", b'{"source": 1}', "no list of records"),
        ("chiang2023_coherence", b'["source"]', "no list of records"),
    ):
        path.write_bytes(content)
        dataset = datasets.get(id)
        with pytest.raises(ReaderError, match=message):
            dataset.parse({dataset.files[0].path: path})


def test_zeros_written_in_several_ways_are_one_number(tmp_path):
    dataset = datasets.get("snow2008_wordsim")
    path = tmp_path / "labels.tsv"
    path.write_text(HEADER + "s\ta\tx\t00\t1\ns\tb\tx\t-0\t1\n")
    label = dataset.parse({dataset.files[0].path: path}).labels["label"]
    assert [repr(value) for value in label.tolist()] == ["0.0", "0.0"]


@pytest.mark.parametrize(
    ("labels", "items", "message"),
    [
        ({"item": ["z"]}, {}, "table labels: column item row 0: 'z' fails isin"),
        ({"label": ["7"]}, {}, "table labels: column label row 0: '7' fails isin"),
        ({"annotator": [None]}, {}, "table labels: column annotator"),
        ({}, {"item": ["x", "x"]}, "table items: column item.*uniqueness"),
        ({}, {"gold": ["no"]}, "table items: column gold row 0: 'no'"),
    ],
)
def test_tables_of_another_layout_are_refused(labels, items, message):
    rows = {"item": ["x"], "annotator": ["a"], "label": ["1"]} | labels
    about = {"item": ["x"]} | items
    about.setdefault("gold", ["1"] * len(about["item"]))
    if len(about["gold"]) < len(about["item"]):
        about["gold"] *= len(about["item"])
    tables = DataTables(pd.DataFrame(rows, dtype="str"), pd.DataFrame(about, dtype="str"))
    with pytest.raises(ReaderError, match=f"toy, {message}"):
        validate(tables, scale="nominal", categories=("0", "1"), where="toy")


def test_forms_meet_every_load_and_no_annotator_takes_one_twice(rng):
    forms = Forms(45, 10, 4, ((1, 10), (2, 3), (4, 1)))
    given = _simulators.give_out(rng, forms)
    assert np.bincount(given.item).tolist() == [4] * 45
    pairs = set(zip(given.item // 10, given.annotator, strict=True))
    assert np.bincount([annotator for _, annotator in pairs]).tolist() == forms.load.tolist()
    assert len(set(zip(given.item, given.annotator, strict=True))) == given.item.size


def test_confusion_matrices_follow_the_load_and_have_the_stated_mean(rng):
    strata = (
        Stratum(1, ((0.9, 0.1), (0.2, 0.8)), (5.0, 5.0)),
        Stratum(3, ((0.6, 0.4), (0.0, 1.0)), (5.0, 5.0)),
    )
    load = np.repeat([1, 2, 3, 9], 1000)
    confusion = _simulators.draw_confusions(rng, strata, load)
    assert confusion.sum(axis=2) == pytest.approx(1.0)
    for stratum, rows in zip(strata, (slice(0, 2000), slice(2000, 4000)), strict=True):
        mean = np.array(stratum.confusion)
        error = np.sqrt(mean * (1 - mean) / (5.0 + 1) / 2000)
        z = scipy.stats.norm.isf(0.5e-4 / 8)
        assert (abs(confusion[rows].mean(axis=0) - mean) <= z * error + 1e-12).all()


def test_confusions_too_small_to_be_drawn_are_those_of_the_mean(rng):
    # Gamma variables of shape 1e-9 underflow to zero; those of the other annotator do not.
    mean = ((0.9, 0.1), (0.2, 0.8))
    strata = (Stratum(1, mean, (1e-9, 1e-9)), Stratum(2, mean, (50.0, 50.0)))
    confusion = _simulators.draw_confusions(rng, strata, np.array([1, 2]))
    assert confusion.sum(axis=2) == pytest.approx(1.0)
    assert confusion[0].tolist() == pytest.approx(np.array(mean))


def test_the_stated_shares_of_anaesthetists_add_up():
    assert sum(anesthesia._PREVALENCE) == pytest.approx(1, abs=2e-3)
    assert np.sum(anesthesia._ANNOTATORS.confusion, axis=1) == pytest.approx(1, abs=2e-3)


def test_the_pooled_confusion_of_anaesthetists_is_that_of_the_real_labels(real):
    stated = np.array(anesthesia._ANNOTATORS.confusion)
    a = real("anesthesia").annotations
    posterior = dawid_skene.fit(a).posterior
    counts = np.zeros((4, 4))
    np.add.at(counts.T, a.label, posterior[a.item])
    assert counts / counts.sum(axis=1, keepdims=True) == pytest.approx(stated, abs=2e-3)


def test_errors_of_votes_count_ties_by_chance_and_need_all_gold_categories():
    # x: right; y: one of two tied categories is right; z: wrong.
    rows = [("x", "a"), ("x", "a"), ("x", "b"), ("y", "a"), ("y", "b"), ("z", "b")]
    labels = pd.DataFrame(rows, columns=["item", "label"]).assign(annotator=list("uvwuvu"))
    items = pd.DataFrame({"item": list("xyz"), "gold": list("aba")})
    found = aggregates(DataTables(labels, items), "nominal")
    assert found["vote_errors"] == 0.5 + 1
    assert found["unanimous"] == pytest.approx(1 / 3)
    some = DataTables(labels, items.assign(gold=["a", None, "a"]))
    assert "vote_errors" not in aggregates(some, "nominal")


def test_simulated_grades_have_the_stated_shares_and_agreement_of_people_and_models():
    # Models agree with one another far more than with people.
    stars = dict.fromkeys(("1", "2", "3", "4", "5"), 1)
    design = alt_test._Set(
        name="toy",
        title="",
        citation="",
        n_items=20_000,
        models=("m1", "m2"),
        loads=(20_000, 20_000),
        counts=stars,
        agreement=(0.8, 0.5, 0.8),
        scale="ordinal",
    )
    labels = alt_test._simulate(np.random.default_rng(1), {}, design).labels
    wide = labels.pivot(index="item", columns="annotator", values="label")
    for name, given in wide.items():
        # Standard errors are below 0.003.
        shares = given.value_counts(normalize=True).to_dict()
        assert shares == pytest.approx(dict.fromkeys(stars, 0.2), abs=0.015), name
    pairs = {("human_0", "human_1"): 0.8, ("human_0", "m1"): 0.5, ("m1", "m2"): 0.8}
    for (first, second), expected in pairs.items():
        assert (wide[first] == wide[second]).mean() == pytest.approx(expected, abs=0.02)


def test_simulated_choices_of_a_judge_have_no_columns_but_those_of_labels():
    assert list(simulated("arena_gemini_pro", 1).labels) == ["item", "annotator", "label"]


@pytest.mark.parametrize("name", ["recipes_grammar", "inferential_strategies"])
def test_the_aggregate_of_simulated_ratings_is_their_mean_or_majority(name):
    data = simulated(f"judge_bench_{name}", 1)
    aggregate = data.items.set_index("item")["aggregate"]
    for item, given in data.labels.groupby("item")["label"]:
        if name == "recipes_grammar":
            assert float(aggregate[item]) == pytest.approx(given.astype(float).mean(), abs=6e-4)
        else:
            assert aggregate[item] in given.mode().tolist()


def test_simulated_muc6_votes_err_as_in_the_authors_table_whatever_the_number_of_labels():
    # Expected errors with three to ten labels of a token (ne-resid-by-J.R).
    printed = np.array([431.5, 401, 314.5, 294.5, 257.5, 264, 240.5, 242.5])
    found = []
    for seed in range(4):
        tables = simulated("muc6_person", seed)
        labels = tables.labels.sample(frac=1, random_state=seed)
        labels = labels.assign(mark=labels["label"] == "1", nth=labels.groupby("item").cumcount())
        name = tables.items.set_index("item")["gold"] == "1"
        errors = []
        for n in range(3, 11):
            share = labels[labels["nth"] < n].groupby("item")["mark"].mean().reindex(name.index)
            errors.append(np.where(share == 0.5, 0.5, (share > 0.5) != name).sum())
        found.append(errors)
    # The standard deviation of a count of errors is at most its root, in the table and in each of
    # four simulations; four are allowed. Without hard names, three labels give 614 errors.
    assert (np.abs(np.mean(found, axis=0) - printed) < 4 * np.sqrt(printed * (1 + 1 / 4))).all()
