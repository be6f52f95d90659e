"""Recompute Snow, O'Connor, Jurafsky and Ng (2008) from the labels of experts and non-experts."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import affect, figures, noise, numeric, training, votes


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 4 to 6 of the paper, then intervals, readings and other methods."""
    text = study.numbers("text")
    folds, pseudocount = int(text["folds"]), float(text["pseudocount"])
    of_affect, of_orders, of_votes, of_gains, of_curves, of_training, of_search = rng.spawn(7)

    # Section 4.1: affect.
    kinds = affect.read(study)
    seed = int(of_affect.integers(2**32))
    found = affect.with_averages(
        {kind: affect.correlations(each, seed, effort) for kind, each in kinds.items()}
    )
    results.values(affect.quoted(study), of=affect.CROWD)
    values = affect.table_values(found)
    results.values(values, of=affect.DATASETS)
    results.values(affect.claims(found), of=affect.DATASETS)
    other = affect.released_experts(found)
    results.values(other, of=affect.DATASETS, method="released labels of the experts")
    lead = affect.lead_over_ten(found)
    results.values(lead, of=affect.DATASETS, method="ten averaged non-experts")
    results.values(numeric.sizes(study, kinds), of=study.datasets)

    # Sections 4.2 to 4.6: word similarity, votes, and costs.
    of_words = ("snow2008_wordsim", "printed")
    similarity = numeric.similarity(study, of_affect, affect.REPLICATES[effort])
    results.values({"wordsim.correlation": similarity.ends[-1]}, of="snow2008_wordsim")
    results.values(numeric.word_costs(study), of=of_words)
    results.values(numeric.minutes(study), of="printed")
    tasks = {task: votes.read(study.data(id)) for task, id in votes.DATASETS.items()}
    results.values(numeric.accuracies(tasks), of=tuple(votes.DATASETS.values()))
    results.values(votes.wsd_values(tasks["wsd"]), of="snow2008_wsd")
    labelled = numeric.n_labels(study)
    equivalent = values["claim.average_k"]
    results.values(labelled, of=study.datasets)
    results.values(numeric.rates(study, labelled, equivalent), of=(*numeric.LABELLED, "printed"))
    results.values(numeric.totals(study), of="printed")

    # Section 5: calibrated annotators.
    right = {
        task: votes.calibrations(each, folds, pseudocount, of_votes, effort)
        for task, each in tasks.items()
    }
    gains = votes.table_of_gains(tasks, right, of_gains, effort)
    results.values({"abstract.n_improved": votes.n_improved(gains)}, of=study.datasets)
    for first, method in ((2, "paper"), (1, "averaged over 1 to 10")):
        for task in ("rte", "event"):
            gain = (right[task][:, :, 0] - right[task][:, :, 1]).mean(axis=2)
            row = votes.gain_row(f"calibration.{task}_gain", gain, first, method)
            results.values([row], of=votes.DATASETS[task])
    for method, model in noise.NOISES.items():
        # The paper's reading is judged; the others are shown beside it.
        n_runs = noise.N_RUNS[effort] if method == "paper" else noise.N_RUNS["quick"]
        gain = noise.calibrated_gains(kinds, folds, model, n_runs, of_affect).mean(axis=1)
        row = votes.gain_row("calibration.affect_gain", gain, 1, method)
        results.values([row], of=affect.DATASETS)

    # Section 6: classifiers.
    items = next(iter(kinds.values()))
    train = training.headlines(study, items.items, of_training)
    test = training.headlines(study, items.test_items, of_training)
    weight, used = training.scorer(train, test, training.READINGS[0])
    by_kind = {
        kind: training.trained(each, weight, used, whole=True) for kind, each in kinds.items()
    }
    drawn = training.samples(kinds, weight, seed, effort)
    results.values(training.table_values(by_kind, drawn), of=affect.DATASETS)
    results.values([training.claim(drawn)], of=affect.DATASETS)
    one = training.one_non_expert(by_kind)
    results.values(one, of=affect.DATASETS, method="of one non-expert")
    of_readings = training.table_of_readings(kinds, train, test, effort)
    rows = numeric.searched(study, found, of_readings, of_search)
    results.values(rows, of=affect.DATASETS)

    curves = results.table("curves", affect.table_of_curves, found, of=affect.DATASETS)
    of_k = results.table("k", affect.table_of_k, found, of=affect.DATASETS)
    orders = results.table(
        "readings", affect.readings, kinds, found, of_orders, effort, of=affect.DATASETS
    )
    semeval = results.table("semeval", affect.scores_of_semeval, kinds, of=affect.DATASETS)
    nominal = tuple(votes.DATASETS.values())
    results.table("gains", gains, of=nominal)
    by_n = results.table(
        "votes", votes.table_of_curves, tasks, right, of_curves, effort, of=nominal
    )
    loaded = {task: study.data(id) for task, id in votes.DATASETS.items()}
    fitted = results.table("models", votes.table_of_models, loaded, tasks, right, of=nominal)
    crowd = {id: study.data(id) for id in numeric.LABELLED}
    results.table("agreement", votes.table_of_agreement, crowd, of=numeric.LABELLED)
    annotators = results.table(
        "annotators", votes.table_of_annotators, tasks["rte"], of="snow2008_rte"
    )
    trained = results.table(
        "training", training.table_of_training, by_kind, drawn, of=affect.DATASETS
    )
    results.table("training_readings", of_readings, of=affect.DATASETS)
    words = results.table("similarity", numeric.table_of_similarity, similarity, of=of_words)

    results.figure("figure1", figures.figure1, curves, of=affect.DATASETS)
    line = float(text["resnik"])
    results.figure("figure2", figures.figure2, words, line, of=of_words)
    line = float(text["rte_experts"])
    results.figure("figure3", figures.votes, by_n, "rte", line, of=("snow2008_rte", "printed"))
    results.figure("figure4", figures.votes, by_n, "event", None, of="snow2008_temp")
    results.figure("figure5", figures.votes, by_n, "wsd", None, of="snow2008_wsd")
    results.figure("figure6", figures.figure6, annotators, of="snow2008_rte")
    results.figure("figure7", figures.figure7, by_n, of=("snow2008_rte", "snow2008_temp"))
    results.figure("claims", figures.claims, of_k, orders, of=affect.DATASETS)
    results.figure("training", figures.training, trained, of=affect.DATASETS)
    results.figure("semeval", figures.semeval, semeval, of=affect.DATASETS)
    results.figure("consensus_models", figures.consensus_models, by_n, fitted, of=nominal)
