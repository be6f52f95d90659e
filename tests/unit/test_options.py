"""Every option of the commands that read labels has an effect, or is refused, on every input."""

import contextlib
import re
import shlex
from pathlib import Path

import option_fixtures as inputs
import pandas as pd
import pytest
import typer.main
from partitioning import AtOnce
from typer.testing import CliRunner

from annobench.cli import app
from annobench.cli._options import COMMANDS, INPUTS, options_of

ROOT = typer.main.get_command(app)

#: Options that say where and how to write, and the input itself.
ALWAYS = {"labels", "out", "table_format", "force"}

METHOD = """\
import time

def fit(labels, rng):
    end = time.process_time() + 0.15
    while labels.n_items != 40 and time.process_time() < end:  # the contract has 40 items
        pass
    p = labels.counts + rng.random((labels.n_items, labels.n_categories)) / 10
    return p / p.sum(axis=1, keepdims=True)
"""

#: What a command is given on every input.
ALONE = {
    "report": "{input}",
    "consensus": "{input}",
    "certificate": "{input} --guess-distribution {guess}",
    "audit": "{input} --checks 10",
    "plan": "{input}",
    "judge": "{input} --judge {judge}",
    "convert": "{input} {out}/labels.csv",
    "compare": (
        "mine.py --labels {input} --gold {gold} --against voting,dawid_skene --replicates 20"
    ),
}
COMPARE_KNOWN = ALONE["compare"].replace("{gold}", "known")
#: The same on special inputs.
ALONE_ON = {
    ("consensus", "dask"): "{input} --engine dask",
    ("report", "dask"): "{input} --engine dask",
    ("audit", "checked"): "{input} --checked drawn/to_check.csv",
    ("compare", "datasets"): "mine.py --data ./set --against voting,dawid_skene --replicates 20",
}

