"""A release has no placeholder, and its site says of which commit it is."""

import pytest

from commands import release


@pytest.fixture
def top(tmp_path):
    def git(*arguments):
        return release.git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", *arguments)

    git("init", "--quiet")
    (tmp_path / "README.md").write_text(f"see\n[docs]({release.PLACEHOLDER}/docs)\n")
    (tmp_path / "CITATION.cff").write_text("version: 1.0.0\n  - name: Authors to be named\n")
    (tmp_path / "paper.md").write_text(
        "# Acknowledgements\n\nThese are to be written by the authors.\n"
    )
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff")
    git("add", ".")
    git("commit", "--quiet", "--message", "all")
    return tmp_path


def test_placeholders_are_refused_with_their_places(top):
    [authors, address, words, date] = release.unready(top)
    assert authors.startswith("CITATION.cff:2: replace 'Authors to be named' with")
    assert address.startswith("README.md:2: replace")
    assert words.startswith("paper.md:3: replace")
    assert "date-released" in date
    (top / "README.md").write_text("[docs](https://example.org/docs)\n")
    (top / "CITATION.cff").write_text("date-released: 2026-12-01\n")
    (top / "paper.md").write_text("# Acknowledgements\n\nWe thank nobody.\n")
    assert release.unready(top) == []


def test_a_site_is_stamped_with_the_commit(top, tmp_path_factory):
    site = tmp_path_factory.mktemp("site")
    with pytest.raises(SystemExit, match=r"has no _static/stamp\.js"):
        release.stamp(site, top)
    (site / "_static").mkdir()
    script = site / "_static/stamp.js"
    script.write_text("// nothing\n")
    release.stamp(site, top)
    assert release.git(top, "log", "-1", "--format=%h") in script.read_text()
    (top / "README.md").write_text("changed\n")
    with pytest.raises(SystemExit, match="commit the changes first"):
        release.stamp(site, top)


def test_the_address_is_written_wherever_it_belongs_and_then_changed(top):
    settings = '[project.urls]\nHomepage = "{0}"\nIssues = "{0}/issues"\n'
    (top / "pyproject.toml").write_text(settings.format(release.PLACEHOLDER))
    release.git(top, "add", ".")
    for address in ("https://example.org/a/annobench", "https://example.org/b/annobench"):
        assert release.set_address(address, top) == ["README.md", "pyproject.toml"]
        assert release.address(top) == address
        assert (top / "README.md").read_text() == f"see\n[docs]({address}/docs)\n"
        assert f'"{address}/issues"' in (top / "pyproject.toml").read_text()
    with pytest.raises(SystemExit, match="'example' is no address: give one such as"):
        release.set_address("example", top)
