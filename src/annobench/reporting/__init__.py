"""HTML pages and number formats."""

import lazy_loader

from annobench.core.moved import moved_modules

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "benchmark_page",
        "draws_page",
        "figures",
        "formats",
        "pages",
        "printed",
        "report_page",
    ],
)

moved_modules(
    __name__,
    {
        "notebooks": "annobench_replication.notebooks",
        "printed_tables": "annobench_replication.printed_tables",
        "verdicts": "annobench_replication.faces",
    },
)
