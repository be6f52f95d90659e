"""The teacher's secret, on which every question depends."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from annobench_course.draws import student_rng
from annobench_course.errors import CourseError

__all__ = ["MIN_LENGTH", "Secret", "read_secret"]

#: Characters of a secret, and different ones among them, so that nobody guesses it.
MIN_LENGTH, _MIN_DIFFERENT = 20, 8

_MAKING = "python -c 'import secrets; print(secrets.token_hex())' > {}"


@dataclass(frozen=True)
class Secret:
    """A text that only the teacher knows.

    Attributes
    ----------
    text : str
        At least `MIN_LENGTH` characters, of which some must differ.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.text) < MIN_LENGTH or len(set(self.text)) < _MIN_DIFFERENT:
            raise CourseError(
                f"The secret can be guessed: it must have at least {MIN_LENGTH} characters, "
                f"{_MIN_DIFFERENT} of them different. Make one: {_MAKING.format('secret.txt')}"
            )

    def student(self, name: str) -> str:
        """Return what stands for a student where numbers are drawn.

        Parameters
        ----------
        name : str
            Name or ID; capitals and spaces make no difference.

        Returns
        -------
        str
            A keyed hash, which tells nobody the secret.
        """
        return self._keyed(f"student {''.join(name.casefold().split())}")

    def rng(self) -> np.random.Generator:
        """Return the generator that chooses the questions.

        Returns
        -------
        numpy.random.Generator
            In the same state whenever it is asked for.
        """
        return student_rng(self._keyed("choice"), "")

    def _keyed(self, text: str) -> str:
        return hmac.new(self.text.encode(), text.encode(), hashlib.sha256).hexdigest()


def read_secret(path: Path | str) -> Secret:
    """Read a secret from a file.

    Parameters
    ----------
    path : path
        A text file that holds nothing else; spaces around the secret do not count.

    Returns
    -------
    Secret
        Its text.

    Raises
    ------
    CourseError
        If there is no such file or its text can be guessed; says how to make one.
    """
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise CourseError(
            f"{path}: the secret can't be read ({why}). Make one, and keep it until all exams are "
            f"marked: {_MAKING.format(path)}"
        ) from None
    try:
        return Secret(text)
    except CourseError as error:
        raise CourseError(f"{path}: {error}") from None
