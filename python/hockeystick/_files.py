# SPDX-License-Identifier: Apache-2.0
"""Files that are either what they were or what they were to become, whenever the process dies.

And locks, for those who read a file to write it.
"""

import errno
import os
import secrets
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


@contextmanager
def locked(path: str | os.PathLike[str], timeout: float | None = None) -> Iterator[Path]:
    """Hold the lock of the file, which is one beside it: only one thread of all processes does.

    The system lets go of it when the process dies. Yields what `path` refers to.

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
        descriptor = os.open(f"{target}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(descriptor, path, timeout)
        _holders[target] = holder
        try:
            yield target
        finally:
            if os.getpid() == holder[0]:  # and not a child that was forked meanwhile
                del _holders[target]
                _unlock(descriptor)
    finally:
        os.close(descriptor)


def replace(path: str | os.PathLike[str], text: str) -> None:
    """Make `text` the whole content of the file; when this returns, it is on the disk.

    Raises:
        OSError: The file cannot be written; it is as before.
    """
    with _errors_naming(path):
        target = Path(path).resolve()  # a link stays a link
        new = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
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


def _lock(descriptor: int, path: str | os.PathLike[str], timeout: float | None) -> None:
    if sys.platform != "win32" and timeout is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return
    latest = None if timeout is None else time.monotonic() + timeout
    while not _try_to_lock(descriptor):
        if latest is not None and time.monotonic() >= latest:
            raise TimeoutError(
                errno.ETIMEDOUT, f"it was locked by others for {timeout!r} seconds", os.fspath(path)
            )
        time.sleep(0.005)


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
    if sys.platform == "win32":
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:  # spoken out, since a child that was forked meanwhile holds the descriptor, too
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
