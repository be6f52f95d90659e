"""Exercises whose answer is a choice among options, each with its reason."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from annobench_course.exercise import Exercise, Given
from annobench_course.outcomes import Checked, shown

__all__ = ["Choice", "Options"]


@dataclass(frozen=True, kw_only=True)
class Choice(Exercise):
    """A choice among options, each wrong one with its own explanation.

    Attributes
    ----------
    id, title : str
        As in `Exercise`.
    options : mapping of str to str
        Text of each option by its key, of at least two characters. Students see letters, in an
        order of their own; a solution gives the key.
    right : str or collection of str
        Key of the right option, or keys if several must be chosen.
    reasons : mapping of str to str
        By the key of each wrong option, why it is not right. That of a right option, if there is
        one, is shown with the praise; where several are right, it says why it may not be missing.
    """

    options: Mapping[str, str]
    right: str | Collection[str]
    reasons: Mapping[str, str]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the right options."""
        return frozenset([self.right] if isinstance(self.right, str) else self.right)

    def propose(self, rng: np.random.Generator) -> dict[str, Any]:
        keys = list(self.options)
        order = [keys[n] for n in rng.permutation(len(keys))]
        letters = string.ascii_lowercase[: len(keys)]
        return Options(
            {letter: self.options[key] for letter, key in zip(letters, order, strict=True)}
        )

    def tells_apart(self, given: Given) -> bool:
        return True

    def right_answer(self, given: Given) -> Any:
        return self.right if isinstance(self.right, str) else set(self.right)

    def wrong_answers(self, given: Given) -> Iterator[tuple[str, Any]]:
        """Yield the key of every wrong option as a mistake and as an answer.

        Parameters
        ----------
        given : mapping
            Not used.

        Yields
        ------
        tuple of (str, object)
            Key, and an answer with it; where several are right, it comes in addition to them.
        """
        several = not isinstance(self.right, str)
        for key in self.options:
            if key not in self.keys:
                yield key, ({*self.keys, key} if several else key)

    def judge(self, answer: Any, given: Given) -> Checked:
        """Compare the chosen options with the right ones.

        Parameters
        ----------
        answer : str or collection of str
            Letters, texts of options, or both; or keys.
        given : mapping
            Texts by letters.

        Returns
        -------
        Checked
            Passed, or why not.
        """
        names = self._names(given)
        chosen = []
        for word in _words(answer, names):
            key = names.get(_bare(word))
            if key is None:
                return self._failed(
                    f"{shown(word)} is not one of the options {', '.join(given)}.", "no option"
                )
            chosen.append(key)
        if len(self.keys) == 1 and len(set(chosen)) > 1:
            return self._failed("Choose one option.", "several options")
        for key in chosen:
            if key not in self.keys:
                return self._failed(self.reasons[key], key)
        missing = [key for key in self.options if key in self.keys and key not in chosen]
        if missing:
            return self._failed(
                f"What you chose is right, but {len(missing)} more must be chosen. "
                f"{self.reasons.get(missing[0], '')}".strip(),
                "too few options",
            )
        praise = (self.reasons.get(key) for key in self.options if key in self.keys)
        return self._passed(" ".join(["Right.", *filter(None, praise)]))

    def _names(self, given: Given) -> dict[str, str]:
        """Return the keys of the options by all that an answer may call them."""
        names = {_bare(key): key for key in self.options}
        for letter, text in given.items():
            key = next(key for key, option in self.options.items() if option == text)
            ways = (letter, text, *(f"{letter}{mark} {text}" for mark in ").:"))
            names |= dict.fromkeys(map(_bare, ways), key)
        return names


def _bare(word: object) -> str:
    """Return a name without case, superfluous spaces, and punctuation around it."""
    return " ".join(str(word).casefold().split()).strip(" .,:;()")


def _words(answer: Any, names: Mapping[str, str]) -> list[Any]:
    """Split an answer into names of options, or into letters of several, if it is either."""
    if isinstance(answer, str):
        if _bare(answer) in names:
            return [answer]
        words = [word for word in re.findall(r"\w+", answer.casefold()) if word != "and"]
        letters = [letter for word in words for letter in word]
        known = (found for found in (words, letters) if all(each in names for each in found))
        return next(known, [answer])
    return list(answer) if isinstance(answer, Iterable) else [answer]


class Options(dict[str, Any]):
    """The options of a choice by their letters, which show as a list."""

    def __repr__(self) -> str:
        """Return one line for each option."""
        return "\n".join(f"{letter}) {text}" for letter, text in self.items())

    def _repr_html_(self) -> str:
        # A list's own letters are numbers in JupyterLab, and the answer is a letter.
        hanging = "margin: 0.3em 0 0.3em 1.6em; text-indent: -1.6em"
        return "".join(
            f'<p style="{hanging}"><b>{letter})</b> {escape(str(text))}</p>'
            for letter, text in self.items()
        )
