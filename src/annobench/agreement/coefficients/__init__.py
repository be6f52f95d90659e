"""Coefficients of agreement: one module a coefficient, with its record and its function."""
