"""Tables in the layouts that public projects and survey tools use; all labels are made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

#: What people say of an item, mostly the same.
_ERRORS = 0.25


def panel(
    n_items: int, people: list[str], categories: list[str], seed: int = 3
) -> dict[str, list[str]]:
    """Return labels of items by person, some of which are wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(len(categories), size=n_items)
    return {
        name: [
            categories[int(rng.integers(len(categories))) if rng.random() < _ERRORS else k]
            for k in truth
        ]
        for name in people
    }


def survey() -> pd.DataFrame:
    """A survey tool's columns: R003 is the coder, R004_01 the item, R001x01 and on questions."""
    rows = []
    answers = panel(12, ["1", "2", "3", "4"], ["1", "2"])
    for n in range(12):
        for who in (str(n % 4 + 1), str((n + 1) % 4 + 1)):
            given = [answers[who][(n + k) % 12] for k in range(3)]
            rows.append((len(rows) + 61, "2024-05-02 08:46:14", *given, who, f"10.1/x.{n}", "1"))
    columns = ["CASE", "STARTED", "R001x01", "R001x02", "R001x03", "R003", "R004_01", "FINISHED"]
    return pd.DataFrame(rows, columns=columns)


def numbered_items() -> pd.DataFrame:
    """Items numbered with gaps beside codes, and a column of what was agreed on."""
    given = panel(40, ["하나", "두리", "세찬"], ["11", "21", "42"])
    votes = pd.DataFrame(given)
    return pd.DataFrame(
        {"num": [11 + 7 * n for n in range(40)], **given, "종합": votes.mode(axis=1)[0]}
    )


def runs() -> pd.DataFrame:
    """Three runs of two judges on ten answers."""
    given = panel(30, ["north", "south"], ["1", "2", "3", "4"])
    rows = [
        (who, f"resp{n // 3}", n % 3 + 1, f"{who}-x", 1.5 + n % 2, given[who][n])
        for who in given
        for n in range(30)
    ]
    columns = ["judge_name", "response_id", "run_index", "model_used", "latency", "accuracy"]
    return pd.DataFrame(rows, columns=columns)


def many_questions() -> pd.DataFrame:
    """A row an answer and reviewer, and seven questions, none of which is called a label."""
    questions = ["tone", "depth", "urgency", "source", "accuracy", "breadth", "clarity"]
    given = {
        name: panel(10, ["R-A", "R-B", "R-C"], list("12345"), n) for n, name in enumerate(questions)
    }
    rows = [
        {"response_id": f"resp{n}", "topic": "xyz"[n % 3], "question_text": f"question {n}?"}
        | {"reviewer": who}
        | {name: given[name][who][n] for name in questions}
        for n in range(10)
        for who in ("R-A", "R-B", "R-C")
    ]
    return pd.DataFrame(rows)


def counts_with_total() -> pd.DataFrame:
    """Votes by category, with their sum and the number of the majority's category."""
    rng = np.random.default_rng(2)
    votes = np.array([rng.permutation([3, k % 2, 0]) for k in range(30)])
    frame = pd.DataFrame(votes, columns=["rude", "plain", "kind"])
    frame.insert(0, "count", votes.sum(axis=1))
    texts = [f"a text, no. {n}" for n in range(30)]
    return frame.assign(**{"class": votes.argmax(axis=1), "tweet": texts})


def counts() -> pd.DataFrame:
    """Votes of fourteen people by category."""
    votes = [(0, 0, 14), (0, 7, 7), (3, 9, 2), (13, 1, 0), (4, 4, 6)]
    frame = pd.DataFrame(votes, columns=["low", "middle", "high"])
    return frame.assign(item=[f"i{n}" for n in range(5)])[["item", "low", "middle", "high"]]


def likert() -> pd.DataFrame:
    """Words of agreement."""
    words = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    given = panel(12, ["rater_1", "rater_2", "rater_3"], words)
    return pd.DataFrame({"id": range(1, 13)} | given)


def grades() -> pd.DataFrame:
    """Grades of which one never occurs."""
    return pd.DataFrame(
        {"item": [f"e{n}" for n in range(12)]} | panel(12, ["rater1", "rater2"], ["1", "2", "4"])
    )


def adjudicated() -> pd.DataFrame:
    """People's names as columns, and what they agreed on."""
    given = panel(8, ["Anouk", "Boris", "Clara"], ["pos", "neg"])
    return pd.DataFrame(
        {"id": range(8), "text": [f"t {n}" for n in range(8)], **given, "final": given["Anouk"]}
    )


