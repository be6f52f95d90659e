"""The command line: one module per command or group of commands.

Other packages add commands through entry points; see `_plugins`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from annobench import __version__
from annobench.cli import (
    audit,
    certificate,
    compare,
    consensus,
    data,
    judge,
    partition,
    plan,
    rank,
    report,
)
from annobench.cli import inspect as inspection
from annobench.cli._plugins import Commands
from annobench.cli._shared import say, set_verbosity

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        say(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors only.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print each step from records to labels.")
    ] = False,
) -> None:
    """A reproducible workbench for annotation statistics.

    Exit codes: 0 success, 1 unusable labels, 2 invalid option, 3 --require is not met.
    """
    if quiet and verbose:
        raise typer.BadParameter("--quiet and --verbose are mutually exclusive. Drop one of them.")
    set_verbosity("quiet" if quiet else "verbose" if verbose else "usual")


app.command()(inspection.inspect)
app.command()(inspection.convert)
app.command()(partition.partition)
app.command()(consensus.consensus)
app.command()(report.report)
app.command()(certificate.certificate)
app.command()(audit.audit)
app.command()(plan.plan)
app.command()(judge.judge)
app.command()(rank.rank)
app.command()(compare.compare)

data_app = typer.Typer(help="The data sets.", no_args_is_help=True)
data_app.command("list")(data.list_datasets)
data_app.command()(data.fetch)
app.add_typer(data_app, name="data")


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
