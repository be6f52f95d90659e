"""The words of the field, everywhere: those that were replaced once don't come back."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
#: By what is said instead.
REPLACED = {
    "distribution, null distribution, covariance": r"\blaws?\b",
    "bias correction, acceleration": r"\bbend\b",
    "half-width, margin": r"\b(?:the|its|a|an|their) reach\b|\breach =",
    "with, without replacement": r"putting (?:it |them )?back",
    "empirical coverage": r"holds? what (?:it|they) should|keeps? (?:its|their) promise",
    "certificate_coverage": r"measure_promise|render_promise|noise\.promise",
    "ddof": r"error_divisor",
    "component": r"choose_types|TypeErrors|(?<![\w.])n_types\b",
    "select_n_components": r"choose_components",
    "sensitivity_concentration": r"(?:sensitivity|specificity)_scale\b",
    "recall_by_category": r"diagonal_rates",
    "f1_of_averages, averaged_f1": r"\.(?:strict|mean)_f\b",
    "fit_feature_augmentation, fit_raykar": r"own_weights|truth_and_confusion",
    "EMTrace, run_em": r"\bClimb\b|\bclimb\b",
    "MIN_TIMING_SECONDS, TIMEOUT_FACTOR": r"\bSHORTEST\b|\bPATIENCE\b",
    "trailing zeros": r"\bnoughts?\b",
    "per label and iteration": r"a label and iteration",
    "missing_files": r"datasets\.available\b",
    "merge, keep, inconclusive, sparse": r"too rare\b",
}
ENDINGS = {".py", ".md", ".smk", ".j2", ".yaml", ".ipynb", ".toml", ".pyi"}
#: Printed words of papers, and this list.
EXCEPT = ("tests/contract/test_words.py", "CHANGELOG.md")


def tracked():
    names = subprocess.run(
        ["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [
        n for n in names if Path(n).suffix in ENDINGS and n not in EXCEPT and (TOP / n).exists()
    ]


@pytest.mark.parametrize("instead", REPLACED)
def test_a_word_that_was_replaced_is_gone(instead):
    pattern = re.compile(REPLACED[instead])
    found = [
        f"{name}, line {number}: {line.strip()[:80]}"
        for name in tracked()
        for number, line in enumerate((TOP / name).read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"write {instead}:\n" + "\n".join(found)


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
