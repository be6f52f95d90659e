"""Labels in chunks give what all of them give, in the memory of one chunk."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import annobench as ab
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, fit, one_coin


def fit_chunks(chunks, model="dawid_skene", **options):
    """Fit a model to chunks."""
    return fit(chunks, model, **options).fit


def labels_of(item: np.ndarray, rng: np.random.Generator, n_categories: int) -> Annotations:
    """Return three labels of each item by some of eight annotators; one in four is a guess."""
    annotator = np.concatenate([rng.permutation(8)[:3] for _ in item])
    guess = rng.integers(n_categories, size=3 * item.size)
    truth = np.repeat(item, 3) % n_categories
    label = np.where(rng.random(3 * item.size) < 0.25, guess, truth)
    names = {"annotators": range(8), "categories": range(n_categories)}
    return Annotations.from_arrays(np.repeat(item, 3), annotator, label, items=item, **names)


def joined(parts):
    """Return all labels of some chunks."""
    frames = [part.to_frame() for part in parts]
    return Annotations.from_arrays(
        *(np.concatenate([frame[name] for frame in frames]) for name in frames[0]),
        annotators=parts[0].annotators,
        categories=parts[0].categories,
    )


@pytest.mark.parametrize("n_categories", [2, 3])
def test_chunks_give_what_all_labels_give(rng, n_categories):
    parts = [
        labels_of(np.arange(low, high), rng, n_categories) for low, high in ((0, 50), (50, 70))
    ]
    whole = joined(parts)
    ours, other = fit_chunks(lambda: iter(parts)), dawid_skene.fit(whole)
    assert (ours.n_iterations, ours.converged) == (other.n_iterations, True)
    assert (ours.n_labelled, ours.n_parameters) == (other.n_labelled, other.n_parameters)
    np.testing.assert_allclose(ours.history, other.history, rtol=1e-12)
    np.testing.assert_allclose(ours.confusion, other.confusion, rtol=1e-9)
    posterior = np.concatenate([ours.predict(part) for part in parts])
    np.testing.assert_allclose(posterior, other.posterior, rtol=1e-9)
    # Negative control: the first chunk alone is another fit.
    assert np.abs(fit_chunks(lambda: parts[:1]).confusion - other.confusion).max() > 1e-3


def test_chunks_that_do_not_belong_together_are_refused(rng):
    two, three = (labels_of(np.arange(9), rng, k) for k in (2, 3))
    with pytest.raises(AnnotationError, match="the categories of a chunk are not those"):
        fit_chunks(lambda: [two, three])
    with pytest.raises(AnnotationError, match="there are no chunks"):
        fit_chunks(list)
    empty = Annotations.from_arrays([], [], [], items="x", annotators="a", categories="01")
    with pytest.raises(AnnotationError, match="there are no labels"):
        fit_chunks(lambda: [empty])
    with pytest.raises(AnnotationError, match="Write the labels into partitions first"):
        fit_chunks(lambda: [two], gold={"0": "0"})


def test_chunks_that_can_be_read_but_once_are_refused(rng):
    once = iter([labels_of(np.arange(n, n + 10), rng, 2) for n in (0, 10, 20)])
    with pytest.raises(AnnotationError, match="yields the same chunks whenever it is called"):
        fit_chunks(lambda: once)


def test_other_models_and_coefficients_take_chunks(rng):
    parts = [labels_of(np.arange(low, high), rng, 3) for low, high in ((0, 50), (50, 70))]
    whole = joined(parts)
    ours, other = fit_chunks(lambda: parts, "one_coin"), one_coin.fit(whole)
    np.testing.assert_allclose(ours.accuracy, other.accuracy, rtol=1e-9)
    of_chunks, table = ab.report(lambda: iter(parts)), ab.report(whole)
    table = table[table["breakdown"] == "overall"].reset_index(drop=True)
    computed = of_chunks["estimate"].notna()
    assert computed.sum() >= 5
    numbers = ["estimate", "lower", "upper", "n_items", "n_labels"]
    pd.testing.assert_frame_equal(
        of_chunks.loc[computed, numbers], table.loc[computed, numbers], rtol=1e-9, check_dtype=False
    )


def test_consensus_of_chunks_is_written_by_chunk(rng, tmp_path):
    parts = [labels_of(np.arange(low, high), rng, 3) for low, high in ((0, 50), (50, 70))]
    found = ab.consensus(lambda: iter(parts), model="one_coin", out=tmp_path)
    files = sorted((tmp_path / "items").iterdir())
    items = pd.concat(map(pd.read_parquet, files), ignore_index=True)
    assert len(files) == 2
    pd.testing.assert_frame_equal(
        items, ab.consensus(joined(parts), model="one_coin", replicates=0).items, rtol=1e-7
    )
    assert found.labels.n_items == 70


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("model", ["adjusted_dawid_skene", "dawid_skene"])
def test_memory_is_that_of_one_chunk(model):
    script = """
        import sys
        from pathlib import Path
        import numpy as np
        from annobench.labels.annotations import Annotations
        from annobench.models import fit

        n_items, per_item = 50_000, 10
        names = ("",) * n_items, tuple(map(str, range(500))), tuple("0123")

        def chunks(number):
            for seed in range(number):
                rng = np.random.default_rng(seed)
                item = np.repeat(np.arange(n_items, dtype=np.int32), per_item)
                annotator = rng.integers(500, size=item.size, dtype=np.int32)
                label = ((item + (rng.random(item.size, dtype=np.float32) < 0.2)) % 4)
                yield Annotations(item, annotator, label.astype(np.int16), *names)

        peaks = []
        for number in (1, 6):
            fitted = fit(lambda: chunks(number), sys.argv[1], max_iterations=2).fit
            assert not fitted.converged
            # The peak that getrusage tells of began with the process that started this one.
            status = Path("/proc/self/status").read_text()
            peaks.append(1024 * int(status.split("VmHWM:")[1].split()[0]))
        print(peaks[1] - peaks[0])
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), model],
        capture_output=True,
        text=True,
        check=True,
    )
    # All six at once would take five times 500,000 labels of 10 bytes more than one.
    assert int(run.stdout) < 5 * 500_000 * 10


def test_annotators_may_meet_in_another_chunk_but_must_meet():
    names = {"annotators": "ab", "categories": "01"}
    apart = Annotations.from_arrays(list("xy"), list("ab"), list("10"), **names)
    together = Annotations.from_arrays(list("zz"), list("ab"), list("11"), **names)
    assert fit_chunks(lambda: [apart, together]).n_labelled == 3
    with pytest.raises(AnnotationError, match="no item has labels of two of the 2 annotators"):
        fit_chunks(lambda: [apart, apart])
