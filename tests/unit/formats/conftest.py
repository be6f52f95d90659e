"""Whatever a test of a format reads, the commands that `inspect` proposes for it succeed."""

from proposals import proposals_succeed  # noqa: F401
