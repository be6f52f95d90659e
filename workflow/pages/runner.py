"""Who ran the workflow, and answers for the crate of a run."""

#: A placeholder until a run is published, which `make release-check` refuses.
RUNNER = "To be named: the person who ran the workflow"