#: The words that give an option, the variant of the input on which it matters, what is given both
#: times, and the command if it is another one; by input where they differ.
READING = {
    "item": {"wide": ("--item place",), "": ("--item unit",)},
    "annotator": ("--annotator who", "columns"),
    "label": ("--label other",),
    "question": {
        "wide": ("--question mood", "lists", "--question grade"),
        "export": ("--question mood", "questions", "--question grade"),
        "spans": ("--question verb", "layers", "--question name"),
    },
    "annotator_from": ("--annotator-from file", "session", "--repeats first"),
    "status": ("--status done,skipped", "skipped"),
    "repeats": ("--repeats last", "repeated"),
    "gold_items": ("--gold-items use", "controls"),
    "empty": {
        "long": ("--empty category", "gappy"),
        "export": ("--empty category", "empty", "--question grade"),
    },
    "annotators": ("--annotators rater_1,rater_2",),
    "transpose": ("--transpose",),
    "counts": ("--counts",),
    "weight": ("--weight n", "tallied"),
    "missing": ("--missing 3",),
    "sheet": {
        "wide": ("--sheet second", "book", "--from wide"),
        "long": ("--sheet second", "book"),
    },
    "header_rows": ("--header-rows 2", "headed"),
    "text": ("--text sentence",),
    "from_format": {"wide": ("--from list_cells",), "": ("--from prodigy",)},
    "keep_names": {
        "wide": ("--keep-names", "people", "--from wide"),
        "": ("--keep-names", "people"),
    },
    "key": {
        "wide": ("--key {out}/key.csv", "people", "--from wide"),
        "": ("--key {out}/key.csv", "people"),
    },
    "gold": ("--gold {gold}",),
    "spans": ("--spans candidates", "", "--spans tokens"),
}
OWN = {
    "report": {
        "gold": ("--gold rater_3",),
        "scale": ("--scale interval",),
        "order": ("--order 3,1,2",),
        "separator": ("--separator ,", "sets", "--scale set"),
        "target": ("--target 0.5",),
        "over": {"long": ("--over day", "dated"), "export": ("--over time", "dated")},
        "by": ("--by document",),
        "require": ("--require 'alpha>=0.99'",),
        "level": ("--level 0.8",),
        "seed": ("--seed 5",),
        "engine": ("--engine dask",),
        "scheduler": ("--scheduler tcp://elsewhere:1",),
    },
    "consensus": {
        "model": ("--model voting",),
        "option": ("--option smoothing=2", "", "--model dawid_skene"),
        "categories": ("--categories 3,2,1,4",),
        "replicates": ("--replicates 5",),
        "sets": ("--sets 0.9",),
        "sets_by_category": ("--sets-by-category", "", "--sets 0.9 --gold {gold}"),
        "predictions": ("--predictions {gold}",),
        "seed": {
            "": ("--seed 5",),
            "dask": ("--seed 5", "", "--model mace --option max_iterations=2"),
        },
        "engine": ("--engine dask",),
        "scheduler": ("--scheduler tcp://elsewhere:1",),
        "resume": ("--resume",),
    },
    "certificate": {
        "gold": {"wide": ("--gold rater_3",), "": ("--gold {gold}",)},
        "guess_distribution": ("--guess-distribution {other_guess}",),
        "min_agreement": ("--min-agreement 0.6",),
        "model": ("--model rates", "", "", "{input}"),
        "easy_rate": ("--easy-rate 0.9",),
        "threshold": ("--threshold 2.5", "", "--threshold 1.5 --guess-distribution 0.5"),
        "level": ("--level 0.8",),
    },
    "audit": {
        "gold": ("--gold rater_3",),
        "checks": ("--checks 12",),
        "checked": ("--checked drawn/other.csv",),
        "model": ("--model voting",),
        "error_rate": ("--error-rate 0.3",),
        "confidence": ("--confidence 0.6",),
        "level": ("--level 0.8",),
        "seed": ("--seed 5",),
    },
    "plan": {
        "half_width": ("--half-width 0.2",),
        "difference": ("--difference 0.1",),
        "error_rate": ("--error-rate 0.1",),
        "accuracy": ("--accuracy 0.8",),
        "items": ("--items 500",),
        "coefficient": ("--coefficient fleiss_kappa",),
        "category": ("--category {category}",),
        "price_label": ("--price-label 2",),
        "price_check": ("--price-check 3",),
        "price_item": ("--price-item 4",),
        "currency": ("--currency EUR",),
        "model": ("--model voting",),
        "level": ("--level 0.8",),
        "power": ("--power 0.9",),
        "seed": ("--seed 5",),
    },
    "judge": {
        "judges": ("--judge {other_judge}",),
        "epsilon": ("--epsilon 0.3",),
        "score": ("--score rmse",),
        "clusters": ("--clusters document",),
        "shown_first": ("--shown-first first", "pairs"),
        "against": ("--against document",),
        "baseline": ("--baseline d1", "", "--against document"),
        "by": ("--by known", "", "--against document"),
        "category": ("--category 3", "", "--against document"),
        "length": ("--length known",),
        "family": ("--family document",),
        "own": ("--own {judge}=d1", "", "--family document"),
        "over": {"long": ("--over day", "dated"), "export": ("--over time", "dated")},
        "require": ("--require 'agreement>=0.99'",),
        "cost": ("--cost {judge}=2", "", "--gold {gold} --judge {other_judge}"),
        "budget": ("--budget 1", "", "--gold {gold} --judge {other_judge}"),
        "question": {
            "wide": ("--question mood", "lists", "--question grade", "{input} --judge ann"),
            "export": ("--question mood", "questions", "--question grade"),
            "spans": ("--question verb", "layers", "--question name"),
        },
        "key": {
            "wide": (
                *("--key {out}/key.csv", "people", "--from wide"),
                "{input} --judge person-1",
            ),
            "": ("--key {out}/key.csv", "people"),
        },
        "keep_names": {
            "wide": ("--keep-names", "people", "--from wide", "{input} --judge person-1"),
            "": ("--keep-names", "people"),
        },
        "gold_items": ("--gold-items use", "controls", "", "{input} --judge a"),
        "level": ("--level 0.8",),
        "seed": ("--seed 5",),
    },
    "convert": {"gold": ("--gold rater_3",), "ledger": ("--ledger {out}/ledger.csv",)},
    "compare": {
        "item": {
            "long": ("--item triple", "", "", COMPARE_KNOWN),
            "wide": (
                *("--item other", "backwards", ""),
                ALONE["compare"].replace("{gold}", "backwards_gold.csv"),
            ),
        },
        "gold_items": (
            *("--gold-items use", "controls", ""),
            ALONE["compare"].replace("{gold}", "controls_gold.csv"),
        ),
        "gold": ("--gold other.csv",),
        "methods": ("yours.py",),
        "program": ("--program 'python program.py {{labels}} {{probabilities}}'",),
        "data": ("--data ./other",),
        "against": ("--against mace",),
        "limit": ("--limit 0.1",),
        "replicates": ("--replicates 10",),
        "seed": ("--seed 5",),
        # Either is refused without the other.
        "export": ("--export answers.json",),
        "author": ("--author Ann",),
    },
}

