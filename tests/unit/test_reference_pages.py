"""The reference: the face with a line each, internals apart and out of the search."""

from pathlib import Path

import pytest

import annobench
from pages import reference_pages


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    reference_pages.write_reference(folder, Path(annobench.__file__).parent, "Reference")
    return folder


def test_each_name_of_the_face_has_a_line(folder):
    text = (folder / "index.rst").read_text()
    face, internals = text.split("\nInternals\n")
    for name in annobench.__all__:
        [line] = [
            each
            for each in face.splitlines()
            if f"`~annobench.{name}`" in each or f"`{name} <" in each
        ]
        assert len(line.partition(": ")[2]) > 10, line
    assert "annobench.core.files" in internals
    assert "annobench.agreement.report_table" not in internals


def test_internals_are_left_out_of_the_search_and_the_face_is_not(folder):
    hidden = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.rst")
        if path.read_text().startswith(":no-search:")
    }
    assert {"core/files.rst", "core/index.rst"} <= hidden
    assert not hidden & {"index.rst", "agreement/index.rst", "models/dawid_skene/model.rst"}
    # Each coefficient and model can be found.
    assert not [name for name in hidden if name.startswith("agreement/coefficients/")]
