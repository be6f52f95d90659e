"""Formats of labels: discovery, recognition and the interface of readers."""

import lazy_loader

# Readers of tables use parts of this package, and what it exports uses readers of tables.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
