"""Methods from outside: a Python file, a class, an installed package, any program.

Each becomes a `Candidate`, which the benchmark runs like a model of this library.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "answers",
        "candidate",
        "comparison",
        "contract",
        "data",
        "on_labels",
        "program",
        "python",
        "stored",
        "submission",
        "submitted",
    ],
    submod_attrs={
        "candidate": ["Candidate"],
        "comparison": ["Outcome", "compare", "file_names", "what_gold_tells"],
        "contract": ["Finding", "check"],
        "program": ["from_program"],
        "python": ["from_function", "from_python"],
        "submission": ["Submission", "from_submission", "write_submission"],
        "submitted": ["score_submitted"],
    },
)
