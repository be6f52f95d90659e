"""Compiled inner loops, one module a model."""
