"""Figures, and the page that reports on the agreement of a data set."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["report_page"])
