"""Which files a command may replace; `tests/contract/test_replacing.py` tries every command."""

from __future__ import annotations

import os

import pytest

from annobench.cli._replacing import refuse_to_replace
from annobench.core.errors import AnnotationError


def test_two_outputs_need_two_names(tmp_path):
    targets = [tmp_path / "labels.csv", tmp_path / "." / "labels.csv"]
    with pytest.raises(AnnotationError, match="name of two outputs"):
        refuse_to_replace("convert", targets, sources=[], force=True)


def test_another_name_of_the_source_is_never_replaced(tmp_path):
    source, target = tmp_path / "labels.csv", tmp_path / "linked.csv"
    source.write_text("item,annotator,label\n")
    os.link(source, target)
    with pytest.raises(AnnotationError, match="part of the input"):
        refuse_to_replace("convert", [target], sources=[source], force=True)
