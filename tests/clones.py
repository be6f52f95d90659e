"""Copies of the repository in which the workflow runs on the worked example alone."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

TOP = Path(__file__).parents[1]
HERE = TOP / "tests" / "workflow"
EXAMPLE = "example_paper"

#: What a run needs of the repository.
PARTS = (
    ".test",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "Snakefile",
    "benchmarks",
    "config",
    "envs",
    "profiles",
    "pyproject.toml",
    "requirements/course.txt",
    "setup.py",
    "src",
    "workflow",
    "docs/coefficients",
    "docs/explanation/course.md",
    "docs/how-to",
    "tests/reference/agreement",
)


#: Packages whose compiled loops take minutes to compile; no test edits them.
KERNELS = ("aggregation", "labels", "models/kernels", "resampling")


class Server:
    """A process that runs snakemake again and again, and imports it once.

    Plugins of snakemake are found in the folder `plugins`, if there is one.
    """

    def __init__(self, clone, plugins=None):
        self.clone = clone
        paths = os.pathsep.join(str(path) for path in (plugins, clone.top / "src") if path)
        self.process = subprocess.Popen(
            [sys.executable, HERE / "server.py"],
            cwd=clone.top,
            env=clone.environment(PYTHONPATH=paths),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, folder, arguments, environment, kill_after=None):
        """Return the status of a run in a folder, and what it printed."""
        request = {
            "folder": str(folder),
            "arguments": arguments,
            "environment": environment,
            "kill_after": kill_after,
        }
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def dry_run(self, arguments):
        """Return the status of a dry run in the clone, and what it printed."""
        return self.run(self.clone.top, [*arguments, "--dry-run"], self.clone.environment())


@dataclass(frozen=True)
class Clone:
    """A copy of the repository, and what runs snakemake there.

    Without a server each run is a process of its own, which finds modules that a test adds.
    """

    top: Path
    server: Server | None = None

    @property
    def paper(self) -> Path:
        """The folder of the worked example."""
        return self.top / "workflow" / "papers" / EXAMPLE

    def environment(self, **more):
        """Return an environment without a mirror, a cache or a network."""
        own = {
            "PYTHONPATH": str(self.top / "src"),
            "ANNOBENCH_CACHE": str(self.top / "cache"),
            "XDG_CACHE_HOME": str(self.top / "cache"),
            # Nothing listens here: the answer comes at once, and nothing is downloaded.
            "ANNOBENCH_DATA_URL": "http://127.0.0.1:9",
        }
        kept = {k: v for k, v in os.environ.items() if k != "ANNOBENCH_DATA_MIRROR"}
        return kept | own | more

    def start(self, *arguments, **environment):
        """Start snakemake in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", "all", *arguments],
            cwd=self.top,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def snakemake(self, *arguments, fails=False, **environment):
        """Run snakemake to its end and return what it printed."""
        if self.server:
            command = ["--cores", "all", *arguments]
            status, output = self.server.run(self.top, command, self.environment(**environment))
        else:
            status, output = self.run_alone(*arguments, **environment)
        assert (status != 0) == fails, output
        return output

    def killed_after(self, seconds, *arguments, **environment):
        """Run snakemake by the server, and kill it and its jobs after some seconds."""
        command = ["--cores", "all", *arguments]
        return self.server.run(self.top, command, self.environment(**environment), seconds)

    def run_alone(self, *arguments, **environment):
        """Run snakemake in a process of its own."""
        process = self.start(*arguments, **environment)
        try:
            output, _ = process.communicate(timeout=900)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, output

    def ran(self, *arguments, **environment):
        """Run snakemake to its end and return how often each rule ran."""
        return jobs_of(self.snakemake(*arguments, **environment))

    def planned(self, *arguments, **environment):
        """Return how often each rule would run."""
        return jobs_of(self.snakemake("--dry-run", *arguments, **environment))

    def contents(self):
        """Return the checksum of every file of the results but the logs, which tell times."""
        results = self.top / "results"
        files = (path for path in results.rglob("*") if path.is_file())
        named = {str(path.relative_to(results)): path for path in files}
        return {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in sorted(named.items())
            if not name.startswith("logs/")
        }

    def copy(self, target):
        """Copy the copy, with its results and Snakemake's records of them."""
        shutil.copytree(self.top, target, symlinks=True)
        return replace(self, top=target)

    @contextmanager
    def edited(self, path, text=None, *, old=None, new=None):
        """Append to a file, or replace a piece of it, and put it back with its time."""
        path = self.top / path
        before, times = path.read_bytes(), path.stat()
        content = before.decode()
        assert old is None or content.count(old) == 1, f"{old!r} in {path}"
        path.write_text(content + text if old is None else content.replace(old, new))
        try:
            yield
        finally:
            path.write_bytes(before)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def changes(before, after):
    """Return the names of files that came, went or changed, by their checksums."""
    return sorted(name for name in before | after if before.get(name) != after.get(name))


