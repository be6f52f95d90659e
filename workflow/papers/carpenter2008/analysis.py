"""Recompute Carpenter (2008) from raw labels."""

from typing import Any

import numpy as np

from annobench.evaluation import scores
from annobench.models import hierarchical_binary, voting
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.rows import shown_beside, value_row
from annobench_replication.study import Study

from . import drawn, figures, printed, tables, values

RTE, MUC_GOLD, MUC = "snow2008_rte", "muc6_gold", "muc6_person"
FIGURES, ERRORS = drawn.FIGURES, "muc6_error_analysis"

#: What runs of each length are called.
LENGTHS = {"paper": "1,000 sweeps, as printed", "half_length": "500 sweeps"}


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute sections 2 to 6 of the paper."""
    rte, muc_gold, muc = (study.data(id) for id in (RTE, MUC_GOLD, MUC))
    annotations, gold = rte.annotations, rte.gold
    counts, design = study.numbers("printed_counts"), printed.Design(study.numbers("design"))
    of_section3, of_data_sets, of_rte, of_runs, of_priors, of_muc, of_muc_runs = rng.spawn(7)
    (of_drawn,) = rng.spawn(1)
    sweeps = values.sweeps(effort)

    # The fits.
    truth, simulated = values.simulate_once(design, of_section3, **sweeps)
    simulations = values.repeat_simulation(design, of_data_sets, effort)
    fits = values.fit_rte(annotations, of_rte, **sweeps, **design.prior)
    first, second = fits.pruned.first, fits.pruned.second
    by_prior = {
        method: first
        if method == "paper"
        else hierarchical_binary.fit(
            annotations, rng=of_priors, concentration_exponent=exponent, **sweeps
        )
        for method, (exponent, _) in design.readings.items()
    }
    muc_fit = values.fit_muc(design, muc, of_muc, effort)
    every = {"simulation": simulated, "RTE-1": first, "RTE-1, pruned": second}
    every |= {"RTE-1, not hierarchical": fits.flat, "MUC-6": muc_fit}
    chains = tables.convergence(every, effort)
    r_hat = chains.groupby("fit")["largest_r_hat"].max()
    annotators = tables.annotators(annotations, gold, first)
    drawings = study.data(FIGURES)
    shown = drawn.shown(drawings, annotators)
    settings = design.paper_run(values.SHARE_OF_SWEEPS[effort])
    runs = drawn.Runs(rte, shown, of_drawn, **settings)
    repeats = values.repeat_rte(design, rte, of_runs, effort, runs)
    of_figures = drawn.sampled_values(runs)
    points = drawn.points(drawings, annotators, shown, runs)

    # Sections 2 and 3.
    once = values.simulation_values(design, truth, simulated)
    rte_values = values.rte_values(design, fits, rte)
    muc_values = values.muc_model_values(muc, muc_fit)
    figure_values = dict(of_figures.mean())
    sampled = (once, rte_values, muc_values, figure_values)
    n_sampled = sum(len(values.printed_targets(v)) for v in sampled)
    results.values(design.closed_forms, of="closed_form")
    entailed = printed.arithmetic(counts)
    again = {target: entailed.pop(target) for target in printed.BY_LABELS}
    results.values(entailed, of="printed")
    results.values(again, of="printed", method="arithmetic")
    results.values(values.sampled_rows(once, simulations, n_sampled), of="simulation")
    results.values({"sim.rhat": r_hat["simulation"]}, of="simulation")
    rivals = values.simulation_rivals(design, truth, simulated)
    results.values(rivals, of="simulation")

    # Section 4.
    results.values(values.rte_facts(design, rte, annotators), of=RTE)
    rows = values.sampled_rows(rte_values, repeats, n_sampled)
    results.values(shown_beside(rows, entailed), of=RTE)
    results.values({"rte.rhat": r_hat["RTE-1"]}, of=RTE)
    results.values(values.rte_rivals(design, fits, rte), of=RTE)
    removed = annotators.loc[~annotators["kept"], "n_labels"].sum()
    share = {"rte.n_annotators_at_chance_share": 100 * (removed / annotations.n_labels)}
    results.values(share, of=RTE, method="labels_of_pruned_annotators")

    # Figures 5 to 7.
    results.values(values.sampled_rows(figure_values, of_figures, n_sampled), of=RTE)
    results.values(drawn.point_values(points), of=(RTE, FIGURES))
    results.values(drawn.voting_bars(rte), of=RTE)
    results.values(drawn.circle_values(drawings, annotators, shown), of=(RTE, FIGURES))

    # Section 5. Simulated labels are compared with nothing, so nothing is spent on their runs.
    results.values(values.muc_facts(muc_gold), of=MUC_GOLD)
    by_labels = values.muc_label_facts(muc) | {"muc.rhat": r_hat["MUC-6"]}
    if muc.provenance == "real":
        muc_repeats = values.repeat_muc(design, muc, of_muc_runs, effort)
        rows = values.sampled_rows(muc_values, muc_repeats, n_sampled)
        rows += [value_row(target, value) for target, value in by_labels.items()]
        results.values(shown_beside(rows, entailed), of=MUC)
    else:
        found = by_labels | muc_values
        results.values({t: v for t, v in found.items() if t not in entailed}, of=MUC)

    results.values(values.judged_errors(study.data(ERRORS), counts), of=(ERRORS, "printed"))

    # Section 4 with other priors.
    for method, fitted in by_prior.items():
        if method != "paper":
            found = values.intervals(fitted, "rte", values.POPULATION)
            found["rte.model.errors"] = scores.count_errors(fitted.posterior, gold).expected_errors
            results.values(found, of=RTE, method=method)

    votes, muc_votes = (voting.fit(a).posterior for a in (annotations, muc.annotations))
    posteriors = {
        ("all", "voting"): votes,
        ("all", "model"): first.posterior,
        ("all", "model, not hierarchical"): fits.flat.posterior,
        ("pruned", "voting"): voting.fit(fits.pruned.annotations).posterior,
        ("pruned", "model"): second.posterior,
    }
    results.table("errors", tables.errors, posteriors, gold, of=RTE)
    both = {"all annotators": first, "pruned": second}
    results.table("intervals", tables.intervals, both, of=RTE)
    priors = {text: by_prior[method] for method, (_, text) in design.readings.items()}
    results.table("prior_sensitivity", tables.intervals, priors, of=RTE)
    results.table("annotators", annotators.sort_values("kept", kind="stable"), of=RTE)
    results.table("pruning", tables.pruning, annotations, gold, annotators, of=RTE)
    results.table("chance_readings", tables.chance_readings, annotators, of=RTE)
    three = both | {"not hierarchical": fits.flat}
    results.table("certainty_readings", tables.certainty_readings, three, gold, of=RTE)
    results.table("disagreements", tables.disagreements, rte, first, of=RTE)
    results.table("simulations", tables.over_runs, simulations, "summary", of="simulation")
    results.table("repeats", tables.over_runs, repeats, "value", of=RTE)
    results.table("new_annotator", tables.new_annotator, first, of=RTE)
    posteriors = {("all", "voting"): muc_votes, ("all", "model"): muc_fit.posterior}
    results.table("muc_errors", tables.errors, posteriors, muc.gold, of=MUC)
    readings = {text: by_prior[method] for method, (_, text) in design.readings.items()}
    readings["no hierarchy"] = fits.flat
    medians = next(iter(readings))
    both_data = (RTE, FIGURES)
    shorter = drawn.shorter_runs(design, rte, shown, of_drawn, effort)
    all_points = {"paper": points}
    all_points["half_length"] = drawn.points(drawings, annotators, shown, shorter)
    all_runs = {"paper": runs, "half_length": shorter}
    results.table("drawn_values", drawn.read_off, drawings, of=FIGURES)
    results.table("drawn_points", drawn.points_by_length, all_points, of=both_data, digits=6)
    results.table("drawn_readings", drawn.readings, drawings, readings, medians, of=both_data)
    bars = results.table("drawn_bars", drawn.heights, drawings, all_runs, rte, of=both_data)
    pairs = results.table("kappa", tables.kappa, annotations, first, of=RTE)
    results.table("convergence", chains, of=("simulation", RTE, MUC))

    n_simulations = {"n_simulations": len(simulations)}
    of_simulation: dict[str, Any] = {"of": "simulation", "caption": n_simulations}
    of_labels: dict[str, Any] = {"of": RTE, "caption": {"n_labels": annotations.n_labels}}
    of_tokens: dict[str, Any] = {"of": MUC, "caption": {"n_labels": muc.annotations.n_labels}}
    kept = tables.annotators(fits.pruned.annotations, gold, second)
    muc_annotators = tables.annotators(muc.annotations, muc.gold, muc_fit)
    large = counts["sim_large_residuals"]
    results.figure("figure1", figures.figure1, of="closed_form")
    results.figure("figure2", figures.figure2, truth, simulated, **of_simulation)
    results.figure("figure3", figures.figure3, design, simulated, **of_simulation)
    author = drawn.marks(drawings, "figure4_residuals", "bar")
    of_drawn_too = of_simulation | {"of": ("simulation", FIGURES)}
    results.figure("figure4", figures.figure4, design, truth, simulated, author, **of_drawn_too)
    results.figure("simulations", figures.simulations, simulations, large, **of_simulation)
    of_both = of_labels | {"of": both_data}
    results.figure("figure5", figures.estimates, annotators, first, points, **of_both)
    results.figure("figure6", figures.figure6, annotators, kept, fits.pruned, points, **of_both)
    # As the author counts: an item's probability is the mean of its sampled categories.
    model = values.with_sampled_categories(first, of_drawn).posterior
    results.figure("figure7", figures.residuals, model, votes, gold, bars, **of_both)
    results.figure(
        "drawn_points",
        figures.drawn_points,
        all_points["half_length"],
        bars,
        LENGTHS,
        **of_both,
    )
    results.figure("figure8", figures.estimates, muc_annotators, muc_fit, **of_tokens)
    results.figure("figure9", figures.figure9, muc_annotators, muc_fit, **of_tokens)
    model = values.with_sampled_categories(muc_fit, of_drawn).posterior
    results.figure("figure10", figures.residuals, model, muc_votes, muc.gold, **of_tokens)
    results.figure("kappa", figures.kappa, pairs, **of_labels)
