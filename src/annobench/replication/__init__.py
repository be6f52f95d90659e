"""What a paper"s analysis reads and writes, and the verdicts on its values."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "analysis",
        "dependence",
        "exhibit",
        "feasible",
        "ledger",
        "printed",
        "reconstruct",
        "results",
        "rounding",
        "rows",
        "schemas",
        "statistics",
        "study",
        "tracing",
        "verdicts",
        "vocabulary",
    ],
)
