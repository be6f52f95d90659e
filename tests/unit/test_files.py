"""Files are written whole or not at all, and a script's log keeps what it says."""

import errno
import logging
import os
import re
import subprocess
import sys
import tempfile
import threading
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from disks import filled, mounted

from annobench import plotting
from annobench.core import files
from annobench.core.errors import FullDiskError
from annobench.core.files import recording, remove_abandoned_drafts, replacing, write_csv
from annobench.io.table import write_labels
from annobench.labels import Annotations


def test_a_file_appears_whole_in_a_folder_that_is_made(tmp_path):
    target = tmp_path / "new" / "file.csv"
    with replacing(target) as draft:
        assert draft.suffix == ".csv"
        draft.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert list(target.parent.iterdir()) == [target]


def _write_half(path):
    path.write_text("half")
    raise OSError("in the middle")


def test_after_an_error_the_old_file_stands_and_no_draft_is_left(tmp_path):
    target = tmp_path / "file.csv"
    target.write_text("old")
    with pytest.raises(OSError, match="in the middle"), replacing(target) as draft:
        _write_half(draft)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.fixture
def killed(tmp_path):
    """A folder in which a process was killed while it wrote `file.svg`."""
    code = (
        "import os, signal, sys\n"
        "from annobench.core.files import replacing\n"
        "with replacing(sys.argv[1]) as draft:\n"
        "    draft.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    folder = tmp_path / "results" / "figures"
    run = subprocess.run([sys.executable, "-c", code, folder / "file.svg"])
    assert run.returncode < 0
    assert [path.read_text() for path in folder.iterdir()] == ["half"]
    return folder


@pytest.mark.parametrize("name", ["file.svg", "another.svg"])
def test_the_next_write_removes_the_draft_of_a_killed_process(killed, name):
    with replacing(killed / name) as draft:
        draft.write_text("whole")
    assert list(killed.iterdir()) == [killed / name]


def test_abandoned_drafts_are_removed_from_all_folders_below(killed):
    (killed / "table.csv").write_text("finished")
    remove_abandoned_drafts(killed.parent)
    assert list(killed.iterdir()) == [killed / "table.csv"]
    remove_abandoned_drafts(killed / "missing")


def test_the_draft_of_a_living_writer_is_left_alone(tmp_path):
    target = tmp_path / "file.csv"
    with replacing(target) as first:
        first.write_text("first")
        with replacing(target) as second:
            second.write_text("second")
        code = (
            "import sys; from annobench.core.files import remove_abandoned_drafts as remove; "
            "remove(sys.argv[1])"
        )
        subprocess.run([sys.executable, "-c", code, tmp_path], check=True)
        assert first.read_text() == "first"
        assert target.read_text() == "second"
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_many_threads_write_into_one_folder(tmp_path):
    def write(n):
        for _ in range(50):
            with replacing(tmp_path / f"{n % 4}.txt") as draft:
                draft.write_text("whole")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A thread that failed is an error of its own (pytest's warning for it).
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        f"{n}.txt": "whole" for n in range(4)
    }


def test_a_file_has_the_mode_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_text("")
    with replacing(tmp_path / "replaced") as draft:
        draft.write_text("")
    assert (tmp_path / "replaced").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_log_keeps_messages_warnings_and_what_children_write(tmp_path):
    log = tmp_path / "logs" / "script.log"
    with recording(log, name="make_things") as logger:
        logger.info("begun")
        # The filter of the tests turns warnings into errors; a script has the default one.
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("beware", UserWarning, stacklevel=1)
        subprocess.run([sys.executable, "-c", "import os; os.write(2, b'from a child')"])
    text = log.read_text()
    assert "INFO make_things: begun" in text
    assert "beware" in text
    assert "from a child" in text


def test_an_error_leaves_its_traceback_in_the_log_and_its_message_on_the_terminal(tmp_path, capfd):
    log = tmp_path / "script.log"
    with pytest.raises(SystemExit, match="1"), recording(log, name="make_things"):
        raise ValueError("labels.csv, line 3: no label")
    assert "Traceback" in log.read_text()
    assert capfd.readouterr().err == (f"make_things: labels.csv, line 3: no label (log: {log})\n")


def test_an_error_that_is_expected_leaves_outputs_in_place_of_those_of_the_script(tmp_path, capfd):
    messages, log = [], tmp_path / "script.log"
    with recording(log, name="make_things", rescue=messages.append, errors=(ValueError,)):
        raise ValueError("labels.csv, line 3: no label")
    assert messages == ["labels.csv, line 3: no label"]
    assert "Traceback" in log.read_text()
    assert "make_things: labels.csv, line 3: no label (log: " in capfd.readouterr().err


@pytest.mark.parametrize("error", [KeyError("kappa"), OSError(errno.ENOSPC, "full")])
def test_other_errors_and_a_full_disk_fail_as_ever(tmp_path, error):
    def never(message):
        raise AssertionError(message)

    rescued = recording(tmp_path / "log", name="a", rescue=never, errors=(ValueError, OSError))
    with pytest.raises(SystemExit, match="1"), rescued:
        raise error


def test_a_message_of_one_word_has_the_class_of_its_error(tmp_path, capfd):
    with pytest.raises(SystemExit), recording(tmp_path / "log", name="make_things"):
        raise KeyError("kappa")
    assert "make_things: KeyError: 'kappa' (log: " in capfd.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is full")
def test_a_full_disk_is_named_though_the_log_is_on_it_too(capfd):
    def fill():
        logging.getLogger().info("begun")
        print("what a library says", file=sys.stderr)
        Path("/dev/full").write_text("whole")

    with pytest.raises(SystemExit, match="1"), recording("/dev/full", name="make_things"):
        fill()
    said = capfd.readouterr().err
    assert re.search(
        r"^make_things: \[Errno 28\] No space left on device\. The disk of \S+ is too full "
        r"\([\d,]+ bytes are free\): free some space, and run the same command again "
        r"\(log: /dev/full\)$",
        said,
        re.MULTILINE,
    ), said
    assert "Traceback" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is full")
def test_a_full_disk_in_the_cause_of_an_error_is_named(tmp_path, capfd):
    def write():
        try:
            Path("/dev/full").write_text("whole")
        except OSError as error:
            raise ValueError("the table can't be written here.") from error

    with pytest.raises(SystemExit, match="1"), recording(tmp_path / "log", name="make_things"):
        write()
    assert "make_things: the table can't be written here. The disk of" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, r"The disk of \S+ is too full \([\d,]+ bytes are free\)"),
        (errno.EDQUOT, r"Your quota on the disk of \S+ is used up"),
    ],
)
def test_a_full_disk_is_an_error_with_the_file_and_the_remedy(tmp_path, capfd, number, says):
    target = tmp_path / "file.csv"
    target.write_text("old")

    def write():
        with replacing(target) as draft:
            draft.write_text("half")
            raise OSError(number, os.strerror(number))

    what = rf"{re.escape(str(target))} can't be written \({os.strerror(number)}\)"
    how = "free some space, and run the same command again"
    with pytest.raises(FullDiskError, match=rf"^{what}\. {says}: {how}\.$"):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(SystemExit, match="1"), recording(tmp_path / "log", name="make_things"):
        write()
    assert capfd.readouterr().err.count("free some space") == 1


