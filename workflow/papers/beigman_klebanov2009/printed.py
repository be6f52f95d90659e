"""The projects of Beigman Klebanov and Beigman (2009), and the numbers that the text gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from annobench.noise import easy_hard
from annobench.reporting.printed import parse_printed
from annobench_replication.study import Study

#: A fair coin, of the tables and figures that go beyond the paper's projects.
FAIR = 0.5
#: Numbers of annotators, from two on, as the text prints them.
IN_WORDS = ("two", "three", "four", "five")
#: The letters of the projects in figures.
MARKS = {"two": "A", "pv": "B", "reverse": "C", "five": "D", "adding": "E"}
#: Their names in tables.
NAMES = {
    "two": "two annotators (3.1)",
    "pv": "Poesio and Vieira (3.1)",
    "reverse": "in reverse (3.1)",
    "five": "five annotators (3.2)",
    "adding": "three annotators (5.3)",
}


@dataclass(frozen=True)
class Printed:
    """What the text gives: its projects, and single numbers by name, as printed."""

    scenarios: pd.DataFrame
    texts: Mapping[str, str]

    @classmethod
    def read(cls, study: Study) -> "Printed":
        """Read the printed tables; a project without a chance of agreement has fair coins."""
        texts, scenarios = (
            study.printed(name, dtype="str", keep_default_na=False, index_col=index)
            for name, index in (("text", "name"), ("scenarios", "case"))
        )
        n, agreed, disagreed = (
            pd.to_numeric(scenarios[name]) for name in ("n_items", "n_agreed", "n_disagreed")
        )
        unclear = scenarios.index[agreed.isna() == disagreed.isna()]
        _refuse(unclear, "give either n_agreed or n_disagreed")
        disagreed = disagreed.fillna(n - agreed).astype(int)
        over = scenarios.index[~disagreed.between(0, n)]
        _refuse(over, "more of a kind than items")
        n_annotators = [2 + IN_WORDS.index(word) for word in scenarios["annotators"]]
        coin = float(texts.loc["coin", "value"])
        tossed = [easy_hard.agreement_chance(coin, j) for j in n_annotators]
        chance = pd.to_numeric(scenarios["chance"]).fillna(pd.Series(tossed, n.index))
        counts = {"n_items": n, "n_disagreed": disagreed, "n_annotators": n_annotators}
        projects = pd.DataFrame(counts | {"chance": chance, "printed_chance": scenarios["chance"]})
        return cls(projects, texts["value"].to_dict())

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The single numbers."""
        return {name: float(parse_printed(text).value) for name, text in self.texts.items()}

    @property
    def level(self) -> float:
        """Confidence of every bound."""
        return self.numbers["level"] / 100

    @property
    def tolerated(self) -> float:
        """The noise rate that section 3.1 tolerates."""
        return 1 - self.numbers["clean"] / 100

    def bound(self, n: int, d: int, chance: float, n_split_kept: int = 0) -> easy_hard.NoiseBound:
        """Bound the noise of n items, d of them disagreed on."""
        more = {"level": self.level, "n_split_kept": n_split_kept}
        return easy_hard.noise_bound(int(n), int(d), chance, **more)

    def largest_disagreement(self, n: int, chance: float) -> int:
        """Return how many of n items may be disagreed on for the tolerated noise."""
        limits = {"rate": self.tolerated, "level": self.level}
        return easy_hard.largest_disagreement(int(n), chance, **limits)

    @cached_property
    def projects(self) -> pd.DataFrame:
        """The projects of the text, and the one that section 3.1 asks for in reverse."""
        two = self.scenarios.loc["two"]
        largest = self.largest_disagreement(two["n_items"], two["chance"])
        reverse = two.to_frame("reverse").T.assign(n_disagreed=largest)
        return pd.concat([self.scenarios, reverse]).loc[list(MARKS)].infer_objects()


def _refuse(cases: pd.Index, fault: str) -> None:
    if len(cases):
        raise ValueError(f"scenarios.csv, {', '.join(cases)}: {fault}.")
