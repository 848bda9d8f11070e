# SPDX-License-Identifier: Apache-2.0
"""A ledger as text and as a file, which processes may share."""

import os
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, Self

from hockeystick import _checks, _files, _json
from hockeystick._words import outspoken
from hockeystick.accountant.entries import Entries
from hockeystick.accountant.kept_runs import KeptRuns
from hockeystick.accountant.ledger import Ledger, Shared
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.errors import StaleLedgerError

SCHEMA = "hockeystick.Accountant"
VERSION = 1
_NO_FILE = ""  # in place of a digest


@outspoken
class Saved(Shared):
    """An object that can be written to a file and read from it."""

    _members: ClassVar[tuple[str, ...]]
    """The arguments that make it anew, but for the adjacency."""

    _schema: ClassVar[str]

    @property
    @abstractmethod
    def _arguments(self) -> dict[str, Any]:
        """All arguments that construct an equal object."""

    @property
    @abstractmethod
    def _stand(self) -> object:
        """Equal to what it was if nothing was entered since."""

    @abstractmethod
    def to_json(self) -> str:
        """The object as JSON text that `from_json` reads."""

    @classmethod
    @abstractmethod
    def _restored(cls, value: Mapping[str, Any]) -> Self:
        """The object from the members of its JSON."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The accountant that `to_json` wrote; nothing but data is read.

        A text written by hand may go without the member "sha256".

        Raises:
            ValueError: `text` is not such an accountant, or was changed; the message says where.
            TypeError: `text` is not a string.

        Cost: linear in the length of the text, of at most 2^26 characters.
        """
        _checks.instance("text", text, str)
        return _json.nested(lambda: cls._restored(_json.parse(text)))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write ``to_json()`` to a file, as a whole or not at all.

        When this returns, the ledger is on the disk, and survives whatever happens to the process
        or, as far as the disk keeps its word, the machine. Until then the file is what it was. It
        is replaced by one written beside it, which a process killed meanwhile leaves behind, named
        like the file with a dot before and ``.tmp`` after it.

        Nothing that others entered is lost silently. A file that exists is refused, unless this
        accountant was loaded from it or saved to it before, and it is still as it was then. Both
        are checked under the lock of ``locked``, for which this waits. To enter into a ledger that
        exists, or that others use, too, see ``locked``.

        Args:
            path: The file.
            overwrite: Replace the file whatever it holds. What was entered there is lost.

        Raises:
            StaleLedgerError: The file exists and was never read, or was changed since.
            OSError: The file or its lock cannot be written.
            TypeError: As ``to_json``, `path` is no path, or `overwrite` is no bool.
            ValueError: As ``to_json``.
        """
        _checks.instance("overwrite", overwrite, bool)
        target = _files.resolved(path)
        is_held = target in (self._block, _block_of_thread(target))
        with nullcontext() if is_held else _files.locked(path), self._lock:
            text = self.to_json()
            if not overwrite:
                self._check_unchanged(path, target)
            _files.replace(path, text)
            self._knows(target, text)

    def _knows(self, path: str | os.PathLike[str], text: str) -> None:
        """Remembers the content of the file, as far as this accountant has seen it."""
        self._known = {**self._known, _files.resolved(path): _json.digest(text)}

    def _check_unchanged(self, path: str | os.PathLike[str], target: Path) -> None:
        """See that the file is what this accountant knows of it: nothing, if it never read it."""
        try:
            now = _json.digest(_files.read(path, _json.LONGEST))
        except FileNotFoundError:
            now = _NO_FILE
        except ValueError:
            now = None
        known = self._known.get(target, _NO_FILE)
        if now == known:
            return
        name, how = os.fspath(path), "`with Accountant.locked(path) as accountant:`"
        if known == _NO_FILE:
            raise StaleLedgerError(
                f"{name} exists, and is left as it is: this accountant was not loaded from it, and "
                f"would erase its entries; load it, enter within {how}, or pass overwrite=True"
            )
        raise StaleLedgerError(
            f"{name} was changed since this accountant was loaded from it or saved to it, and is "
            f"left as it is: load it again and enter what is new, enter within {how}, or pass "
            "overwrite=True"
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The accountant that `save` wrote.

        Raises:
            OSError: The file cannot be read.
            ValueError: It holds no accountant, or was changed; see ``from_json``.
            TypeError: `path` is no path.
        """
        _files.name_of(path)
        try:
            text = _files.read(path, _json.LONGEST)
            account = cls.from_json(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
        account._knows(path, text)  # noqa: SLF001, its own
        return account

    @classmethod
    @contextmanager
    def _held(
        cls, path: str | os.PathLike[str], given: Mapping[str, Any], timeout: float | None
    ) -> Iterator[Self]:
        """Holds the lock as `locked` does, with the arguments of a new ledger."""
        wait = None if timeout is None else _checks.non_negative("timeout", timeout)
        process = os.getpid()
        with _files.locked(path, wait) as target:
            account = cls._opened(path, given)
            account._block = target  # noqa: SLF001, its own
            _blocks[target] = (process, threading.get_ident())
            account._kept = _kept_of(target)  # noqa: SLF001, its own
            before = account._stand  # noqa: SLF001, its own
            try:
                yield account
                if os.getpid() != process:
                    raise RuntimeError("a block on a locked ledger must end in its own process")
                now = account._stand  # noqa: SLF001, its own
                if now != before or not target.exists():
                    account.save(path)
            finally:
                account._block = None  # noqa: SLF001, its own
                _blocks.pop(target, None)
                account._kept = KeptRuns()  # noqa: SLF001, its own

    @classmethod
    def _opened(cls, path: str | os.PathLike[str], given: Mapping[str, Any]) -> Self:
        try:
            account = cls.load(path)
        except FileNotFoundError:
            return cls(**given)
        own = account._arguments  # noqa: SLF001, its own
        new = cls(**{**own, **given})._arguments  # noqa: SLF001, its own
        for name in given:
            if new[name] != own[name]:
                raise ValueError(
                    f"{name} must be that of the ledger in {os.fspath(path)}, {own[name]}, got "
                    f"{new[name]}"
                )
        return account


@outspoken
class SavedLedger(Ledger, Saved):
    """A ledger that can be written and read."""

    _members: ClassVar[tuple[str, ...]] = ("tolerance",)
    _schema: ClassVar[str] = SCHEMA

    @property
    def _settings(self) -> dict[str, Any]:
        """The values of `_members`, as JSON's own types."""
        return {"tolerance": self._tolerance}

    @property
    def _arguments(self) -> dict[str, Any]:
        return {"adjacency": self._adjacency, **self._settings}

    @property
    def _stand(self) -> object:
        return self.ledger

    def to_json(self) -> str:
        """The accountant as JSON text, with a checksum; floats round-trip exactly.

        Raises:
            TypeError: A mechanism holds functions, which are no data.
            ValueError: The text would have more than 2^26 characters.
        """
        return _json.dump(
            {
                "schema": self._schema,
                "version": VERSION,
                "adjacency": self._adjacency.value,
                **self._settings,
                "ledger": self._entries.to_json(),
            }
        )

    @classmethod
    @contextmanager
    def locked(
        cls,
        path: str | os.PathLike[str],
        *,
        adjacency: AdjacencyLike | None = None,
        tolerance: float | None = None,
        timeout: float | None = None,
    ) -> Iterator[Self]:
        """The accountant of a file, to change it, while no other thread or process may.

        It is read as the block begins, and made new if there is none. As the block ends it is
        saved, if anything was entered; then it is on the disk. A block that raises enters nothing,
        so run what was admitted after the block, not in it.

        The lock is that of a file beside it, named like it with ``.lock`` after it, which stays, as
        does one with ``.turn``, whose lock is that of whoever comes next. The system frees them if
        the process dies. They bind those who use them: ``locked`` and ``save``.

        Args:
            path: The file.
            adjacency: That of a new ledger; by default as of ``Accountant``. One that is there must
                have it.
            tolerance: Likewise.
            timeout: Seconds to wait for others, >= 0; by default as long as it takes.

        Raises:
            TimeoutError: Others held the lock for that long.
            ValueError: An argument is out of range, or not that of the ledger which is there; or as
                ``load``.
            RuntimeError: This thread holds the lock already.
            OSError: The file or its lock cannot be read or written.
            TypeError: An argument has the wrong type.

        Cost: reading the file, and writing it if anything was entered.
        """
        settings = {"adjacency": adjacency, "tolerance": tolerance}
        given = {name: value for name, value in settings.items() if value is not None}
        with cls._held(path, given, timeout) as account:
            yield account

    @classmethod
    def _restored(cls, value: Mapping[str, Any]) -> Self:
        if "parallel" in value:
            _json.fail(
                "$.parallel",
                "must not be there, as a ledger says nothing of parts: read it by "
                "hockeystick.DisjointParts.from_json",
            )
        if "schema" in value:  # first: the members of others have names of their own
            _expect("$.schema", value["schema"], cls._schema)
        _json.members(value, "$", ("schema", "version", "adjacency", *cls._members, "ledger"))
        _expect("$.version", value["version"], VERSION)
        known = tuple(adjacency.value for adjacency in Adjacency)
        adjacency = Adjacency(_json.one_of("$.adjacency", value["adjacency"], known))
        given: dict[str, Any] = {name: value[name] for name in cls._members}
        account = _json.at("$", lambda: cls(adjacency=adjacency, **given))
        account._entries = Entries.from_json(value["ledger"], "$.ledger")  # noqa: SLF001, its own
        return account


_blocks: dict[Path, tuple[int, int]] = {}  # the process and thread of each block of `locked`


def _block_of_thread(target: Path) -> Path | None:
    """The file, if this thread is in a block that holds its lock."""
    return target if _blocks.get(target) == (os.getpid(), threading.get_ident()) else None


_kept_of_files: dict[Path, KeptRuns] = {}  # each used by whoever holds the lock of the file
_MOST_FILES = 16


def _kept_of(target: Path) -> KeptRuns:
    kept = _kept_of_files.pop(target, None) or KeptRuns()
    while len(_kept_of_files) >= _MOST_FILES:
        _kept_of_files.pop(next(iter(_kept_of_files)), None)
    _kept_of_files[target] = kept
    return kept


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept_of_files.clear)


def _expect(path: str, got: object, expected: str | int) -> None:
    if type(got) is not type(expected) or got != expected:
        _json.fail(path, f"must be {expected!r}", got)
