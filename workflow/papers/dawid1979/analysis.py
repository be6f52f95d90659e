"""Recompute Dawid and Skene (1979) from the labels of its Table 1."""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.searches import searched_values
from annobench_replication.study import Study

from . import changes, figures, tables, values

PRINTED, COPY = "anesthesia_table1", "anesthesia"


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute Tables 2 to 4 and the claims of sections 3 and 4, then what lies beside them."""
    of_starts, of_search, of_bootstrap, of_models = rng.spawn(4)
    labels, copied = study.data(PRINTED).annotations, study.data(COPY).annotations
    fitted = values.fit(labels)
    optima = values.optima(labels, of_starts, effort)
    removed = values.without_each_observer(labels)
    sensitive = values.sensitive_patients(fitted, removed)

    # Section 4 in the order of the text, and what the copy gives in its place.
    results.values(values.best_maximum(fitted, optima), of=PRINTED)
    own = values.estimates(fitted)
    results.values(values.with_base_rates(fitted, own), of=PRINTED)
    results.values(values.table4_claims(fitted), of=PRINTED)
    results.values(values.sensitivity_claims(fitted, sensitive), of=PRINTED)
    of_copy = values.moved(own, values.estimates(values.fit(copied)))
    results.values(of_copy, of=COPY, method="copy of the labels")
    found = changes.search(labels, searched_values(study), of_search, effort)
    results.values(found.rows, of=PRINTED)

    both = (PRINTED, COPY)
    results.table("label_changes", found.table, of=PRINTED)
    results.table("copy", tables.copy_against_print, labels, copied, of=both)
    maxima = results.table("optima", tables.optima, fitted, optima, of=PRINTED)
    observers, rates = tables.with_intervals(labels, fitted, of_bootstrap, effort)
    results.table("error_rates", rates, of=PRINTED, digits=10)
    results.table("observers", observers, of=PRINTED, digits=10)
    results.table("agreement", tables.agreement_table, labels, of=PRINTED)
    patients = results.table(
        "patients", tables.patients, labels, fitted, optima, removed, of=PRINTED
    )
    consensus = results.table(
        "models", tables.models_table, labels, fitted, optima, of_models, effort, of=PRINTED
    )

    places = changes.places(labels, copied, found)
    results.figure("labels", figures.labels, labels, patients, places, of=both)
    results.figure("optima", figures.optima, maxima, of=PRINTED)
    results.figure("error_rates", figures.error_rates, rates, of=PRINTED)
    results.figure("models", figures.models, consensus, of=PRINTED)
