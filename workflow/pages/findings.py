"""The findings that the front page shows: our claims, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from annobench.judges.alternative_annotators import PASSES_FROM


@dataclass(frozen=True)
class Finding:
    """A card of the front page.

    Attributes
    ----------
    claim : str
        What we found; in braces, a number of this run by its name.
    detail : str
        Why, or by how much.
    source : str
        What was studied.
    link : str
        The evidence, as seen from the front page.
    """

    claim: str
    detail: str
    source: str
    link: str


@dataclass(frozen=True)
class Results:
    """What findings are read from: all values with their verdicts, and the results' folder."""

    compared: pd.DataFrame
    folder: Path

    def table(self, path: str) -> pd.DataFrame:
        """Return a table of the results.

        Raises
        ------
        KeyError
            If this run has none.
        """
        if not (self.folder / path).is_file():
            raise KeyError(path)
        return pd.read_csv(self.folder / path)


#: What the words of a finding are filled with, by name. A KeyError says that this run has it not,
#: such as where its data are simulated.
Numbers = Callable[[Results], Mapping[str, Any]]


def _deviating(paper: str, target: str) -> Numbers:
    """Look for the printed and the computed value of a target that deviates."""

    def numbers(results: Results) -> Mapping[str, Any]:
        values = results.compared
        rows = values[(values["paper"] == paper) & (values["target"] == target)]
        rows = rows[rows["verdict"] == "deviates"]
        if rows.empty:
            raise KeyError((paper, target))
        printed = rows["published"].iloc[0].replace("-", "\N{MINUS SIGN}")
        return {"printed": printed, "computed": float(rows["computed"].iloc[0])}

    return numbers


def _mace(results: Results) -> Mapping[str, Any]:
    """Look for what MACE gives where names do not matter, by its start and its steps."""
    starts = results.table("papers/ustalov2024/tables/mace.csv")
    own = starts[(starts["dataset"] == "product") & (starts["inference"] == "variational")]
    ranges = {name: _range(own[own["steps"] == name]["accuracy"]) for name in own["steps"].unique()}
    return {**_deviating("ustalov2024", "mace.product")(results), **ranges}


def _range(values: pd.Series[float]) -> str:
    ends = dict.fromkeys(f"{end:.3f}" for end in (values.min(), values.max()))
    return " to ".join(ends)


def constant_judge(results: Results) -> Mapping[str, Any]:
    """Look for the constant answer with the highest winning rate."""
    baselines = results.table("papers/calderon2025/tables/baselines.csv")
    blind = baselines[baselines["role"] == "none"].nlargest(1, "winning_rate")
    return dict(blind[["dataset", "winning_rate"]].iloc[0])


def _passing_judge(results: Results) -> Mapping[str, Any]:
    found = constant_judge(results)
    if not found["winning_rate"] >= PASSES_FROM:
        raise KeyError("no constant judge passes")
    return found


def _packages(results: Results) -> Mapping[str, Any]:
    matrix = results.table("studies/conformance/matrix.csv")
    spread = matrix[matrix["quantity"] != "estimate"]
    compared = spread[["equal", "undefined", "different", "refused", "answered"]]
    return {"compared": compared.to_numpy().sum(), "different": spread["different"].sum()}


#: In the order of the front page.
FINDINGS: Final[tuple[tuple[Numbers, Finding], ...]] = (
    (
        _deviating("carpenter2008", "rte.n_annotators_at_chance_share"),
        Finding(
            "{computed:.1f}% of the crowd's annotators did no better than chance, not {printed}%.",
            "The author's longer report gives {printed}% as the share of labels removed by "
            "pruning; {printed} is also the number of annotators who fail a one-sided Fisher test "
            "at .01.",
            "Carpenter (2008), textual entailment",
            "papers/carpenter2008/index.html#rte.n_annotators_at_chance_share",
        ),
    ),
    (
        _mace,
        Finding(
            "MACE has an accuracy of {converged} on Product, not {printed}.",
            "The printed value depends on the names of the annotators, which the released code "
            "should ignore. Otherwise the accuracy is {release} after the release's 50 steps, "
            "depending on the start, and {converged} after convergence.",
            "Ustalov, Pavlichenko and Tseitlin (2024), crowd-kit",
            "papers/ustalov2024/index.html#mace.product",
        ),
    ),
    (
        _passing_judge,
        Finding(
            "A judge that always gives the same answer can pass the alternative annotator test.",
            "On {dataset} a constant answer has a winning rate of {winning_rate:.2f}; .50 is "
            "enough to pass.",
            "Calderon, Reichart and Dror (2025), on public labels",
            "papers/calderon2025/index.html",
        ),
    ),
    (
        _deviating("passonneau2014", "paradox.coefficient"),
        Finding(
            "In an example of two annotators of 90% accuracy, chance-corrected agreement is "
            "{computed:.3f}, not {printed}.",
            "The printed value follows if accuracy is used in place of agreement.",
            "Passonneau and Carpenter (2014)",
            "papers/passonneau2014/index.html#paradox.coefficient",
        ),
    ),
    (
        _packages,
        Finding(
            "Packages disagree about the uncertainty of a coefficient.",
            "Of {compared:,} standard errors and ends of intervals in other packages, "
            "{different:,} differ from ours; each difference is explained.",
            "Packages for R and Python",
            "studies/conformance/index.html",
        ),
    ),
)


def findings(comparison: pd.DataFrame, results: Path) -> Iterator[Finding]:
    """Return the findings that this run's results support.

    Parameters
    ----------
    comparison : DataFrame
        All values, as `read_comparison` gives them.
    results : Path
        Folder of the results.

    Yields
    ------
    Finding
        Those whose data are at hand, in the order of the front page.
    """
    for read, finding in FINDINGS:
        try:
            numbers = read(Results(comparison, results))
        except KeyError:
            continue
        claim, detail = (words.format_map(numbers) for words in (finding.claim, finding.detail))
        yield replace(finding, claim=claim, detail=detail)
