"""Workers that process partitions: Dask's, or any Python executor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from annobench.core.errors import AnnotationError
from annobench.core.optional import require

if TYPE_CHECKING:
    from distributed import Client

    #: Who does tasks.
    Workers: TypeAlias = Client | Executor
    #: What names them: address of a scheduler, client, executor; None for workers started here.
    Scheduler: TypeAlias = str | Workers | None
else:
    Workers = Scheduler = Any

T = TypeVar("T")

#: Memory of a worker that is started here, beyond which Dask stops it.
MEMORY_LIMIT = "2GiB"

_LOST = (
    "engine dask: the connection to the scheduler was lost. Restart it, or leave the address out. "
    "Then run the same command again; a fit resumes with --resume."
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
def open_workers(
    scheduler: Scheduler = None, *, say: Callable[[str], None] | None = None
) -> Iterator[Workers]:
    """Open the workers that process partitions."""
    if not isinstance(scheduler, Executor):
        with dask_client(scheduler, say=say) as client:
            yield client
        return
    try:
        yield scheduler
    except BrokenExecutor as error:
        raise AnnotationError(
            f"{type(scheduler).__name__}: a process was lost, as happens when concurrent "
            f"partitions do not fit in memory ({error}). Use fewer processes or smaller "
            "partitions. Then start again with a new executor; a fit resumes from its checkpoint."
        ) from error


def results(
    workers: Workers, function: Callable[..., T], tasks: Iterable[Any], *common: Any, given: Any
) -> list[T]:
    """Run tasks, and return their results in order."""
    if isinstance(workers, Executor):
        return _results_of_executor(workers, function, [(task, *common, given) for task in tasks])
    # In the graph once, and known to the scheduler, which makes it anew if a worker is lost.
    sent = workers.submit(_itself, given, pure=False)
    futures = [workers.submit(function, task, *common, sent, pure=False) for task in tasks]
    check_connected(workers)
    found: list[T] = workers.gather(futures)
    return found


def _results_of_executor(
    executor: Executor, function: Callable[..., T], calls: list[tuple[Any, ...]]
) -> list[T]:
    futures = []
    try:
        for call in calls:
            futures.append(executor.submit(function, *call))
    except BrokenExecutor:
        raise
    except RuntimeError as error:
        raise AnnotationError(
            f"{type(executor).__name__}: accepts no tasks ({error}). Give an open executor."
        ) from error
    try:
        return [future.result() for future in futures]
    finally:
        for future in futures:  # after an error
            future.cancel()


def _itself(given: T) -> T:
    return given


@contextmanager
def dask_client(
    scheduler: Scheduler = None,
    *,
    say: Callable[[str], None] | None = None,
    keep_memory: bool = True,
) -> Iterator[Client]:
    """Connect to Dask's workers."""
    if isinstance(scheduler, Executor):
        raise AnnotationError(
            "engine dask: needs the address of a Dask scheduler or a client, got a "
            f"{type(scheduler).__name__}. Leave it out; an executor can process partitions, but "
            "not make them."
        )
    dask = require("dask", "engine dask")
    distributed = require("distributed", "engine dask")
    if isinstance(scheduler, distributed.Client):
        with scheduler.as_current(), _explained():
            yield scheduler
        return
    with dask.config.set(_CONFIG | (_KEEP_MEMORY if keep_memory else {})):
        try:
            if scheduler is None:
                client = distributed.Client(
                    threads_per_worker=1,
                    memory_limit=MEMORY_LIMIT,
                    dashboard_address=":0",
                    silence_logs=logging.ERROR,
                    set_as_default=False,
                )
            else:
                client = distributed.Client(scheduler, set_as_default=False)
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
    """Explain the loss of workers or scheduler."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise AnnotationError(
            "engine dask: several workers were lost on the same partition, as happens when it "
            f"does not fit in memory ({error.last_worker.address} was the last). Give workers more "
            "memory, or use smaller partitions. Then run the same command again; a fit resumes "
            "with --resume."
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise AnnotationError(_LOST) from error


def check_connected(client: Client) -> None:
    """Do not wait for tasks submitted after the scheduler was lost."""
    if client.status != "running":
        raise AnnotationError(_LOST)
