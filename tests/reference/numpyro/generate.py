"""Sample the multilevel binary model by NUTS and store the posterior's summaries.

The categories are summed out, so that Hamiltonian Monte Carlo applies; everything else is
the model of `annobench.models.hierarchical_binary`: the same priors, restricted to the same
half m_0 + m_1 > 1. Two sampling methods and two pieces of code that share nothing but the
model must then give the same posterior.

Run from a clone, in an environment made from requirements/peers.txt; six minutes on one core:

    python tests/reference/numpyro/generate.py

It writes rte1.csv and simulated.csv beside itself.
"""

from __future__ import annotations

import datetime
import hashlib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from annobench import datasets
from annobench.labels.annotations import Annotations
from annobench.simulation import panels

HERE = Path(__file__).resolve().parent
CASES = ("rte1", "simulated")
QUANTILES = {"q2.5": 0.025, "q50": 0.5, "q97.5": 0.975}
SETTINGS = {"chains": 4, "warmup": 1_000, "draws": 5_000, "seed": 2008}


def load(case: str) -> Annotations:
    """Return the labels of a case.

    The simulated annotators differ widely: with distributions so narrow that a point is not
    excluded, the posterior of the scale has the prior's infinite variance, and NUTS a funnel.
    """
    if case == "rte1":
        return datasets.load("snow2008_rte", mode="real").annotations
    return panels.binary(
        n_items=300,
        n_annotators=20,
        prevalence=0.3,
        sensitivity=(5, 2),
        specificity=(8, 2),
        missing=0.5,
        rng=np.random.default_rng(20080101),
    ).annotations


