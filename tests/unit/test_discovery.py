"""Records are found by the files that hold them."""

import pytest

from annobench.core.discovery import did_you_mean, records


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package of modules, by name and source, and return how to find its records."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(name, modules):
        (tmp_path / name).mkdir()
        for module, source in ({"__init__": ""} | modules).items():
            (tmp_path / name / f"{module}.py").write_text(source)
        return lambda attribute="METHOD": records(name, attribute)

    return make


RECORD = "from types import SimpleNamespace as Record\n"


def test_modules_with_a_record_are_found_in_the_order_of_their_names(package):
    find = package(
        "found_in_order",
        {
            "zebra": f"{RECORD}METHOD = Record(name='a')",
            "ant": f"{RECORD}METHOD = Record(name='z')",
            "_private": f"{RECORD}METHOD = Record(name='p')",
            "parts": "",
        },
    )
    assert list(find()) == ["z", "a"]
    assert find()["z"].__name__ == "found_in_order.ant"


def test_a_module_may_hold_several_records_by_their_ids(package):
    find = package("several", {"two": f"{RECORD}SETS = (Record(id='a'), Record(id='b'))"})
    assert list(find("SETS")) == ["a", "b"]
    assert find() == {}


def test_two_records_of_one_name_are_an_error_naming_both_modules(package):
    same = f"{RECORD}METHOD = Record(name='twin')"
    find = package("twins", {"first": same, "second": same})
    with pytest.raises(ImportError, match=r"'twin' occurs in twins\.first and in twins\.second"):
        find()


def test_only_close_names_are_suggested():
    assert did_you_mean("vooting", ["voting", "glad"]) == " Did you mean 'voting'?"
    assert did_you_mean("magic", ["voting", "glad"]) == ""
