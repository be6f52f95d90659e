"""Names and texts that somebody might be harmed by, and every command run on labels of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from typer.testing import CliRunner

from annobench.cli import app

#: By what they try. A page on which one succeeds has `window.hit`, asks a server, or is hidden.
HOSTILE = {
    "HTML": [
        "<script>window.hit=1</script>",
        '"><img src=x onerror="window.hit=1">',
        "</td></table></svg></main><script>window.hit=1</script>",
        "<svg onload=window.hit=1>",
        "' onmouseover='window.hit=1' x='",
        '" onfocus="window.hit=1" tabindex="0',
        "<iframe src=http://127.0.0.1:9/></iframe><link rel=stylesheet href=http://127.0.0.1:9/>",
        "javascript:window.hit=1",
        "</script><script>window.hit=1</script>",
        "</title></textarea><!--",
        "<base href=http://127.0.0.1:9/><meta http-equiv=refresh content='0;http://127.0.0.1:9/'>",
    ],
    "CSS": [
        "</style><style>body{display:none}</style>",
        "red;background:url(http://127.0.0.1:9/)",
        "x\"style=\"background:url('http://127.0.0.1:9/')",
        "}</style><style>@import 'http://127.0.0.1:9/';body{display:none}",
    ],
    "formulas": [
        '=HYPERLINK("http://127.0.0.1:9/","x")',
        "+1+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "\t=1+1",
        "\r=1+1",
        "==1",
        "-1",
        "+",
    ],
    "control characters": [
        "a\x1b[2Jb",
        "\x1b]0;title\x07",
        "\x9b31mred",
        "back\x08\x08\x08\x08gone",
        "over\rwritten",
        "two\nlines",
        "\x7f\x01\x1f",
        "dos\r\nlines",
    ],
    "bidirectional characters": [
        "\u202egpj.exe",
        "\u2066isolated",
        "safe\u2069\u202d\u202cunsafe",
        "\u05d0\u05d1 \u200f(\u05d2)",
    ],
    "10 kB": ["long " * 2_000, "x" * 10_000, "<b>" * 3_334],
    "paths": ["../../../escaped", "/tmp/escaped", "..\\..\\escaped", "CON", "NUL.txt", ".", "~"],
    "templates": [
        "%s %d %(x)s %n",
        "{0} {x} {",
        "{{ 7 * 7 }}",
        "{% raw %}",
        "$x_{$",
        "$\\frac{1}{$",
        "`rm -rf x` $(x)",
        "[red]bold[/red]",
        "[/]",
        "&lt;script&gt;",
    ],
}

#: All, and some of each kind, in the order in which lists of eight are made of them.
NAMES = [name for kind in HOSTILE.values() for name in kind]
FEW = [kind[n] for kind in HOSTILE.values() for n in (0, -1)]

#: What no terminal may get of names, and no page.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

#: A file name with some of them.
SOURCE = "<img src=x onerror=window.hit=1> \x1b[2J\u202e %s {0} {{ x }} $x_{$ &amp;.parquet"


def labels_of(names: Sequence[str], n_items: int = 60) -> tuple[pa.Table, list[str]]:
    """Make labels in which each name is an item, an annotator and, with others, a category.

    Returns the table with columns item, annotator, label and text, and the annotators.
    """
    rng = np.random.default_rng(5)
    items = [*names, *(f"i{n}" for n in range(n_items - len(names)))]
    annotators, categories = list(names), list(names[:8])
    truth = rng.integers(len(categories), size=n_items)
    rows = []
    for i, item in enumerate(items):
        for j in rng.permutation(len(annotators))[:5]:
            right = rng.random() < 0.75
            k = truth[i] if right else rng.integers(len(categories))
            rows.append((item, annotators[j], categories[k], names[i % len(names)]))
    columns = zip(*rows, strict=True)
    table = dict(zip(("item", "annotator", "label", "text"), map(list, columns), strict=True))
    return pa.table(table), annotators


class Ran:
    """What commands printed, by the command, and the folder that all of them wrote to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed: dict[str, str] = {}

    def run(self, *words: object) -> None:
        """Run a command that must go well."""
        done = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200"})
        name = " ".join(map(str, words[:1]))
        assert done.exit_code == 0, (words, done.output, done.exception)
        self.printed[f"{name} {len(self.printed)}"] = done.output

    @property
    def pages(self) -> list[Path]:
        """The pages that were written."""
        return sorted(self.folder.rglob("*.html"))


