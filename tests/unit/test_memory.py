"""How much memory there is, and labels that are refused as they would need more."""

import resource
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from annobench.cli import _memory, app
from annobench.cli._memory import PER_LABEL, estimated_labels
from annobench.core import memory
from annobench.core.errors import AnnotationError
from annobench.io.source import Source


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Files of a system with 8 GB free, and a function that writes more of them."""
    monkeypatch.setattr(memory, "_PROCESSES", tmp_path / "proc")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path / "groups")

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n")
    return write


def test_memory_is_what_is_free(system):
    assert memory.available_memory() == 8_192_000_000


def test_a_system_that_does_not_say_refuses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_PROCESSES", tmp_path)
    assert memory.available_memory() == float("inf")
    memory.refuse_beyond_memory(1e18, "this", "that")


def test_groups_of_the_second_version_limit_it_from_any_level(system):
    system("proc/self/cgroup", "0::/jobs/7\n")
    system("groups/jobs/memory.max", "3000000\n")
    system("groups/jobs/memory.current", "2500000\n")
    system("groups/jobs/memory.stat", "anon 5\ninactive_file 400000\n")
    system("groups/jobs/7/memory.max", "max\n")
    system("groups/jobs/7/memory.current", "7\n")
    assert memory.available_memory() == 3_000_000 - 2_500_000 + 400_000


def test_groups_of_the_first_version_limit_it(system):
    system("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/box\n0::/\n")
    system("groups/memory/box/memory.limit_in_bytes", "1000000\n")
    system("groups/memory/box/memory.usage_in_bytes", "900000\n")
    system("groups/memory/box/memory.stat", "total_inactive_file 50000\ninactive_file 1\n")
    assert memory.available_memory() == 150_000


def test_a_limit_of_addresses_counts():
    program = (
        "from annobench.core.memory import available_memory as free\n"
        "import resource\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (taken + (1 << 30), {resource.RLIM_INFINITY}))\n"
        "assert 0 < free() <= 1 << 30, free()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_work_within_memory_is_not_refused(system):
    memory.refuse_beyond_memory(8.1e9, "this", "that")
    message = "this would need about 8.3 GB of memory, and 8.2 GB are available. Do that."
    with pytest.raises(AnnotationError, match=message):
        memory.refuse_beyond_memory(8.3e9, "this", "Do that.")


def rows(n):
    return "item,annotator,label\n" + "".join(f"item {i},a{i % 7},yes\n" for i in range(n))


@pytest.mark.parametrize("name", ["labels.csv", "labels.tsv", "labels.parquet", "export.jsonl"])
def test_labels_are_counted_from_the_size_of_the_file(tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"item": ["x"] * 1000}), path)
        assert estimated_labels(Source.of(path)) == 1000
        return
    path.write_text(rows(100_000))
    # The first lines are a little shorter than those with larger numbers.
    assert estimated_labels(Source.of(path)) == pytest.approx(
        path.stat().st_size / 200 if path.suffix == ".jsonl" else 100_000, rel=0.1
    )


def test_what_is_no_file_of_labels_is_left_to_its_reader(tmp_path):
    (tmp_path / "bad.parquet").write_text("no")
    assert estimated_labels(Source.of(tmp_path / "bad.parquet")) == 0


@pytest.mark.parametrize("command", PER_LABEL)
def test_a_command_refuses_labels_beyond_memory_before_it_reads_them(
    tmp_path, monkeypatch, command
):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label\n")  # reading it would be another error
    monkeypatch.setattr(_memory, "estimated_labels", lambda _: 3e9)
    more = {
        "convert": [tmp_path / "out.csv"],
        "judge": ["--judge", "a0"],
        "compare": ["--labels", path, "--gold", "label", "--against", "voting"],
    }.get(command, [])
    words = [command, *([] if command == "compare" else [path]), *more]
    done = CliRunner().invoke(app, list(map(str, words)))
    said = " ".join(done.output.split())
    assert done.exit_code == 1, done.output
    assert f"about 3,000,000,000 labels, for which annobench {command} would need about" in said
    assert f"annobench partition {path} partitions/" in said
    assert list(tmp_path.iterdir()) == [path]