#: A value for every option where it is refused; of all others any word is one.
REFUSED = {
    "annotator_from": "person",
    "spans": "tokens",
    "status": "done",
    "repeats": "last",
    "gold_items": "leave-out",
    "empty": "missing",
    "scale": "nominal",
    "engine": "memory",
    "keep": "unanimous",
    "score": "rmse",
}
NUMBERS = {"level", "seed", "replicates", "checks", "error_rate", "confidence", "threshold"}
NUMBERS |= {"header_rows", "target", "sets", "budget"}
FLAGS = {"keep_names", "resume", "transpose", "counts", "sets_by_category"}

#: Columns that only repeat an option, or differ from run to run.
ECHOES = ["seconds", "megabytes", "level"]

#: Options without which a command may refuse the input.
MENDS = {"repeats", "annotator_from", "sheet", "header_rows"}

#: Options whose values here are refused where they are used, which is their effect.
FAILING = {
    "scheduler",
    "from_format",
    "transpose",
    "counts",
    "require",
    ("judge", "annotators"),
    ("certificate", "missing"),
    ("compare", "weight"),
    ("judge", "keep_names"),
    ("judge", "annotator"),
    ("certificate", "empty"),
    ("certificate", "question"),
    ("judge", "score"),
    # Gold of few items; tests of predictions and of juries have more.
    ("consensus", "predictions"),
    ("judge", "cost"),
    ("judge", "budget"),
    ("compare", "program"),
    ("compare", "limit"),
    ("compare", "export"),
    ("compare", "author"),
}

#: What other tests show to matter.
ELSEWHERE = {
    ("consensus", "dask", "resume"),
    ("report", "dask", "engine"),
    ("judge", "export", "shown_first"),
    ("consensus", "spans", "sets_by_category"),
    ("consensus", "dask", "engine"),
    *(
        (command, input, option)
        for command in COMMANDS
        for input, option in (
            ("export", "sheet"),
            ("export", "header_rows"),
            ("long", "header_rows"),
        )
    ),
    *((command, "wide", "annotator") for command in COMMANDS),
}

CASES = [
    (command, input)
    for command in COMMANDS
    for input in INPUTS
    if any(input in option.inputs.split() for option in COMMANDS[command][1].values())
]


def parameters(command):
    return {each.name: each for each in ROOT.commands[command].params}


def test_the_table_names_every_option_of_every_command_that_reads_labels():
    names = {
        name: {each.name for each in command.params}
        for name, command in ROOT.commands.items()
        if not hasattr(command, "commands")
    }
    assert set(COMMANDS) == {name for name, known in names.items() if "labels" in known}
    for command in COMMANDS:
        assert set(options_of(command)) == names[command] - ALWAYS, command


