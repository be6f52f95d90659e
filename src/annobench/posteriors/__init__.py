"""Reference posteriors: what samplers of the models should draw, and comparison with it."""

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
