"""A function that takes annotations takes a data frame in long form, or says what to call."""

import dataclasses
import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import annobench as ab
from annobench import Annotations
from annobench.core.errors import AnnotationError

#: The sentence that says what to call.
SENTENCE = r"takes annotations.*read_labels"


def labels():
    """Twelve items of three annotators, of two categories."""
    rows = ["000", "111", "110", "001", "111", "000", "101", "111", "000", "011", "111", "000"]
    return Annotations.from_wide([list(row) for row in rows])


def public(module, path="annobench"):
    """Yield the public functions that can be reached from the face, by their path."""
    for name in dir(module):
        found = getattr(module, name, None)
        if name.startswith("_"):
            continue
        if inspect.ismodule(found) and found.__name__ == f"{module.__name__}.{name}":
            yield from public(found, f"{path}.{name}")
        # A module also shows what it imports.
        offered = vars(module).get("__all__", ())
        own = name in offered or getattr(found, "__module__", "") == module.__name__
        if inspect.isfunction(found) and own:
            yield f"{path}.{name}", found


def entrances():
    """Return the function and the parameter of each that takes annotations, by its path."""
    return {
        path: (found, parameter.name)
        for path, found in public(ab)
        for parameters in [inspect.signature(found).parameters]
        for parameter in parameters.values()
        # Passes over partitions are begun by others, with labels that these have checked.
        if "Annotations" in str(parameter.annotation).split("Callable")[0]
        and "passes" not in parameters
    }


ENTRANCES = entrances()
NOTHING = [{"item": ["x"]}, [["x", "ann", "1"]], pd.Series([1, 2]), np.ones((2, 2)), None]
WIDE = pd.DataFrame({"ann": ["1", "0"], "bob": ["1", "1"]})

#: What else an entrance needs, by the name of its parameter.
OTHERS = {
    "category": "1",
    "threshold": "1",
    "accuracy": 0.8,
    "level": 0.9,
    "name": "case",
    "judges": ["2"],
    "gold": dict(zip(map(str, range(12)), "011010100100", strict=True)),
    "rng": 1,
    "draws": 30,
    "warmup": 30,
    "replicates": 5,
    "max_iterations": 20,
}


def test_there_are_entrances_to_test():
    assert {"annobench.report", "annobench.consensus", "annobench.certificate"} <= set(ENTRANCES)
    assert {f"annobench.models.{name}.fit" for name in ab.models.discover()} <= set(ENTRANCES)
    assert {f"annobench.agreement.{name}" for name in ab.agreement.discover()} <= set(ENTRANCES)


@pytest.mark.parametrize("path", ENTRANCES)
def test_what_is_no_annotations_is_refused_in_a_sentence_that_says_what_to_call(path):
    function, name = ENTRANCES[path]
    others = {
        parameter.name: None
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    }
    for given in (*NOTHING, WIDE):
        with pytest.raises(AnnotationError, match=SENTENCE):
            function(**others | {name: given})


@pytest.mark.parametrize("path", ENTRANCES)
def test_a_data_frame_in_long_form_gives_what_its_annotations_give(path):
    function, name = ENTRANCES[path]
    parameters = inspect.signature(function).parameters.values()
    options = {p.name: OTHERS[p.name] for p in parameters if p.name in OTHERS}
    needed = {
        p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    } - {name, *options}
    if needed:
        # The first thing that is asked for is missing in both.
        options |= dict.fromkeys(needed)
    a = labels()
    if needs_two(function):
        a = a.select(annotators=["0", "1"])
    outcomes = [outcome(function, options | {name: given}) for given in (a, as_frame(a))]
    assert "DataFrame" not in outcomes[1]
    assert outcomes[0] == outcomes[1]


def needs_two(function):
    method = getattr(inspect.getmodule(function), "METHOD", None)
    return getattr(method, "annotators", "any") == "two"


def as_frame(annotations):
    """Return labels as a data frame, with other names and another order of columns."""
    columns = {"annotator": "worker", "label": "response"}
    return annotations.to_frame()[["label", "item", "annotator"]].rename(columns=columns)


def outcome(function, options):
    """Return what a function makes of its arguments, or its error, as a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return written(function(**options))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def written(value):
    """Write a result with all that it holds."""
    if isinstance(value, Annotations):
        return written(value.to_frame()) + repr(value)
    if isinstance(value, pd.DataFrame | pd.Series):
        return value.to_csv()
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, dict):
        return repr({str(key): written(each) for key, each in value.items()})
    if isinstance(value, list | tuple):
        return repr([written(each) for each in value])
    if dataclasses.is_dataclass(value):
        return repr({f.name: written(getattr(value, f.name)) for f in dataclasses.fields(value)})
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def test_methods_of_results_take_data_frames():
    a, frame = labels(), as_frame(labels())
    fit = ab.models.dawid_skene.fit(a)
    assert written(fit.dependence(frame)) == written(fit.dependence(a))
    assert fit.cautions(frame) == fit.cautions(a)
    assert fit.predict(frame).tolist() == fit.predict(a).tolist()
    evidence = ab.labels.merging.Evidence.of
    assert written(evidence(frame, fit.posterior)) == written(evidence(a, fit.posterior))
    hierarchy = ab.labels.Hierarchy({"any": {"0": "some", "1": "some"}})
    assert hierarchy.collapse(frame, "any").categories == ("some",)


def test_an_ordered_categorical_is_ordinal_unless_a_scale_is_named():
    order = ["low", "mid", "high"]
    given = ["low", "high", "mid", "mid"]
    frame = pd.DataFrame({"item": list("xxyy"), "annotator": list("abab"), "label": given})
    frame["label"] = pd.Categorical(given, categories=order, ordered=True)
    for read in (ab.read_labels, Annotations.from_frame):
        assert (read(frame).scale, read(frame).categories) == ("ordinal", tuple(order))
        assert read(frame, scale="nominal").scale == "nominal"
    unordered = frame.assign(label=frame["label"].cat.as_unordered())
    assert ab.read_labels(unordered).scale == Annotations.from_frame(unordered).scale == "nominal"
    assert ab.read_labels(frame.astype({"label": str})).scale == "nominal"
    weighted = ab.agreement.krippendorff_alpha(frame).estimate
    assert weighted == ab.agreement.krippendorff_alpha(ab.read_labels(frame)).estimate
    assert weighted != ab.agreement.krippendorff_alpha(unordered).estimate


def test_columns_of_a_data_frame_can_be_named():
    frame = as_frame(labels()).rename(columns={"item": "scan"})
    with pytest.raises(AnnotationError, match=r"krippendorff_alpha takes annotations.*read_labels"):
        ab.agreement.krippendorff_alpha(frame)
    read = ab.read_labels(frame, item="scan")
    assert read.to_frame().equals(labels().to_frame())
    with pytest.raises(ValueError, match="'scam', given as item, is not among the columns"):
        ab.read_labels(frame, item="scam")
    with pytest.raises(AnnotationError, match=r"question='mood' is for exports"):
        ab.read_labels(frame, question="mood")
    with pytest.raises(AnnotationError, match=r"call annobench\.read_labels"):
        ab.report({"item": ["x"]})
