"""Pages, number formats, verdicts in words, and the report on the agreement of a data set."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["benchmark_page", "figures", "formats", "pages", "report_page", "verdicts"],
)