def readers() -> pd.DataFrame:
    """A column of items without a usual name."""
    given = panel(9, ["reader_1", "reader_2", "reader_3"], ["neg", "ind", "pos"])
    return pd.DataFrame({"scan": range(1, 10)} | given)


def with_judge(*people: str) -> Callable[[], pd.DataFrame]:
    """People's columns beside a model's."""

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            {"item": [f"i{n}" for n in range(40)]} | panel(40, [*people, "gpt"], ["a", "b"])
        )

    return make


def form() -> pd.DataFrame:
    """A row a person, a column an item."""
    given = panel(6, ["p1@x.org", "p2@x.org", "p3@x.org"], ["Rude", "Not rude"])
    rows = [
        (f"2024/05/0{n + 1} 9:00:00 AM", who, *labels)
        for n, (who, labels) in enumerate(given.items())
    ]
    columns = ["Timestamp", "Email Address", *(f"Comment {n}" for n in range(1, 7))]
    return pd.DataFrame(rows, columns=columns)


def scales() -> pd.DataFrame:
    """A questionnaire: a row is a person, A1 and C1 are questions of two scales."""
    given = panel(8, ["A1", "A2", "A3", "C1", "C2"], list("12345"))
    return pd.DataFrame(given | {"gender": list("fmfmfmfm")})


def spans() -> pd.DataFrame:
    """Marked spans, several of each person in a document."""
    rows = [("d1", who, 9 * k, 9 * k + 6, "NV"[k % 2]) for who in ("Ada", "Bea") for k in range(4)]
    return pd.DataFrame(rows, columns=["doc", "annotator", "start", "end", "label"])


def second_look() -> pd.DataFrame:
    """Most labels are given again, so that the first of each are the smaller part."""
    rows = [
        (f"i{n}", who, "ab"[(n + k) % 2]) for n in range(5) for who in ("x", "y") for k in range(4)
    ]
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def coded() -> pd.DataFrame:
    """Ratings, of which 99 is missing."""
    given = panel(8, ["x", "y"], ["1", "2", "3", "4", "5", "99"])
    rows = [(f"i{n}", who, given[who][n]) for who in given for n in range(8)]
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def cells_of_counts(path: Path) -> None:
    """A cell of votes by category."""
    votes = [(90, 8, 2), (40, 50, 10), (0, 20, 80), (33, 33, 34)]
    rows = [
        {"uid": f"u{n}", "label_counter": dict(zip("enc", v, strict=True))}
        for n, v in enumerate(votes)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def two_questions(path: Path) -> None:
    """A table a person, two questions, and items named by two columns."""
    path.mkdir()
    for n, name in enumerate(("ann", "bob")):
        given = panel(6, ["Pathway", "Growth"], ["yes", "no"], n)
        frame = pd.DataFrame(
            {
                "PMCID": [f"PMC{k // 2}" for k in range(6)],
                "Fig No.": [k % 2 + 1 for k in range(6)],
                **given,
            }
        )
        frame.to_csv(path / f"{name}.csv", index=False)


def table(frame: Callable[[], pd.DataFrame], **how: object) -> Callable[[Path], None]:
    """Return what writes a table."""
    return lambda path: frame().to_csv(path, **{"index": False, **how})


#: By the names of files and folders: what writes them.
WRITERS: dict[str, Callable[[Path], None]] = {
    "survey.csv": table(survey, sep=";"),
    "numbered_items.csv": table(numbered_items),
    "runs.csv": table(runs),
    "many_questions.csv": table(many_questions),
    "counts_with_total.csv": table(counts_with_total, index=True),
    "counts.csv": table(counts),
    "cells_of_counts.jsonl": cells_of_counts,
    "likert.csv": table(likert),
    "grades.csv": table(grades),
    "adjudicated.csv": table(adjudicated),
    "readers.csv": table(readers),
    "with_judge.csv": table(with_judge("annotator1", "annotator2", "annotator3")),
    "with_names.csv": table(with_judge("anna", "ben", "carla")),
    "form.csv": table(form),
    "scales.csv": table(scales),
    "spans.csv": table(spans),
    "second_look.csv": table(second_look),
    "coded.csv": table(coded),
    "two_questions": two_questions,
}
