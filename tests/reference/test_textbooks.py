"""The worked examples that the literature prints come out as printed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench.reporting.printed import agrees

FOLDER = Path(__file__).resolve().parent / "textbooks"
SOURCES = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))}


@dataclass(frozen=True)
class Claim:
    """One printed number of one example."""

    book: str
    example: str
    claim: dict[str, Any]

    @property
    def name(self) -> str:
        options = "-".join(f"{value}" for value in self.claim.get("options", {}).values())
        what = self.claim.get("category") or self.claim.get("what", "estimate")
        parts = [self.book, self.example, self.claim["function"], options, what]
        return "-".join(filter(None, [*parts, self.claim["printed"]]))


def claims() -> Iterator[Claim]:
    for book, content in SOURCES.items():
        for example, body in content["examples"].items():
            for claim in body["values"]:
                yield Claim(book, example, claim)


CLAIMS = list(claims())


@cache
def labels(book: str, example: str) -> Annotations:
    """Build the labels of an example."""
    body = SOURCES[book]["examples"][example]
    data, categories = body["data"], body.get("categories")
    match body["kind"]:
        case "contingency":
            return Annotations.from_contingency(data, categories=categories)
        case "counts":  # who gave which label is not known: number the labels of each item
            data = [np.repeat(categories, row).tolist() for row in data]
        case "ratings":
            data = np.repeat(np.array(data, dtype=object), body.get("repeat", 1), axis=0).tolist()
    wide = pd.DataFrame(data, dtype=object)
    long = (
        wide.rename_axis("item")
        .reset_index()
        .melt("item", var_name="annotator", value_name="label")
    )
    return Annotations.from_frame(long, categories=categories, scale=body.get("scale", "nominal"))


def options(claim: dict[str, Any]) -> dict[str, Any]:
    """Translate the options of a claim to the function's own."""
    given = dict(claim.get("options", {}))
    if "disagreement" in given:
        table = np.array(given.pop("disagreement"))
        given["weights"] = 1 - table / table.max()
    if "distance" in given:
        given["metric"] = np.array(given.pop("distance"), dtype=float)
    return given


def computed(claim: Claim) -> float:
    what = claim.claim.get("what", "estimate")
    a = labels(claim.book, claim.example)
    result = getattr(agreement, claim.claim["function"])(a, **options(claim.claim))
    if "category" in claim.claim:
        rows = result.by_category().set_index("category")
        return float(rows.loc[claim.claim["category"], what])
    if what in ("lower", "upper"):
        return float(getattr(result.interval(), what))
    if what.endswith("_disagreement"):
        share = 1 - getattr(result, what.replace("disagreement", "agreement"))
        return float(share * claim.claim.get("largest", 1))
    value = float(getattr(result, what))
    if claim.claim.get("divisor") == "items":
        value *= math.sqrt((a.n_items - 1) / a.n_items)
    return value


def test_the_textbooks_are_found():
    assert {"cohen1960", "cohen1968", "fleiss1971", "gwet2014", "krippendorff2011"} <= set(SOURCES)
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("book", SOURCES)
def test_every_textbook_says_where_its_numbers_were_seen(book):
    content = SOURCES[book]
    assert set(content) <= {"source", "seen_in", "note", "examples"}
    assert content["source"]
    assert content["seen_in"]
    for body in content["examples"].values():
        assert set(body) <= {"kind", "scale", "categories", "repeat", "data", "values"}
        assert body["values"]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_a_printed_value_is_reproduced(claim):
    agreeing = agrees(claim.claim["printed"], "eq", computed(claim))
    assert agreeing != ("deviates" in claim.claim), (claim.claim, computed(claim))


def test_rounding_in_between_gives_the_category_values_of_fleiss():
    a = labels("fleiss1971", "30 patients, six psychiatrists each")
    share = (a.counts.sum(axis=0) / a.n_labels).round(3)
    again = ((a.counts**2).sum(axis=0) / (a.n_labels * share) - 1) / 5  # six labels an item
    kappas = (again.round(3) - share) / (1 - share)
    assert kappas.round(3).tolist() == [0.248, 0.248, 0.517, 0.47, 0.565]
    assert (share**2).sum().round(4) == 0.2201


@pytest.mark.parametrize(
    "claim",
    [claim for claim in CLAIMS if "with one label" in claim.claim.get("deviates", "")],
    ids=lambda claim: claim.name,
)
def test_counting_single_labels_as_disagreement_gives_the_errors_of_gwet(claim):
    a = labels(claim.book, claim.example)
    result = getattr(agreement, claim.claim["function"])(a, **options(claim.claim))
    n = a.n_items
    paired = a.counts.sum(axis=1) > 1
    # The share of items with two labels is taken as known, as if an item with one were observed.
    moved = result.influence + result.estimate * (paired / paired.mean() - 1) / n
    assert agrees(claim.claim["printed"], "eq", math.sqrt(n / (n - 1) * (moved @ moved)))
