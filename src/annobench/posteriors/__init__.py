"""Reference posteriors of the models, and comparison of draws with them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "comparison",
        "draws",
        "enumeration",
        "making",
        "measures",
        "records",
        "relabelling",
        "stored",
    ],
)
