"""Names that moved warn for a version, and those that left the library say where they are."""

import pytest

import annobench
from annobench.benchmark import external_methods, regimes


def test_former_names_of_the_benchmark_warn_and_are_what_they_were():
    with pytest.warns(DeprecationWarning, match=r"is now annobench\.benchmark\.external_methods\."):
        assert annobench.studies.doors.from_function is external_methods.from_function
    with pytest.warns(
        DeprecationWarning, match=r"studies\.benchmark\.regimes is now annobench\.benchmark\."
    ):
        assert annobench.studies.benchmark.regimes is regimes


@pytest.mark.parametrize("name", ["coverage", "conformance"])
def test_a_study_that_left_the_library_says_where_it_is(name):
    with pytest.raises(AttributeError, match="folder workflow/studies of the repository"):
        getattr(annobench.studies, name)
