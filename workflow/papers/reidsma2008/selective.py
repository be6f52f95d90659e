"""Not in the paper: abstention by vote against models of annotation at the same coverage."""

import numpy as np
import pandas as pd

from annobench.evaluation.selective import ABSTAIN, RiskCoverage, risk_coverage
from annobench.resampling.clusters import cluster_draws, ratio_draws

from . import learning
from .classifiers import maximum_entropy, trained
from .utterances import ANNOTATORS, CODES, Utterances


def probabilities(yeah: Utterances) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the probabilities of test labels by each model, and the answers of the vote."""
    test = yeah.test
    features = yeah.features[test]
    who, train_who = (pd.Index(ANNOTATORS).get_indexer(yeah.annotator[m]) for m in (test, ~test))
    data = (yeah.features[~test], yeah.category[~test], train_who, features)
    models = trained(maximum_entropy, yeah, ~test)
    single = {n: learning.probabilities(m, features, len(CODES)) for n, m in models.items()}
    apart = learning.AnnotatorClassifier(np.stack([single[name] for name in ANNOTATORS]))
    shared = learning.fit_feature_augmentation(*data)
    confusion, _ = learning.fit_raykar(*data)
    return {
        "all annotators pooled": single["mix"],
        "soft labels of three classifiers": apart.soft,
        "soft labels, shared and own weights": shared.soft,
        "soft labels, confusion matrices": confusion.soft,
        "annotator known, own classifier": apart.of_annotator(who),
        "annotator known, shared and own weights": shared.of_annotator(who),
        "annotator known, confusion matrices": confusion.of_annotator(who),
    }, learning.unanimous(apart.by_annotator.argmax(axis=2))


def comparison(
    yeah: Utterances, rng: np.random.Generator, n_boot: int
) -> tuple[pd.DataFrame, dict[str, RiskCoverage]]:
    """Compare abstention by vote with models that rank their own answers.

    Each gives probabilities of the label of a test utterance, and answers where it is most
    confident, as often as the vote does. Intervals of differences resample the test meetings.
    """
    test = yeah.test
    gold = yeah.category[test]
    models, vote = probabilities(yeah)
    answered = vote != ABSTAIN
    sides, curves, of_all = {"voting": (answered & (vote == gold), answered)}, {}, {}
    for name, p in models.items():
        confidence, right = p.max(axis=1), p.argmax(axis=1) == gold
        curve = curves[name] = risk_coverage(confidence, right)
        given = np.argsort(np.argsort(-confidence, kind="stable")) < answered.sum()
        sides[name] = (right & given, given)
        own = np.maximum(p[np.arange(gold.size), gold], 1e-12)
        of_all[name] = {
            "accuracy of all": 100 * (1 - curve.risk[-1]),
            "area under risk": 100 * curve.area,
            "log score": -float(np.log(own).mean()),
        }
    place, names = pd.factorize(yeah.meeting[test])
    drawn = ratio_draws(sides, place, cluster_draws(names.size, n_boot, rng=rng))
    accuracy = {name: 100 * top.sum() / bottom.sum() for name, (top, bottom) in sides.items()}
    rows = []
    for name, value in accuracy.items():
        low, high = np.quantile(100 * (drawn[name] - drawn["voting"]), [0.025, 0.975])
        row = {"model": name, "coverage": 100 * answered.mean(), "accuracy of answers": value}
        row |= {"less voting": value - accuracy["voting"], "lower": low, "upper": high}
        rows.append(row | of_all.get(name, {}))
    return pd.DataFrame(rows), curves
