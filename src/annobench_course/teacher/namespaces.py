"""Mount, in namespaces of this process's own, a root that holds only what a submission may read."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from annobench_course.teacher.limits import MAX_FOLDER, MAX_PROCESSES

__all__ = ["WORK", "enter"]

#: Where a submission finds itself.
WORK = Path("/submission")

#: What programs and libraries of the system need.
_SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "nix/store")
_SETTINGS = ("ld.so.cache", "alternatives", "fonts", "localtime", "nsswitch.conf", "passwd")
_DEVICES = ("null", "zero", "random", "urandom")

_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _REC = 32, 4096, 16384
_DETACH = 2
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
_CAPBSET_DROP, _NO_NEW_PRIVS, _CAPABILITY_VERSION = 24, 38, 0x20080522


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def enter(root: Path, readable: Iterable[str], hidden: str | None, data: str | None) -> None:
    """Leave all files behind but those named, and all rights over them.

    Parameters
    ----------
    root : path
        An empty folder.
    readable : iterable of str
        Folders that stay, under their names, and can't be changed.
    hidden : str or None
        A folder that is empty even if it lies in one of these.
    data : str or None
        A folder that is `data` in the submission's.
    """
    os.setsid()  # no signal to its group reaches what started it
    _mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, "mode=755")
    for name in _SYSTEM:
        _show(Path("/", name), root)
    for name in _SETTINGS:
        _show(Path("/etc", name), root)
    for name in _DEVICES:
        _show(Path("/dev", name), root)
    for name in readable:
        _show(Path(name), root)
    if hidden is not None and (root / hidden[1:]).is_dir():
        _mount("tmpfs", root / hidden[1:], "tmpfs", _RDONLY | _NOSUID | _NODEV)
    _mount_processes(root / "proc")
    work = root / WORK.relative_to("/")
    work.mkdir()
    _mount("tmpfs", work, "tmpfs", _NOSUID | _NODEV, f"mode=700,size={MAX_FOLDER}")
    if data is not None:
        _bind(Path(data), work / "data")
    if not (root / "tmp").exists():  # nothing readable lies there
        (root / "tmp").symlink_to(WORK)
    _mount(None, root, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    os.chdir(root)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", _DETACH)
    os.chdir(WORK)
    _give_up_rights()


def _show(path: Path, root: Path) -> None:
    """Bind a path, or the link that it is, to the same path below the root."""
    place = root / path.relative_to("/")
    if place.exists() or place.is_symlink() or not path.exists():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() and path.parent == Path("/"):  # /lib is often usr/lib
        place.symlink_to(path.readlink())
    else:
        _bind(path, place)


def _bind(source: Path, place: Path) -> None:
    if source.is_dir():
        place.mkdir()
    else:
        place.touch()
    _mount(str(source), place, None, _BIND | _REC)
    attributes = _Attributes(set=_RDONLY | _NOSUID)
    size = ctypes.sizeof(attributes)
    path = os.fsencode(place)
    pointer = ctypes.byref(attributes)
    _call("syscall", _MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE, pointer, size)


def _mount_processes(place: Path) -> None:
    """Mount what tells of processes, to be read alone: if root grades, the kernel is set there."""
    place.mkdir()
    flags = _NOSUID | _NODEV | _NOEXEC
    try:
        _mount("proc", place, "proc", flags)
    except PermissionError:  # in a container, where Python does without
        return
    _mount(None, place, None, _REMOUNT | _BIND | _RDONLY | flags)


def _mount(
    source: str | None, place: Path, kind: str | None, flags: int, options: str | None = None
) -> None:
    texts = [None if text is None else text.encode() for text in (source, kind, options)]
    _call("mount", texts[0], os.fsencode(place), texts[1], ctypes.c_ulong(flags), texts[2])


def _give_up_rights() -> None:
    """Give up what could undo the mounts, and more processes than a notebook needs."""
    import resource

    resource.setrlimit(resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
    for capability in range(64):
        with contextlib.suppress(OSError):  # those that this kernel does not have
            _call("prctl", _CAPBSET_DROP, capability, 0, 0, 0)
    _call("prctl", _NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("capset", (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)())


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library, and raise its error."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
