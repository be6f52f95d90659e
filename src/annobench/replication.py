"""Former names of the contract of papers, a package beside the library; they warn."""

from __future__ import annotations

from annobench.core.moved import moved_modules

__path__: list[str] = []

_SAME = (
    *("analysis", "dependence", "exhibit", "feasible", "ledger", "made_by", "reconstruct"),
    *("results", "rounding", "rows", "schemas", "searches", "statistics", "study", "tracing"),
    *("variations", "verdicts", "vocabulary"),
)

moved_modules(
    __name__,
    {name: f"annobench_replication.{name}" for name in _SAME}
    | {"printed": "annobench.reporting.printed"},
)
