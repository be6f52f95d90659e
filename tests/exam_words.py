"""Words that the students' archive may not have."""

import io
import re
import zipfile

#: A word of the exam, and neither of an example nor of what is examined.
EXAM = re.compile(rb"\bexam(s|iners?|inations?)?\b|question bank|bank of questions", re.IGNORECASE)


def words_of_the_exam(path):
    """Yield the files of a zip file, and of wheels in it, that have a word of the exam."""
    with zipfile.ZipFile(path) as archive:
        # What was labelled may have any word.
        for name in (name for name in archive.namelist() if not name.endswith(".parquet")):
            content = archive.read(name)
            if EXAM.search(name.encode()) or EXAM.search(content):
                yield name
            if name.endswith(".whl"):
                yield from words_of_the_exam(io.BytesIO(content))
