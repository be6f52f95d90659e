"""What `pip install .` brings, what it can do alone, and that numba decides nothing but time."""

import ast
import os
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import annobench as ab
from annobench.core.optional import EXTRAS
from annobench.labels.annotations import Annotations

TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]


def named(lines):
    return {Requirement(line).name for line in lines}


def test_the_base_has_few_direct_dependencies():
    assert len(PROJECT["dependencies"]) <= 14


@pytest.mark.parametrize("module", EXTRAS)
def test_an_optional_library_is_what_its_extra_installs(module):
    library, extra = EXTRAS[module]
    assert library in named(PROJECT["optional-dependencies"][extra])
    assert library not in named(PROJECT["dependencies"])


def imports_at_once(path):
    """Name the libraries that a module imports when it is imported itself."""
    waiting = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
        elif not isinstance(node, ast.FunctionDef):
            waiting += [
                child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)
            ]


def test_no_module_imports_an_optional_library_at_once():
    found = {
        path.relative_to(TOP).as_posix(): sorted(names)
        for path in (TOP / "src").rglob("*.py")
        if (names := set(imports_at_once(path)) & {*EXTRAS})
    }
    assert found == {}


def without(names, *command, folder):
    """Run Python where libraries are hidden."""
    places = (TOP / "src", TOP / "tests", os.environ.get("PYTHONPATH", ""))
    settings = os.environ | {
        "ANNOBENCH_WITHOUT": " ".join(names),
        "PYTHONPATH": os.pathsep.join(map(str, places)),
    }
    done = subprocess.run(
        [sys.executable, *command], env=settings, cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-5_000:]
    return done


@pytest.mark.slow
def test_the_base_alone_reads_measures_fits_draws_and_reports(tmp_path):
    options = ["--noconftest", "-p", "without", "-p", "no:cacheprovider", "--quiet"]
    file = TOP / "tests/base_alone.py"
    done = without(EXTRAS, "-m", "pytest", *options, file, folder=tmp_path)
    assert " passed" in done.stdout


#: Of each number of categories: the loops over vectors differ.
FITTED = """
import pickle, sys, without
from annobench import models
from annobench.core.compiled import WHY_UNCOMPILED
assert WHY_UNCOMPILED
labels, models_of, options = pickle.load(open("labels.pickle", "rb"))
found = {
    (name, k): models.fit(labels[k], name, rng=1, **options[name]).posterior
    for name, numbers in models_of.items()
    for k in numbers
}
pickle.dump(found, open("found.pickle", "wb"))
"""


def panel(k, rng):
    """Labels of 14 items by four annotators, who err in two labels of ten; one is missing."""
    truth = np.arange(14) % k
    table = np.where(rng.random((14, 4)) < 0.2, rng.integers(k, size=(14, 4)), truth[:, None])
    item, annotator = np.divmod(np.arange(55), 4)
    return Annotations.from_arrays(item, annotator, table.ravel()[:55], categories=range(k))


@pytest.mark.slow  # the nightly run has all of the base without numba, too
def test_without_numba_every_model_gives_the_same_answer(tmp_path):
    rng = np.random.default_rng(6)
    labels = {k: panel(k, rng) for k in (2, 3, 5)}
    methods = {name: module.METHOD for name, module in ab.models.discover().items()}
    options = {
        name: {"draws": 6, "warmup": 6, "chains": 1} if "draws" in method.returns else {}
        for name, method in methods.items()
    }
    # Sampled models, whose loops take longest, have none over vectors.
    numbers = {
        name: [2] if options[name] or method.max_categories == 2 else list(labels)
        for name, method in methods.items()
    }
    (tmp_path / "labels.pickle").write_bytes(pickle.dumps((labels, numbers, options)))
    done = without(["numba", "llvmlite"], "-c", FITTED, folder=tmp_path)
    assert done.stderr.count("Loops run uncompiled") == 1
    found = pickle.loads((tmp_path / "found.pickle").read_bytes())
    assert len(found) == sum(map(len, numbers.values())) > 2 * len(methods)
    for (name, k), posterior in found.items():
        compiled = ab.models.fit(labels[k], name, rng=1, **options[name]).posterior
        # One model's compiled loops may add in another order.
        np.testing.assert_allclose(posterior, compiled, rtol=0, atol=2e-6, err_msg=name)
