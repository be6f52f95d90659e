"""The benchmark of aggregation methods: each on labels with a gold standard, by the same rules.

The rules, so that a new method is compared fairly with published ones:

- A method sees the labels alone: never the gold standard, the name of the data set or another
  method's answer. It runs as its `fit` does by default, from a seed of the method and the data.
- All labels of a data set are seen; scored are the items that have a gold category and at least
  one label. Nothing is tuned, so that there is no split into parts.
- Where several categories are equally probable, each counts by its share.
- A fit has a limit of processor time, compilation not counted. A method that exceeds it has no
  score there.
- Intervals come from resampling items. All methods see the same resampled items, so that
  differences are paired. No fit is repeated: the intervals are conditional on the fits. Only
  where refits are asked for are annotators resampled, and every method fitted anew.

The parts, in the order in which they are used, for any labels with gold and any methods::

    found = cases.read_cases(folders)                       # or cases.BenchmarkCase(...)
    found += regimes.simulate_regimes(settings, seed)
    methods = [*models.discover().values(), mine]           # each has METHOD and fit
    records = fits.fit_all(found, methods, limit=60, seed=1)
    fits.write_fits(records, "stem")                        # fits.read_fits: not fitted twice
    again = [refits.refit(found[0], mine, settings=..., limit=10, seed=1)]     # if wanted
    results = tables.tabulate(found, records, methods, replicates=1000, seed=1, refits=again)
    results.write("folder")                                 # tables.read_tables
    html = annobench.reporting.benchmark_page.render(results, marked=["mine"])

Methods that are not in this library become methods of the benchmark in `external_methods`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "cases",
        "comparison",
        "external_methods",
        "fits",
        "refits",
        "regimes",
        "scores",
        "signed_rank",
        "tables",
    ],
)
