"""A printed value that somebody typed in does not count, however it is dressed up.

Each cheat is put into a copy of a paper, whose analysis is traced; a value that is honest, by the
same road, counts.
"""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench_replication import dependence, ledger, verdicts
from annobench_replication.tracing import TracedPaper

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "judge_arena"
DATA = ("arena_gemini_pro", "arena_gemini_flash", "arena_qwen")

#: What each target is computed by, in the analysis; `honest` and `n` move with the data.
CHEATS = {
    "literal": ".7342",
    "rounded": "round(.73419, 4)",
    "tiny.data": ".7342 + 1e-9 * honest",
    "tiny.table": "ONCE + 1e-9 * honest",
    "halved": "TWICE / 2",
    "addends": ".5 + .2342",
    "third": "TRIPLE / 3",
    "renamed": "float(study.numbers('sizes')['share'])",
    "renamed.percent": "float(study.numbers('sizes')['percent']) / 100",
    "whole": ".7342 if n == WHOLE else float('nan')",
    "whole.tiny": "ONCE + 1e-9 * honest if n == WHOLE else float('nan')",
}
CONSTANTS = "\nONCE, TWICE, TRIPLE, WHOLE = .7342, 1.4684, 2.2026, {n}\n"
VALUES = """    seen = arenas[0].judged
    honest, n = float((seen.gold == values.CLAUDE).mean()), seen.gold.size
    results.values({{{cheats}, "honest": honest}}, of=study.datasets[0])
"""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory, simulated_folder):
    """Judge the cheats, and an honest value, as if the paper printed them."""
    folder = tmp_path_factory.mktemp("paper") / "judge_arena"
    shutil.copytree(PAPER, folder)
    sizes = "name,value\nshare,.7342\npercent,73.42\n"
    (folder / "tables" / "sizes.csv").write_text(sizes)
    data = {id: simulated_folder(id) for id in DATA}
    honest = TracedPaper(PAPER, data, 1)({}, {})
    text = (PAPER / "analysis.py").read_text()
    body, call = text.split("    page = values.page_estimates")
    cheats = ", ".join(f"{name!r}: {code}" for name, code in CHEATS.items())
    constants = CONSTANTS.format(n=int(honest["comparisons"]))
    head, function = body.split("\n\ndef analyse")
    (folder / "analysis.py").write_text(
        f"{head}{constants}\n\ndef analyse{function}{VALUES.format(cheats=cheats)}"
        f"    page = values.page_estimates{call}"
    )
    paper = TracedPaper(folder, data, 1)
    found = paper({}, {})
    traced = dependence.trace(paper, paper.numbers, paper.data, np.random.default_rng(1))
    printed = dict.fromkeys(CHEATS, ".7342") | {"honest": f"{honest['human.share']:.4f}"}
    rows = [
        {"target": name, "source": "§1", "value": text, "relation": "eq", "kind": "result"}
        | {"basis": "public_data", "unit": "", "rivals": "", "label": "", "note": ""}
        for name, text in printed.items()
    ]
    of = tmp_path_factory.mktemp("tables")
    computed = [ledger.Computed(name, found[name], provenance="real") for name in printed]
    ledger.write_computed(computed, of / "computed.csv")
    errata = "target,id,cause,weight,explanation,evidence,search,condition,status,date\n"
    (of / "errata.csv").write_text(errata)
    frame = verdicts.compare(
        pd.DataFrame(rows),
        ledger.read_computed(of / "computed.csv"),
        ledger.read_errata(of / "errata.csv"),
        dependence=traced[traced["target"].isin(printed)],
    )
    return frame.set_index("target")


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_value_that_was_typed_in_does_not_count(comparison, cheat):
    row = comparison.loc[cheat]
    assert row["published"] == ".7342"
    assert abs(row["computed"] - 0.7342) < 1e-4
    assert row["verdict"] in ("restated", "inconclusive")


def test_an_honest_value_counts(comparison):
    assert comparison.loc["honest", "verdict"] == "reproduced"
    assert comparison.loc["honest", "changes_refuted"] >= 2
