"""Links between the words or nodes of paired sentences, as annotations."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["links"])
