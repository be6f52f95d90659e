"""What sessions 5, 6 and 9 say of the printed tables that they show."""

import numpy as np
import pytest

import annobench as ab
from annobench import datasets

CATEGORIES = range(1, 5)


@pytest.fixture
def fitted(real_folder):
    labels = datasets.read(real_folder("anesthesia")).annotations
    settings = {"smoothing": 0, "tolerance": 1e-12, "max_iterations": 10_000}
    return ab.models.dawid_skene.fit(labels, **settings)


def test_one_row_of_table_2_of_1979_contradicts_table_3(fitted, results):
    def table_2(j, k):
        return np.array(
            [results.value("dawid1979", f"table2.o{j}.{k}.{n}").printed for n in CATEGORIES]
        )

    printed = np.array([[table_2(j, k) for k in CATEGORIES] for j in range(1, 6)])
    distance = np.abs(fitted.confusion - printed).max(axis=2)
    assert np.unravel_index(distance.argmax(), distance.shape) == (1, 1)
    assert np.sort(distance.ravel())[-2] < 0.06
    table_3 = np.array([results.value("dawid1979", f"table3.o2.2.{n}").printed for n in CATEGORIES])
    assert table_3 / table_3.sum() == pytest.approx(fitted.confusion[1, 1], abs=0.02)
    assert np.abs(table_3 / table_3.sum() - printed[1, 1]).max() > 0.1


def test_no_emotion_needs_the_four_non_experts_of_the_average(results):
    emotions = ("anger", "disgust", "joy", "sadness", "surprise")
    needed = [results.value("snow2008", f"table2.{e}.k").printed for e in emotions]
    assert set(needed) == {2, 7, 9}
    ten, expert = (
        results.value("snow2008", f"table2.fear.{x}").printed for x in ("ne10", "expert")
    )
    assert ten < expert


def test_the_oracle_is_the_worst_by_ece_and_the_best_by_distance(results):
    def printed(score):
        names = ("roberta0", "roberta0_ts", "oracle")
        return [results.value("baan2022", f"table1.{score}.{name}").printed for name in names]

    assert np.argmax(printed("ece")) == 2
    assert np.argmin(printed("distce")) == 2


def test_peers_find_more_errors_than_a_hundred_votes(results):
    names = ("random", "gpt4", "chaosnli", "lc", "sum_all")
    found = {n: results.value("weber2024", f"all.{n}.ap").printed for n in names}
    assert found["random"] < min(found[name] for name in names[1:])
    assert found["chaosnli"] < found["lc"] < found["sum_all"] < 50
