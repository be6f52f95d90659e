"""What the paper lists: its verbs, senses, relations and examples, and what 95% can mean."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench_replication.study import Study

NA = "N/A"
#: Senses of a verb of which the paper names none.
UNNAMED = ("first", "second")


@dataclass(frozen=True)
class Printed:
    """The lists of the paper, as in `tables/`, and the numbers of section 3."""

    verbs: pd.DataFrame
    senses: pd.DataFrame
    relations: pd.DataFrame
    examples: pd.DataFrame
    listings: pd.DataFrame
    references: pd.DataFrame
    design: pd.Series

    @classmethod
    def of(cls, study: Study) -> "Printed":
        """Read the tables; every sense of a relation or example must be a sense of its verb."""
        names = ("verbs", "senses", "relations", "examples", "listings", "references")
        tables = {name: study.printed(name, keep_default_na=False) for name in names}
        printed = cls(**tables, design=study.numbers("design"))
        for name in ("relations", "examples"):
            for row in getattr(printed, name).itertuples():
                strange = {row.first, row.second} - set(printed.named(row.verb)) - {NA}
                if strange:
                    raise ValueError(
                        f"{name}.csv: {row.verb} has no sense {sorted(strange)}. "
                        "Add it to senses.csv."
                    )
        return printed

    def named(self, verb: str) -> tuple[str, ...]:
        """Return the senses that the paper names."""
        return tuple(self.senses.loc[self.senses["verb"] == verb, "sense"])

    def inventory(self, verb: str) -> tuple[str, ...]:
        """Return the senses of a verb, assumed ones if none is named."""
        return self.named(verb) or UNNAMED

    def related(self, verb: str) -> pd.DataFrame:
        """Return the relations between senses of a verb."""
        return self.relations[self.relations["verb"] == verb]

    def relations_of(self, verb: str, *senses: str) -> list[str]:
        """Return the types of the relations between two senses of a verb."""
        related = self.related(verb)
        joined = related["first"].isin(senses) & related["second"].isin(senses)
        return list(related.loc[joined, "relation"].unique())

    @property
    def types(self) -> tuple[str, ...]:
        """The types of relation, in the order of the paper."""
        return tuple(self.relations["relation"].unique())

    @property
    def disagreements(self) -> pd.DataFrame:
        """The examples with two different senses."""
        e = self.examples
        return e[(e["first"] != e["second"]) & (e["second"] != NA)]

    @property
    def n_disagreements(self) -> pd.Series:
        """How many examples with two different senses each verb has."""
        shown = self.disagreements["verb"].value_counts()
        return shown.reindex(self.verbs["verb"], fill_value=0)

    @property
    def agreement(self) -> float:
        """The one agreement that the paper prints, in [0, 1]."""
        return self.design["agreement"] / 100


def reference_values(printed: Printed) -> dict[str, float]:
    """Return the number of the example in which each word stands that the text refers to."""
    number = pd.concat([printed.examples, printed.listings]).set_index("word")["number"]
    return {f"reference.{row.target}": number[row.word] for row in printed.references.itertuples()}


def inventory_table(printed: Printed) -> pd.DataFrame:
    """Count, for each verb, named senses, related pairs by type, and printed disagreements."""
    verbs = printed.verbs["verb"]
    n = verbs.map(lambda verb: len(printed.named(verb)))
    table = printed.verbs.assign(named_senses=n, pairs=n * (n - 1) // 2)
    counts = pd.crosstab(printed.relations["verb"], printed.relations["relation"])
    for relation in printed.types:
        table[relation] = verbs.map(counts[relation]).fillna(0).astype(int)
    return table.assign(printed_disagreements=printed.n_disagreements.to_numpy())


def examples_table(printed: Printed) -> pd.DataFrame:
    """List the printed examples with the relations of the two senses."""
    table = printed.examples.copy()
    pairs = table[["verb", "first", "second"]].itertuples(index=False)
    table["relation"] = [", ".join(printed.relations_of(*pair)) for pair in pairs]
    cases = [table["first"] == table["second"], table["second"] == NA]
    table["in_agreement"] = np.select(cases, ["equal", "left out"], "unequal")
    return table


def bounds(printed: Printed) -> pd.DataFrame:
    """Bound the agreement on all sentences, N/A being a label, by the share retained.

    At the lower end all sentences left out are disagreements, at the upper end all are
    agreements on N/A.
    """
    kept = np.round(np.arange(0.5, 1.001, 0.05), 2)
    equal = kept * printed.design["agreement"] / 100
    table = pd.DataFrame(
        {"retained": kept, "sentences": kept * printed.design["sentences_per_verb"]}
    )
    return table.assign(equal_retained=equal, lower=equal, upper=equal + 1 - kept)


def largest_agreement(printed: Printed) -> float:
    """Return the largest average that the printed disagreements leave, in percent."""
    share = printed.n_disagreements / printed.design["sentences_per_verb"]
    return float(100 - 100 * share.mean())


def chance_corrected(printed: Printed) -> pd.DataFrame:
    """Compute kappa at the printed agreement, by number of senses and share of the first.

    Both annotators use the senses alike, and the other senses equally.
    """
    rows = [
        (n, share, share**2 + (1 - share) ** 2 / (n - 1))
        for n in (2, 3, 5, 10)
        for share in np.round(np.arange(1 / n, 0.9501, 0.01), 4)
    ]
    table = pd.DataFrame(rows, columns=["senses", "first_share", "expected_agreement"])
    expected = table["expected_agreement"]
    return table.assign(kappa=(printed.agreement - expected) / (1 - expected))
