"""The README can be read in a minute, wherever it is shown."""

import re

import documented

README = documented.text_of("README.md")
LINKS = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", README)


def test_it_is_short():
    # Of the table of papers nobody reads every number.
    read = re.sub(r"(?s)<!-- counted:.*<!-- end of what is counted -->", "", README)
    shown = re.sub(r"\]\([^)]*\)|<!--.*?-->", "", read)
    words = [word for word in shown.split() if re.search(r"\w", word)]
    assert len(README.splitlines()) <= 120
    assert len(words) <= 550


def test_the_first_screen_has_a_table_a_command_and_what_it_prints():
    first = "\n".join(README.splitlines()[:40])
    [table] = documented.files("README.md").values()
    assert len(table.splitlines()) == 1 + 6
    assert table in first
    shown = next(each for each in documented.commands("README.md") if each.prints)
    assert shown.text == "annobench report reviews.csv"
    assert shown.prints.strip() in first


def test_it_has_one_picture():
    [picture] = [target for mark, target in LINKS if mark]
    assert picture == "docs/verdicts.svg"
