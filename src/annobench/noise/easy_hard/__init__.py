r"""The easy/hard model of annotation: how many agreed items are guesses.

An item is easy or hard. All annotators give an easy item the same label; on a hard item each of
them guesses, independently. So a disagreement occurs only on hard items, and an agreement may be a
hard item that was agreed on by chance. With guess distribution q, J annotators agree on a hard item
with probability::

    p = sum over k of q(k)^J         (two annotators, two categories: q^2 + (1 - q)^2)

Let d of n items have a disagreement. With a uniform prior on the number of hard items, the
posterior probability that h of the n are hard is (Equation 1)::

    P(h | d) = C(h, d) p^(h - d) / sum over i = d..n of C(i, d) p^(i - d)

A gold standard of the agreed items holds h - d guesses. The *noise bound* is the smallest t for
which P(h - d > t | d) < 1 - level, and the noise rate is t / (n - d). The numbers of annotators and
categories enter through p alone.

Differences from the paper: its prior is uniform on 1..n hard items; here 0 is included, which makes
no difference once an item is disagreed on. Its estimate of p (footnote 3) is
`guess_rate_from_disagreement`, which never overestimates p and often underestimates it badly; use
`fit_guesses` where p is identified. The bound on the difference between two classifiers is given
exactly as well as by Chebyshev's inequality.

Reference: Beigman Klebanov and Beigman (2009), Computational Linguistics 35, 495-503.
"""

from annobench.noise.easy_hard.bound import (
    NoiseBound,
    bound_coverage,
    largest_disagreement,
    noise_bound,
)
from annobench.noise.easy_hard.classifiers import ChanceDifference, chance_difference
from annobench.noise.easy_hard.guessing import (
    GuessFit,
    GuessRate,
    agreement_chance,
    disagreed_shares,
    fit_guesses,
    guess_rate_from_disagreement,
)
from annobench.noise.easy_hard.kappa import ExpectedKappa, expected_kappa
from annobench.noise.easy_hard.posterior import HardItems, hard_given_agreed

__all__ = [
    "ChanceDifference",
    "ExpectedKappa",
    "GuessFit",
    "GuessRate",
    "HardItems",
    "NoiseBound",
    "agreement_chance",
    "bound_coverage",
    "chance_difference",
    "disagreed_shares",
    "expected_kappa",
    "fit_guesses",
    "guess_rate_from_disagreement",
    "hard_given_agreed",
    "largest_disagreement",
    "noise_bound",
]
