"""README quotes what `python -m benchmarks start` stored, and the command measures a start."""

import subprocess
import sys

from benchmarks import start

#: Fails where the cache of who measures could supply something.
HIDDEN = f"{sys.executable} -c exit('ANNOBENCH_CACHE'in(__import__('os').environ))"


def test_readme_says_what_is_stored():
    assert start.stored()[1], "nothing is stored: run python -m benchmarks start"
    text = start.README.read_text(encoding="utf-8")
    assert text.count(start.BEGIN) == text.count(start.END) == 1
    assert start.quote() == text


def test_a_quote_names_the_work_and_rounds():
    rows = [
        {"work": "one paper", "quantity": quantity, "value": value}
        for quantity, value in (("wall", "12.64"), ("processor", "3.55"), ("disk", "1573"))
    ]
    text = start.quoted("measured 2026-11-29; 2 cores of X; CPython 3.11.7", rows)
    assert "(measured 2026-11-29, 2 cores of X)" in text
    assert text.replace("\n", " ").endswith("one paper 13 and 3.5 minutes, 1,573 MB.")


def test_times_and_disk_are_those_of_the_commands_in_a_clean_clone(tmp_path, monkeypatch):
    monkeypatch.setenv("ANNOBENCH_CACHE", "/nowhere")
    for words in (["init", "--quiet"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit"]):
        more = ["--quiet", "--allow-empty", "--message=a"] if "commit" in words else []
        subprocess.run(["git", *words, *more], cwd=tmp_path, check=True)
    (tmp_path / "left").write_text("over")
    work = start.Start(
        "work",
        ("mkdir results", "cp my_method.py results", HIDDEN, "sleep 0.3"),
        ("sleep 2",),
    )
    found = start.measure(work, tmp_path)
    assert not (tmp_path / "left").exists()
    assert 0.3 <= found["wall"] * 60 < 2, "what comes before is not measured"
    assert found["processor"] < found["wall"]
    assert found["disk"] >= 1
