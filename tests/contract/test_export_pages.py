"""The pages on exports with files in them: their commands run and print what stands there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annobench.cli import app

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "exports"
#: By page: the files that its commands write.
WRITTEN = {
    "mturk": [
        "batch_agreement/report.html",
        "with_rejected/report.html",
        "batch_consensus/items.csv",
        "sport/items.csv",
        "labels.csv",
        "left_out.csv",
    ],
    "judge-log": [
        "verdicts_agreement/report.html",
        "verdicts_judges/judges.html",
        "verdicts_consensus/items.csv",
        "labels.csv",
    ],
}


@pytest.mark.parametrize("page", WRITTEN)
def test_a_page_can_be_followed_word_for_word(page, tmp_path, monkeypatch):
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    # A table is laid out to the width of the terminal.
    monkeypatch.setenv("COLUMNS", "120")
    files = dict(re.findall(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```$", text, flags=re.M | re.S))
    assert files
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    steps = re.findall(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", text, flags=re.M | re.S)
    for command, printed in steps:
        program, *words = shlex.split(command)
        assert program == "annobench"
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        said = result.output.splitlines()
        for line in printed.splitlines():
            assert line.strip() in map(str.strip, said), f"{command}\n{result.output}"
    assert [name for name in WRITTEN[page] if not Path(name).exists()] == []
