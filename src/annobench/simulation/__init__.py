"""Simulated panels of annotators and simulated alignments."""