def run_commands(names: Sequence[str], folder: Path) -> Ran:
    """Run every command that reads labels, on labels of these names, all below a folder."""
    ran = Ran(folder)
    source = folder / "in" / SOURCE
    source.parent.mkdir()
    table, annotators = labels_of(names)
    pq.write_table(table, source)
    # A name of every kind as the gold category of an item.
    first = dict(zip(table["item"].to_pylist(), table["label"].to_pylist(), strict=True))
    gold = folder / "in" / "gold.parquet"
    pq.write_table(pa.table({"item": list(first), "gold": list(first.values())}), gold)
    text = ("--text", "text")
    ran.run("--verbose", "inspect", source)
    ran.run("convert", source, folder / "converted.csv", "--ledger", folder / "ledger.csv")
    ran.run("report", source, "--out", folder / "report", *text)
    again = ("--replicates", 10, "--gold", gold)
    ran.run("consensus", source, "--out", folder / "consensus", *again, *text)
    certified = ("--min-agreement", "majority", "--easy-rate", "0.6")
    ran.run("certificate", source, "--out", folder / "certificate", *certified, *text)
    ran.run("plan", source, "--out", folder / "plan", "--gold", gold, "--currency", names[0][:30])
    drawn = folder / "audit"
    ran.run("audit", source, "--out", drawn, "--checks", 20)
    answered(drawn / "to_check.csv", first)
    ran.run("audit", source, "--out", drawn, "--checked", drawn / "to_check.csv")
    judged = [word for name in annotators[:2] for word in ("--judge", name)]
    ran.run("judge", source, "--out", folder / "judges", "--gold", gold, *judged)
    pairs = folder / "in" / "pairs.parquet"
    write_pairs(names, pairs)
    ran.run("rank", pairs, "--out", folder / "ranking", "--reliability")
    own = ("--labels", source, "--gold", gold, "--against", "voting", "--replicates", 20)
    method = folder / "in" / "<img src=x onerror=window.hit=1>$.py"
    method.write_text(
        "def fit(labels, rng):\n    return labels.counts / labels.counts.sum(1, keepdims=True)\n"
    )
    ran.run("compare", method, *own, "--out", folder / "compared")
    spans = folder / "in" / "spans"
    write_spans(names, spans)
    ran.run("report", spans, "--out", folder / "spans")
    return ran


def write_pairs(names: Sequence[str], path: Path) -> None:
    """Write judgements of pairs, in which names are systems and annotators."""
    rng = np.random.default_rng(6)
    systems = [name for name in dict.fromkeys(names[:8]) if name.strip()]
    left = rng.integers(len(systems), size=200)
    right = (left + rng.integers(1, len(systems), size=200)) % len(systems)
    won = np.where(rng.random(200) < 0.5, left, right)
    columns = {
        "left": [systems[i] for i in left],
        "right": [systems[i] for i in right],
        "winner": [systems[i] for i in won],
        "annotator": [names[i % len(names)] for i in range(200)],
    }
    pq.write_table(pa.table(columns), path)


def answered(path: Path, gold: dict[str, str]) -> None:
    """Fill in the column gold, as a user would in a spreadsheet that keeps texts."""
    import csv

    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    place = header.index("gold"), header.index("item")
    for row in rows:
        row[place[0]] = gold[row[place[1]]]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([header, *rows])


def write_spans(names: Sequence[str], folder: Path) -> None:
    """Write an export of doccano: hostile documents, members and labels of spans."""
    folder.mkdir()
    for m, member in enumerate(names[:3]):
        rows = [
            {"id": name, "text": f"{name} Ada Lovelace", "label": [[m % 2, 6, names[n % 3]]]}
            for n, name in enumerate(names)
        ]
        # No name of a file has a slash or more than 255 bytes, and those that begin with a dot are
        # hidden.
        stem = f"{m}{member.replace('/', '_')[:60]}"
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{stem}.jsonl").write_text(text, encoding="utf-8")
