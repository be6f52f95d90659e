"""Readers of annotation tools' exports: one file a format, found by its record `FORMAT`."""
