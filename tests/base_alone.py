"""What `pip install .` alone can do, and what is said of the rest.

`make test-base` runs it in an environment of the base, with and without numba;
`tests/contract/test_base.py` runs a part where the extras are hidden.
"""

import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

import annobench as ab
from annobench import agreement, models
from annobench.cli import app
from annobench.core.compiled import WHY_UNCOMPILED
from annobench.core.errors import (
    DegenerateWarning,
    IntervalWarning,
    MissingLibraryError,
    ReaderError,
)
from annobench.core.files import write_csv
from annobench.core.optional import EXTRAS, is_installed
from annobench.labels.annotations import Annotations
from annobench_course import sessions
from annobench_course.results import COLUMNS
from annobench_course.source import cells

#: What session 1 quotes.
PRINTED = Path(__file__).parents[1] / "workflow/papers/su2008/published.csv"

#: A thousand times as long without numba.
DRAWS = {"draws": 8, "warmup": 8, "chains": 2} if WHY_UNCOMPILED else {"draws": 60, "warmup": 60}

COEFFICIENTS = agreement.discover()
MODELS = sorted(models.discover())


@pytest.fixture(scope="module")
def rows():
    """Labels of 30 items by four annotators, a row each, some of them missing."""
    rng = np.random.default_rng(5)
    item, annotator = np.divmod(np.flatnonzero(rng.random(30 * 4) < 0.9), 4)
    wrong = rng.random(item.size) < 0.2
    return pd.DataFrame(
        {
            "item": [f"item {i}" for i in item],
            "annotator": [f"worker {j}" for j in annotator],
            "label": np.where(wrong, "no", np.where(item % 3 == 0, "yes", "no")),
        }
    )


@pytest.fixture(scope="module")
def labels(rows):
    return Annotations.from_frame(rows)


