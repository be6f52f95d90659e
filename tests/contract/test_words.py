"""Phrases that are translated, not English: prose says the better one, everywhere."""

import ast
import functools
import importlib
import json
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
#: What to write, by a pattern that is wrong wherever it occurs in prose. Single words depend on
#: their context, which a pattern does not know: they are for the reader of a change.
PHRASES = {
    "half-width of the interval": r"\breach of (?:the|its|an|their) intervals?\b",
    "with replacement, without replacement": r"\bputting (?:it |them )?back\b",
    "has its nominal coverage": r"\bholds? what (?:it|they) should\b|\bkeeps? its promise",
    "trailing zeros": r"\btrailing noughts?\b",
    "per label and iteration": r"\ba label and iteration\b",
    "one row per label, one column per annotator": (
        r"\b(?:a|one) (?:row|column|cell|line|file|folder|record) an? "
        r"(?:label|item|annotator|category|pair|document|judge|method)\b(?! (?:is|has|was)\b)"
    ),
    "labels per item": r"\b(?:one|two|three|five|ten|many|few|more|fewer) labels an item\b"
    r"(?! (?:has|gets|needs)\b)",
    "assume that errors are normal, treat weights as known": (
        r"\btak(?:e|es|en|ing) (?:\S+ ){1,4}?for (?:normal|independent|known|certain)\b"
    ),
    "an annotator who makes no errors": r"\b(?:is|are) never off\b",
    "distinguish": r"\b(?:tell|tells|told|telling) (?:\S+ ){0,4}?apart\b",
    "which gives the details": r"\ball that is known of\b",
    "where to start": r"\bchoose a door\b",
    "depends on, uses": r"\b[Ww]hat rests on\b|\brests? on what\b",
    "more and more often, as the number of items grows": r"\b(?<!if )ever (?:more|fewer|higher)\b",
    "classified correctly, misclassified": r"\bcall(?:s|ed)? (?:\S+ ){0,3}?(?:rightly|wrongly)\b",
    "equally probable": r"\b(?:are|is) as (?:probable|difficult)\b(?! as\b)",
    "overconfident": r"\b(?:is|are) too sure\b",
    "duplicate, occurs twice": r"\bstands? twice\b",
    "tested with our own files": r"\btried on files of our own\b",
    "says nothing about": r"\b(?:says?|tells?|said|told) (?:nothing|little|much) of\b",
    "most informative": r"\b(?:labels|items|checking) (?:that )?tells? most\b",
    "at random": r"\bby lot\b",
    "tell us and we will correct it": r"\bours to mend\b",
    "label switching": r"\bclasses (?:exchange|exchanged|change|changed) their (?:names|meaning)\b",
    "the margin by which": r"\bmay be better by\b",
    "self-checking exercises": r"\bexercises (?:that )?check themselves\b",
    "under which the estimate is invariant": r"\bleaves? the answer as it was\b",
    "converges": r"\b(?:come|comes|came) to rest\b",
    "each differs significantly from the best": r"\btold from the best\b",
    "whether or not the model holds": r"\bwhatever the model is worth\b",
    "component, by component": r"\bby what it is made of\b",
    "judged separately": r"\b(?:compared|judged|counted) for itself\b",
    "no conclusion depends on it": r"\bnothing hangs on\b",
    "depends on": r"\bhangs? on (?:where|what|how|which|whether)\b",
    "divided at random": r"\bdealt at random\b",
    "how the files are read": r"\bwhat becomes what\b",
    "which of the annotators": r"\bwho of the annotators\b",
    "seldom errs": r"\berrs? seldom\b",
    "is as printed": r"\bcomes? out as printed\b",
    "gives, results in": r"\bcomes? of it\b",
    "weight votes": r"\bweigh(?:s|ed|ing)? (?:the |each |their )?votes?\b",
    "the chains have converged": r"\bchains? (?:have |has )?arrived\b",
    "the information gained": r"\b(?:labels?|answers?) (?:has|have) told\b",
    "is informative": r"\blabels tell (?:nothing|much|something)\b",
    "rejects, rejected": r"\b(?:labels|input|table|file|model)s? (?:is|are) refused\b",
    "accessible to workers": r"\bworkers,? (?:which )?must see\b",
    "if requested": r"\bif (?:that|it|any|none|some) (?:was|were) asked for\b",
    "fell to the tolerance": r"\bcame down to the tolerance\b",
    "maximum number of updates": (
        r"\b(?:[Uu]pdates|[Rr]ounds) after which (?:EM|it|to|the search) stops?\b"
    ),
    "cycles": r"\bgo(?:es)? round in a circle\b",
    "new annotators, a new item": r"\bnot yet seen\b",
    "warm-up sweeps": r"\b(?:sweeps|draws) thrown away\b",
    "if a number is out of range": r"\bout of its range\b",
    "equally probable categories": r"\ball categories as probable\b",
    "the result of": r"\bWhat `[a-z_.]+` says\b",
    "in advance": r"\bbefore any time is spent\b",
    "created if necessary": r"\b[Mm]ade if need be\b",
    "untrusted": r"\bsomebody's text\b",
    "the model disagrees with the majority": (
        r"\b(?:gets? another category|another category than|labels overruled)\b"
    ),
    "minus": r"\bless (?:that|those) of\b|\b(?:new|old|score) less\b",
    "has zero width and is uninformative": (
        r"\bintervals? (?:\S+ ){0,3}?(?:has|have|of|with|without) (?:no )?width\b"
    ),
    "how to treat items left blank": r"\b[Ww]hat an? \w+ is that\b|\bsaw and left empty\b",
    "consistent with": r"\bleaves? possible\b",
    "each prompt counts as a judge": r"\bis another (?:judge|annotator)\b",
    "no sheet has": r"\bof which \S+ (?:is|are) recognised\b",
}
#: Texts of tests, words drawn in pictures, what was once said, and examples of what not to say.
EXCEPT = ("tests/", "docs/pictures/", "CHANGELOG.md", "CONTRIBUTING.md")
ENDINGS = {".py", ".md", ".j2", ".yaml", ".ipynb"}


