"""Noise in gold standards: how many labels are guesses, and what guesses can do.

For anyone's labels: a `certificate` of how many of the retained labels are guesses at most, and
which difference of two systems guesses can't explain; the `hard_share` under each model; likely
`hard_items`, with reasons; `heterogeneity`, whether items or annotators differ. Before there are
labels: `plan`, `certification_power`, `annotators_needed`, `items_needed`, `items_to_tell_apart`.
The models of the papers are in `annobench.noise.easy_hard` and `annobench.noise.mixtures`.
"""

from annobench.noise.certificate import Certificate, Truth, certificate, dichotomise
from annobench.noise.estimates import hard_share
from annobench.noise.hard_items import hard_items
from annobench.noise.heterogeneity import heterogeneity
from annobench.noise.planning import (
    annotators_needed,
    certification_power,
    items_needed,
    items_to_tell_apart,
    plan,
)

__all__ = [
    "Certificate",
    "Truth",
    "annotators_needed",
    "certificate",
    "certification_power",
    "dichotomise",
    "hard_items",
    "hard_share",
    "heterogeneity",
    "items_needed",
    "items_to_tell_apart",
    "plan",
]
