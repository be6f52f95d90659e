"""The cells of the study: all simulated sets of one design."""

from collections.abc import Sequence
from functools import partial

from studies.guard import fits
from study_contract.cells import Cell
from study_contract.running import OwnStudy


def cells(study: OwnStudy) -> Sequence[Cell]:
    """List what is fitted."""
    design, seed = study.design, study.seed
    return [
        *(
            partial(fits.dependence, model, each, n=design["checked"], seed=seed)
            for model in fits.CHECKED_MODELS
            for each in fits.CHECKED
        ),
        *(
            partial(fits.failures, design["models"], each, n=design["fitted"], seed=seed)
            for each in fits.FITTED
        ),
        *(partial(fits.optima, each, n=design["searched"], seed=seed) for each in fits.SEARCHED),
    ]
