"""From several labels to one: consensus, and a gold standard to compare it with."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["consensus", "gold", "partitioned"]
)
