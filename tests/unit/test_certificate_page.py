"""The page of a certificate says what its tables say, and nothing of a user's names runs."""

import numpy as np

from annobench import noise
from annobench.labels.annotations import Annotations
from annobench.reporting import certificate_page


def labels(rng):
    hard = rng.random(80) < 0.2
    rows = []
    for n, guessed in enumerate(hard):
        truth = rng.integers(2)
        rows += [
            (f"<b>{n}", f"a{j}", "ny"[rng.integers(2) if guessed else truth]) for j in range(6)
        ]
    return Annotations.from_arrays(*map(list, zip(*rows, strict=True)))


def test_the_page_shows_the_bound_and_every_rule():
    made = labels(np.random.default_rng(5))
    found = noise.certificate(made)
    page = certificate_page.render(found, noise.hard_items(made), made, source="<i>x.csv")
    assert f'at most <b class="number">{found.n_guesses}</b> of the {found.n_retained}' in page
    for row in found.rules.itertuples():
        assert f'<td class="right strong">{row.n_guesses}</td>' in page
    assert "<i>x" not in page
    assert "<b>1" not in page


def test_labels_that_certify_nothing_say_so():
    made = Annotations.from_arrays(list("xxyyzz"), list("ababab"), list("010101"))
    found = noise.certificate(made, guess_distribution=(0.3, 0.7))
    assert found.n_guesses == found.n_retained
    page = certificate_page.render(found, noise.hard_items(made), made, source="x")
    assert "Nothing can be certified" in page
