"""annobench: a reproducible workbench for annotation statistics."""

from annobench.annotations import Annotations

__all__ = ["Annotations", "__version__"]
__version__ = "0.1.0"
