"""The former place of `annobench.io.formats.layers`; its names warn for one version."""

import warnings

from annobench.io.formats import layers as present


def __getattr__(name: str) -> object:
    """Return a name from where it is now, with a warning."""
    if name.startswith("_") or not hasattr(present, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        f"{__name__}.{name} is {present.__name__}.{name} now. Import it from there.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(present, name)
