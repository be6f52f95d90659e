"""Coefficients of agreement between annotators: one module per coefficient, found automatically.

Every coefficient is a function of `Annotations` that returns an `Agreement`: the estimate, its
standard error and intervals, and its components. Coefficients in
`annobench.agreement.coefficients`, and their aliases, are names of this package.
"""

from __future__ import annotations

from typing import Any

from annobench.agreement.breakdown import contingency
from annobench.agreement.coefficients import discover
from annobench.agreement.differences import Difference, difference
from annobench.agreement.generalizability import Generalizability, generalizability
from annobench.agreement.groups import ByGroup, by_group
from annobench.agreement.limits_of_agreement import LimitsOfAgreement, limits_of_agreement
from annobench.agreement.marginal_homogeneity import MarginalHomogeneity, marginal_homogeneity
from annobench.agreement.over_time import OverTime, over_time
from annobench.agreement.record import Coefficient
from annobench.agreement.replicates import bootstrap_groups
from annobench.agreement.report_table import report
from annobench.agreement.result import Agreement
from annobench.resampling.intervals import Interval

__all__ = [
    "Agreement",
    "ByGroup",
    "Coefficient",
    "Difference",
    "Generalizability",
    "Interval",
    "LimitsOfAgreement",
    "MarginalHomogeneity",
    "OverTime",
    "bootstrap_groups",
    "by_group",
    "contingency",
    "difference",
    "discover",
    "generalizability",
    "limits_of_agreement",
    "marginal_homogeneity",
    "over_time",
    "report",
]

_COEFFICIENTS = {
    name: getattr(module, module.METHOD.name)
    for module in discover().values()
    for name in (module.METHOD.name, *module.METHOD.aliases)
}
__all__ += _COEFFICIENTS


def __getattr__(name: str) -> Any:
    """Return a coefficient by its name or an alias."""
    if name in _COEFFICIENTS:
        return _COEFFICIENTS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
