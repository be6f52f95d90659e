"""Answers of methods from outside: every shape that is taken, and what is said of the others."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench.benchmark.external_methods.answers import AnswerError, to_posterior
from annobench.labels.annotations import Annotations

#: Names that writers must quote, and that readers take for numbers or for nothing.
ITEMS = ["01", 'a "b", c', "żółw", "NA"]
WANTED = np.array([[0.2, 0.8], [1.0, 0.0], [0.5, 0.5], [0.7, 0.3]])


@pytest.fixture
def labels():
    return Annotations.from_arrays(
        ITEMS, list("abab"), ["no", "yes, maybe", "no", "no"], categories=["no", "yes, maybe"]
    )


def frame(order=(0, 1, 2, 3), columns=(0, 1)):
    names = ["no", "yes, maybe"]
    table = pd.DataFrame(WANTED, index=ITEMS, columns=names)
    return table.iloc[list(order), list(columns)]


@pytest.mark.parametrize(
    "answer",
    [
        WANTED,
        WANTED.tolist(),
        WANTED.astype(np.float32),
        SimpleNamespace(posterior=WANTED),
        frame(),
        frame(order=(2, 0, 3, 1), columns=(1, 0)),
        pd.DataFrame(WANTED),
        WANTED + 0.0004,
    ],
    ids=["array", "list", "float32", "fit", "frame", "by name", "by place", "rounded"],
)
def test_probabilities_in_many_shapes_are_one_table(labels, answer):
    found = to_posterior(answer, labels)
    # The rounded ones were each raised by .0004 and are scaled again.
    np.testing.assert_allclose(found, WANTED, atol=1e-3)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize(
    "answer",
    [
        np.array([1, 0, 0, 1]),
        np.array([1.0, 0.0, 0.0, 1.0]),
        np.array(["yes, maybe", "no", "no", "yes, maybe"]),
        pd.Series(["no", "yes, maybe", "no", "yes, maybe"], ["żółw", "NA", 'a "b", c', "01"]),
        pd.Series([1, 0, 0, 1]),
    ],
    ids=["codes", "float codes", "names", "series by name", "series by place"],
)
def test_labels_are_certain_probabilities(labels, answer):
    assert to_posterior(answer, labels).tolist() == [[0, 1], [1, 0], [1, 0], [0, 1]]


def test_a_category_without_a_column_has_probability_zero():
    labels = Annotations.from_arrays(["x"], ["a"], ["b"], categories=["a", "b", "c"])
    found = to_posterior(pd.DataFrame({"c": [0.25], "a": [0.75]}, index=["x"]), labels)
    assert found.tolist() == [[0.75, 0, 0.25]]


def test_numbers_that_are_names_are_taken_by_name_and_not_by_place():
    labels = Annotations.from_arrays(["2", "1"], ["a", "a"], ["x", "y"])
    by_name = pd.DataFrame([[0.1, 0.9], [0.6, 0.4]], index=["1", "2"], columns=["x", "y"])
    assert to_posterior(by_name, labels).tolist() == [[0.6, 0.4], [0.1, 0.9]]


WRONG = {
    "nothing": (None, "expected probabilities, shape .4, 2.*; got None. Let the function return"),
    "transposed": (WANTED.T, r"got shape \(2, 4\). Transpose it"),
    "one column": (WANTED[:, :1], r"got shape \(4, 1\). Take the sizes from"),
    "too few items": (WANTED[:3], r"got shape \(3, 2\)"),
    "one dimension": (WANTED.ravel(), r"got shape \(8,\). Return the probabilities of all"),
    "ragged": ([[0.5, 0.5], [1.0], [1.0], [1.0]], "one row per item, all of the same length"),
    "text": ([["a", "b"]] * 4, "expected numbers"),
    "an object": (object(), r"got shape \(\)|expected numbers"),
    "NaN": (np.where(WANTED == 1, np.nan, WANTED), "got nan for item 'a \"b\", c' and category"),
    "infinite": (
        WANTED + np.inf,
        "expected finite probabilities; got inf",
    ),
    "not normalised": (
        WANTED * 3,
        r"with the sum 3 for item '01', and 4 such rows.*Divide each row",
    ),
    "negative": (WANTED * 2 - 0.5, "Probabilities are at least 0"),
    "logarithms": (np.log(WANTED + 0.1) - 1, "These look like logarithms: exponentiate"),
    "half a row": (frame().replace(0.2, np.nan), "got nan for item '01'"),
    "unknown item": (
        frame().rename({"01": "1"}),
        "got '1', which is not among them. Keep the names",
    ),
    "missing item": (frame(order=(0, 1, 2)), "got none for 1: 'NA'"),
    "item twice": (frame(order=(0, 1, 2, 3, 3)), "got several for 'NA'"),
    "unknown column": (
        frame().set_axis(["no", "perhaps"], axis=1),
        "got 'no', 'perhaps'. Name each",
    ),
    "column twice": (frame(columns=(0, 0)), "columns named after the categories"),
    "unknown label": (np.array(["no", "no", "No", "no"]), "got 'No' for item 'żółw'"),
    "code too high": (np.array([0, 1, 2, 0]), r"in \[0, 2\); got .*2.* for item 'żółw'"),
    "code with a fraction": (np.array([0, 1, 0.5, 0]), r"whole numbers in \[0, 2\)"),
    "no label for an item": (pd.Series(["no", None], ["01", "NA"]), "got none for 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_gets_a_message_that_mends_it(labels, name):
    answer, message = WRONG[name]
    with pytest.raises(AnswerError, match=message):
        to_posterior(answer, labels)


def test_a_column_missing_for_a_category_nobody_used_is_named():
    labels = Annotations.from_arrays(["x", "y"], ["a", "a"], ["p", "q"], categories=["p", "q", "r"])
    with pytest.raises(AnswerError, match="A column is missing for 'r', which no label names here"):
        to_posterior(np.eye(2), labels)


def test_columns_that_r_renamed_are_recognised():
    labels = Annotations.from_arrays(["x", "y"], ["a", "a"], ["0", "1"])
    table = pd.DataFrame(np.eye(2), index=["x", "y"], columns=["X0", "X1"])
    with pytest.raises(AnswerError, match=r"check\.names = FALSE"):
        to_posterior(table, labels)
