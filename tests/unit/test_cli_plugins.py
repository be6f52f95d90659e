"""Commands of other packages: found by their entry points, imported late, reported if broken."""

import subprocess
import sys
import textwrap

import pytest
from typer.testing import CliRunner

from annobench.cli import _plugins, app

LAB = """
    import typer
    app = typer.Typer()

    @app.command()
    def hello(name: str) -> None:
        '''Greet somebody.'''
        print(f"Hello {name}")
"""


@pytest.fixture(autouse=True)
def found_afresh():
    _plugins._loaded.cache_clear()
    yield
    _plugins._loaded.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution that adds a command: a module beside what pip writes of it."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(source, name="lab", value="our_lab_commands:app"):
        (tmp_path / "our_lab_commands.py").write_text(textwrap.dedent(source))
        info = tmp_path / "our_lab-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-lab\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{_plugins.GROUP}]\n{name} = {value}\n")

    yield installed
    sys.modules.pop("our_lab_commands", None)


def run(*words):
    return CliRunner().invoke(app, words)


def test_a_command_of_another_package_is_one_of_ours(install):
    install(LAB)
    assert run("lab", "Ann").output == "Hello Ann\n"
    assert "Greet somebody" in run("--help").output


def test_it_is_imported_when_it_is_asked_for(install):
    install(LAB)
    assert run("inspect", "--help").exit_code == 0
    assert "our_lab_commands" not in sys.modules


@pytest.mark.parametrize(
    ("source", "value", "why"),
    [
        ("import no_such_library", "our_lab_commands:app", "No module named 'no_such_library'"),
        ("raise SyntaxError('bad')", "our_lab_commands:app", "SyntaxError: bad"),
        ("app = 1", "our_lab_commands:app", "is of type int, not typer.Typer"),
        ("", "our_lab_commands:app", "has no attribute 'app'"),
        ("", "our_lab_others:app", "No module named 'our_lab_others'"),
    ],
)
def test_one_that_can_not_be_used_says_why_and_leaves_the_others_alone(install, source, value, why):
    install(source, value=value)
    assert run("inspect", "--help").exit_code == 0
    helped = run("--help")
    assert helped.exit_code == 0
    assert "run it to see why" in " ".join(helped.output.split())
    for words in (("lab",), ("lab", "Ann", "--loud"), ("lab", "--help")):
        done = run(*words)
        assert done.exit_code == 1
        said = " ".join(done.output.split())
        assert "of our-lab) can't be used" in said
        assert why in said
        assert "Fix or uninstall it" in said


def test_a_name_of_ours_stays_ours(install):
    install(LAB, name="inspect")
    for words in (("--help",), ("inspect", "--help")):
        assert "Greet somebody" not in run(*words).output


def test_the_library_does_without_the_course():
    code = (
        "import sys\n"
        "sys.modules['annobench_course'] = None\n"
        "from annobench.cli import app\n"
        "app(['course', 'grade', 'submissions'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "annobench: course: this command of annobench_course" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.md", "notes.md: a text, not a table. Name a table, such as a CSV file of item, "),
        ("my labels.csv", "my labels.csv: a file, not a command. See what it contains: annobench "),
        ("folder", "folder: a folder, not a command. See what it contains: annobench inspect "),
    ],
)
def test_a_file_in_place_of_a_command_is_described_in_one_line(tmp_path, monkeypatch, name, said):
    monkeypatch.chdir(tmp_path)
    if name == "folder":
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_text("# Notes, ours\n")
    done = CliRunner().invoke(app, [name])
    assert done.exit_code == 1
    assert done.output.startswith(f"annobench: {said}")
    assert len(done.output.splitlines()) == 1