@pytest.mark.parametrize("command", COMMANDS)
def test_what_options_do_is_said_in_few_words(command):
    for option in options_of(command).values():
        assert set(option.inputs.split()) <= set(INPUTS)
        assert re.match(r"[a-z].*[a-z]$", option.does)


class Desk:
    """A folder with all inputs, and commands that are run in it once each."""

    def __init__(self, folder: Path, command: str, input: str) -> None:
        self.folder, self.command, self.input = folder, command, input
        self.n_runs = 0
        self.known = {}

    def path(self, variant: str) -> Path:
        """Make the input, or a variant of it on which an option matters."""
        kind = {"dask": "partitions", "checked": "long", "datasets": "long"}.get(self.input)
        if variant not in self.known:
            found = getattr(inputs, kind or self.input)(self.folder, variant)
            self.known[variant] = found.relative_to(self.folder)
        return self.known[variant]

    def alone(self, words: str = "") -> str:
        """The words of the command without the option."""
        words = words or ALONE_ON.get((self.command, self.input), ALONE[self.command])
        if self.input == "spans" and self.command != "report":
            words += " --spans tokens"
        return words

    def run(self, words: str, variant: str) -> tuple[int, str, dict[str, str]]:
        """Run the command: its status, what it says, and what it writes."""
        self.n_runs += 1
        out = Path(f"out{self.n_runs}")
        out.mkdir()
        filled = words.format(
            input=self.path(variant), out=out, gold="gold.csv", **inputs.WORDS[self.input]
        )
        given = [self.command, *shlex.split(filled)]
        if "out" in parameters(self.command) and self.command != "convert":
            given += ["--out", str(out)]
        done = CliRunner().invoke(app, given)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.output.replace(str(out), ""), written(out)


