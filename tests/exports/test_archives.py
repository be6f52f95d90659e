"""Archives of every format that is one: encrypted and damaged members are refused in words."""

import errno
import shutil
import zipfile

import pytest

from annobench.core.errors import FullDiskError, ReaderError
from annobench.io.formats import read_export

LOG = '{"version": 2, "eval": {"task": "t", "model": "m"}, "status": "success"}'
SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
ARCHIVES = {
    "log.eval": {"header.json": LOG, "samples/1_epoch_1.json": '{"id": 1, "epoch": 1}' * 40},
    "book.xlsx": {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": "<workbook/>",
        "xl/worksheets/sheet1.xml": SHEET * 40,
    },
    "doccano.zip": {"ann.jsonl": '{"id": 1, "text": "a", "label": ["x"]}\n' * 40},
    "project.zip": {"exportedproject1.json": "{}", "source/a.txt": "a" * 200},
}


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in members.items():
            made.writestr(name, text)
    return bytearray(path.read_bytes())


def test_a_full_disk_is_not_taken_for_a_damaged_archive(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "doccano.zip"
    archive(path, ARCHIVES[path.name])
    monkeypatch.setattr(shutil, "copyfileobj", refuse)
    with pytest.raises(FullDiskError, match=r"ann\.jsonl can't be written \(No space left"):
        read_export(path)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_encrypted_archive_is_refused(tmp_path, name):
    path = tmp_path / name
    data = archive(path, ARCHIVES[name])
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(mark, at + 4)
    path.write_bytes(data)
    with pytest.raises(ReaderError, match=name.replace(".", r"\.")):
        read_export(path)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_whose_members_are_damaged_is_refused(tmp_path, name):
    path = tmp_path / name
    data = archive(path, ARCHIVES[name])
    with zipfile.ZipFile(path) as made:
        for member in made.infolist():
            start = member.header_offset + 30 + len(member.filename.encode())
            data[start : start + member.compress_size] = b"\xff" * member.compress_size
    path.write_bytes(data)
    with pytest.raises(ReaderError, match=name.replace(".", r"\.")):
        read_export(path)
