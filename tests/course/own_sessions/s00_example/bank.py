"""Questions on session 0: how to add a session."""

from __future__ import annotations

from annobench_course import Mistake
from annobench_course.teacher.questions import Asked, NumberQuestion

BANK: list[Asked] = [
    NumberQuestion(
        id="0.B1",
        title="From observed and expected agreement to kappa",
        given=lambda rng: {
            "observed": int(rng.integers(70, 96)),
            "expected": int(rng.integers(40, 66)),
        },
        solve=lambda given: (given["observed"] - given["expected"]) / (100 - given["expected"]),
        mistakes=(
            Mistake(
                "not divided",
                lambda given: (given["observed"] - given["expected"]) / 100,
                "Divided by the whole, not by what chance leaves open.",
            ),
            Mistake(
                "divided by observed agreement",
                lambda given: (given["observed"] - given["expected"]) / given["observed"],
                "Divided by the observed agreement.",
            ),
            Mistake(
                "divided by expected agreement",
                lambda given: (given["observed"] - given["expected"]) / given["expected"],
                "Divided by the expected agreement.",
            ),
        ),
        question="Two annotators agree on {observed} % of the items; {expected} % were expected by "
        "chance. What is kappa, to three decimals?",
        solution="({observed} - {expected}) / (100 - {expected}) = {answer}",
    ),
]