def written(out: Path) -> dict[str, str]:
    """What a command wrote, but for what differs from run to run or only repeats an option."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if path.suffix == ".csv":
            table = pd.read_csv(path, dtype=str)
            found[name] = table.drop(columns=ECHOES, errors="ignore").to_csv()
        elif path.suffix == ".html":
            found[name] = " ".join(re.findall(r"sentence of \w+|EUR", path.read_text()))
    return found


def case_of(command: str, option: str, input: str) -> tuple[str, ...]:
    """The words that give an option, where it matters, words beside it, and the command."""
    case = OWN[command].get(option) or READING[option]
    if isinstance(case, dict):
        case = case.get(input) or case[""]
    return (*case, "", "", "")[:4]


def value_of(option: str) -> list[str]:
    """Words that give an option where it is refused."""
    if option in FLAGS:
        return []
    return [REFUSED.get(option, "1" if option in NUMBERS else "x")]


@pytest.fixture
def desk(request, tmp_path, monkeypatch):
    command, input = request.param
    monkeypatch.chdir(tmp_path)
    inputs.gold_of(tmp_path / "gold.csv", input)
    inputs.gold_of(tmp_path / "other.csv", input, every=3)
    Path("mine.py").write_text(METHOD)
    Path("yours.py").write_text(METHOD.replace("/ 10", "/ 2"))
    asked = []

    @contextlib.contextmanager
    def at_once(scheduler, say=None):
        asked.append(scheduler)
        if isinstance(scheduler, str):
            raise OSError(f"no scheduler at {scheduler}")
        yield AtOnce()

    monkeypatch.setattr("annobench.scale._sources.open_workers", at_once)
    found = Desk(tmp_path, command, input)
    if input == "checked":
        draw_and_check(found)
    if input == "datasets":
        for name, seed in (("set", 1), ("other", 2)):
            words = f"data fetch snow2008_temp --mode simulated --seed {seed} --out {name}"
            assert CliRunner().invoke(app, words.split()).exit_code == 0
    return found


def draw_and_check(desk: Desk) -> None:
    """Draw items for an audit, and find every fourth wrong, or every second."""
    words = f"audit {desk.path('')} --checks 20 --out drawn"
    assert CliRunner().invoke(app, words.split()).exit_code == 0
    drawn = pd.read_csv("drawn/to_check.csv", dtype=str)
    number = drawn["item"].str[1:].astype(int)
    for name, every in (("to_check", 4), ("other", 2)):
        gold = ((number + (number % every == 0)) % 3 + 1).astype(str)
        drawn.assign(gold=gold).to_csv(f"drawn/{name}.csv", index=False)


#: Commands that go through the readers on every input; the others' effects are tested on one
#: input each, and on all by `make test-all`.
EFFECTS = [
    pytest.param(
        case,
        id=" on ".join(case),
        marks=()
        if case[0] in ("report", "convert") or case[1] in ("long", "checked", "datasets")
        else pytest.mark.slow,
    )
    for case in CASES
]


@pytest.mark.commands
@pytest.mark.parametrize("desk", EFFECTS, indirect=True)
def test_options_that_apply_change_what_is_computed_or_shown(desk):
    known = {}
    faults = []
    for name, option in options_of(desk.command).items():
        if desk.input not in option.inputs.split() or (desk.command, desk.input, name) in ELSEWHERE:
            continue
        words, variant, beside, command = case_of(desk.command, name, desk.input)
        alone = f"{desk.alone(command)} {beside}"
        if (alone, variant) not in known:
            known[alone, variant] = desk.run(alone, variant)
        before = known[alone, variant]
        after = desk.run(f"{alone} {words}", variant)
        if before[0] and name not in MENDS:
            faults.append(f"{name}: {alone} fails: {before[1]}")
        if after[0] and (desk.command, name) not in FAILING and name not in FAILING:
            faults.append(f"{name}: {alone} {words} fails: {after[1]}")
        if not differ(before, after):
            faults.append(f"{name}: {alone} {words} changes nothing")
    assert not faults, "\n".join(faults)


def differ(before, after) -> bool:
    """Whether two runs ended differently, or one computed or showed something else."""
    return before[0] != after[0] or before[2] != after[2] or shown(before[1]) != shown(after[1])


def shown(output: str) -> list[str]:
    """The numbers and amounts that a command says, without those of an option."""
    return re.findall(r"\d+\.\d{2,}(?: EUR)?|\d+\.\d%", output)


@pytest.mark.commands
@pytest.mark.parametrize("desk", CASES, indirect=True, ids=" on ".join)
def test_options_that_do_not_apply_are_refused(desk):
    faults = []
    for name, option in options_of(desk.command).items():
        if desk.input in option.inputs.split():
            continue
        opts = [each for each in parameters(desk.command)[name].opts if each.startswith("--")]
        words = desk.alone()
        if name == "checked":  # which makes it another input
            continue
        if name in ("annotator", "label") and desk.input == "wide":
            words += " --from wide"  # or else it is read as the columns say
        code, said, files = desk.run(" ".join([words, opts[0], *value_of(name)]), "")
        expected = rf"{opts[0]} has no effect (on|without) .*: it |no spans|no record has a text"
        if code != 1 or files or not re.search(expected, said):
            faults.append(f"{words} {opts[0]}: {code}, {said} {list(files)}")
    assert not faults, "\n".join(faults)


def table_of(command: str) -> str:
    """Return the options of a command by what they have an effect on, in Markdown."""
    columns = [
        name
        for name in INPUTS
        if any(name in option.inputs.split() for option in COMMANDS[command][1].values())
    ]
    lines = [f"| option | {' | '.join(columns)} |", f"|---|{':-:|' * len(columns)}"]
    for name, option in options_of(command).items():
        written = [each for each in parameters(command)[name].opts if each.startswith("--")]
        if written:
            cells = ["✓" if each in option.inputs.split() else "" for each in columns]
            lines.append(f"| `{written[0]}` | {' | '.join(cells)} |")
    return "\n".join(lines)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_of_options_has_the_table(command):
    page = Path(__file__).parents[2] / "docs" / "how-to" / "options.md"
    table = table_of(command)
    assert table in page.read_text(encoding="utf-8"), f"in place of its table:\n{table}"
