"""Whatever a test of a format reads, the commands that `inspect` proposes for it succeed."""

import pytest
from proposals import proposals_succeed  # noqa: F401
from written import named_file


@pytest.fixture
def write(tmp_path, request):
    """Write an export: what it holds, and its name, by default that of the module's files."""

    usual = getattr(request.module, "FILE", "export.json")

    def call(content, name=usual):
        return named_file(tmp_path / name, content)

    return call
