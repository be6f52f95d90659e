"""Layouts of tables of labels, one module per layout with its records `LAYOUT` and `FORMAT`."""
