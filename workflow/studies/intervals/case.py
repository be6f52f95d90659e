"""A row of the study of intervals: what a command prints, tried on data sets of one design."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """What is tried, on what data sets, and what the project promises of it."""

    interval: str  # id, e.g. "report.lights_kappa": command, dot, quantity
    design: str  # in words: "50 items, 12 annotators, 2 labels an item, prevalence .1"
    # "coverage" (trial returns lower, upper, truth), "level" (trial returns a p-value), "value"
    # (trial returns a float, e.g. a slope)
    kind: str
    wanted: tuple[float, float]  # what the project promises, e.g. (.93, .97)
    trial: Callable[[np.random.Generator], tuple[float, ...]]
    data_sets: int = 1000  # 200 where one fit takes more than a second