def tracked() -> list[str]:
    names = subprocess.run(
        ["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [
        n
        for n in names
        if Path(n).suffix in ENDINGS and not n.startswith(EXCEPT) and (TOP / n).exists()
    ]


def prose(name: str, text: str) -> str:
    """Return what people read of a file: no code, no identifiers, lines joined."""
    if name.endswith(".py"):
        strings = (
            node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        text = "\n\n".join(s for s in strings if " " in s)
    elif name.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    elif name.endswith(".j2"):
        text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", text, flags=re.DOTALL)
    text = re.sub(r"```.*?```|``.*?``|`[^`\n]*`", " ", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text)


@functools.cache
def texts() -> dict[str, str]:
    return {name: prose(name, (TOP / name).read_text()) for name in tracked()}


@pytest.mark.parametrize("instead", PHRASES)
def test_no_text_has_a_translated_phrase(instead):
    pattern = re.compile(PHRASES[instead])
    found = [
        f"{name}: ...{text[max(match.start() - 30, 0) : match.end() + 30]}..."
        for name, text in texts().items()
        for match in pattern.finditer(text)
    ]
    assert not found, f"write: {instead}\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("name", "text", "is_prose"),
    [
        ("a.md", "Labels that a table\nstands twice for.", True),
        ("a.md", "`stands twice` is a name.", False),
        ("a.md", "```\nstands twice\n```", False),
        ("a.py", 'def stands():\n    """A key that stands twice."""', True),
        ("a.py", "stands_twice = 1  # it stands twice", False),
        ("a.j2", "<p>It {{ n }} stands twice</p>", True),
        ("a.j2", '<p title="stands twice">No.</p>', False),
    ],
)
def test_prose_is_what_people_read(name, text, is_prose):
    assert ("stands twice" in prose(name, text)) == is_prose


def glossary():
    text = (TOP / "docs" / "explanation" / "terms.md").read_text()
    return sorted(set(re.findall(r"`(annobench(?:\.\w+)+)`", text)))


@pytest.mark.parametrize("name", glossary())
def test_the_glossary_names_what_exists(name):
    parts, found = name.split(".")[1:], importlib.import_module("annobench")
    for n, part in enumerate(parts):
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(".".join(["annobench", *parts[: n + 1]]))
