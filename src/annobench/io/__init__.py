"""Readers and writers of label files and of other tools' formats."""

import lazy_loader

from annobench.core.moved import moved_modules

# Partitions need Dask's helpers and compiled loops, which reading a file does not wait for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

moved_modules(__name__, {"nxt": "annobench_datasets.nxt", "wordnet": "annobench_datasets.wordnet"})
