"""Coefficients of agreement between annotators."""

from annobench.agreement.bayesian_kappa import KappaPosterior, kappa_posterior
from annobench.agreement.cohen_kappa import CohenKappa, cohen_kappa

__all__ = ["CohenKappa", "KappaPosterior", "cohen_kappa", "kappa_posterior"]
