"""Readers and writers of label files and of other tools' formats."""

import lazy_loader

# Partitions need Dask's helpers and compiled loops, which reading a file does not wait for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
