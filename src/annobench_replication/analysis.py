"""Run a paper's analysis: what it reads goes in as a `Study`, what it writes out as `Results`."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np

from annobench.core.errors import PublicationError
from annobench_replication.made_by import PACKAGE
from annobench_replication.results import Results
from annobench_replication.study import Study

__all__ = ["Analyse", "Analysis", "Effort"]

#: All repetitions, or as few as let every value, table and figure be made in seconds.
Effort = Literal["full", "quick"]
Analyse = Callable[[Study, Results, np.random.Generator, Effort], None]

_NUMBERS = itertools.count()


class Analysis:
    """The modules of a paper's folder, of which `analysis.py` has the function `analyse`.

    Parameters
    ----------
    folder : Path
        The paper's folder. Its modules import one another relatively; every object has its own
        copy of them.

    Raises
    ------
    PublicationError
        If `analysis.py` has no `analyse`.
    """

    def __init__(self, folder: Path) -> None:
        self._package = ModuleType(PACKAGE.format(number=next(_NUMBERS), folder=folder.name))
        self._package.__path__ = [str(folder)]
        sys.modules[self._package.__name__] = self._package
        self.module = importlib.import_module(f"{self._package.__name__}.analysis")
        if not callable(getattr(self.module, "analyse", None)):
            raise PublicationError(
                f"{folder / 'analysis.py'} has no function `analyse`. Write "
                "`def analyse(study, results, rng, effort)`."
            )

    @property
    def modules(self) -> list[ModuleType]:
        """All modules of the folder that were imported, `analysis.py` first."""
        beginning = f"{self._package.__name__}."
        others = [
            module
            for name, module in sys.modules.items()
            if name.startswith(beginning) and module is not self.module
        ]
        return [self.module, *others]

    def run(
        self, study: Study, results: Results, seed: int | None, effort: Effort = "full"
    ) -> bool:
        """Compute and write everything.

        Parameters
        ----------
        study, results
            What is read and written.
        seed : int or None
            Of the one generator that the analysis draws from; None for one that draws nothing.
        effort : {"full", "quick"}
            How many repetitions.

        Returns
        -------
        bool
            Whether it drew from the generator, or from one that the generator gave.

        Raises
        ------
        PublicationError
            If the analysis keeps no contract: see `Study` and `Results`.
        """
        analyse: Analyse = self.module.analyse
        sequence = np.random.SeedSequence(seed)
        rng = np.random.default_rng(sequence)
        undrawn = rng.bit_generator.state
        analyse(study, results, rng, effort)
        results.finish()
        return rng.bit_generator.state != undrawn or sequence.n_children_spawned > 0
