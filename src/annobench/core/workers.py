"""Dask's workers: those of a scheduler, or processes on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING

from annobench.core.errors import AnnotationError

if TYPE_CHECKING:
    from distributed import Client

#: Memory of a worker that is started here, beyond which Dask stops it.
MEMORY_LIMIT = "2GiB"

_LOST = (
    "engine dask: the scheduler went away. Start it again, or leave the address out. Then give the "
    "same command again; a fit goes on with --resume."
)

_CONFIG = {
    # Parameters of many annotators are sent once an iteration; that is as meant.
    "distributed.admin.large-graph-warning-threshold": "1GiB",
    "distributed.p2p.comm.buffer": "256MiB",
}
#: Dask's default gives memory back at once; a pass would ask for the same pages every time.
_KEEP_MEMORY = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**29,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**29,
}


@contextmanager
def dask_client(
    scheduler: str | Client | None = None,
    *,
    say: Callable[[str], None] | None = None,
    keep_memory: bool = True,
) -> Iterator[Client]:
    """Connect to Dask's workers.

    Parameters
    ----------
    scheduler : str or distributed.Client, optional
        Address of a scheduler, such as ``tcp://host:8786``, or a client, which stays open. By
        default processes of one thread each are started on this machine, one a core.
    say : callable, optional
        Called with one line that names the address of the dashboard.
    keep_memory : bool, default True
        Whether processes that are started keep the memory of a pass for the next one. A shuffle,
        whose tasks differ, would come to its limit.

    Yields
    ------
    distributed.Client
        Closed at the end, as are the processes that were started.

    Raises
    ------
    AnnotationError
        If Dask is not installed or no scheduler answers; if the scheduler goes away, or workers
        are lost over one task again and again.
    """
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        raise AnnotationError(
            f"engine dask: {error.name} is not installed. In the folder of the clone: "
            'pip install ".[scale]"'
        ) from error
    if isinstance(scheduler, Client):
        with scheduler.as_current(), _explained():
            yield scheduler
        return
    with dask.config.set(_CONFIG | (_KEEP_MEMORY if keep_memory else {})):
        try:
            if scheduler is None:
                client = Client(
                    threads_per_worker=1,
                    memory_limit=MEMORY_LIMIT,
                    dashboard_address=":0",
                    silence_logs=logging.ERROR,
                    set_as_default=False,
                )
            else:
                client = Client(scheduler, set_as_default=False)
        except (OSError, ValueError) as error:
            raise AnnotationError(
                f"engine dask: no scheduler answers at {scheduler} ({error}). Start one with "
                "`dask scheduler`, or leave the address out."
            ) from error
        with client, client.as_current(), _explained():
            if say is not None:
                say(f"Dask's dashboard: {client.dashboard_link}")
            yield client


@contextmanager
def _explained() -> Iterator[None]:
    """Say what to do when workers or the scheduler are lost."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise AnnotationError(
            "engine dask: several workers were lost over one partition, as happens if it does "
            f"not fit in memory ({error.last_worker.address} was the last). Give workers more "
            "memory, or divide the labels into smaller partitions. Then give the same command "
            "again; a fit goes on with --resume."
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise AnnotationError(_LOST) from error


def check_connected(client: Client) -> None:
    """Refuse to wait for tasks that were submitted after the scheduler had gone away.

    Dask cancels those submitted before; these would never end.

    Parameters
    ----------
    client : distributed.Client
        To which they were submitted.

    Raises
    ------
    AnnotationError
        If it is not connected.
    """
    if client.status != "running":
        raise AnnotationError(_LOST)
