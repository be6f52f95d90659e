"""Questions on session 1: observed and expected agreement, Cohen's kappa, its two paradoxes."""

from __future__ import annotations

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.sessions.s01_chance.exercises import _by_pooled
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion
from annobench_course.two_annotators import (
    Shares,
    cells,
    corrected,
    draw_cells,
    expected,
    kappa,
    observed,
)


def _yes(given: Given) -> float:
    """Return the specific agreement of yes."""
    return float(2 * given["both"] / (2 * given["both"] + given["first"] + given["second"]))


def _from_indices(given: Given, prevalence: int, bias: int) -> float:
    """Return kappa from S and the indices; the signs are 1 in the right formula."""
    moved = -prevalence * given["prevalence_index"] ** 2 + bias * given["bias_index"] ** 2
    return float((2 * given["observed"] - 1 + moved) / (1 + moved))


def _maximum(p: Shares) -> float:
    """Return the largest observed agreement that the margins allow."""
    return float(np.minimum(p.sum(axis=1), p.sum(axis=0)).sum())


_COUNTS = (
    "Of 100 comments, two annotators both call {both} insulting; {first} are insulting for the "
    "first alone, {second} for the second alone, and {neither} for neither. "
)

BANK: list[Asked] = [
    NumberQuestion(
        id="1.B1",
        title="Kappa from four counts",
        given=draw_cells,
        solve=lambda given: kappa(cells(given)),
        mistakes=(
            Mistake(
                "pooled margins",
                lambda given: corrected(observed(cells(given)), _by_pooled(cells(given))),
                "Scott's pi: the margins were averaged.",
            ),
            Mistake(
                "equal categories",
                lambda given: corrected(observed(cells(given)), 0.5),
                "The expected agreement was taken as 1/2.",
            ),
            Mistake(
                "not divided",
                lambda given: observed(cells(given)) - expected(cells(given)),
                "Not divided by 1 - A_e.",
            ),
            Mistake(
                "specific agreement",
                _yes,
                "The specific agreement of 'insulting', which is not corrected for chance.",
            ),
        ),
        question=_COUNTS + "What is Cohen's kappa?",
        solution="A_o from the first and the last count, A_e from the margins: {answer}.",
    ),
    NumberQuestion(
        id="1.B2",
        title="Specific agreement",
        given=draw_cells,
        solve=_yes,
        mistakes=(
            Mistake(
                "observed agreement",
                lambda given: observed(cells(given)),
                "Observed agreement, in which agreement on 'not insulting' counts, too.",
            ),
            Mistake(
                "kappa",
                lambda given: kappa(cells(given)),
                "Kappa, which is corrected for chance.",
            ),
            Mistake(
                "both by any",
                lambda given: given["both"] / (given["both"] + given["first"] + given["second"]),
                "The share of both among all that either chose (Jaccard's index).",
            ),
        ),
        question=_COUNTS + "If one of them, chosen at random, calls a comment insulting, how often "
        "does the other?",
        solution="Twice the first count, divided by itself plus the two that follow: {answer}.",
    ),
    NumberQuestion(
        id="1.B3",
        title="From the indices to kappa",
        given=lambda rng: {
            "observed": int(rng.integers(75, 96)) / 100,
            "prevalence_index": int(rng.integers(20, 70)) / 100,
            "bias_index": int(rng.integers(8, 20)) / 100,
        },
        solve=lambda given: _from_indices(given, 1, 1),
        mistakes=(
            Mistake(
                "bias subtracted",
                lambda given: _from_indices(given, 1, -1),
                "The bias index enters with a plus sign.",
            ),
            Mistake(
                "prevalence added",
                lambda given: _from_indices(given, -1, 1),
                "The prevalence index enters with a minus sign.",
            ),
            Mistake(
                "adjusted for both",
                lambda given: 2 * given["observed"] - 1,
                "The value at prevalence and bias indices of 0 (PABAK).",
            ),
            Mistake(
                "without bias",
                lambda given: _from_indices(given, 1, 0),
                "The bias index is left out.",
            ),
        ),
        question="Two annotators agree on a share of {observed} of the items. The prevalence index "
        "is {prevalence_index}, the bias index {bias_index}. What is Cohen's kappa, by the formula "
        "of Byrt, Bishop and Carlin?",
        solution="(S - PI^2 + BI^2) / (1 - PI^2 + BI^2) with S = 2 A_o - 1: {answer}.",
    ),
    NumberQuestion(
        id="1.B4",
        title="The largest kappa",
        given=draw_cells,
        solve=lambda given: corrected(_maximum(cells(given)), expected(cells(given))),
        mistakes=(
            Mistake(
                "kappa",
                lambda given: kappa(cells(given)),
                "Kappa itself, not the largest possible.",
            ),
            Mistake(
                "largest agreement",
                lambda given: _maximum(cells(given)),
                "The largest observed agreement, not corrected for chance.",
            ),
            Mistake("one", lambda given: 1.0, "Kappa can be 1 only if the margins are equal."),
        ),
        question=_COUNTS + "If each keeps the margins, how large can Cohen's kappa be at most?",
        solution="Put the smaller of the two margins on the diagonal; then as in kappa: {answer}.",
    ),
    NumberQuestion(
        id="1.B5",
        title="From kappa back to agreement",
        given=lambda rng: {
            "kappa": int(rng.integers(40, 90)) / 100,
            "expected": int(rng.integers(30, 80)) / 100,
        },
        solve=lambda given: given["expected"] + given["kappa"] * (1 - given["expected"]),
        mistakes=(
            Mistake(
                "added",
                lambda given: given["expected"] + given["kappa"],
                "Kappa is a share of the room above chance, not of all items.",
            ),
            Mistake(
                "room alone",
                lambda given: given["kappa"] * (1 - given["expected"]),
                "What was achieved above chance; what chance gives is added.",
            ),
            Mistake(
                "product",
                lambda given: given["kappa"] * given["expected"],
                "Kappa is a share of 1 - A_e, not of A_e.",
            ),
        ),
        question="A paper reports Cohen's kappa {kappa} and expected agreement {expected}. On what "
        "share of the items did the annotators agree?",
        solution="A_o = A_e + kappa (1 - A_e) = {answer}.",
    ),
    ChoiceQuestion(
        id="1.B6",
        title="Kappa at its limits",
        options={
            "zero": "0",
            "one": "1",
            "undefined": "Undefined",
            "negative": "Below 0",
        },
        cases={
            "zero": Case(
                "One of two annotators says 'no' to all 100 items, the other to 60 of them. How "
                "large is Cohen's kappa?",
                "Observed and expected agreement both equal the other's share of 'no', so it is 0.",
            ),
            "one": Case(
                "Two annotators say 'yes' to 3 of 100 items each, and these are the same 3. How "
                "large is Cohen's kappa?",
                "Observed agreement is 1 and expected agreement is not, so it is 1, however rare "
                "'yes' is.",
            ),
            "undefined": Case(
                "Two annotators could say 'yes' or 'no', and both say 'no' to all 100 items. How "
                "large is Cohen's kappa?",
                "Expected agreement is 1: there is no room above chance, and kappa is 0/0.",
            ),
            "negative": Case(
                "Two annotators say 'yes' to 50 of 100 items each, and agree on 40 items. How "
                "large is Cohen's kappa?",
                "Chance gives an agreement of 0.5, and they reach 0.4: (0.4 - 0.5) / (1 - 0.5) is "
                "-0.2.",
            ),
        },
    ),
]
