"""Programs as methods: what they are given, what they may write, and how they fail."""

import os
import signal
import sys
import textwrap
import time

import numpy as np
import pytest

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.external_methods import from_program
from annobench.benchmark.external_methods.answers import AnswerError
from annobench.benchmark.fits import fit_all
from annobench.core.errors import MethodError, MethodTimeoutError
from annobench.labels.annotations import Annotations
from annobench.models import voting

VOTES = """
    import collections, csv, sys

    with open(sys.argv[1], encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    votes = collections.defaultdict(collections.Counter)
    for row in rows:
        votes[row["item"]][row["label"]] += 1
    names = sorted({row["label"] for row in rows}, reverse=True)
    with open(sys.argv[2], "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*names, "item"])
        for item, count in reversed(votes.items()):
            writer.writerow([*(count[k] / count.total() for k in names), item])
    """


@pytest.fixture
def labels():
    """Names with everything that CSV must quote; item z has no label, category c none either."""
    items = ['x, "y"', "żółw\n2", "01", "z"]
    return Annotations.from_arrays(
        [items[i] for i in (0, 0, 1, 1, 2)],
        list("abaca"),
        ['no, "not"', "да", "да", "да", 'no, "not"'],
        items=items,
        categories=['no, "not"', "c", "да"],
    )


@pytest.fixture
def program(tmp_path):
    """Write a program, and make a method of it."""

    def write(text, *, limit=20.0, words="{labels} {probabilities}", name="my program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return from_program(f"{sys.executable} '{path}' {words}", limit=limit)

    return write


def test_a_program_is_a_method(labels, program):
    found = program(VOTES)
    assert found.METHOD.deterministic
    assert found.METHOD.name == f"{os.path.basename(sys.executable)} my program.py"
    fitted = found.fit(labels)
    np.testing.assert_allclose(fitted.posterior, voting.fit(labels).posterior)
    assert 0 < fitted.seconds < 20
    assert fitted.peak_bytes > 1e6


def test_labels_may_be_written_in_place_of_probabilities(labels, program):
    found = program("""
        import csv, sys
        rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8", newline="")))
        with open(sys.argv[2], "w", encoding="utf-8-sig", newline="") as stream:
            last = {row["item"]: row["label"] for row in rows}
            csv.writer(stream).writerows([("item", "label"), *last.items()])
        """)
    # The last label of each item, from a file with a mark of its encoding.
    assert found.fit(labels).posterior[:3].tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0]]


def test_a_seed_makes_a_program_random_and_repeatable(labels, program):
    found = program(
        """
        import csv, random, sys
        random.seed(int(sys.argv[3]))
        items = dict.fromkeys(r["item"] for r in csv.DictReader(open(sys.argv[1], newline="")))
        with open(sys.argv[2], "w", newline="") as stream:
            out = csv.writer(stream)
            out.writerow(["item", "c", "да"])
            for item in items:
                p = random.random()
                out.writerow([item, p, 1 - p])
        """,
        words="{labels} {probabilities} {seed}",
    )
    assert not found.METHOD.deterministic
    one, two, other = (found.fit(labels, rng=seed).posterior for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, other)


def test_a_program_runs_in_a_folder_that_is_removed(labels, program, tmp_path):
    seen = tmp_path / "seen"
    found = program(
        f"import os; open({str(seen)!r}, 'w').write(os.getcwd() + ' ' + ' '.join(os.listdir()))"
    )
    with pytest.raises(MethodError, match="wrote no file"):
        found.fit(labels)
    folder, *files = seen.read_text().split()
    assert "labels.csv" in files
    assert not os.path.exists(folder)


