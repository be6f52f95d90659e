"""HTML pages and number formats."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "benchmark_page",
        "figures",
        "formats",
        "pages",
        "printed",
        "report_page",
    ],
)
