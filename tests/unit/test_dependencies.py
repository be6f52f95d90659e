"""The library sources that a script imports are found without running it."""

import json
from pathlib import Path

import pytest

import dependencies
from dependencies import _direct_once, digest, library_sources


@pytest.fixture
def sources(tmp_path):
    """Write a package and a script; return the names of the sources found for the script."""
    package = tmp_path / "lib"
    files = {
        "__init__.py": "from lib.errors import Oops\n",
        "errors.py": "class Oops(Exception): pass\n",
        "lone.py": "import numpy\n",
        "chain.py": "from lib.models import voting\n",
        "models/__init__.py": "",
        "models/voting.py": "from .base import Method\nfrom ..lone import thing\n",
        "models/base.py": "",
        "models/other.py": "import lib.lone\n",
        "circle_a.py": "import lib.circle_b\n",
        "circle_b.py": "import lib.circle_a\n",
    }
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def find(code, *, also=(), name="script.py"):
        script = tmp_path / "scripts" / name
        script.parent.mkdir(exist_ok=True)
        (tmp_path / "pages").mkdir(exist_ok=True)
        (tmp_path / "pages/counts.py").write_text("import lib.lone\nfrom pages import shades\n")
        (tmp_path / "pages/shades.py").write_text("")
        (tmp_path / "catalogue.py").write_text("import lib.chain")
        script.write_text(code)
        _direct_once.cache_clear()  # the script is written anew
        found = library_sources(script, package, also=also, workflow=tmp_path)
        return {Path(path).relative_to(tmp_path).as_posix() for path in found}

    return find


BASE = {"lib/__init__.py", "lib/errors.py"}
VOTING = BASE | {
    "lib/models/__init__.py",
    "lib/models/voting.py",
    "lib/models/base.py",
    "lib/lone.py",
}


@pytest.mark.parametrize(
    "code",
    [
        "import lib.models.voting",
        "import lib.models.voting as v",
        "from lib.models import voting",
        "from lib.models.voting import fit",
        "def late():\n    from lib.models import voting\n",
        "if True:\n    import numpy, lib.models.voting\n",
        "if x:\n    pass\nelif y:\n    from lib.models import voting\n",
        "try:\n    pass\nexcept ImportError:\n    from lib.models import voting\n",
        "try:\n    pass\nfinally:\n    from lib.models import voting\n",
        "for x in y:\n    pass\nelse:\n    with z:\n        from lib.models import voting\n",
        "match x:\n    case 1:\n        from lib.models import voting\n",
        "class Late:\n    async def late(self):\n        from lib.models import voting\n",
    ],
)
def test_every_form_of_import_is_followed(sources, code):
    assert sources(code) == VOTING


def test_what_only_type_checkers_import_is_not_a_source(sources):
    assert sources("if TYPE_CHECKING:\n    import lib.lone\n") == set()


@pytest.mark.parametrize("statement", ["import lib as l", "import os as o, lib  as l"])
def test_what_is_reached_through_another_name_is_a_source(sources, statement):
    assert "lib/lone.py" in sources(f"{statement}\nl.lone.f()")


def test_a_module_brings_its_packages_and_what_they_import(sources):
    assert sources("import lib") == BASE
    assert sources("import lib.lone") == BASE | {"lib/lone.py"}


def test_a_model_that_is_not_imported_is_not_a_source(sources):
    assert "lib/models/other.py" not in sources("from lib.models import voting")


def test_imports_of_imports_are_followed(sources):
    assert sources("import lib.chain") == VOTING | {"lib/chain.py"}


def test_imports_in_a_circle_end(sources):
    assert sources("import lib.circle_a") == BASE | {"lib/circle_a.py", "lib/circle_b.py"}


def test_a_script_without_the_library_has_no_sources(sources):
    assert sources("import numpy\nfrom library import x\nimport liberty") == set()


