# SPDX-License-Identifier: Apache-2.0
"""A running account of what has been spent."""

import hashlib
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, Self

from hockeystick import _admission, _checks, _entries, _files, _json
from hockeystick._admission import Amount
from hockeystick._entries import Entries
from hockeystick._kept import Kept
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds, Value
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.errors import StaleLedgerError
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE

SCHEMA = "hockeystick.Accountant"
VERSION = 1


class _File(NamedTuple):
    """Where an accountant was loaded from or saved to, and what was there."""

    path: Path
    digest: str


class Accountant:
    """A ledger of the mechanisms that ran, for training loops and services.

    Mutable. Threads may share it: each change is made as a whole, one after another.

    Args:
        adjacency: Which datasets are neighbours, for every query.
        tolerance: Widest relative gap accepted, in (1e-12, 1), for every query.

    Raises:
        ValueError: `tolerance` is out of range.
        TypeError: An argument has the wrong type.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=2.0)
    >>> acct = hs.Accountant()
    >>> acct.compose(step, count=3).compose(step).ledger
    ((Gaussian(noise_multiplier=2.0), 4),)
    >>> hs.Accountant.from_json(acct.to_json()).ledger == acct.ledger
    True
    """

    def __init__(
        self,
        *,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
        tolerance: float = DEFAULT_TOLERANCE,
    ) -> None:
        self._adjacency = _checks.instance("adjacency", adjacency, Adjacency)
        self._tolerance = _checks.tolerance(tolerance)
        self._entries = Entries()
        self._file: _File | None = None
        self._holds_lock = False
        self._own_lock()

    def _own_lock(self) -> None:
        self._lock = threading.RLock()
        self._kept = Kept()
        _accountants.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_lock": None, "_kept": None, "_holds_lock": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._own_lock()

    def __repr__(self) -> str:
        return (
            f"<Accountant adjacency={self._adjacency.value!r} tolerance={self._tolerance!r} "
            f"composition={self.composition!r}>"
        )

    @property
    def adjacency(self) -> Adjacency:
        """Which datasets are neighbours."""
        return self._adjacency

    @property
    def tolerance(self) -> float:
        """Widest relative gap accepted."""
        return self._tolerance

    @property
    def ledger(self) -> tuple[tuple[Mechanism, int], ...]:
        """What was composed, as (mechanism, count) in order of arrival, runs of equals merged."""
        return self._entries.ledger

    @property
    def composition(self) -> Composition:
        """All of the ledger as one composition."""
        return self._entries.composition

    def compose(self, mechanism: Composable, count: int = 1) -> Self:
        """Enter `count` runs of a mechanism or of a composition; on an error, nothing is entered.

        Args:
            mechanism: What ran.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.

        Returns:
            The accountant itself.

        Raises:
            ValueError: A count is out of range.
            TypeError: An argument has the wrong type.
        """
        _checks.instance("mechanism", mechanism, Composable)
        times = _checks.count(count)
        with self._lock:
            self._entries = self._entries.and_then(mechanism, times)
        return self

    def admit(
        self,
        mechanism: Composable,
        count: int = 1,
        *,
        epsilon: Amount,
        delta: Amount,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> bool:
        """Enter `count` runs if a budget certainly holds with them: whether they were entered.

        As ``would_exceed`` and ``compose`` in one: nothing else is entered in between, by whichever
        thread, so that all that was admitted keeps the budget. Run what was admitted afterwards.

        Args:
            mechanism: What is to run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            epsilon: The budget, as of ``would_exceed`` [nats].
            delta: In (0, 1); likewise.
            memory_limit: Bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type.

        >>> import hockeystick as hs
        >>> acct = hs.Accountant()
        >>> query = hs.Laplace(noise_multiplier=10.0)
        >>> [acct.admit(query, epsilon=1, delta=1e-9) for _ in range(11)].count(True)
        10
        """
        with self._lock:
            while True:
                before = self._entries
                if self.would_exceed(
                    mechanism, count, epsilon=epsilon, delta=delta, memory_limit=memory_limit
                ):
                    return False
                if self._entries is before:  # and no signal handler of this thread has composed
                    self.compose(mechanism, count)
                    return True

    def would_exceed(
        self,
        mechanism: Composable,
        count: int = 1,
        *,
        epsilon: Amount,
        delta: Amount,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> bool:
        """Whether `count` more runs might break a budget; nothing is entered.

        False is a certificate: with them, delta at `epsilon` has an upper bound of at most `delta`.
        True says that they break it, or come so near that this cannot be told: where the bounds at
        the accountant's tolerance do not decide, finer ones are asked for, down to 1e-12, of at
        most 16 distinct mechanisms.

        Args:
            mechanism: What might run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            epsilon: The budget, finite and >= 0 [nats]: a number, or a ``Decimal``, ``Fraction`` or
                string such as "0.3", of which not the smallest part is given beyond.
            delta: In (0, 1); likewise.
            memory_limit: Bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type.

        Cost: that of a question; from 16 distinct mechanisms on, some milliseconds from the second
        question on, but near the budget. What was composed is kept on a grid for that, up to some
        ten MiB for each budget, and never copied or saved.

        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
        >>> acct = hs.Accountant().compose(step, count=1000)
        >>> acct.would_exceed(step, 100, epsilon=2.0, delta=1e-5)
        False
        >>> acct.would_exceed(step, 300, epsilon="2.0", delta="1e-5")
        True
        """
        _checks.instance("mechanism", mechanism, Composable)
        more = _checks.count(count) * mechanism
        budget = (
            _checks.non_negative("epsilon", _admission.amount("epsilon", epsilon)),
            _checks.open_unit("delta", _admission.amount("delta", delta)),
        )
        with self._lock:
            return not _admission.fits(
                self.composition,
                more,
                *budget,
                kept=self._kept,
                adjacency=self._adjacency,
                tolerance=self._tolerance,
                memory_limit=memory_limit,
            )

    def epsilon(self, delta: Value, *, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Value:
        """Certified upper bound on epsilon; see ``Composition.epsilon``."""
        return self.epsilon_bounds(delta, memory_limit=memory_limit).upper

    def epsilon_bounds(
        self, delta: Value, *, memory_limit: int = DEFAULT_MEMORY_LIMIT
    ) -> Bounds[Value]:
        """Epsilon so far, enclosed; see ``Composition.epsilon_bounds``."""
        return self.composition.epsilon_bounds(
            delta,
            adjacency=self._adjacency,
            tolerance=self._tolerance,
            memory_limit=memory_limit,
        )

    def delta(self, epsilon: Value, *, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Value:
        """Certified upper bound on delta; see ``Composition.delta``."""
        return self.delta_bounds(epsilon, memory_limit=memory_limit).upper

    def delta_bounds(
        self, epsilon: Value, *, memory_limit: int = DEFAULT_MEMORY_LIMIT
    ) -> Bounds[Value]:
        """Delta so far, enclosed; see ``Composition.delta_bounds``."""
        return self.composition.delta_bounds(
            epsilon,
            adjacency=self._adjacency,
            tolerance=self._tolerance,
            memory_limit=memory_limit,
        )

    def to_json(self) -> str:
        """The accountant as JSON text, with a checksum; floats round-trip exactly.

        Raises:
            TypeError: A mechanism holds functions, which are no data.
            ValueError: The text would have more than 2^26 characters.
        """
        return _json.dump(
            {
                "schema": SCHEMA,
                "version": VERSION,
                "adjacency": self._adjacency.value,
                "tolerance": self._tolerance,
                "ledger": self._entries.to_json(),
            }
        )

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``to_json()`` to a file, as a whole or not at all.

        When this returns, the ledger is on the disk, and survives whatever happens to the process
        or, as far as the disk keeps its word, the machine. Until then the file is what it was. It
        is replaced by one written beside it, which a process killed meanwhile leaves behind, named
        like the file with a dot before and ``.tmp`` after it.

        A file that this accountant was loaded from, or saved to before, is refused if it is not as
        it was then. To enter into a ledger that others use, too, see ``locked``.

        Raises:
            StaleLedgerError: The file was changed meanwhile.
            OSError: The file cannot be written.
            TypeError: As ``to_json``, or `path` is no path.
            ValueError: As ``to_json``.
        """
        with self._lock:
            text = self.to_json()
            target = Path(path).resolve()
            known = self._file is not None and self._file.path == target
            with _files.locked(path) if known and not self._holds_lock else nullcontext():
                if known:
                    self._check_unchanged(path)
                _files.replace(path, text)
            self._file = _File(target, _digest(text))

    def _check_unchanged(self, path: str | os.PathLike[str]) -> None:
        try:
            now = _digest(_files.read(path, _json.LONGEST))
        except (FileNotFoundError, ValueError):
            now = None
        if self._file is None or now != self._file.digest:
            raise StaleLedgerError(
                f"{os.fspath(path)} was changed since this accountant was loaded from it or saved "
                "to it, and is left as it is: load it again and enter what it lacks, or enter it "
                "within `with Accountant.locked(path) as accountant:`"
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The accountant that `save` wrote.

        Raises:
            OSError: The file cannot be read.
            ValueError: It holds no accountant, or was changed; see ``from_json``.
            TypeError: `path` is no path.
        """
        try:
            text = _files.read(path, _json.LONGEST)
            account = cls.from_json(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
        account._file = _File(Path(path).resolve(), _digest(text))  # noqa: SLF001, its own
        return account

    @classmethod
    @contextmanager
    def locked(
        cls,
        path: str | os.PathLike[str],
        *,
        adjacency: Adjacency | None = None,
        tolerance: float | None = None,
        timeout: float | None = None,
    ) -> Iterator[Self]:
        """The accountant of a file, to change it, while no other thread or process may.

        It is read as the block begins, and made new if there is none. As the block ends it is
        saved, if anything was entered; then it is on the disk. A block that raises enters nothing,
        so run what was admitted after the block, not in it.

        The lock is that of a file beside it, named like it with ``.lock`` after it, which stays.
        The system frees it if the process dies. It binds those who use it: ``locked``, and ``save``
        of an accountant loaded from the file.

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
        wait = None if timeout is None else _checks.non_negative("timeout", timeout)
        process = os.getpid()
        with _files.locked(path, wait) as target:
            account = cls._opened(path, adjacency, tolerance)
            account._holds_lock = True  # noqa: SLF001, its own
            account._kept = _kept_of(target)  # noqa: SLF001, its own
            before = account.ledger
            try:
                yield account
                if os.getpid() != process:
                    raise RuntimeError("a block on a locked ledger must end in its own process")
                if account.ledger != before or not target.exists():
                    account.save(path)
            finally:
                account._holds_lock = False  # noqa: SLF001, its own
                account._kept = Kept()  # noqa: SLF001, its own

    @classmethod
    def _opened(
        cls, path: str | os.PathLike[str], adjacency: Adjacency | None, tolerance: float | None
    ) -> Self:
        given = {
            name: value
            for name, value in (("adjacency", adjacency), ("tolerance", tolerance))
            if value is not None
        }
        new = cls(**given)  # type: ignore[arg-type]
        try:
            account = cls.load(path)
        except FileNotFoundError:
            return new
        for name in given:
            if getattr(new, name) != getattr(account, name):
                raise ValueError(
                    f"{name} must be that of the ledger in {os.fspath(path)}, "
                    f"{getattr(account, name)}, got {getattr(new, name)}"
                )
        return account

    @classmethod
    def _restored(cls, value: Mapping[str, Any]) -> Self:
        names = ("schema", "version", "adjacency", "tolerance", "ledger")
        _json.members(value, "$", names)
        _expect("$.schema", value["schema"], SCHEMA)
        _expect("$.version", value["version"], VERSION)
        known = tuple(adjacency.value for adjacency in Adjacency)
        adjacency = Adjacency(_json.one_of("$.adjacency", value["adjacency"], known))
        account = _json.at("$", lambda: cls(adjacency=adjacency, tolerance=value["tolerance"]))
        account._entries = _entries.from_json(value["ledger"], "$.ledger")  # noqa: SLF001, its own
        return account


_accountants: "weakref.WeakSet[Accountant]" = weakref.WeakSet()


_kept_of_files: dict[Path, Kept] = {}  # each used by whoever holds the lock of the file
_MOST_FILES = 16


def _kept_of(target: Path) -> Kept:
    kept = _kept_of_files.pop(target, None) or Kept()
    while len(_kept_of_files) >= _MOST_FILES:
        _kept_of_files.pop(next(iter(_kept_of_files)), None)
    _kept_of_files[target] = kept
    return kept


def _renew_locks() -> None:
    """Free, in a forked child, what other threads of its parent hold; their changes were whole."""
    _kept_of_files.clear()
    for account in list(_accountants):
        account._own_lock()  # noqa: SLF001, its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _expect(path: str, got: object, expected: str | int) -> None:
    if type(got) is not type(expected) or got != expected:
        _json.fail(path, f"must be {expected!r}", got)
