"""Recompute Passonneau and Carpenter (2014) from the labels of 45 words.

Every printed value comes from the fits of the authors' program to all words, at either effort.
What the paper doesn't have is a search of better optima of the same posterior, full Bayes, and
simulations of the certainty of the model; at quick effort they look at a few words.
"""

from functools import partial

import pandas as pd
from numpy.random import Generator

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.searches import searched_values
from annobench_replication.study import Study

from . import corpus, examples, figures, groups, model, posterior
from .corpus import FOUR
from .samples import search_accuracies, search_samples, search_senses

SMOOTHINGS = (1e-4, 1e-3, model.SMOOTHING, 0.1, 1.0)
#: Words whose other optima, calibration and classes are looked at, beginning with the four;
#: random starts, draws of a chain, replicates of the bootstrap.
N_STUDIED = {"full": 45, "quick": 5}
N_RANDOM = {"full": 4, "quick": 0}
N_DRAWS = {"full": 200, "quick": 40}
N_REPLICATES = {"full": 50, "quick": 3}
LABELS = ("masc_crowd", "masc_trained_samples", "masc_trained_full")
GOLD = ("snow2008_rte", "snow2008_temp")


def analyse(study: Study, results: Results, rng: Generator, effort: Effort) -> None:
    """Compute what the paper prints of the model, and what it leaves out."""
    labels = corpus.Corpus.of(study)
    number, words, four = study.numbers("counts"), labels.words, list(FOUR.values())
    figure3, figure5 = study.printed("figure3"), study.printed("figure5")
    of, of_drawn = LABELS, (*LABELS, "simulation")
    rng_optima, rng_bayes, rng_trained, rng_bits, rng_truth, rng_growth = rng.spawn(6)

    # Sections 2 to 4.
    section2 = examples.closed_forms(number, study.printed("examples", dtype="str"))
    results.values(section2, of="closed_form")
    results.values(examples.arithmetic(number, figure3), of="printed")
    results.values(examples.sums(number, figure5), of="printed", method="arithmetic")
    agreement = corpus.trained_rows(labels, figure3)
    results.values(agreement, of=of)
    texts, (rng_samples, rng_senses, rng_rows) = study.printed("figure3", dtype="str"), rng.spawn(3)
    available = corpus.available_senses(labels, figure3, study.printed("wordnet"))
    results.values(search_samples(labels, texts, rng_samples), of=of)
    results.values(search_senses(available, texts, rng_senses), of=of)
    fits = model.fits_of(words, model.SMOOTHING)
    as_printed = searched_values(study)
    accuracies = model.mean_accuracy(fits[FOUR["add"]])
    results.values(search_accuracies(accuracies, as_printed, rng_rows), of=of)
    results.values(corpus.simulated_trained(labels, fits), of="simulation")
    results.values(corpus.crowd_facts(labels), of=of)

    # Section 5, Figure 7: items labelled by both groups. Without the real sentences there are
    # none; the trained labels are drawn instead.
    both = (*LABELS, "masc_crowd_text")
    has_texts = study.data("masc_crowd_text").items["text"].notna().any()
    is_real = has_texts and study.provenance(*both) == "real"
    joined = groups.shared_items(labels) if is_real else {}
    drawn = groups.drawn_trained(labels, fits, rng_trained)
    same_label = groups.same_label_table(labels, fits, drawn, joined)
    common = same_label.set_index("word")["items"]["work-n"]
    results.values({"common.work": common}, of=both if joined else "simulation")
    results.values(model.fit_facts(labels, fits, figure5, number), of=of)
    results.values(groups.same_label_facts(labels, same_label, drawn, number), of="simulation")

    # The paper's tables and figures, with intervals and further columns.
    table, figure = partial(results.table, digits=6), results.figure
    table("example", examples.table, section2, number, of="closed_form")
    table3 = table("figure3", corpus.agreement_table, agreement, figure3, of=of)
    table("available", available, of=of)
    table("readings", corpus.readings, available, of=of)
    senses = table("senses", corpus.correlations, table3, of=of)
    table("design", corpus.design_table, labels, of=of)
    of_trained = (*LABELS, corpus.REST) if labels.trained_four else of
    prevalence = table("prevalence", model.prevalence_table, labels, fits, of=of_trained)
    table("accuracy", model.accuracy_table, fits, of=of)
    help_ = FOUR["help"]
    table("annotators", model.annotators_of_help, fits[help_], words[help_], of=of)
    table("same_label", same_label, of=of_drawn)
    replicates = N_REPLICATES[effort]
    bits = table(
        "information", groups.information_table, labels, fits, replicates, rng_bits, of=of_trained
    )
    table("costs", groups.cost_table, number, bits, of=of)
    figure("figure1", figures.figure1, of="closed_form")
    figure("figure2", figures.figure2, words[FOUR["add"]], of=of)
    figure("figure3", figures.figure3, table3, of=of)
    figure("senses", figures.senses, table3, senses, of="printed")
    figure("figure4", figures.figure4, prevalence, four, of=of_trained)
    figure("figure4_trained", figures.figure4, prevalence, list(labels.full), of=of)
    figure("figure6", figures.figure6, labels, fits, of=of)
    n_high = int(number["figure7_n_high"])
    figure("figure7", figures.figure7, same_label, n_high, of=of_drawn)
    figure("figure8", figures.figure8, bits, of=of_trained)

    # Not in the paper: other optima and full Bayes, and Figure 5 beside them.
    studied = studied_words(list(words), N_STUDIED[effort])
    n_random, draws = N_RANDOM[effort], N_DRAWS[effort]
    best = {w: posterior.best_optimum(w, words[w], fits[w], n_random, rng_optima) for w in studied}
    full = {
        w: posterior.bayes_of(w, words[w], fits[w], best[w].best, draws, rng_bayes) for w in four
    }
    found = table("optima", pd.DataFrame([optimum.row for optimum in best.values()]), of=of)
    certain = table("certain", posterior.certain_table, labels, fits, best, full, of=of)
    table("full_bayes", pd.DataFrame([each.row for each in full.values()]), of=of)
    chains = pd.concat([each.chains for each in full.values()], ignore_index=True)
    table("chains", chains, of=of)
    classes = table("classes", posterior.classes_table, labels, fits, best, chains, joined, of=of)
    figure("figure5", figures.figure5, certain, figure5, of=of)
    figure("certain", figures.certain, found, of=of)
    figure("optima", figures.optima, found, of=of)
    figure("classes", figures.classes, labels, fits, best, classes, of=of)
    figure("bayes", figures.bayes, full, of=of)

    # Not in the paper: smoothing, calibration, fewer labels.
    smoothings = SMOOTHINGS if effort == "full" else (model.SMOOTHING,)
    fits_at = {s: model.fits_of(words, s) for s in smoothings}
    smoothed = table("smoothing", model.smoothing_table, fits_at, of=of)
    facts_at = {s: model.fit_facts(labels, each, figure5, number) for s, each in fits_at.items()}
    table("sensitivity", model.sensitivity, facts_at, of=of)
    gold = [study.data(id) for id in GOLD]
    right = posterior.calibration(labels, fits, gold, studied, draws, rng_truth)
    table("calibration", right, of=(*of_drawn, *GOLD))
    growth = table("growth", groups.growth_table, labels, fits, number, rng_growth, of=of)
    figure("smoothing", figures.smoothing, smoothed, of=of)
    figure("calibration", figures.calibration, right, of=(*of_drawn, *GOLD))
    figure("growth", figures.growth, growth, of=of)


def studied_words(words: list[str], n: int) -> list[str]:
    """Choose n words, the four of the figures among them, in the order of the data."""
    chosen = set([*FOUR.values(), *(w for w in words if w not in FOUR.values())][:n])
    return [word for word in words if word in chosen]
