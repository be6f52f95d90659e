"""Grouping and counting: few labels by NumPy and many by compiled loops give the same."""

import subprocess
import sys

import numpy as np
import pytest

from annobench.labels import _grouping
from annobench.resampling import weights


@pytest.fixture(params=[0, 1])
def labels(request):
    """Labels of items by annotators, sorted by item or not, some repeated."""
    rng = np.random.default_rng(request.param)
    item, annotator = rng.integers(40, size=300), rng.integers(9, size=300)
    return (np.sort(item) if request.param else item), annotator


def _both(monkeypatch, function, *arguments):
    few = function(*arguments)
    monkeypatch.setattr(_grouping, "MANY", 0)
    monkeypatch.setattr(_grouping, "MANY_UNLOADED", 0)
    many = function(*arguments)
    monkeypatch.undo()
    return few, many


@pytest.mark.parametrize("shift", [0, 2**16 - 41, 2**16 - 40, 2**16])
def test_the_order_is_stable(labels, shift, monkeypatch):
    item, n_items = labels[0] + shift, 40 + shift
    offsets = np.concatenate([[0], np.cumsum(np.bincount(item, minlength=n_items))])
    few, many = _both(monkeypatch, _grouping.stable_order, item, offsets)
    assert few.tolist() == many.tolist() == sorted(range(300), key=lambda n: item[n])


@pytest.mark.parametrize("cells", [0, 5, 20])
def test_the_first_repeat(labels, cells, monkeypatch):
    item, annotator = labels
    offsets = np.concatenate([[0], np.cumsum(np.bincount(item, minlength=40))])
    order = _grouping.stable_order(item, offsets)
    # Repeats are looked for by comparing, counting and hashing.
    with monkeypatch.context() as patched:
        patched.setattr(_grouping, "_CELLS", cells)
        few, many = _both(patched, _grouping.find_repeat, offsets, order, annotator, 9)
    seen = set()
    for n in order:
        pair = item[n], annotator[n]
        if pair in seen:
            break
        seen.add(pair)
    assert few == many == n


@pytest.mark.parametrize("item", [0, 5])
def test_a_repeat_of_the_first_or_the_last_item_is_found(item, monkeypatch):
    annotator = np.tile(np.arange(4), 6)
    annotator[4 * item + 3] = annotator[4 * item]
    arguments = np.arange(0, 25, 4), np.arange(24), annotator, 4
    assert _both(monkeypatch, _grouping.find_repeat, *arguments) == (4 * item + 3,) * 2


def test_labels_without_repeats(monkeypatch):
    annotator = np.tile(np.arange(4), 6)
    arguments = np.arange(0, 25, 4), np.arange(24), annotator, 4
    assert _both(monkeypatch, _grouping.find_repeat, *arguments) == (None, None)


@pytest.mark.parametrize("values", [[5, 2, 5, 9, 2, -3], [7], [2**40, 1, 2**40], []])
def test_codes_of_numbers(values, monkeypatch):
    array = np.array(values, dtype=np.int64)
    few, many = _both(monkeypatch, _grouping.codes_of_numbers, array)
    for codes, distinct in (few, many):
        assert distinct.tolist() == list(dict.fromkeys(values))
        assert distinct[codes].tolist() == values


def test_the_cross_table(monkeypatch):
    rng = np.random.default_rng(3)
    item, annotator = (x.ravel() for x in np.indices((50, 2)))
    label = rng.integers(4, size=100)
    mix = rng.permutation(100)
    arguments = item[mix], annotator[mix], label[mix], 50, 4
    few, many = _both(monkeypatch, _grouping.cross_table, *arguments)
    expected = np.zeros((4, 4), int)
    for i in range(50):
        expected[label[2 * i], label[2 * i + 1]] += 1
    assert few.tolist() == many.tolist() == expected.tolist()


def test_few_draws_are_counted_like_many(monkeypatch):
    few = weights.draw_counts(13, 7, np.random.default_rng(5))
    monkeypatch.setattr(weights, "MANY", 0)
    many = weights.draw_counts(13, 7, np.random.default_rng(5))
    np.testing.assert_array_equal(few, many)
    assert few.dtype == many.dtype == np.float64
    assert (few.sum(axis=1) == 13).all()


def test_loading_compiled_code_does_not_pay_for_a_hundred_thousand_labels():
    script = (
        "import sys, numpy as np\n"
        "from annobench import agreement\nfrom annobench.labels import Annotations\n"
        "n = np.arange(100_000)\n"
        "labels = Annotations.from_arrays(n // 5, n % 5, n % 3)\n"
        "assert labels.first_repeat is None\n"
        "agreement.report(labels)\n"
        "sys.exit('numba' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
