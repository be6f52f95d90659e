"""Benchmarks: ratios measured side by side in one run. See README.md."""
