"""From several labels to one: consensus, expert index, and classifiers that know annotators."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["c45", "consensus", "expert_index", "gold", "learning", "partitioned"]
)
