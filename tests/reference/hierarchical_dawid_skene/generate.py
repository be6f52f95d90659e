"""Sample the hierarchical Dawid-Skene model by NUTS and store the posterior's means.

The categories are summed out; the priors are those of
`annobench.models.hierarchical_dawid_skene`. The labels leave no doubt of which class bears which
label, and the chains start there, so that the restriction to the order of classes with the largest
trace has nothing to do.

Run from a clone, in an environment made from requirements/peers.txt; two minutes on one core:

    python tests/reference/hierarchical_dawid_skene/generate.py

It writes posterior.csv beside itself.
"""

from __future__ import annotations

import datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.labels.annotations import Annotations
from annobench.models.diagnostics import convergence_table

FILE = Path(__file__).resolve().parent / "posterior.csv"
SETTINGS = {"num_chains": 4, "num_warmup": 700, "num_samples": 2_000}
TARGET_ACCEPTANCE = 0.9
MEAN = np.array([[0.75, 0.15, 0.10], [0.10, 0.80, 0.10], [0.15, 0.25, 0.60]])


def load() -> Annotations:
    """Return labels of ten annotators who differ widely, for 200 items in three categories."""
    rng = np.random.default_rng(20080808)
    truth = rng.choice(3, size=200, p=[0.5, 0.3, 0.2])
    confusion = np.array([[rng.dirichlet(6 * row) for row in MEAN] for _ in range(10)])
    edges = confusion[:, truth].cumsum(axis=2)
    label = (rng.random((10, 200, 1)) > edges[..., :-1]).sum(axis=2)
    annotator, item = np.nonzero(rng.random((10, 200)) < 0.6)
    return Annotations.from_arrays(
        item,
        annotator,
        label[annotator, item],
        items=range(200),
        annotators=range(10),
        categories=range(3),
    )


def tabulate(draws: dict[str, np.ndarray]) -> pd.DataFrame:
    """Return mean, its Monte Carlo error, R-hat and effective size of every parameter."""
    tables = {}
    for name in ("prevalence", "mean", "concentration", "confusion"):
        values = np.asarray(draws[name], dtype=np.float64)
        values = values.reshape(*values.shape[:2], -1)
        # The concentration has a heavy tail, and a mean of its logarithm.
        values = np.log(values) if name == "concentration" else values
        tables[name] = values, [str(number) for number in range(values.shape[2])]
    table = convergence_table(tables).reset_index()
    return table[["parameter", "name", "mean", "mcse_mean", "r_hat", "ess_bulk"]]


def main() -> None:
    """Sample, and write the file."""
    import jax
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.special import gammaln
    from numpyro import distributions as dist

    numpyro.enable_x64()
    annotations = load()
    item, annotator, label = (
        jnp.asarray(column)
        for column in (annotations.item, annotations.annotator, annotations.label)
    )

    def model() -> None:
        prevalence = numpyro.sample("prevalence", dist.Dirichlet(jnp.ones(3)))
        mean = numpyro.sample("mean", dist.Dirichlet(jnp.ones((3, 3))).to_event(1))
        scale = numpyro.sample("concentration", dist.Pareto(1, 1.5).expand([3]).to_event(1))
        # The Dirichlet density of log ratios to the last label. The usual transform to the simplex
        # cuts off entries next to 0, which small scales have, and the sampler is biased by it.
        real = dist.ImproperUniform(dist.constraints.real, (), (annotations.n_annotators, 3, 2))
        ratio = numpyro.sample("log_ratio", real)
        log_confusion = jax.nn.log_softmax(jnp.pad(ratio, ((0, 0), (0, 0), (0, 1))))
        shape = scale[:, None] * mean
        constant = gammaln(scale) - gammaln(shape).sum(axis=1)
        numpyro.factor("rows", (shape * log_confusion).sum(axis=2) + constant)
        numpyro.deterministic("confusion", jnp.exp(log_confusion))
        terms = log_confusion[annotator, :, label]
        joint = jnp.zeros((annotations.n_items, 3)).at[item].add(terms) + jnp.log(prevalence)  # noqa: PD008
        numpyro.factor("labels", jax.nn.logsumexp(joint, axis=1).sum())

    start = {
        "prevalence": np.full(3, 1 / 3),
        "mean": 0.4 * np.eye(3) + 0.2,
        "concentration": np.full(3, 5.0),
        "log_ratio": np.tile(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), (10, 1, 1)),
    }
    sampler = numpyro.infer.MCMC(
        numpyro.infer.NUTS(
            model,
            init_strategy=numpyro.infer.init_to_value(values=start),
            target_accept_prob=TARGET_ACCEPTANCE,
        ),
        chain_method="sequential",
        progress_bar=False,
        **SETTINGS,
    )
    sampler.run(jax.random.key(8), extra_fields=("diverging",))
    print(int(sampler.get_extra_fields()["diverging"].sum()), "divergences")
    table = tabulate(sampler.get_samples(group_by_chain=True))
    packages = " ".join(f"{name}=={version(name)}" for name in ("numpyro", "jax", "numpy"))
    with FILE.open("w", encoding="utf-8", newline="\n") as file:
        day = datetime.datetime.now(datetime.UTC).date()
        file.write(f"# written by generate.py on {day}; {packages}; {SETTINGS}\n")
        table.to_csv(file, index=False, float_format="%.10g", lineterminator="\n")
    print(table[["r_hat", "ess_bulk"]].describe().loc[["min", "max"]])


if __name__ == "__main__":
    main()
