"""Resampling and permutation of data in clusters."""
