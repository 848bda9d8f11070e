# SPDX-License-Identifier: Apache-2.0
"""Files that are either what they were or what they were to become, whenever the process dies.

And locks, for those who read a file to write it.
"""

import errno
import io
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hockeystick import _checks

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_holders: dict[Path, tuple[int, int]] = {}  # the process and thread that hold a file's lock
# Whose locks threads of this process hold or wait for. An object lets go of what an interrupt left.
_opened_locks: "weakref.WeakSet[io.FileIO]" = weakref.WeakSet()
_EFFECTIVE = os.access in os.supports_effective_ids
_PERIOD = 0.005  # seconds between looks at a lock that others hold


def resolved(path: str | os.PathLike[str]) -> Path:
    """What the path refers to, at the end of all links.

    Raises:
        TypeError: `path` is no path.
        ValueError: No file can have that name.
        OSError: It is empty, or its links lead in a circle.
    """
    name = name_of(path)
    with _errors_naming(path):
        try:
            target = Path(name).resolve()
            is_circle = target.is_symlink()
        except RuntimeError:  # so says Python 3.11 and 3.12
            is_circle = True
        if is_circle:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


def name_of(path: object) -> str:
    """The path as text."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str):
        raise TypeError(f"path must be a string or an os.PathLike of one, got {_checks.show(path)}")
    with suppress(UnicodeEncodeError):
        if b"\0" not in os.fsencode(name):
            return name
    raise ValueError(f"path must be a name that a file can have, got {_checks.show(path)}")


@contextmanager
def locked(path: str | os.PathLike[str], timeout: float | None = None) -> Iterator[Path]:
    """Hold the lock of the file, which is one beside it: only one thread of all processes does.

    The system lets go of it when the process dies. Yields what `path` refers to.

    Who waits for the lock holds another, his turn, without which nobody may ask for the first. So
    whoever lets go of the lock and wants it again comes after one who waited.

    Raises:
        OSError: The lock cannot be made.
        TimeoutError: The lock was not free within this many seconds.
        RuntimeError: This thread holds it already.
    """
    target = resolved(path)
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
        try:
            _holders[target] = holder
            yield target
        finally:
            if os.getpid() == holder[0]:  # and not a child that was forked meanwhile
                _holders.pop(target, None)


@contextmanager
def _opened(name: str, path: str | os.PathLike[str]) -> Iterator[int]:
    """A descriptor to lock, let go of in the end; a child that is forked meanwhile has none."""
    process = os.getpid()
    with _errors_naming(path):
        file = io.FileIO(name, "a+")
    _opened_locks.add(file)
    try:
        yield file.fileno()
    finally:
        if os.getpid() == process:
            _unlock(file.fileno())
            file.close()


def _close_in_child() -> None:
    """Else the lock would live on in the child when its parent dies."""
    for file in list(_opened_locks):
        file.close()
    _holders.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def replace(path: str | os.PathLike[str], text: str) -> None:
    """Make `text` the whole content of the file; when this returns, it is on the disk.

    A file that is there keeps its mode, and its owner where this process may give it away.

    Raises:
        OSError: The file cannot be written, or may not be; it is as before.
    """
    target = resolved(path)  # a link stays a link
    with _errors_naming(path):
        new = target.with_name(f".{target.name}.{os.urandom(8).hex()}.tmp")
        before = target.stat() if target.exists() else None
        if before is not None and not os.access(target, os.W_OK, effective_ids=_EFFECTIVE):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        try:
            _write(new, text.encode(), before)
            new.replace(target)
        except BaseException:
            try:
                _drop(new)
            finally:  # a second interrupt may have ended that
                _drop(new)
            raise
        _sync_directory(target.parent)


def read(path: str | os.PathLike[str], longest: int) -> str:
    """The text in the file.

    Raises:
        ValueError: It has more than `longest` bytes, or is no text.
        OSError: The file cannot be read.
    """
    with _errors_naming(path), Path(name_of(path)).open("rb") as file:
        content = file.read(longest + 1)
    if len(content) > longest:
        raise ValueError(f"must be a file of at most {longest} bytes")
    try:
        return content.decode("utf-8-sig")  # some editors of Windows begin a text with a mark
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
    name = name_of(path)
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


def _write(path: Path, content: bytes, like: os.stat_result | None) -> None:
    """Write a new file, which at no time may be read by more than the file that it is like."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if like is None else 0o600)

    with open(path, "xb", opener=opener) as file:
        if like is not None:
            if sys.platform != "win32":
                for user, group in ((like.st_uid, -1), (-1, like.st_gid)):
                    with suppress(OSError):
                        os.chown(path, user, group)
            path.chmod(like.st_mode & 0o7777)
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
