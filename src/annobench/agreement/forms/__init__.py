"""Forms: a coefficient as a function of sums of statistics over items."""
