"""Ten claims from the literature in chronological order, each with the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Final

import pandas as pd

from annobench.judges.alternative_annotators import PASSES_FROM
from pages.findings import Results, constant_judge

#: What became of a claim, with its mark.
OUTCOMES: Final = {
    "stood": ("✓", "It holds up."),
    "in part": ("∼", "It holds up in part."),
    "fell": ("≠", "It does not hold up."),
    "open": ("◌", "Not in this run: its labels are simulated, or its study was left out."),
}

#: Verdicts of values that nothing can be concluded from.
_UNKNOWN: Final = ("stand_in", "missing", "not_public", "given")

#: A value's name: a paper's key and a target.
Target = tuple[str, str]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Lesson:
    """A claim, and what the recomputed numbers say of it.

    Attributes
    ----------
    year : int
        When it was published.
    claim : str
        In a sentence.
    source : str
        Whose it is.
    paper : str
        Key of the study.
    carried_by : dict of str to str
        The numbers that carry it: names in `found`, and targets of the paper.
    found : str
        What came out; its numbers are those of this run.
    judge : callable
        From the numbers to one of `OUTCOMES`.
    taught : str
        What a reader takes from it.
    read : callable, optional
        Further numbers, from the results.
    """

    year: int
    claim: str
    source: str
    paper: str
    carried_by: Mapping[str, str]
    found: str
    judge: Callable[[Values], str]
    taught: str
    read: Callable[[Results], Mapping[str, Any]] | None = None


def _of_parts(*hold: bool) -> str:
    return "stood" if all(hold) else "in part" if any(hold) else "fell"


def _holds(test: Callable[[Values], bool]) -> Callable[[Values], str]:
    return lambda values: "stood" if test(values) else "fell"


LESSONS: Final = (
    Lesson(
        1979,
        "Annotators' error rates can be estimated without knowing the truth.",
        "Dawid and Skene",
        "dawid1979",
        {"certain": "consensus.certain", "lead": "starts.lead"},
        "EM gives {certain:.0f}% of the patients one category with probability 1.000. The log "
        "likelihood of the printed estimates, minus that of the best found from other starts, is "
        "{lead:.1f}.",
        lambda values: "in part" if values["lead"] < 0 else "stood",
        "Start EM from several places, and report the best.",
    ),
    Lesson(
        2008,
        "The average of four non-experts is as good as an expert.",
        "Snow, O’Connor, Jurafsky and Ng",
        "snow2008",
        {"k": "table2.avg_all.k", "most": "claim.max_k", "training": "training.as_effective"},
        "It takes {k:.0f} on average over seven kinds of affect and, excluding fear, up to "
        "{most:.0f} for a single kind. Classifiers trained by ten non-experts are better by "
        "{training:.3f} in mean correlation than those trained by one expert.",
        _holds(lambda values: round(values["k"]) <= 4),
        "How many labels an item needs depends on the question: measure it on a pilot.",
    ),
    Lesson(
        2008,
        "A model of the annotators is right more often than their vote.",
        "Carpenter",
        "carpenter2008",
        {"vote": "rte.voting.expected_accuracy", "model": "rte.model.accuracy"},
        "On textual entailment the vote is right on {vote:.1%} of the pairs, the model on "
        "{model:.1%}.",
        _holds(lambda values: values["model"] > values["vote"]),
        "Annotators differ in accuracy; a model weights their labels accordingly.",
    ),
    Lesson(
        2008,
        "One rater is not enough to evaluate a system.",
        "Tetreault and Chodorow",
        "tetreault2008",
        {"precision": "table4.precision_difference", "kappa": "table3.kappa"},
        "The same system has a precision that differs by {precision:.0f} points between two "
        "trained raters, whose kappa is {kappa:.2f}.",
        # The paper speaks of ten points.
        _holds(lambda values: round(values["precision"]) >= 10),
        "Say whose judgments a score is based on, and show how much it differs between raters.",
    ),
    Lesson(
        2009,
        "A kappa of .8 does not make the items on which annotators agree a gold standard.",
        "Beigman Klebanov and Beigman",
        "beigman_klebanov2009",
        {"kappa": "two.kappa", "rate": "two.rate"},
        "With a kappa of {kappa:.1f} up to {rate:.1f}% of the agreed items may be guesses, with "
        "95% confidence.",
        # The paper asks for 5% of noise at most.
        _holds(lambda values: values["rate"] > 5),
        "Chance agreement remains in the gold standard: bound it.",
    ),
    Lesson(
        2014,
        "Two annotators who are right on 90% of the items may agree less than by chance.",
        "Passonneau and Carpenter",
        "passonneau2014",
        {"coefficient": "paradox.coefficient", "agreement": "paradox.observed_agreement"},
        "By the example's own formulas they agree on {agreement:.0%} of the items, and the "
        "coefficient is {coefficient:.2f}, not negative.",
        _holds(lambda values: values["coefficient"] < 0),
        "Agreement is not accuracy, but it reflects accuracy. A model estimates accuracy.",
    ),
    Lesson(
        2021,
        "The labels of well-known test sets are wrong in at least 3.3% of the cases, those of "
        "ImageNet in at least 6%.",
        "Northcutt, Athalye and Mueller",
        "northcutt2021",
        {"mean": "abstract.mean_error", "imagenet": "abstract.imagenet_share"},
        "The votes of the released checks give {mean:.1f}% on average over ten sets, and "
        "{imagenet:.2f}% of ImageNet's.",
        lambda values: _of_parts(values["mean"] >= 3.3, values["imagenet"] >= 6),
        "Gold labels have errors: evaluate on a checked sample.",
    ),
    Lesson(
        2022,
        "Calibration to the majority penalises a classifier that predicts how people disagree.",
        "Baan, Aziz, Plank and Fernández",
        "baan2022",
        {
            "oracle": "table1.ece.oracle",
            "scaled": "table1.ece.roberta0_ts",
            "lower": "claim.oracle",
        },
        "A predictor that gives the exact vote shares of a hundred people has a calibration error "
        "of {oracle:.3f}, a classifier one of {scaled:.3f}.",
        _holds(lambda values: values["lower"] > 0),
        "Where people disagree, compare with their distribution.",
    ),
    Lesson(
        2024,
        "Language models find label errors better than dedicated methods, but not as well as "
        "people.",
        "Weber-Genzel, Peng, de Marneffe and Plank",
        "weber2024",
        {
            "gpt4": "claim.gpt4_over_trained",
            "gpt35": "claim.gpt35_over_trained",
            "humans": "claim.humans_over_gpt4",
        },
        "The average precision of GPT-4 is above that of the best trained method by {gpt4:.1f} "
        "points at least, that of people above GPT-4’s by {humans:.1f} (lower ends of 95% "
        "intervals). For GPT-3.5 the end is {gpt35:.1f}.",
        lambda values: (
            _of_parts(values["gpt35"] > 0, values["gpt4"] > 0, values["humans"] > 0)
            if values["gpt4"] > 0
            else "fell"
        ),
        "A claim about language models holds for the models tested, not for all.",
    ),
    Lesson(
        2025,
        "A model that passes the alternative annotator test may replace annotators.",
        "Calderon, Reichart and Dror",
        "calderon2025",
        {"gpt4o": "wax.gpt_4o.winning_rate"},
        "A model that always gives the same answer has a winning rate of {winning_rate:.2f} on "
        "{dataset}, where .50 is enough to pass.",
        _holds(lambda values: values["winning_rate"] < PASSES_FROM),
        "Compare every judge with one that always gives the same answer.",
        constant_judge,
    ),
)


class _Sentence(Formatter):
    """A format whose negative numbers have a true minus sign."""

    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        return text.replace("-", "\u2212") if isinstance(value, float) else text


def lessons(results: Results) -> Iterator[dict[str, Any]]:
    """Return the claims with what this run's results say of them.

    Parameters
    ----------
    results : Results
        All values with their verdicts, and the results' folder.

    Yields
    ------
    dict
        year, claim, source, paper, outcome (of `OUTCOMES`), found, taught, and values: the label,
        printed and computed value and verdict of each number that carries the claim.
    """
    for lesson in LESSONS:
        shown: dict[str, Any] = {
            name: getattr(lesson, name) for name in ("year", "claim", "source", "paper", "taught")
        }
        try:
            rows = [_row(results.compared, lesson.paper, t) for t in lesson.carried_by.values()]
            values = dict(zip(lesson.carried_by, (row["computed"] for row in rows), strict=True))
            more = {} if lesson.read is None else lesson.read(results)
        except KeyError:
            yield shown | {"outcome": "open", "found": "", "values": []}
            continue
        yield shown | {
            "outcome": lesson.judge({**values, **more}),
            "found": _Sentence().vformat(lesson.found, (), {**values, **more}),
            "values": rows,
        }


def _row(compared: pd.DataFrame, paper: str, target: str) -> dict[str, Any]:
    rows = compared[(compared["paper"] == paper) & (compared["target"] == target)]
    if rows.empty or rows["verdict"].iloc[0] in _UNKNOWN or math.isnan(rows["computed"].iloc[0]):
        raise KeyError((paper, target))
    return dict(rows.iloc[0])
