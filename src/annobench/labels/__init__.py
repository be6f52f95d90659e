"""Labels by item and annotator; hierarchies and merging of categories."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["merging"],
    submod_attrs={"annotations": ["Annotations"], "hierarchy": ["Hierarchy"]},
)
