"""Coefficients of agreement between annotators: one module a coefficient, found by discovery.

Every coefficient is a function of `Annotations` that returns an `Agreement`: the estimate, its
standard error and intervals, and what it is made of.
"""

from __future__ import annotations

from types import ModuleType

from annobench.agreement.base import Agreement, Coefficient
from annobench.agreement.breakdown import contingency
from annobench.agreement.coefficients.bias_index import bias_index
from annobench.agreement.coefficients.brennan_prediger import brennan_prediger
from annobench.agreement.coefficients.cohen_kappa import cohen_kappa
from annobench.agreement.coefficients.conditional_kappa import conditional_kappa
from annobench.agreement.coefficients.conger_kappa import conger_kappa
from annobench.agreement.coefficients.fleiss_kappa import fleiss_kappa
from annobench.agreement.coefficients.gwet_ac1 import gwet_ac1
from annobench.agreement.coefficients.icc import icc
from annobench.agreement.coefficients.kappa_maximum import kappa_maximum
from annobench.agreement.coefficients.krippendorff_alpha import krippendorff_alpha
from annobench.agreement.coefficients.light_kappa import light_kappa
from annobench.agreement.coefficients.paired_agreement import paired_agreement
from annobench.agreement.coefficients.pearson import pearson
from annobench.agreement.coefficients.percent_agreement import percent_agreement
from annobench.agreement.coefficients.prevalence_index import prevalence_index
from annobench.agreement.coefficients.scott_pi import scott_pi
from annobench.agreement.coefficients.spearman import spearman
from annobench.agreement.coefficients.specific_agreement import specific_agreement
from annobench.agreement.report import report
from annobench.agreement.resampling import Difference, Interval, bootstrap_groups, difference
from annobench.core.discovery import records
from annobench.models.bayesian_kappa import KappaPosterior, kappa_posterior

__all__ = [
    "Agreement",
    "Coefficient",
    "Difference",
    "Interval",
    "KappaPosterior",
    "bennett_s",
    "bias_index",
    "bootstrap_groups",
    "brennan_prediger",
    "cohen_kappa",
    "conditional_kappa",
    "conger_kappa",
    "contingency",
    "difference",
    "discover",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
    "kappa_maximum",
    "kappa_posterior",
    "krippendorff_alpha",
    "light_kappa",
    "multi_kappa",
    "multi_pi",
    "pabak",
    "paired_agreement",
    "pearson",
    "percent_agreement",
    "prevalence_index",
    "report",
    "scott_pi",
    "spearman",
    "specific_agreement",
]

#: Other names of the same coefficients.
multi_pi = fleiss_kappa
multi_kappa = conger_kappa
bennett_s = pabak = brennan_prediger
gwet_ac2 = gwet_ac1


def discover() -> dict[str, ModuleType]:
    """Import every coefficient and return its module by the name in its record.

    Returns
    -------
    dict of str to module
        Each module has `METHOD` and a function of the record's name.

    Raises
    ------
    ImportError
        If two modules hold the same name.
    """
    return records("annobench.agreement.coefficients")
