"""Whatever a test of an export reads, the commands that `inspect` proposes for it succeed."""

import pytest
from proposals import follow

from annobench.io.formats.export import Export
from annobench.reporting import consensus_page, report_page, spans_page

#: Of one test.
_MOST = 2


@pytest.fixture(autouse=True)
def proposals_succeed(tmp_path, tmp_path_factory):
    patch = pytest.MonkeyPatch()
    read = {}
    made = Export.__init__

    def noted(self, *arguments, **options):
        made(self, *arguments, **options)
        read[self.path] = None

    patch.setattr(Export, "__init__", noted)
    yield
    patch.undo()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("typed"))
        for page in (consensus_page, report_page, spans_page):  # most of the time
            patch.setattr(page, "render", lambda *a, **k: "")
        paths = [path for path in read if path.exists() and path.is_relative_to(tmp_path)]
        for path in paths[:_MOST]:
            follow(path, patch)