def digest(annotations: Annotations) -> str:
    """Return the SHA-256 of the labels, one line "item,annotator,code" each, sorted."""
    lines = sorted(
        f"{annotations.items[i]},{annotations.annotators[j]},{code}\n"
        for i, j, code in zip(
            annotations.item, annotations.annotator, annotations.label, strict=True
        )
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def padded_labels(annotations: Annotations) -> np.ndarray:
    """Return codes J x + j of each item's labels x by j, shape (I, most labels of an item).

    Items with fewer labels are padded with 2 J. Of the layouts tried (dense matrices, sums by
    segment), gradients are fastest with this one.
    """
    view, n_annotators = annotations.by_item, annotations.n_annotators
    codes = annotations.label.astype(np.int64) * n_annotators + annotations.annotator
    size = np.diff(view.offsets)
    padded = np.full((annotations.n_items, size.max()), 2 * n_annotators)
    padded[np.arange(size.max()) < size[:, None]] = codes[view.order]
    return padded


def sampler(annotations: Annotations, *, chains: int, warmup: int, draws: int, seed: int):
    """Return a NUTS sampler, and the random key and the labels that its `run` takes.

    Chains start from medians of draws from the prior. From numpyro's default start one in two
    ends with all annotators worse than chance and both means held at the edge of the allowed
    half: a region of no weight that Hamiltonian dynamics does not leave.
    """
    import jax
    import numpyro

    numpyro.enable_x64()
    mcmc = numpyro.infer.MCMC(
        numpyro.infer.NUTS(model, init_strategy=numpyro.infer.init_to_median),
        num_warmup=warmup,
        num_samples=draws,
        num_chains=chains,
        chain_method="sequential",
        progress_bar=False,
    )
    labels = jax.numpy.asarray(padded_labels(annotations))
    return mcmc, jax.random.key(seed), labels, annotations.n_annotators


def model(labels, n_annotators):
    """State the model to numpyro, the categories summed out."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    prevalence = numpyro.sample("prevalence", dist.Beta(1, 1))
    # Together uniform on the triangle m_0 + m_1 > 1: the density is 2 m_0 times 1 / m_0.
    mean = {"specificity": numpyro.sample("specificity_mean", dist.Beta(2, 1))}
    mean["sensitivity"] = numpyro.sample(
        "sensitivity_mean", dist.Uniform(1 - mean["specificity"], 1)
    )
    log_chance = {}  # log theta, log(1 - theta)
    for name, m in mean.items():
        scale = numpyro.sample(f"{name}_concentration", dist.Pareto(1, 1.5))
        annotators = dist.Beta(m * scale, (1 - m) * scale).expand([n_annotators])
        theta = numpyro.sample(name, annotators.to_event(1))
        log_chance[name] = jnp.log(theta), jnp.log1p(-theta)
    table = jnp.stack(
        [
            jnp.concatenate([*log_chance["sensitivity"][::-1], jnp.zeros(1)]),
            jnp.concatenate([*log_chance["specificity"], jnp.zeros(1)]),
        ],
        axis=1,
    )
    log_joint = table[labels].sum(axis=1)
    log_joint += jnp.stack([jnp.log(prevalence), jnp.log1p(-prevalence)])
    numpyro.factor("labels", jnp.logaddexp(log_joint[:, 0], log_joint[:, 1]).sum())
    difference = log_joint[:, 1] - log_joint[:, 0]
    numpyro.deterministic("item_probability", 1 / (1 + jnp.exp(difference)))


def ranks(names: tuple[str, ...]) -> list[str]:
    """Replace names by their places in sorted order; ids of people are not stored."""
    place = {name: str(rank) for rank, name in enumerate(sorted(names))}
    return [place[name] for name in names]


def summarise(
    draws: dict[str, np.ndarray], annotations: Annotations, *, convergence: bool = True
) -> pd.DataFrame:
    """Tabulate mean, quantiles and their Monte Carlo errors, one row a parameter."""
    import arviz

    names = {
        "item_probability": ranks(annotations.items),
        "sensitivity": ranks(annotations.annotators),
        "specificity": ranks(annotations.annotators),
    }
    tables = []
    for parameter in sorted(draws, key=lambda name: (name == "item_probability", name)):
        values = np.asarray(draws[parameter], dtype=np.float64)
        values = values[..., None] if values.ndim == 2 else values
        data = arviz.convert_to_dataset({"x": values})
        deviation = values.std(axis=(0, 1), ddof=1)
        columns = {
            "mean": values.mean(axis=(0, 1)),
            "sd": deviation,
            "mcse_mean": deviation / np.sqrt(arviz.ess(data, method="mean")["x"].to_numpy()),
        }
        if parameter != "item_probability":
            for name, probability in QUANTILES.items():
                columns[name] = np.quantile(values, probability, axis=(0, 1))
                error = arviz.mcse(data, method="quantile", prob=probability)
                columns[f"mcse_{name}"] = error["x"].to_numpy()
        if convergence and parameter != "item_probability":
            columns["ess_bulk"] = arviz.ess(data, method="bulk")["x"].to_numpy()
            columns["ess_tail"] = arviz.ess(data, method="tail")["x"].to_numpy()
            columns["r_hat"] = arviz.rhat(data)["x"].to_numpy()
        frame = pd.DataFrame(columns)
        frame.insert(0, "name", names.get(parameter, ("",)))
        frame.insert(0, "parameter", parameter)
        tables.append(frame)
    return pd.concat(tables, ignore_index=True)


def write(case: str) -> None:
    """Sample one case and write its file."""
    annotations = load(case)
    mcmc, *inputs = sampler(annotations, **SETTINGS)
    mcmc.run(*inputs, extra_fields=("diverging",))
    table = summarise(mcmc.get_samples(group_by_chain=True), annotations)
    packages = ("numpyro", "jax", "jaxlib", "numpy", "arviz")
    header = {
        "note": "do not edit; written by the script",
        "script": "tests/reference/numpyro/generate.py",
        "packages": " ".join(f"{name}=={version(name)}" for name in packages),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "labels_sha256": digest(annotations),
        "settings": " ".join(f"{name}={value}" for name, value in SETTINGS.items()),
        "divergences": int(mcmc.get_extra_fields()["diverging"].sum()),
    }
    with (HERE / f"{case}.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in header.items())
        table.to_csv(file, index=False, float_format="%.10g", lineterminator="\n")
    print(
        f"{case}: worst R-hat {table['r_hat'].max():.4f}, least ESS {table['ess_bulk'].min():.0f}"
    )


def read(case: str) -> pd.DataFrame:
    """Return the table of a stored case."""
    table = pd.read_csv(HERE / f"{case}.csv", comment="#", dtype={"name": str})
    return table.fillna({"name": ""})


if __name__ == "__main__":
    for each in CASES:
        write(each)
