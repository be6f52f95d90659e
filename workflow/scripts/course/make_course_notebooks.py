"""Make the student's and the solutions' notebook of a session from its source."""

from pathlib import Path

import nbformat

from annobench.core.files import recording, replacing
from annobench_course import sessions
from annobench_course.results import Results
from editions.course_source import planned, read_source, solutions_edition, student_edition

if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.session}"):
        held = sessions.get(snakemake.wildcards.session)
        text = read_source(Path(snakemake.input.source))
        source = planned(text, held.lesson, held.exercises)
        results = Results.read(Path(snakemake.input.results))
        for edition, path in (
            (student_edition(source, results), snakemake.output.student),
            (solutions_edition(source, results), snakemake.output.solutions),
        ):
            with replacing(path) as draft:
                nbformat.write(edition, draft)
