# SPDX-License-Identifier: Apache-2.0
"""Files that are either what they were or what they were to become, whenever the process dies."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
