r"""Mixtures of binomials: components of items that differ in their rate of positive labels.

Item i belongs to component t with probability theta_t, and each of its n labels is positive with
probability p_t, independently. The number of positive labels then has the distribution

    Pr(x = j) = sum_t theta_t C(n, j) p_t^j (1 - p_t)^(n - j).

A component whose rate p_t is close to one half is *hard*: its labels look like guesses.

**Identifiability.** The distribution of x determines theta and p only if 2 m - 1 <= n (Teicher
1963), so that n labels per item identify at most (n + 1) / 2 components, and two labels only one.
More components are an error.

**Fitting.** Least squares on the histogram (as in the paper), maximum likelihood, or minimum
chi-square, all by damped scoring, with many starts and many data sets in one batch.

**Testing.** Whether m components are enough is a non-regular problem: under m components the
parameters of component m + 1 are not identified, and the likelihood ratio statistic has no
asymptotic chi-square distribution. `likelihood_ratio_test` takes its null distribution from a
parametric bootstrap.

**Annotators.** If each label comes from a newly drawn annotator, a label of an item in component t
is positive with the mean of the annotators' rates, whatever their distribution. Two components with
heterogeneous annotators (the paper's Figure 4) therefore give exactly the histogram of two
binomials, and lazy annotators (Figure 7) the histogram of one binomial per component. Only repeated
use of annotators matters: `annotator_histogram` takes the assignment into account.

References
----------
Beigman Klebanov and Beigman (2010). Some empirical evidence for annotation noise in a
benchmarked dataset. NAACL-HLT, 438-446.
Teicher (1963). Identifiability of finite mixtures. Annals of Mathematical Statistics 34.
McLachlan (1987). On bootstrapping the likelihood ratio test statistic for the number of
components in a normal mixture. Applied Statistics 36.
"""

from annobench.noise.mixtures._scoring import METHODS
from annobench.noise.mixtures.annotators import LazyFit, annotator_histogram, fit_lazy, with_lazy
from annobench.noise.mixtures.counts import Counts, max_identifiable_components, positive_counts
from annobench.noise.mixtures.fitting import (
    MixtureBootstrap,
    MixtureFit,
    fit,
    refit,
)
from annobench.noise.mixtures.gaussian import GaussianFit, fit_gaussians, gaussian_cells
from annobench.noise.mixtures.hard_share import (
    HardCount,
    HardShareProfile,
    hard_share_profile,
    smallest_hard_count,
)
from annobench.noise.mixtures.mixture import HARD, BinomialMixture
from annobench.noise.mixtures.pearson import ChiSquare, chi_square, pool_cells
from annobench.noise.mixtures.selection import (
    BootstrapTest,
    ComponentSelection,
    goodness_of_fit,
    likelihood_ratio_test,
    likelihood_ratios,
    select_n_components,
)
from annobench.noise.mixtures.standard_errors import ComponentStandardErrors

__all__ = [
    "HARD",
    "METHODS",
    "BinomialMixture",
    "BootstrapTest",
    "ChiSquare",
    "ComponentSelection",
    "ComponentStandardErrors",
    "Counts",
    "GaussianFit",
    "HardCount",
    "HardShareProfile",
    "LazyFit",
    "MixtureBootstrap",
    "MixtureFit",
    "annotator_histogram",
    "chi_square",
    "fit",
    "fit_gaussians",
    "fit_lazy",
    "gaussian_cells",
    "goodness_of_fit",
    "hard_share_profile",
    "likelihood_ratio_test",
    "likelihood_ratios",
    "max_identifiable_components",
    "pool_cells",
    "positive_counts",
    "refit",
    "select_n_components",
    "smallest_hard_count",
    "with_lazy",
]
