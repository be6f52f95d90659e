"""Public data sets: one file a source, found by its records `DATASETS`; `pins` has checksums.

Each has a simulator that replaces it where it is not available. `annobench.datasets` loads them.
"""