@pytest.fixture(scope="module")
def csv(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    rows.to_csv(path, index=False)
    return path


def same(found, labels):
    return found.categories == labels.categories and found.to_frame().equals(labels.to_frame())


def typed(*words):
    """Type a command; an error that it does not explain is raised."""
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


def test_no_library_of_an_extra_is_here():
    assert not list(filter(is_installed, EXTRAS))


def test_text_is_read(csv, labels, tmp_path):
    assert same(ab.read_labels(csv), labels)
    quoted = tmp_path / "quoted.tsv"
    quoted.write_text(csv.read_text().replace(",", "\t").replace("yes", '"yes"'))
    assert same(ab.read_labels(quoted), labels)


def test_a_workbook_is_read(rows, labels, tmp_path):
    book = openpyxl.Workbook()
    for row in [tuple(rows.columns), *rows.itertuples(index=False)]:
        book.active.append(row)
    book.save(tmp_path / "labels.xlsx")
    assert same(ab.read_labels(tmp_path / "labels.xlsx"), labels)


def test_faults_of_text_are_named(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label\nx,ann,yes\n,bob,no\nx\n")
    with pytest.raises(ReaderError, match="line 4: 1 fields"):
        ab.read_labels(path)


def test_a_large_table_has_the_bytes_that_it_has_with_arrow(tmp_path):
    numbers = [0.5, 1e-5, 1e-7, 12.0, 1e10, 123456789012.5, -0.0, np.nan, np.inf, 1.5e-10]
    table = pd.DataFrame({"x": numbers, "y": ["a", None] * 5, "z": [True, False] * 5, "n": 3})
    write_csv(pd.concat([table] * 2_000), tmp_path / "large.csv")
    expected = (
        *("x,y,z,n", "0.5,a,True,3", "0.00001,,False,3", "1e-7,a,True,3", "12,,False,3"),
        *("1e+10,a,True,3", "1.234567890125e+11,,False,3", "-0,a,True,3", ",,False,3"),
        *("inf,a,True,3", "1.5e-10,,False,3"),
    )
    assert (tmp_path / "large.csv").read_text().splitlines()[:11] == list(expected)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_every_coefficient_has_an_interval(name, labels):
    method = COEFFICIENTS[name].METHOD
    if method.accepts == {"set"}:
        item, annotator = np.divmod(np.arange(24), 2)
        sets = [{"a", "b"} if n % 5 else {"a"} for n in range(24)]
        labels = Annotations.from_sets(item, annotator, sets, elements="ab")
    else:
        two = labels.select(annotators=labels.annotators[:2]).to_frame()
        wide = two.pivot(index="item", columns="annotator", values="label").dropna()
        table = (wide == "yes").to_numpy().astype(int)
        item, annotator = np.divmod(np.arange(table.size), 2)
        labels = Annotations.from_arrays(item, annotator, table.ravel(), categories=[0, 1])
    options = {"category": "0"} if method.per_category else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        found = getattr(agreement, name)(labels, **options)
        interval = found.interval("percentile", rng=1)
    assert interval.lower <= found.estimate <= interval.upper


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_fitted(name, labels):
    sampled = "draws" in models.get(name).METHOD.returns
    fit = models.fit(labels, name, rng=1, **(DRAWS if sampled else {}))
    assert fit.posterior.shape == (30, 2)
    np.testing.assert_allclose(fit.posterior.sum(axis=1), 1)
    if sampled:
        assert fit.diagnostics["r_hat"].notna().any()
        with pytest.raises(MissingLibraryError, match=extra("arviz", "bayes")):
            fit.to_inference_data()


def test_a_figure_is_drawn(labels, tmp_path):
    figure = ab.agreement.krippendorff_alpha(labels).plot().get_figure()
    figure.savefig(tmp_path / "alpha.png")
    assert (tmp_path / "alpha.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["inspect", "report", "consensus", "certificate", "audit"])
def test_a_command_writes_its_page(command, csv, tmp_path):
    options = [] if command == "inspect" else ["--out", tmp_path]
    done = typed(command, csv, *options)
    assert done.exit_code == 0, done.output
    if options:
        [page] = tmp_path.glob("*.html")
        assert "</html>" in page.read_text()


#: A method.
UNIFORM = (
    "import numpy as np\n"
    "def fit(labels, rng):\n"
    "    return np.full((labels.n_items, labels.n_categories), 1 / labels.n_categories)\n"
)


def test_a_method_is_compared_on_labels_of_ones_own(csv, tmp_path):
    (tmp_path / "gold.csv").write_text(
        "item,gold\n" + "".join(f"item {i},{'no' if i % 3 else 'yes'}\n" for i in range(30))
    )
    (tmp_path / "uniform.py").write_text(UNIFORM)
    given = ("--labels", csv, "--gold", tmp_path / "gold.csv", "--out", tmp_path / "out")
    done = typed("compare", tmp_path / "uniform.py", *given)
    assert done.exit_code == 0, done.output
    assert typed("data", "list").exit_code == 0


def write_results(folder):
    """Write what the course's archive has of session 1's paper, each value as it is printed."""
    folder.mkdir()
    printed = pd.read_csv(PRINTED, dtype=str).rename(columns={"value": "published"})
    table = printed.assign(paper="su2008", computed="nan", verdict="").reindex(columns=COLUMNS)
    table.to_csv(folder / "results.csv", index=False)


def test_the_first_session_of_the_course_runs(tmp_path, monkeypatch):
    write_results(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    text = sessions.get("01_chance").text.read_text(encoding="utf-8")
    names = {}
    for cell in cells(text):
        if cell.says.startswith("```{code-cell}"):
            code = "\n".join(line for line in cell.says.splitlines() if line[:1] not in "`:")
            exec(code, names)
    plt.close("all")
    passed = names["session"].progress()
    assert len(passed) >= 6
    assert passed["passed"].all(), passed


def extra(library, name):
    return rf'needs {library}, which is not installed\. .*: pip install "\.\[{name}\]"$'


def read_parquet(tmp_path):
    path = tmp_path / "labels.parquet"
    path.write_bytes(b"PAR1")
    return ab.read_labels(path)


def of_dask(tmp_path):
    from annobench.scale._workers import dask_client

    with dask_client():
        pass


def of_paper(tmp_path):
    from annobench_replication import schemas

    return schemas.PUBLISHED


def of_uima(tmp_path):
    path = tmp_path / "document.json"
    path.write_text('{"%TYPES": {}, "%FEATURE_STRUCTURES": [], "%VIEWS": {}}')
    return ab.io.read_export(path)


#: By what needs it, the library and the extra.
MISSING = {
    "reading Parquet": (read_parquet, "pyarrow", "parquet"),
    "writing Parquet": (
        lambda folder: ab.io.write_labels(
            Annotations.from_arrays(["x"], ["a"], ["y"]), folder / "labels.parquet"
        ),
        "pyarrow",
        "parquet",
    ),
    "partitioning": (
        lambda folder: ab.io.partition(folder, folder / "out"),
        "fsspec",
        "scale",
    ),
    "Dask": (of_dask, "dask", "scale"),
    "a paper": (of_paper, "pandera", "data"),
    "a data set": (lambda _: ab.datasets.load("anesthesia", mode="simulated"), "pandera", "data"),
    "an export of INCEpTION": (of_uima, "dkpro-cassis", "exports"),
}


@pytest.mark.parametrize("need", MISSING)
def test_what_needs_an_extra_names_it(need, tmp_path):
    function, library, name = MISSING[need]
    with pytest.raises(MissingLibraryError, match=extra(library, name)):
        function(tmp_path)


@pytest.mark.parametrize(
    ("words", "library", "name"),
    [
        (("report", "PARQUET"), "pyarrow", "parquet"),
        (("report", "LABELS", "--format", "parquet"), "pyarrow", "parquet"),
        (("convert", "LABELS", "out.parquet"), "pyarrow", "parquet"),
        (("partition", "LABELS", "parts"), "fsspec", "scale"),
        (("data", "fetch", "anesthesia", "--mode", "simulated"), "pandera", "data"),
        (("compare", "my_method.py"), "requests", "data"),
    ],
)
def test_a_command_ends_with_a_sentence_and_no_traceback(
    words, library, name, csv, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    # Nothing but the network could have the files.
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "my_method.py").write_text(UNIFORM)
    parquet = tmp_path / "labels.parquet"
    parquet.write_bytes(b"PAR1")
    names = {"PARQUET": parquet, "LABELS": csv}
    done = typed(*(names.get(word, word) for word in words))
    assert done.exit_code == 1, done.output
    said = [line for line in done.output.splitlines() if "needs" in line]
    assert len(said) == 1, done.output
    assert re.search(extra(library, name), said[0])
    assert not list(tmp_path.glob("*.html"))
