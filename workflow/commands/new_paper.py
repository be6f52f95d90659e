"""Begin a paper: copy the worked example into a folder and a notebook of the paper's own."""

import argparse
import shutil
import sys
from pathlib import Path

from catalogue import is_key, names_of_rules

TOP = Path(__file__).parents[2]
EXAMPLE = TOP / "tests/workflow/example_paper"


def main(key: str, top: Path = TOP) -> str:
    """Write the folder and the notebook, and return what to do next.

    Parameters
    ----------
    key : str
        Of the paper: author and year, such as smith2026.
    top : Path
        The repository that the paper is added to.

    Returns
    -------
    str
        What was written, and which command runs it.

    Raises
    ------
    SystemExit
        If no paper can have this key, or one has it already.
    """
    folder = top / "workflow/papers" / key
    notebook = top / "notebooks" / f"{key}.ipynb"
    if not is_key(key, names_of_rules(top / "workflow")):
        sys.exit(
            f"KEY={key}: a key has small letters, digits and '_', and is not the name of a rule. "
            "Give author and year, as in KEY=smith2026."
        )
    if there := [str(path.relative_to(top)) for path in (folder, notebook) if path.exists()]:
        sys.exit(f"KEY={key}: there is already {' and '.join(there)}. Choose another key.")
    name = EXAMPLE.name
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", f"{name}.ipynb"))
    record = (folder / "paper.yaml").read_text(encoding="utf-8")
    # Without the comment that says what the example is.
    (folder / "paper.yaml").write_text(record.partition("\n")[2], encoding="utf-8")
    text = (EXAMPLE / f"{name}.ipynb").read_text(encoding="utf-8")
    notebook.write_text(text.replace(f"results/papers/{name}", f"results/papers/{key}"), "utf-8")
    return (
        f"{folder.relative_to(top)} and {notebook.relative_to(top)} are copies of the worked "
        f"example. Run them:\n  snakemake --cores all {key}\n"
        'Then change them as "Add a paper" in CONTRIBUTING.md says.'
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("key", help="author and year, such as smith2026")
    print(main(parser.parse_args().key))
