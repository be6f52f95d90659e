"""What the paper prints of its design and of its counts, and what that entails.

Where the text leaves something open, the author's scripts decide (repository lingpipe/sandbox,
hierAnno/trunk/R): three chains, the scale from Pareto(1.5) from 1 on, pruning by posterior
medians, an item's probability the mean of its sampled categories, the first 50 annotators in
Figure 9.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Design:
    """What the paper prints of its design: section 3, the sampler, priors and limits."""

    numbers: "pd.Series[float]"

    @property
    def simulation(self) -> dict[str, Any]:
        """Arguments of `panels.binary` for section 3."""
        numbers = self.numbers
        return {
            "n_items": int(numbers["sim_n_items"]),
            "n_annotators": int(numbers["sim_n_annotators"]),
            "prevalence": numbers["sim_prevalence"],
            "sensitivity": (numbers["sim_alpha1"], numbers["sim_beta1"]),
            "specificity": (numbers["sim_alpha0"], numbers["sim_beta0"]),
            "missing": numbers["sim_missing_percent"] / 100,
        }

    def population(self, name: str) -> tuple[float, float]:
        """Return the mean and the scale of the sensitivities or the specificities."""
        alpha, beta = self.simulation[name]
        return alpha / (alpha + beta), alpha + beta

    @property
    def prior(self) -> dict[str, float]:
        """The prior of the scale as printed."""
        return {"concentration_exponent": self.numbers["pareto_shape"]}

    def paper_run(self, share: float) -> dict[str, Any]:
        """Arguments of a run of the paper's steps and a share of its sweeps; three chains."""
        sweeps = round(self.numbers["mcmc_sweeps"] * share)
        n_warmup = round(sweeps * self.numbers["mcmc_discarded_percent"] / 100)
        length = {"chains": 3, "warmup": n_warmup, "draws": sweeps - n_warmup}
        return {**self.prior, **length, "collapsed": False, "thin": 1, "threads": 1}

    @property
    def readings(self) -> dict[str, tuple[float, str]]:
        """Readings of the prior of the scale s, by the exponent g > 0 of s ** -(g + 1)."""
        shape = self.numbers["pareto_shape"]
        square = "uniform on the inverse squared scale, as printed beside it"
        root = "uniform on the inverse square root, as in the book it cites"
        found = {
            "paper": (shape, f"Pareto({shape:g}), as printed"),
            "uniform_inverse_square": (pareto_shape(self.numbers["inverse_power"]), square),
            "uniform_inverse_root": (pareto_shape(0.5), root),
        }
        return {method: reading for method, reading in found.items() if reading[0] > 0}

    @property
    def closed_forms(self) -> dict[str, float]:
        """What follows from the definitions and the printed design."""
        prevalence, power = self.numbers["sim_prevalence"], self.numbers["inverse_power"]
        return {
            "model.scale_prior.pareto_shape.entailed": pareto_shape(power),
            "sim.negative_to_positive": (1 - prevalence) / prevalence,
        }


def pareto_shape(power: float) -> float:
    """Return the shape of the Pareto density of s that a uniform s ** -power entails.

    The density of s is that of u = s ** -power, a constant, times |du/ds|, in proportion to
    s ** -(power + 1). The shape is read off its slope in logarithms, g + 1 with its sign changed.
    """
    at = np.array([2.0, 3.0])
    slope = np.diff(np.log(at ** -(power + 1))) / np.diff(np.log(at))
    return float(-slope[0] - 1)


#: What the labels determine exactly, and other printed numbers as well.
BY_LABELS = ("rte.voting.expected_errors", "rte.voting.expected_accuracy")


def arithmetic(printed: "pd.Series[float]") -> dict[str, float]:
    """Derive the totals and shares that the paper's own printed counts determine.

    Those of `BY_LABELS` are shown beside what the labels give, which decides.
    """
    items, tokens = printed["rte_items"], printed["muc_restricted_tokens"]
    votes, pruned_votes, muc_votes = (
        printed[f"{part}_voting_errors"] + printed[f"{part}_voting_ties"] / 2
        for part in ("rte", "rte_pruned", "muc")
    )
    large = 100 * printed["sim_large_residuals"] / printed["sim_items"]
    return {
        "sim.large_residual_share": large,
        "rte.voting.expected_errors": votes,
        "rte.voting.expected_accuracy": 1 - votes / items,
        "rte.model.accuracy": 1 - printed["rte_model_errors"] / items,
        "rte.pruned.model.accuracy": 1 - printed["rte_pruned_model_errors"] / items,
        "rte.pruned.voting.expected_errors": pruned_votes,
        "rte.pruned.voting.expected_accuracy": 1 - pruned_votes / items,
        "rte.n_certain_items": items - printed["rte_uncertain_items"],
        "muc.model.accuracy": 100 * (1 - printed["muc_model_errors"] / tokens),
        "muc.voting.expected_errors": muc_votes,
        "muc.voting.expected_accuracy": 100 * (1 - muc_votes / tokens),
    }
