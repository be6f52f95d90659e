"""The benchmark of aggregation methods on labels with a gold standard.

Rules for fair comparisons:

- A method sees only the labels, not the gold standard, the name of the data set or another method's
  answer. It runs with the defaults of its `fit`, with a seed from the method and the data.
- Methods see all labels of a data set; scores are over items with a gold category and at least one
  label. Nothing is tuned, so data are not split.
- Ties between categories are shared.
- A fit has a limit of processor time, without compilation. A method that exceeds it has no score
  there.
- Intervals come from resampling items, the same for all methods, so that differences are paired.
  Methods are not refitted: the intervals are conditional on the fits. Only if refits are requested
  are annotators resampled and methods refitted.

The steps, for any labels with gold and any methods::

    found = cases.read_cases(folders)                       # or cases.BenchmarkCase(...)
    found += regimes.simulate_regimes(settings, seed)
    methods = [*models.discover().values(), mine]           # each has METHOD and fit
    records = fits.fit_all(found, methods, limit=60, seed=1)
    fits.write_fits(records, "stem")                        # fits.read_fits: not fitted twice
    again = [refits.refit(found[0], mine, settings=..., limit=10, seed=1)]     # if wanted
    results = tables.tabulate(found, records, methods, replicates=1000, seed=1, refits=again)
    results.write("folder")                                 # tables.read_tables
    html = annobench.reporting.benchmark_page.render(results, marked=["mine"])

`external_methods` adds methods from outside the library.
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
