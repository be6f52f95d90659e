"""Recompute Reidsma and op den Akker (2008) from the AMI corpus."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.resampling.clusters import cluster_draws, ratio_draws
from annobench_datasets import ami
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.rows import shown_beside
from annobench_replication.study import Study

from . import addressing, classifiers, differences, figures, printed, selective, utterances

#: Analyses of random parts of the features, and one in so many utterances that classifiers see.
N_ANALYSES, ONE_IN = {"full": 32, "quick": 6}, {"full": 1, "quick": 8}
#: Pairs of groups of meetings tested on in section 2.1 (there are 21), and rounds of boosting.
N_PAIRS, N_ROUNDS = {"full": 21, "quick": 5}, {"full": 30, "quick": 4}
#: Bootstrap samples of meetings.
N_BOOT = {"full": 1999, "quick": 99}


@dataclass(frozen=True)
class Corpus:
    """What is made of the corpus before anything is counted or learned."""

    acts: pd.DataFrame
    addressed: pd.DataFrame
    addressing: addressing.Addressing
    readings: dict[str, pd.Series]
    chosen: pd.Series
    yeah: utterances.Utterances


@lru_cache(maxsize=1)
def prepare(dialogue_acts: LoadedData, focus: LoadedData) -> Corpus:
    """Prepare both data sets; those prepared last are kept."""
    acts = ami.in_order(dialogue_acts)
    rows, readings = addressing.addressed(acts, focus), utterances.readings(acts)
    chosen = next(iter(readings.values()))
    yeah = utterances.Utterances.of(acts, chosen)
    return Corpus(acts, rows, addressing.Addressing.of(rows), readings, chosen, yeah)


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 2.1 and 2.2 of the paper, and abstention beyond it."""
    data = study.datasets
    corpus = prepare(*map(study.data, data))
    yeah, table1, cells = corpus.yeah, printed.counts(study), printed.cells(study)
    sampled = [*cells, *classifiers.SAMPLED_CLAIMS]
    # Bonferroni's correction over all sampled values.
    level = 1 - 0.05 / (len(sampled) + len(addressing.ADDRESSING_CLAIMS))

    # Section 2.1, and Table 1.
    facts, addressing_counts = addressing.facts(corpus.addressed)
    scores = addressing.experiments(
        corpus.addressing, N_PAIRS[effort], N_ROUNDS[effort], rng.spawn(1)[0]
    )
    claims = addressing.differences(scores)
    results.values(facts, of=data)
    results.values({"yeah.share": 100 * corpus.chosen.mean()}, of=data)
    results.values(utterances.table1(yeah), of=data)
    searched = utterances.searched(study, corpus.acts, corpus.readings, rng.spawn(1)[0])
    results.values(searched, of=data)
    results.values(addressing.claims(claims, level), of=data)

    # Tables 2 to 4.
    learned = yeah.one_in(ONE_IN[effort])
    test = learned.test
    ratios = classifiers.ratios(learned, ~test, test)
    values = classifiers.summary(ratios)
    analyses = classifiers.repeated_analyses(learned, test, table1, rng, N_ANALYSES[effort])
    meeting, names = pd.factorize(learned.meeting[test])
    drawn = ratio_draws(ratios, meeting, cluster_draws(names.size, N_BOOT[effort], rng=rng))
    rows = classifiers.rows(values, analyses, drawn, sampled, level)
    entailed = printed.arithmetic(study)
    # What other printed cells entail is judged by them.
    results.values(shown_beside(rows.values(), entailed), of=data)
    results.values(printed.totals(study), of="printed")
    results.values(entailed, of="printed")

    results.table("addressing_counts", addressing_counts, of=data)
    scores = scores[scores["experiment"] != addressing.AT_RANDOM]
    by_context = scores.groupby(["model", "experiment", "context"]).mean(numeric_only=True)
    results.table("contexts", by_context.reset_index(), of=data)
    by_model = claims.drop(columns="test").groupby("model").agg(["mean", "std"]).T
    by_model = by_model.reset_index(names=["difference", "over splits"])
    results.table("context_differences", by_model, of=data)
    definitions = results.table(
        "definitions", utterances.definitions, corpus.acts, corpus.readings, table1, of=data
    )
    spread = analyses[0].describe().T[["mean", "std", "min", "max"]].assign(here=pd.Series(values))
    spread = spread.rename(index=classifiers.in_words)
    results.table("analyses", spread.reset_index(names="value"), of=data)
    results.table("variants", classifiers.variants, learned, of=data)
    results.table("coincidence", classifiers.coincidence, analyses[0], of=data)
    results.table("is1003d", utterances.is1003d, corpus.acts, corpus.chosen, of=data)
    tests, nulls, meetings = differences.permutation_tests(learned, rng, effort)
    results.table("difference_tests", tests, of=data)
    tendencies = results.table(
        "tendencies", differences.tendencies, meetings, rng, N_BOOT[effort], of=data
    )
    results.table("implied_coverage", printed.implied_coverage, study, of="printed")
    models, curves = selective.comparison(learned, rng, N_BOOT[effort])
    results.table("selective", models, of=data)

    results.figure("definitions", figures.definitions, definitions, of=data)
    results.figure("differences", figures.differences, tests, nulls, tendencies, of=data)
    results.figure("contexts", figures.contexts, scores, of=data)
    results.figure("risk_coverage", figures.risk_coverage, models, curves, of=data)
