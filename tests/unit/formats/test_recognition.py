"""What is said of a file that no format fits, and the order in which layouts are asked."""

from types import ModuleType

import pytest
from written import text_file

from annobench.io.formats import discovery, recognise
from annobench.io.formats.columnar import _decoder
from annobench.io.formats.recognition import _said_of_fields


def test_one_object_of_columns_is_told_from_a_record():
    assert "one object with the keys 'a', 'b'" in _said_of_fields({"a": {}, "b": {}})
    for record in ({"a": {}, "b": 1}, {"a": {}}, {"a": 1, "b": 2}):
        assert "Its records have the fields 'a'" in _said_of_fields(record)


def test_plain_tables_are_the_last_that_a_table_is_taken_for():
    names = list(discovery._found().layouts)
    assert names == [*sorted(set(names) - {"plain"}), "plain"]


@pytest.mark.parametrize("kind", ["FORMAT", "LAYOUT"])
def test_a_record_of_another_type_is_refused(kind, monkeypatch):
    module = ModuleType("someones")
    setattr(module, kind, "a text")
    found = {"someones": module}
    monkeypatch.setattr(discovery, "records", lambda _, name: found if name == kind else {})
    with pytest.raises(TypeError, match=f"someones: {kind} must be"):
        discovery._of("someones")


def test_a_field_called_names_is_no_list_of_labels():
    names = {"names": ["no", "yes"], "_type": "ClassLabel"}
    assert _decoder(names)(1) == "yes"
    assert _decoder({"names": [{"_type": "Value"}]})({"names": [1, 0]}) == {"names": [1, 0]}
    found = _decoder({"names": [{"_type": "Value"}], "mood": names})({"names": ["x"], "mood": 1})
    assert found == {"names": ["x"], "mood": "yes"}


def test_tables_of_a_folder_all_name_annotators_or_are_one_each(tmp_path):
    own, batch = "id,label\nx,yes\n", "id,annotator,label\nx,ann,yes\n"
    for name, first, second in (("own", own, own), ("batch", batch, batch), ("mixed", own, batch)):
        text_file(tmp_path / name / "one.csv", first)
        text_file(tmp_path / name / "two.csv", second)
    assert recognise(tmp_path / "own") == {"folder": "a file per annotator"}
    assert recognise(tmp_path / "batch") == {"folder": "a file a batch"}
    assert "folder" not in recognise(tmp_path / "mixed")
