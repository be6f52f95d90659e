"""Computed beside printed numbers: verdicts, and what rounded numbers leave possible."""
