"""Layouts of tables of labels: one file a layout, found by its records `LAYOUT` and `FORMAT`."""
