"""The coverage of the noise certificate: exact, by simulation, and the power that is planned."""

from studies.noise import certificate_coverage
from study_contract.running import OwnStudy, StudyResults


def analyse(study: OwnStudy, results: StudyResults) -> None:
    """Compute the exact coverage and the power, and put the simulated coverage beside them."""
    items, guesses = study.design["exact_items"], study.design["guesses"]
    curves = certificate_coverage.exact_curves(items=items, guesses=guesses)
    exact = certificate_coverage.exact_summary(
        items, certificate_coverage.EXACT_ANNOTATORS, guesses
    )
    power = certificate_coverage.power_table(
        repetitions=4 * study.design["repetitions"], seed=study.seed
    )
    results.table("curves", curves.assign(provenance="closed_form"))
    results.table("exact", exact.assign(provenance="closed_form"))
    results.table("simulated", study.measured.assign(provenance="simulated"))
    results.table("power", power.assign(provenance="simulated"))
