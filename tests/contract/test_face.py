"""The public face: what `annobench.<tab>` and every package show, and what results share."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import annobench as ab
from annobench.labels.annotations import Annotations

SOURCE = Path(ab.__file__).parent
PACKAGES = sorted(
    path.parent.name
    for path in SOURCE.glob("*/__init__.py")
    if not path.parent.name.startswith("_")
)


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    wrong = rng.random((60, 5)) < 0.2
    return Annotations.from_wide(
        pd.DataFrame((truth[:, None] ^ wrong).astype(str), columns=list("abcde"))
    )


def test_every_package_of_use_in_python_is_on_the_face():
    assert set(PACKAGES) - {"cli", "core"} <= set(dir(ab))


@pytest.mark.parametrize("name", ["", *PACKAGES])
def test_tab_shows_exactly_the_public_names(name):
    package = import_module(f"annobench.{name}" if name else "annobench")
    assert dir(package) == sorted(package.__all__)
    assert package.__all__, "an empty face"
    for public in package.__all__:
        found = getattr(package, public)
        documented = inspect.isclass(found) or inspect.isfunction(found)
        assert not documented or inspect.getdoc(found), public
    with pytest.raises(AttributeError):
        package.nothing_of_this_name  # noqa: B018


def test_importing_the_face_imports_nothing_heavy():
    code = "import sys, annobench; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "pandas", "scipy", "numba", "matplotlib", "pyarrow", "sklearn"}


def test_the_lines_of_the_readme_run(labels):
    assert isinstance(ab.report(labels), pd.DataFrame)
    assert ab.agreement.krippendorff_alpha(labels).interval().lower < 1
    fit = ab.models.fit(labels, "dawid_skene", rng=1)
    assert ab.models.dawid_skene.fit(labels).posterior.shape == (60, 2)
    assert len(fit.items_frame()) == 60
    assert len(ab.consensus(labels, rng=1, replicates=5).items) == 60
    assert ab.certificate(labels).n_items == 60


@pytest.mark.parametrize("name", sorted(ab.models.discover()))
def test_every_fit_shows_itself(labels, name):
    options = {"draws": 50, "warmup": 50} if "draws" in ab.models.get(name).METHOD.returns else {}
    fit = ab.models.fit(labels, name, rng=1, **options)
    assert isinstance(fit.summary(), pd.DataFrame)
    assert fit.items_frame()["item"].tolist() == list(fit.items)
    assert fit.annotators_frame()["annotator"].tolist() == list(fit.annotators)
    assert "\n" not in repr(fit)
    assert "<table" in fit._repr_html_()
    figure = fit.plot()
    assert figure.get_figure() is not None or figure.axes
    if "draws" in ab.models.get(name).METHOD.returns:
        assert "posterior" in fit.to_inference_data().groups()


@pytest.mark.parametrize("name", ["cohen_kappa", "krippendorff_alpha", "fleiss_kappa", "gwet_ac1"])
def test_every_agreement_shows_itself(labels, name):
    two = labels.select(annotators=["a", "b"])
    found = getattr(ab.agreement, name)(two)
    assert isinstance(found.summary(), pd.DataFrame)
    assert "\n" not in repr(found)
    assert "<table" in found._repr_html_()
    assert found.plot() is not None


def test_a_name_in_labels_is_escaped_where_it_is_shown():
    script = "<script>alert(1)</script>"
    a = Annotations.from_arrays(list("xxyy"), [script, "b"] * 2, list("1100"))
    fit = ab.models.fit(a, "voting")
    assert script not in fit._repr_html_()
    assert script not in a._repr_html_()
    assert "&lt;script&gt;" in a._repr_html_()


def test_annotations_show_their_sizes_and_first_labels(labels):
    shown = labels._repr_html_()
    assert "60 items, 5 annotators, 2 categories, 300 labels, nominal" in shown
    assert "first 10 labels" in shown
    assert shown.count("<tr>") == 10
    few = labels.select(items=["0"])
    assert "first" not in few._repr_html_()
    assert few._repr_html_().count("<tr>") == 5
    assert "\u202e" not in Annotations.from_wide([["\u202eyes", "no"]])._repr_html_()


@pytest.mark.parametrize("rng", [1, np.random.default_rng(1), None])
def test_an_entrance_takes_any_kind_of_rng(labels, rng):
    assert ab.consensus(labels, rng=rng, replicates=3).model == "adjusted_dawid_skene"
    assert ab.report(labels, rng=rng) is not None


def entrances():
    """Name every public function of the library."""
    for name in PACKAGES:
        package = import_module(f"annobench.{name}")
        for public in package.__all__:
            found = getattr(package, public)
            if inspect.isfunction(found):
                yield f"{name}.{public}", found


#: Other words for the same thing, and the one that is used.
OTHERS = {
    "seed": "rng",
    "random_state": "rng",
    "confidence": "level",
    "alpha_level": "level",
    "n_boot": "replicates",
    "n_replicates": "replicates",
    "n_draws": "draws",
    "n_samples": "draws",
    "max_iter": "max_iterations",
    "tol": "tolerance",
}


ENTRANCES = dict(entrances())


@pytest.mark.parametrize("name", ENTRANCES)
def test_arguments_have_one_name_each(name):
    arguments = set(inspect.signature(ENTRANCES[name]).parameters)
    # Data sets are simulated from a stored seed, which their files name.
    allowed = {"seed"} if name.startswith("datasets.") else set()
    assert not arguments & set(OTHERS) - allowed, name
