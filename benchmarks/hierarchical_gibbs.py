"""Gibbs against NUTS on the multilevel binary model: effective draws per second.

Both samplers draw from the same posterior of the same labels, one after the other on the same
core, and are judged by their worst parameter: the least bulk effective sample size of prevalence,
means, scales, sensitivities and specificities. Compilation is done before. Time is CPU time of this
process, so that other work on the machine does not count.
"""

from __future__ import annotations

import os
import runpy
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annobench.core.errors import DataUnavailableError
from annobench.models import hierarchical_binary
from annobench.models.diagnostics import convergence_table
from benchmarks._record import Record

SCRIPT = Path(__file__).parents[1] / "tests" / "reference" / "numpyro" / "generate.py"
#: Effective draws per second, Gibbs over NUTS (design, section 5).
TARGET = 30

GIBBS = {"chains": 4, "warmup": 1_000, "draws": 5_000}
NUTS = {"chains": 2, "warmup": 1_000, "draws": 1_000, "seed": 1}


class Result(NamedTuple):
    """What one sampler did: CPU seconds and least effective sample size."""

    sampler: str
    draws: int
    warmup: float
    sampling: float
    effective: float
    worst: str

    @property
    def rate(self) -> float:
        """Effective draws per second of sampling."""
        return self.effective / self.sampling

    @property
    def rate_with_warmup(self) -> float:
        """Effective draws per second, warm-up included."""
        return self.effective / (self.warmup + self.sampling)


def worst_parameter(draws: dict[str, np.ndarray]) -> tuple[float, str]:
    """Return the least bulk effective sample size and whose it is."""
    tables = {}
    for name, values in draws.items():
        if name != "item_probability":
            values = values[..., None] if values.ndim == 2 else values
            tables[name] = values, [str(p) for p in range(values.shape[2])]
    effective = convergence_table(tables)["ess_bulk"]
    return float(effective.min()), effective.idxmin()[0]


def time_gibbs(annotations) -> Result:
    """Sample by the library; every sweep costs the same, so time is shared out by sweeps."""
    hierarchical_binary.fit(annotations, rng=np.random.default_rng(0), warmup=2, draws=2)
    start = time.process_time()
    fitted = hierarchical_binary.fit(annotations, rng=np.random.default_rng(1), **GIBBS)
    total = time.process_time() - start
    share = GIBBS["warmup"] / (GIBBS["warmup"] + GIBBS["draws"])
    return Result(
        "annobench Gibbs",
        GIBBS["chains"] * GIBBS["draws"],
        total * share,
        total * (1 - share),
        *worst_parameter(vars(fitted.draws)),
    )


def time_nuts(annotations, sampler) -> Result:
    """Sample by numpyro, as the reference values are; the first pass compiles."""
    mcmc, *inputs = sampler(annotations, **NUTS)
    for _ in range(2):
        start = time.process_time()
        mcmc.warmup(*inputs)
        middle = time.process_time()
        mcmc.run(*inputs)
        draws = {k: np.asarray(v) for k, v in mcmc.get_samples(group_by_chain=True).items()}
        end = time.process_time()
    return Result(
        "numpyro NUTS",
        NUTS["chains"] * NUTS["draws"],
        middle - start,
        end - middle,
        *worst_parameter(draws),
    )


def main() -> None:
    """Measure both samplers and print a table."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    script = runpy.run_path(str(SCRIPT))
    try:
        name, annotations = "RTE-1", script["load"]("rte1")
    except DataUnavailableError:
        name, annotations = "simulated panel (RTE-1 is not available)", script["load"]("simulated")
    print(f"{name}: {annotations}")
    results = [time_gibbs(annotations)]
    try:
        results.append(time_nuts(annotations, script["sampler"]))
    except ModuleNotFoundError as missing:
        print(f"no ratio: {missing.name} is not installed; see README.md beside this script")
    print(
        f"{'sampler':<16}{'draws':>8}{'warm-up s':>11}{'sampling s':>12}"
        f"{'least ESS':>11}{'ESS/s':>9}{'with warm-up':>14}  worst parameter"
    )
    for r in results:
        print(
            f"{r.sampler:<16}{r.draws:>8}{r.warmup:>11.2f}{r.sampling:>12.2f}"
            f"{r.effective:>11.0f}{r.rate:>9.1f}{r.rate_with_warmup:>14.1f}  {r.worst}"
        )
    record = Record("hierarchical_gibbs", "numpyro", "jax")
    work = f"Multilevel binary model of {name}: draws from its posterior on one core"
    gibbs = results[0]
    for r in results:
        record.add(work, r.sampler, "effective draws of the worst parameter", "per s", r.rate)
        record.add(work, r.sampler, "with warm-up", "per s", r.rate_with_warmup)
        if r is not gibbs:
            target = f"ours at least {TARGET} times"
            record.add(work, r.sampler, "ours over this", "", gibbs.rate / r.rate, target)
    for other in results[1:]:
        print(
            f"ratio of ESS/s {gibbs.rate / other.rate:.0f} (target {TARGET}), "
            f"with warm-up {gibbs.rate_with_warmup / other.rate_with_warmup:.0f}"
        )
    per_label = gibbs.sampling / gibbs.draws / annotations.n_labels
    print(f"Gibbs: {per_label * 1e9:.1f} ns per label and sweep")
    record.add(work, gibbs.sampler, "a label and sweep", "ns", per_label * 1e9)
    record.save()


if __name__ == "__main__":
    main()
