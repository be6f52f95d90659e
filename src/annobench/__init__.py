"""annobench: agreement between annotators, models of annotation, noise in gold standards.

Start with ``labels = annobench.read_labels("labels.csv")``; then ``annobench.report(labels)``,
``annobench.consensus(labels)`` and ``annobench.certificate(labels)``.
"""

import lazy_loader

__version__ = "1.0.0rc1"

# What is not asked for is not imported: pandas alone takes half a second.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