def test_a_file_of_the_current_folder_is_found_from_the_temporary_one(
    labels, tmp_path, monkeypatch
):
    (tmp_path / "votes.py").write_text(textwrap.dedent(VOTES), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = from_program(f"{sys.executable} votes.py {{labels}} {{probabilities}}", limit=20)
    np.testing.assert_allclose(found.fit(labels).posterior, voting.fit(labels).posterior)


def test_the_source_changes_with_the_program(program):
    first = program(VOTES).SOURCE
    assert first == program(VOTES).SOURCE
    assert first != program(VOTES + "\n    # edited").SOURCE


COMMANDS = {
    "my.py {labels}": "does not name {probabilities}",
    "my.py {probabilities}": "does not name {labels}",
    "my.py {labels} {probabilities} {gold}": "names {gold}, which is not one of {labels}",
    "my.py {labels} {probabilities": "can't be read",
    "my.py '{labels} {probabilities}": "No closing quotation",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_without_its_fields_is_refused(command):
    with pytest.raises(MethodError) as caught:
        from_program(command, limit=1)
    assert COMMANDS[command] in str(caught.value)


def test_a_program_that_is_not_there_is_named(labels):
    found = from_program("no-program-of-this-name {labels} {probabilities}", limit=1)
    with pytest.raises(MethodError, match="'no-program-of-this-name' can't be run"):
        found.fit(labels)


def write_answer(text):
    return f"import sys; open(sys.argv[2], 'w', encoding='utf-8').write({text!r})"


HOSTILE = {
    "fails": ("import sys; sys.exit('no luck')", MethodError, "exit status 1: .*\nno luck\n"),
    "is silent": ("raise SystemExit(3)", MethodError, "exit status 3: .*It printed nothing"),
    "dies": ("import os; os.abort()", MethodError, "ended with signal SIGABRT"),
    "writes nothing": ("print('done')", MethodError, "wrote no file to {probabilities}"),
    "writes an empty file": (write_answer(""), MethodError, "got an empty file"),
    "names no item": (write_answer("task,да\nx,1\n"), MethodError, "got the header 'task', 'да'"),
    "numbers the rows": (
        write_answer(",item,да\n1,01,1\n"),
        MethodError,
        "row.names = FALSE; pandas: index=False",
    ),
    "does not quote": (
        write_answer("item,да\nx, y,1\n"),
        MethodError,
        "row 2: 3 fields where the header has 2",
    ),
    "breaks its quotes": (write_answer('item,да\n"x"y,1\n'), MethodError, "can't be read"),
    "writes text": (
        write_answer("item,да\n01,sure\n"),
        MethodError,
        "got 'sure' for item '01', column 'да'",
    ),
    "writes a decimal comma": (write_answer('item,да\n01,"0,5"\n'), MethodError, "got '0,5'"),
    "leaves out items": (write_answer("item,да\n01,1\n"), AnswerError, "got none for 2"),
    "reads numbers": (write_answer("item,да\n1,1\n"), AnswerError, "got '1', which is not among"),
    "writes NaN": (
        write_answer('item,да\n"x, ""y""",1\n"żółw\n2",NaN\n01,1\n'),
        AnswerError,
        "got nan for item 'żółw",
    ),
    "writes counts": (
        write_answer('item,да\n"x, ""y""",1\n"żółw\n2",2\n01,1\n'),
        AnswerError,
        "with the sum 2 for item 'żółw",
    ),
    "names another category": (
        write_answer('item,да,нет\n"x, ""y""",1,0\n"żółw\n2",1,0\n01,1,0\n'),
        AnswerError,
        "got 'да', 'нет'. Name each",
    ),
    "writes Latin-1": (
        "import sys; open(sys.argv[2], 'wb').write(b'item,\\xe9\\n')",
        MethodError,
        "can't be read .*UTF-8",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_program_that_goes_wrong_is_reported(labels, program, name):
    text, kind, message = HOSTILE[name]
    with pytest.raises(kind, match=f"(?s){message}"):
        program(text).fit(labels)


def test_a_message_shows_the_command_as_it_was_written(labels, program):
    with pytest.raises(MethodError, match=r"my program.py' \{labels\} \{probabilities\}\. It"):
        program("raise SystemExit(3)").fit(labels)


def test_only_the_end_of_what_was_printed_is_shown(labels, program):
    found = program("import sys; sys.stderr.write('x' * 10**6 + 'the end'); sys.exit(2)")
    with pytest.raises(MethodError, match="the end") as caught:
        found.fit(labels)
    assert len(str(caught.value)) < 4_000


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().split(")")[-1].split()[0] != "Z"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="asks /proc who lives")
def test_a_program_that_hangs_is_stopped_with_its_children(labels, program, tmp_path):
    children = tmp_path / "children"
    found = program(
        f"""
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open({str(children)!r}, "w").write(str(child.pid))
        print("waiting", file=sys.stderr, flush=True)
        time.sleep(600)
        """,
        limit=1.0,
    )
    start = time.monotonic()
    with pytest.raises(MethodTimeoutError, match=r"(?s)stopped after 1 s.*waiting.*Raise --limit"):
        found.fit(labels)
    assert time.monotonic() - start < 10
    child = int(children.read_text())
    end = time.monotonic() + 5
    while alive(child) and time.monotonic() < end:
        time.sleep(0.02)
    assert not alive(child)


def test_a_child_that_is_left_behind_holds_nothing_up(labels, program, tmp_path):
    path = tmp_path / "votes.py"
    path.write_text(textwrap.dedent(VOTES), encoding="utf-8")
    found = program(f"""
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        sys.exit(subprocess.call([sys.executable, {str(path)!r}, *sys.argv[1:]]))
        """)
    start = time.monotonic()
    np.testing.assert_allclose(found.fit(labels).posterior, voting.fit(labels).posterior)
    assert time.monotonic() - start < 10


def test_the_benchmark_runs_a_program_once_and_takes_its_own_time(labels, program, tmp_path):
    runs = tmp_path / "runs"
    counted = program(textwrap.dedent(VOTES) + f"\nopen({str(runs)!r}, 'a').write('x')\n")
    case = BenchmarkCase("toy", labels, np.array([0, 2, 0, -1]), "real")
    [record] = fit_all([case], [counted], limit=20, seed=1)
    assert record.status == "scored", record.note
    assert record.seconds > 0.005, "starting Python takes longer than that"
    # Twice for the tiny labels that let others compile.
    assert runs.read_text() == "xxx"


def test_the_benchmark_records_a_program_that_hangs_as_over_budget(labels, program):
    slow = program("import time; time.sleep(600)", limit=0.3)
    case = BenchmarkCase("toy", labels, np.array([0, 2, 0, -1]), "real")
    [record] = fit_all([case], [slow], limit=0.3, seed=1)
    assert record.status == "over budget"
    assert "stopped after 0.3 s" in record.note
    assert record.posterior is None
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
