"""Cells of tables that pandas, Sphinx and nbconvert call titles, although they are empty."""

import re

_EMPTY_TITLE = re.compile(r"<th[^>]*>(?:<p></p>|&nbsp;|\s)*</th>")


def without_empty_titles(html: str) -> str:
    """Make plain cells of titles without words, which a screen reader would announce."""
    return _EMPTY_TITLE.sub("<td></td>", html)
