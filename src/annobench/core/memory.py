"""Available memory, and early rejection of work that needs more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from annobench.core.errors import AnnotationError

__all__ = ["available_memory"]

_PROCESSES, _GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def available_memory() -> float:
    """Return the memory available to this process without swapping.

    Returns
    -------
    float
        Bytes: free memory of the machine, or less if limited by the process's control group (as in
        a container or SLURM job) or address space. Infinite if unknown.
    """
    return min([math.inf, *_free(), *_left_in_groups(), *_left_of_addresses()])


def refuse_beyond_memory(needed: float, what: str, remedy: str) -> None:
    """Reject work that needs more memory than is available."""
    free = available_memory()
    if needed > free:
        raise AnnotationError(
            f"{what} would need about {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB "
            f"are available. {remedy}"
        )


def _free() -> Iterator[float]:
    with suppress(OSError, KeyError, ValueError):
        yield 1024 * _numbers(_PROCESSES / "meminfo")["MemAvailable:"]


def _left_in_groups() -> Iterator[float]:
    """Yield the memory left by each control group of the process (versions 1 and 2)."""
    with suppress(OSError):
        for line in (_PROCESSES / "self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                top = _GROUPS / "memory"
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            elif not controllers:
                top = _GROUPS
                names = ("memory.max", "memory.current", "inactive_file")
            else:
                continue
            group = top / path.lstrip("/")
            for folder in (group, *group.parents):
                with suppress(OSError, ValueError):  # "max" is no number
                    limit, used = (float((folder / name).read_text()) for name in names[:2])
                    # Pages of files are given back when they are needed.
                    yield limit - used + _numbers(folder / "memory.stat").get(names[2], 0)
                if folder == top:
                    break


def _left_of_addresses() -> Iterator[float]:
    try:
        import resource
    except ImportError:  # on Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        with suppress(OSError, KeyError, ValueError):
            yield limit - 1024 * _numbers(_PROCESSES / "self/status")["VmSize:"]


def _numbers(path: Path) -> dict[str, float]:
    """Read lines with a name and a number, skipping others."""
    words = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {w[0]: float(w[1]) for w in words if len(w) > 1 and w[1].isdigit()}