def test_other_errors_of_a_write_stay_as_they_are(tmp_path):
    with pytest.raises(PermissionError), replacing(tmp_path / "file.csv"):
        raise PermissionError(errno.EACCES, "Permission denied")


LABELS = Annotations.from_arrays(
    [f"item {n}" for n in range(5000)], ["a", "b"] * 2500, ["x", "y"] * 2500
)
TABLE = pd.DataFrame({"x": np.random.default_rng(1).random(20_000)})


def write_parquet(path):
    with replacing(path) as draft:
        TABLE.to_parquet(draft)


def save_figure(path):
    with plotting.house_figure() as (figure, (axes, _)):
        axes.plot(TABLE["x"])
        plotting.save_figure(figure, path.with_suffix(""))


WRITERS = {
    "table.csv": partial(write_csv, TABLE),
    "table.parquet": write_parquet,
    "labels.parquet": partial(write_labels, LABELS),
    "labels.csv": partial(write_labels, LABELS),
    "figure.svg": save_figure,
}


@pytest.mark.parametrize("name", WRITERS)
def test_whatever_is_written_names_a_disk_that_is_full(tmp_path, name):
    options = ("-t", "tmpfs", "-o", "size=64k", "tmpfs")
    with mounted(tmp_path, *options), filled(tmp_path, pages=2):
        target = tmp_path / name
        with pytest.raises(
            FullDiskError,
            match=rf"/{re.escape(name)} can't be written \(No space left on device\)\. The disk",
        ):
            WRITERS[name](target)
        assert [path.name for path in tmp_path.iterdir()] == ["ballast"]


def test_a_full_disk_is_named_though_the_error_is_another_one(tmp_path, capfd, monkeypatch):
    def full(dir):
        raise OSError(errno.ENOSPC, "No space left on device", dir)

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(SystemExit, match="1"), recording(tmp_path / "log", name="make_things"):
        raise RuntimeError("the kernel died")
    assert "make_things: the kernel died. The disk of" in capfd.readouterr().err


def test_one_full_disk_of_two_is_enough(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    for full in ((), (folder,), (Path(tempfile.gettempdir()),)):
        monkeypatch.setattr(files, "_has_room", lambda place, full=full: place not in full)
        assert bool(files._full_disk(RuntimeError("died"), folder)) is bool(full)


def test_a_log_that_can_not_be_opened_is_an_error_that_says_who_needs_it(tmp_path, capfd):
    (tmp_path / "logs").write_text("a file")
    with (
        pytest.raises(SystemExit, match="1"),
        recording(tmp_path / "logs" / "script.log", name="make_things"),
    ):
        pytest.fail("nothing runs without its log")
    assert re.match(r"make_things: \[Errno \d+\] .*logs", capfd.readouterr().err)


def test_recording_puts_everything_back(tmp_path, capfd):
    before = logging.getLogger().handlers[:], logging.getLogger().level
    with recording(tmp_path / "script.log", name="make_things"):
        pass
    os.write(2, b"on the terminal")
    assert capfd.readouterr().err == "on the terminal"
    assert (logging.getLogger().handlers, logging.getLogger().level) == before
