"""A library of an extra is imported where it is needed, or the extra is named."""

import sys

import pytest

from annobench.core import optional
from annobench.core.errors import AnnotationError, MissingLibraryError


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library of which no other module holds a part."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(optional.EXTRAS, "sparrow", ("py-sparrow", "birds"))
    yield tmp_path / "sparrow.py"
    sys.modules.pop("sparrow", None)


def test_what_is_missing_is_named_with_what_needs_it_and_its_extra(library):
    said = (
        "Singing needs py-sparrow, which is not installed. In the folder of the clone: "
        'pip install ".[birds]"'
    )
    assert not optional.is_installed("sparrow")
    for module in ("sparrow", "sparrow.song"):
        with pytest.raises(MissingLibraryError) as caught:
            optional.require(module, "Singing")
        assert str(caught.value) == said
    assert issubclass(MissingLibraryError, AnnotationError)


def test_a_library_that_lacks_a_part_of_its_own_is_not_called_missing(library):
    library.write_text("import a_module_that_nobody_has")
    assert optional.is_installed("sparrow")
    with pytest.raises(MissingLibraryError, match=r"imported \(No module named 'a_module"):
        optional.require("sparrow", "Singing")


def test_a_module_is_imported_when_a_name_of_it_is_used(library):
    module = optional.optional("sparrow", "Singing")
    assert "sparrow" not in sys.modules
    with pytest.raises(MissingLibraryError, match="Singing needs py-sparrow"):
        module.song  # noqa: B018
    library.write_text("song = 'tweet'")
    sys.path_importer_cache.pop(str(library.parent), None)
    assert module.song == "tweet"
    with pytest.raises(AttributeError, match="nothing"):
        module.nothing  # noqa: B018