def jobs_of(output):
    """Return how often each rule runs, by what a run or a dry run printed."""
    if "Nothing to be done" in output:
        return {}
    table = output.split("Job stats:")[1].split("total")[0]
    jobs = re.findall(r"^(\w+) +(\d+)$", table, flags=re.MULTILINE)
    return {rule: int(count) for rule, count in jobs if rule not in ("all", "job")}


def jobs_with(output, reason):
    """Return the rules of which a dry run gives a reason."""
    blocks = re.findall(r"^ *(?:local)?rule (\w+):\n((?: {4}.*\n)*)", output, flags=re.MULTILINE)
    return {rule for rule, block in blocks if reason in block}


def make_clone(top: Path) -> Clone:
    """Copy the sources, with the worked example for papers and one data set."""
    top.mkdir()
    for part in PARTS:
        source = TOP / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(source, top / part, ignore=ignored)
        else:
            (top / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, top / part)
    for session in (top / "src/annobench_course/sessions").glob("s[0-9]*"):
        shutil.rmtree(session)
    (top / "docs/explanation/README.md").write_text("# Background\n\n- [Checks](course.md)\n")
    share_compiled_loops(top)
    for peer in sorted((top / "benchmarks/measured/peers").iterdir())[1:]:
        shutil.rmtree(peer)
    papers = top / "workflow" / "papers"
    shutil.rmtree(papers)
    shutil.copytree(HERE / EXAMPLE, papers / EXAMPLE)
    (top / "notebooks").mkdir()
    shutil.move(papers / EXAMPLE / f"{EXAMPLE}.ipynb", top / "notebooks")
    for module in (top / "src" / "annobench_datasets").glob("*.py"):
        if "\nDATASETS = " in module.read_text() and module.stem != "anesthesia":
            module.unlink()
    (top / "workflow/generator/search_words.toml").write_text('"coefficients/index" = ["which"]\n')
    # It learns from several data sets with gold.
    shutil.rmtree(top / "workflow/studies/pool")
    shrink(top / "config" / "config.yaml")
    return Clone(top)


def share_compiled_loops(top: Path) -> None:
    """Let the copy find the compiled loops of the repository, and leave there what it compiles.

    Numba takes a compiled loop where time and size of its source are the same, as in a copy.
    """
    for package in KERNELS:
        compiled = TOP / "src" / "annobench" / package / "__pycache__"
        compiled.mkdir(exist_ok=True)
        (top / "src" / "annobench" / package / "__pycache__").symlink_to(compiled)


def shrink(config: Path) -> None:
    """Let the studies take a moment: they are run to see that they run."""
    text = config.read_text().replace("reference: true", "reference: false")
    number, several = r"\d+", r"\[.*\]"
    for name, old, new in (
        ("repetitions", number, "2"),
        ("replicates", number, "5"),
        ("estimand_items", r"\{.*\}", "{reduced: 2000, full: 2000}"),
        ("items", several, "[20]"),
        ("items", number, "20"),
        ("annotators", number, "5"),
        ("categories", several, "[2]"),
        ("labels_per_item", several, "[3]"),
    ):
        text, n = re.subn(rf"\b{name}: {old}", f"{name}: {new}", text)
        assert n, f"{config} has no {name}"
    text, n = re.subn(r"\bkinds: \[(\w+),.*\]", r"kinds: [\1]", text)
    assert n, f"{config} has no kinds"
    config.write_text(text)
