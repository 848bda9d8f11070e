# SPDX-License-Identifier: Apache-2.0
"""Files that are either what they were or what they were to become, whenever the process dies.

And locks, for those who read a file to write it.
"""

import errno
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_holders: dict[Path, tuple[int, int]] = {}  # the process and thread that hold a file's lock
_descriptors: set[int] = set()  # of locks that threads of this process hold or wait for
_PERIOD = 0.005  # seconds between looks at a lock that others hold


@contextmanager
def locked(path: str | os.PathLike[str], timeout: float | None = None) -> Iterator[Path]:
    """Hold the lock of the file, which is one beside it: only one thread of all processes does.

    The system lets go of it when the process dies. Yields what `path` refers to.

    Who waits for the lock holds another, his turn, without which nobody may ask for the first. So
    whoever lets go of the lock and wants it again comes after one who waited.

    Raises:
        OSError: The lock cannot be made.
        TimeoutError: It was not had within so many seconds.
        RuntimeError: This thread holds it already.
    """
    target = Path(path).resolve()
    holder = (os.getpid(), threading.get_ident())
    if _holders.get(target) == holder:
        raise RuntimeError(f"{os.fspath(path)} is locked by this thread already")
    with _errors_naming(path):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    latest = None if timeout is None else time.monotonic() + timeout

    def waited(descriptor: int, period: float) -> None:
        if not _lock(descriptor, latest, period):
            raise TimeoutError(
                errno.ETIMEDOUT, f"it was locked by others for {timeout!r} seconds", os.fspath(path)
            )

    with _opened(f"{target}.lock", path) as lock:
        with _opened(f"{target}.turn", path) as turn:
            waited(turn, _PERIOD)
            waited(lock, _PERIOD / 5)  # only one at a time looks at it
        _holders[target] = holder
        try:
            yield target
        finally:
            if os.getpid() == holder[0]:  # and not a child that was forked meanwhile
                del _holders[target]


@contextmanager
def _opened(name: str, path: str | os.PathLike[str]) -> Iterator[int]:
    """A descriptor to lock, let go of in the end; a child that is forked meanwhile has none."""
    process = os.getpid()
    with _errors_naming(path):
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
    _descriptors.add(descriptor)
    try:
        yield descriptor
    finally:
        if os.getpid() == process:
            _unlock(descriptor)
            _descriptors.discard(descriptor)
            os.close(descriptor)


def _close_in_child() -> None:
    """Else the lock would live on in the child when its parent dies."""
    for descriptor in _descriptors:
        os.close(descriptor)
    _descriptors.clear()
    _holders.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def replace(path: str | os.PathLike[str], text: str) -> None:
    """Make `text` the whole content of the file; when this returns, it is on the disk.

    Raises:
        OSError: The file cannot be written; it is as before.
    """
    with _errors_naming(path):
        target = Path(path).resolve()  # a link stays a link
        new = target.with_name(f".{target.name}.{os.urandom(8).hex()}.tmp")
        try:
            _write(new, text.encode())
            if target.exists():
                new.chmod(target.stat().st_mode & 0o7777)
            new.replace(target)
        except BaseException:
            _drop(new)
            raise
        _sync_directory(target.parent)


def read(path: str | os.PathLike[str], longest: int) -> str:
    """The text in the file.

    Raises:
        ValueError: It has more than `longest` bytes, or is no text.
        OSError: The file cannot be read.
    """
    with _errors_naming(path), Path(path).open("rb") as file:
        content = file.read(longest + 1)
    if len(content) > longest:
        raise ValueError(f"must be a file of at most {longest} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"must be text: {error}") from None


def _lock(descriptor: int, latest: float | None, period: float) -> bool:
    """Whether the lock was had until then."""
    if sys.platform != "win32" and latest is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return True
    while not _try_to_lock(descriptor):
        if latest is not None and time.monotonic() >= latest:
            return False
        time.sleep(period)
    return True


def _try_to_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        return False
    return True


def _unlock(descriptor: int) -> None:
    """Let go of a lock that is held, or was waited for in vain."""
    if sys.platform == "win32":
        os.lseek(descriptor, 0, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:  # spoken out, since a child that was forked meanwhile may hold the descriptor, too
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def _errors_naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have an OSError name the path that was asked for, whichever file it came from."""
    name = os.fspath(path)
    try:
        if not name:  # Path("") is the current directory
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


def _drop(path: Path) -> None:
    """Remove the file if there is one; where that fails, another error is already under way."""
    with suppress(OSError):
        path.unlink()


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    """Have the new name itself on the disk; Windows has no such call, and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
