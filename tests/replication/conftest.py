"""What the tests of all papers share: a paper's modules, runs at quick effort, verdicts."""

from pathlib import Path

import pandas as pd
import pytest

from annobench import datasets
from annobench_replication.analysis import Analysis
from annobench_replication.ledger import read_computed, read_errata, read_published, read_standing
from annobench_replication.results import Results
from annobench_replication.study import Study
from annobench_replication.verdicts import compare
from catalogue import read_paper

PAPERS = Path(__file__).parents[2] / "workflow" / "papers"


class Replication:
    """A paper, to be run at quick effort from data and tables of a test's choice."""

    def __init__(self, key):
        self.folder = PAPERS / key
        self.record = read_paper(self.folder / "paper.yaml", datasets.names())
        self.analysis = Analysis(self.folder)

    def study(self, data=None, tables=None, resources=None):
        """Return what the analysis reads; `tables` are texts that replace printed ones."""
        texts = {path.stem: path.read_text() for path in self.record.printed_tables}
        return Study(data or {}, texts | (tables or {}), resources)

    def run(self, study, folder, *, seed=3, effort="quick"):
        """Write everything that the analysis makes, and return its folder."""
        record = self.record
        results = Results(
            study,
            folder,
            figures=record.figures,
            tables=record.tables,
            calibrated=record.calibrated,
            seed=seed,
        )
        self.analysis.run(study, results, seed, effort)
        return folder

    def compared(self, folder):
        """Give the values of a run their verdicts."""
        computed = read_computed(folder / "computed.csv")
        # The workflow traces what moves a value; here every value is taken to have been refuted.
        untraced = pd.DataFrame({"target": computed["target"].unique()}).assign(
            base="0", rests_on="untraced", restates="", values="-1e12 1e12", data_values=""
        )
        return compare(
            read_published(self.folder / "published.csv"),
            computed,
            read_errata(self.folder / "errata.csv"),
            standing=read_standing(self.folder / "standing.csv"),
            dependence=untraced,
            paper=self.record.key,
            second_hand=self.record.second_hand,
        )


@pytest.fixture(scope="module")
def paper(request):
    """The paper that the test's module is named after."""
    return Replication(Path(request.path).stem.removeprefix("test_"))


@pytest.fixture(scope="module")
def analysis(paper):
    """The paper's `analysis.py`, with the modules that it imports as attributes."""
    return paper.analysis.module


@pytest.fixture(scope="module")
def results(paper, quick_run):
    """Everything the analysis writes, from simulated data sets."""
    return quick_run(paper.record)


@pytest.fixture(scope="module")
def real_results(paper, tmp_path_factory, real_folder):
    """Everything the analysis writes, from real data sets."""
    data = {id: real_folder(id) for id in paper.record.datasets}
    return paper.run(paper.study(data), tmp_path_factory.mktemp(f"{paper.record.key}_real"))
