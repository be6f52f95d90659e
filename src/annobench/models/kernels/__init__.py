"""Compiled inner loops, one module per model."""
