"""Foundations of all packages: choices, errors, writing of files, discovery of records."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["choices", "discovery", "errors", "files", "memory", "results", "texts"]
)
