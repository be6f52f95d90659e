"""The former place of `annobench.io.formats`; its names warn for one version."""

import warnings

from annobench.io import formats

__all__: list[str] = []


def __getattr__(name: str) -> object:
    """Return a name from where it is now, with a warning."""
    if name not in formats.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        f"{__name__}.{name} is {formats.__name__}.{name} now. Import it from there.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(formats, name)
