"""What a paper's analysis reads and writes, the verdicts on its values, and how both are shown."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "analysis",
        "dependence",
        "exhibit",
        "faces",
        "feasible",
        "ledger",
        "notebooks",
        "printed_tables",
        "reconstruct",
        "results",
        "rounding",
        "rows",
        "schemas",
        "searches",
        "statistics",
        "study",
        "tracing",
        "variations",
        "verdicts",
        "vocabulary",
    ],
)
