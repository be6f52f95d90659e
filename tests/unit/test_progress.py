"""Progress over many files: a line in the log for each fifth, where there is no terminal."""

import logging

import pytest

from annobench.datasets.progress import tracked


@pytest.mark.parametrize(("total", "lines"), [(3, [1, 2, 3]), (10, [2, 4, 6, 8, 10]), (0, [])])
def test_the_log_has_at_most_about_five_lines(total, lines, caplog, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    with caplog.at_level(logging.INFO, logger="annobench"):
        assert list(tracked(range(total), "reading", total)) == list(range(total))
    assert [record.getMessage() for record in caplog.records] == [
        f"reading: {n} of {total} files" for n in lines
    ]
