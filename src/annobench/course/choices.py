"""Exercises whose answer is a choice among options, each with its reason."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from annobench.course.base import Exercise, Given
from annobench.course.outcomes import Checked, shown

__all__ = ["Choice", "Options"]


@dataclass(frozen=True, kw_only=True)
class Choice(Exercise):
    """A choice among options, each wrong one with its own explanation.

    Attributes
    ----------
    id, title, hint : str
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
            Letters or keys.
        given : mapping
            Texts by letters.

        Returns
        -------
        Checked
            Passed, or why not.
        """
        letters = {letter: self._key_of(text) for letter, text in given.items()}
        words = [answer] if isinstance(answer, str) and answer.strip() in self.options else answer
        if isinstance(words, str):
            words = [c for c in words.lower() if c not in " ,;()"]
        elif not isinstance(words, Iterable):
            words = [words]
        known = {**letters, **{key: key for key in self.options}}
        chosen = []
        for word in words:
            if str(word).strip() not in known:
                return self._failed(
                    f"{shown(word)} is none of the options {', '.join(letters)}.", "no option"
                )
            chosen.append(known[str(word).strip()])
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

    def _key_of(self, text: str) -> str:
        return next(key for key, option in self.options.items() if option == text)


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