def test_a_module_found_by_discovery_is_named(sources):
    assert sources("import lib", also=["lib.models.other"]) == BASE | {
        "lib/models/__init__.py",
        "lib/models/other.py",
        "lib/lone.py",
    }


@pytest.mark.parametrize("code", ["from pages.counts import count", "from pages import counts"])
def test_what_scripts_share_and_what_that_imports_are_sources(sources, code):
    assert sources(code) == BASE | {"pages/counts.py", "pages/shades.py", "lib/lone.py"}


def test_what_reads_the_workflows_records_is_no_source(sources):
    assert sources("from catalogue import read_paper") == set()


def test_the_code_cells_of_a_notebook_are_read(sources):
    cells = [
        {"cell_type": "markdown", "source": ["import lib.chain"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import lib.lone"]},
    ]
    found = sources(json.dumps({"cells": cells}), name="note.ipynb")
    assert found == BASE | {"lib/lone.py"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("l.lone.thing(1).other", BASE | {"lib/lone.py"}),
        ("l.models.voting.fit(l.lone)", VOTING),
        ("l.models.fit('other')", VOTING | {"lib/models/other.py"}),
        ("l.thing(1)", BASE | {"lib/lone.py"}),
        ("m.lone", BASE),
    ],
)
def test_names_of_a_package_that_stands_under_another_name_are_followed(
    sources, tmp_path, code, found
):
    lib = tmp_path / "lib"
    (lib / "__init__.pyi").write_text("from . import lone, models\nfrom .lone import thing\n")
    (lib / "models/__init__.py").write_text("\ndef discover(): ...\ndef fit(name): ...\n")
    assert sources(f"import lib as l\n{code}\n") == found


def test_a_script_that_is_no_python_is_named_with_its_line(sources):
    with pytest.raises(SyntaxError, match=r"script\.py, line 2: .*correct it and run again"):
        sources("import lib\nfrom import\n")


def test_a_package_whose_discovery_is_imported_brings_its_modules(sources):
    assert sources("from lib.models import discover") == VOTING | {"lib/models/other.py"}


def test_a_digest_follows_names_and_contents_and_no_order(tmp_path):
    def of(folder, **files):
        (tmp_path / folder).mkdir()
        paths = [tmp_path / folder / f"{name}.py" for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text)
        assert digest(paths) == digest(paths[::-1])
        return digest(paths)

    same = of("first", a="1\n", b="2\n")
    assert of("second", b="2\n", a="1\n") == same
    others = [
        of("edited", a="1\n", b="2\n\n"),
        of("exchanged", a="2\n", b="1\n"),
        of("renamed", a="1\n", c="2\n"),
        of("one less", a="1\n"),
        of("moved text", a="1\n2\n", b=""),
    ]
    assert len({same, *others}) == 6


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of its own, and the step from one process to the next."""
    kept = tmp_path / "imports.json"
    monkeypatch.setattr(dependencies, "_STORE", kept)
    stored = {}
    monkeypatch.setattr(dependencies, "_stored", lambda: stored)

    def next_process():
        own = dependencies._digest_once(dependencies.__file__)
        dependencies._keep(own, stored, 0)
        monkeypatch.undo()
        monkeypatch.setattr(dependencies, "_STORE", kept)
        monkeypatch.setattr(dependencies.atexit, "register", lambda *_: None)
        dependencies._stored.cache_clear()

    yield kept, next_process
    dependencies._stored.cache_clear()


def test_what_code_imports_is_read_once(sources, store, monkeypatch):
    _, next_process = store
    code = "import lib.models.voting"
    first = sources(code)
    next_process()
    monkeypatch.setattr(dependencies, "_parsed", None)  # nothing is parsed again
    assert sources(code) == first == VOTING


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"reader": "another", "imports": {}}'])
def test_a_store_that_cannot_be_used_is_made_anew(sources, store, text):
    kept, next_process = store
    next_process()
    kept.write_text(text)
    assert sources("import lib.models.voting") == VOTING
