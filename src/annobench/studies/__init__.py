"""Studies of the methods: coverage, certificates, conformance."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "certificate_coverage",
        "certificates",
        "conformance",
        "conventions",
        "coverage",
        "parts",
        "prevalence_coverage",
    ],
)
