"""Methods in Python files, classes and entry points, good and bad ones."""

import re
import sys
import textwrap

import numpy as np
import pytest

from annobench import models
from annobench.benchmark.external_methods import from_function, from_python
from annobench.core.errors import MethodError
from annobench.labels.annotations import Annotations
from annobench.models import voting


@pytest.fixture
def labels():
    """Item z has no label, category c none either, and ann labelled x twice."""
    return Annotations.from_arrays(
        ["x", "x", "y", "y", "x"],
        ["ann", "bob", "ann", "bob", "ann"],
        ["a", "b", "b", "b", "b"],
        items=["x", "y", "z"],
        categories=["a", "b", "c"],
    )


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))

    def write(text, name="my_method.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    yield write
    sys.modules.pop("my_method", None)


SHARES = """
    import numpy as np

    def fit(labels, rng):
        '''Shares of votes.

        More of it.
        '''
        return labels.counts / labels.counts.sum(axis=1, keepdims=True)
    """


def test_a_function_in_a_file_is_a_method(labels, written):
    found = from_python(str(written(SHARES)))
    assert found.METHOD.name == "my_method"
    assert found.METHOD.reference == "Shares of votes."
    assert not found.METHOD.deterministic
    assert re.fullmatch(r"my_method\.py, SHA-256 [0-9a-f]{12}", found.SOURCE)
    fitted = found.fit(labels, rng=1)
    # Item z, which has no label, is not shown to the method: shares would divide by 0.
    np.testing.assert_allclose(fitted.posterior, voting.fit(labels).posterior)
    assert fitted.items == labels.items


def test_a_function_without_a_file_is_a_method(labels):
    def shares(labels):
        """Shares of votes."""
        return labels.counts / labels.counts.sum(axis=1, keepdims=True)

    def fails(labels):
        return labels.nothing

    found = from_function(shares)
    assert (found.METHOD.name, found.METHOD.reference) == ("shares", "Shares of votes.")
    assert found.METHOD.deterministic
    np.testing.assert_allclose(found.fit(labels).posterior, voting.fit(labels).posterior)
    with pytest.raises(MethodError, match=r"without a file: .*nothing"):
        from_function(fails).fit(labels)
    with pytest.raises(MethodError, match="needs a, b, c"):
        from_function(lambda a, b, c: None)
    with pytest.raises(MethodError, match="max, whose parameters are unknown"):
        from_function(max)


def test_the_source_of_a_file_is_that_of_its_content(written):
    first = from_python(str(written(SHARES))).SOURCE
    assert first == from_python(str(written(SHARES))).SOURCE
    assert first != from_python(str(written(SHARES + "\n    # edited\n"))).SOURCE


def test_an_edited_file_is_read_anew(labels, written):
    shares = from_python(str(written(SHARES))).fit(labels, rng=1).posterior
    text = "def fit(labels):\n    return [[1, 0, 0]] * labels.n_items\n"
    sure = from_python(str(written(text))).fit(labels).posterior
    assert not np.allclose(shares, sure)


def test_what_lies_beside_a_file_can_be_imported(labels, written):
    written("ANSWER = [1, 0, 0]", "helper_beside.py")
    path = written(
        "from helper_beside import ANSWER\ndef fit(labels):\n    return [ANSWER] * labels.n_items"
    )
    assert from_python(str(path)).fit(labels).posterior[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("signature", "random"),
    [
        ("labels", False),
        ("labels, rng", True),
        ("labels, generator", True),
        ("labels, *, rng", True),
        ("labels, rng=None", True),
        ("labels, depth=3", False),
    ],
)
def test_a_generator_is_given_to_whom_it_is_for(labels, written, signature, random):
    source = next((n for n in ("rng", "generator") if n in signature), "")
    draw = f"float({source}.random())" if source else "0.25"
    path = written(
        f"def fit({signature}):\n    p = {draw}\n    return [[p, 1 - p, 0]] * labels.n_items"
    )
    found = from_python(str(path))
    assert found.METHOD.deterministic is not random
    if random:
        one, two, other = (found.fit(labels, rng=seed).posterior[0, 0] for seed in (1, 1, 2))
        assert one == two != other
    else:
        assert found.fit(labels).posterior[0, 0] == 0.25


SCIKIT = """
    import numpy as np

    class Mode:
        def __init__(self, random_state=None):
            self.random_state = random_state

        def fit_predict(self, X):
            assert X.shape == (2, 2) and X.dtype == float
            self.seen_ = X
            return np.array([1, self.random_state % 2 if self.random_state else 1])
    """


def test_a_class_as_in_scikit_learn_gets_a_table_of_codes(labels, written):
    found = from_python(str(written(SCIKIT)))
    assert not found.METHOD.deterministic
    assert found.METHOD.conventions.repeats == "the first counts"
    posterior = found.fit(labels, rng=np.random.default_rng(3)).posterior
    assert posterior[0].tolist() == [0, 1, 0]
    assert posterior[2].tolist() == pytest.approx([1 / 3] * 3)
    again = found.fit(labels, rng=np.random.default_rng(3)).posterior
    np.testing.assert_array_equal(posterior, again)


CROWD_KIT = """
    import pandas as pd

    class Majority:
        def fit_predict_proba(self, data):
            assert list(data.columns) == ["task", "worker", "label"]
            assert not hasattr(self, "used"), "each fit has an object of its own"
            self.used = True
            counts = pd.crosstab(data["task"], data["label"])
            return counts.div(counts.sum(axis=1), axis=0)

        def fit_predict(self, data):
            raise AssertionError("probabilities are asked for first")
    """


def test_a_class_as_in_crowd_kit_gets_tasks_workers_and_labels(labels, written):
    found = from_python(str(written(CROWD_KIT)))
    assert found.METHOD.deterministic
    for _ in range(2):
        posterior = found.fit(labels).posterior
        np.testing.assert_allclose(posterior, voting.fit(labels).posterior)


def test_one_of_several_classes_or_an_object_is_named(labels, written):
    text = textwrap.dedent(CROWD_KIT) + "\nclass Other(Majority):\n    pass\nobject_ = Other()\n"
    path = written(text)
    with pytest.raises(MethodError, match=r"2 methods in it. Name one: .*:Majority or .*:Other"):
        from_python(str(path))
    for name in ("Other", "object_"):
        found = from_python(f"{path}:{name}")
        assert found.METHOD.name == name
        np.testing.assert_allclose(found.fit(labels).posterior, voting.fit(labels).posterior)
    with pytest.raises(MethodError, match=r"no 'Majorety' in it\. Did you mean 'Majority'"):
        from_python(f"{path}:Majorety")


def test_a_whole_model_brings_its_own_record(labels, written):
    found = from_python(str(written("from annobench.models.voting import METHOD, fit")))
    assert found.METHOD is models.voting.METHOD
    assert found.fit(labels).is_tie.shape == (3,)


def test_methods_of_installed_packages_say_which_version(labels, monkeypatch, tmp_path):
    package = tmp_path / "their_package.py"
    package.write_text("def fit(labels):\n    return [[0, 1, 0]] * labels.n_items\n")
    info = tmp_path / "their_package-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[annobench.models]\ntheirs = their_package:fit\ngone = their_package:gone\n"
    )
    (info / "top_level.txt").write_text("their_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    for target, name in (("theirs", "theirs"), ("their_package:fit", "fit")):
        found = from_python(target)
        assert found.METHOD.name == name
        assert found.SOURCE == "their-package 1.2"
        assert found.fit(labels).posterior[0].tolist() == [0, 1, 0]
    with pytest.raises(MethodError, match="Did you mean 'theirs'"):
        from_python("their")
    with pytest.raises(MethodError, match="entry point 'their_package:gone' can't be loaded"):
        from_python("gone")


BAD_FILES = {
    "syntax": ("def fit(labels):\n  return (", "my_method.py, line 2: .* SyntaxError"),
    "import": ("import numpy\nimport not_there_at_all", "line 2: .*No module named 'not_there"),
    "exit": ("x = 1\nraise SystemExit(3)", "line 2: the file can't be imported: SystemExit: 3"),
    "nothing": ("x = 1", "there is no method in it. Define fit"),
    "arguments": ("def fit(labels, rng, depth): pass", "needs labels, rng, depth. Give the other"),
    "no argument": ("def fit(): pass", "needs nothing"),
    "not callable": ("fit = 3", "there is no method in it"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_holds_no_method_is_refused(written, name):
    text, message = BAD_FILES[name]
    with pytest.raises(MethodError, match=message):
        from_python(str(written(text)))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere.py", "there is no such file"),
        ("no_method_of_this_name", "neither a file nor an entry point"),
        ("no_package_here:Thing", "can't be imported"),
        ("json:dumpz", "Did you mean 'dump' or 'dumps'"),
        ("json:__doc__", "not a method"),
    ],
)
def test_a_method_that_is_not_there_is_refused(target, message):
    with pytest.raises(MethodError, match=message):
        from_python(target)


def test_an_error_in_a_method_is_reported_with_its_line(labels, written):
    lines = ["def fit(labels):", "    return late([1])", "", "", "def late(x):", "    return x[5]"]
    found = from_python(str(written("\n".join(lines))))
    with pytest.raises(MethodError, match=r"my_method\.py, line 6: IndexError: list index out"):
        found.fit(labels)


def test_a_class_that_needs_arguments_says_so(labels, written):
    path = written(
        "class M:\n    def __init__(self, k): pass\n    def fit_predict(self, X): pass\n"
    )
    with pytest.raises(MethodError, match="missing 1 required positional argument: 'k'"):
        from_python(str(path)).fit(labels)
