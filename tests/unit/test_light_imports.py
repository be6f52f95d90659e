"""Commands that need little load little: what a process imports is what it waits for."""

import subprocess
import sys

import pytest

#: By the program, what it must do without.
HEAVY = ("arviz", "matplotlib", "numba", "pandas", "pandera", "pyarrow", "scipy", "sklearn")
LIGHT = {
    "import annobench": HEAVY,
    "import annobench.core.files, annobench.core.errors": HEAVY,
    "from annobench.cli import app; app(['--help'], standalone_mode=False)": HEAVY,
    "from annobench.cli import app; app(['--version'], standalone_mode=False)": HEAVY,
    "import annobench.io": ("arviz", "matplotlib", "numba", "pandera", "scipy", "sklearn"),
    "from annobench import datasets; datasets.names()": (
        *("arviz", "matplotlib", "numba", "pandera", "scipy.optimize", "sklearn"),
    ),
    "import annobench.agreement": (
        *("arviz", "matplotlib", "numba", "pandera", "scipy.optimize", "scipy.stats"),
    ),
    "import annobench.aggregation.consensus": ("arviz", "pandera", "scipy.optimize", "scipy.stats"),
    "from annobench import models; models.discover()": ("arviz", "matplotlib", "scipy.stats"),
}


@pytest.mark.parametrize("program", LIGHT)
def test_a_program_loads_nothing_that_it_does_not_need(program):
    report = "import sys; print(*sorted({'.'.join(m.split('.')[:2]) for m in sys.modules}))"
    command = [sys.executable, "-c", f"{program}; {report}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split("\n")[-2].split())
    assert "annobench" in loaded
    assert not loaded & set(LIGHT[program])


def test_a_table_with_usual_names_is_read_without_any_format(tmp_path):
    (tmp_path / "labels.csv").write_text("item,annotator,label\ni1,ann,good\n")
    program = (
        "import sys, annobench\n"
        "labels = annobench.read_labels('labels.csv')\n"
        "print(labels.n_labels, *(m for m in sys.modules if m.startswith(\n"
        "    ('annobench_exports', 'annobench.io.layouts'))))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]


def test_a_model_that_is_named_is_the_only_one_imported():
    program = (
        "import sys\n"
        "from annobench import models\n"
        "from annobench.core.errors import AnnotationError\n"
        "def imported():\n"
        "    names = (name.split('.') for name in sys.modules)\n"
        "    return sorted({n[2] for n in names if n[:2] == ['annobench', 'models'] and n[2:]}\n"
        "                  & set(models._MODELS))\n"
        "try:\n"
        "    models.get('dawid_skeen')\n"
        "except AnnotationError as error:\n"
        "    assert \"Did you mean 'dawid_skene'\" in str(error), error\n"
        "assert imported() == [], imported()\n"
        "module = models.get('glad')\n"
        "assert module.METHOD.name == 'glad'\n"
        "assert imported() == ['glad'], imported()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_package_still_gives_its_one_class():
    import annobench
    from annobench.labels.annotations import Annotations

    assert annobench.Annotations is Annotations
    with pytest.raises(AttributeError, match="attribute nothing"):
        annobench.nothing  # noqa: B018
