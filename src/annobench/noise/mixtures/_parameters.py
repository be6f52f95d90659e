"""Mixtures in unconstrained parameters: expected cells, their derivatives, starting values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import scipy.linalg
from scipy.special import expit, gammaln, logit

from annobench.noise.mixtures.counts import Counts, Floats, Integers

_START_RATES = (0.03, 0.15, 0.3, 0.5, 0.7, 0.85, 0.97)


class MixtureModel:
    """Expected cells of mixtures, from unconstrained parameters."""

    def __init__(
        self,
        counts: Counts,
        bands: Sequence[tuple[float, float]],
        fixed: tuple[int, Floats] | None = None,
    ) -> None:
        self.counts = counts
        self.low, self.high = np.array(bands, dtype=float).T
        self.n_components = len(bands)
        self.fixed = fixed
        self.free = [t for t in range(self.n_components) if fixed is None or t != fixed[0]]
        n_free = len(self.free)
        self.contrasts = scipy.linalg.helmert(n_free).T if n_free > 1 else np.zeros((1, 0))
        n, x = counts.labels, counts.positives
        self.log_coefficient = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)

    def theta(self, share: Floats, rate: Floats) -> Floats:
        """Return the parameters (..., q) of shares and rates (..., m)."""
        inside = np.clip((rate - self.low) / (self.high - self.low), 1e-7, 1 - 1e-7)
        log_share = np.log(np.clip(share[..., self.free], 1e-7, None))
        return np.concatenate([logit(inside), log_share @ self.contrasts], axis=-1)

    def values(self, theta: Floats, rows: Integers) -> tuple[Floats, Floats]:
        """Return shares and rates, each of shape (B, m)."""
        m = self.n_components
        rate = self.low + (self.high - self.low) * expit(theta[:, :m])
        logits = theta[:, m:] @ self.contrasts.T
        free = np.exp(logits - logits.max(axis=1, keepdims=True))
        free /= free.sum(axis=1, keepdims=True)
        if self.fixed is None:
            return free, rate
        index, values = self.fixed
        share = np.empty((len(theta), m))
        share[:, index] = values[rows]
        share[:, self.free] = free * (1 - values[rows])[:, None]
        return share, rate

    def __call__(self, theta: Floats, rows: Integers) -> tuple[Floats, Floats]:
        """Return expected cells (B, M) and their Jacobian (B, M, q)."""
        share, rate = self.values(theta, rows)
        n, x, totals = self.counts.labels, self.counts.positives, self.counts.totals
        p = np.clip(rate, 1e-9, 1 - 1e-9)[..., None]
        log_pmf = self.log_coefficient + x * np.log(p) + (n - x) * np.log1p(-p)
        parts = totals * share[..., None] * np.exp(log_pmf)
        inner = expit(theta[:, : self.n_components])
        stretch = (self.high - self.low) * inner * (1 - inner)
        by_rate = parts * (x - n * p) * stretch[..., None] / (p * (1 - p))
        free = parts[:, self.free]
        own = share[:, self.free] / share[:, self.free].sum(axis=1, keepdims=True)
        by_share = free - own[..., None] * free.sum(axis=1, keepdims=True)
        jacobian = np.concatenate(
            [by_rate, np.einsum("bfm,fc->bcm", by_share, self.contrasts)], axis=1
        )
        return parts.sum(axis=1), np.moveaxis(jacobian, 1, 2)


def free_model(counts: Counts, n_components: int) -> MixtureModel:
    """Return the model in which all shares and rates are free."""
    return MixtureModel(counts, [(0.0, 1.0)] * n_components)


def start_grid(n_components: int) -> Floats:
    """Return rates to start from, shape (S, m)."""
    rates = _START_RATES if n_components <= 5 else np.linspace(0.03, 0.97, n_components + 2)
    return np.array(list(combinations(rates, n_components)))
