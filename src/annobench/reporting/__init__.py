"""Figures, and the page that reports on the agreement of a data set."""
