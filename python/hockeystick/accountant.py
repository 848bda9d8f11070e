# SPDX-License-Identifier: Apache-2.0
"""A running account of what has been spent."""

import os
from collections.abc import Mapping
from typing import Any, Self

from hockeystick import _checks, _files, _json
from hockeystick._solve import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds, Value
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.errors import CertificationError

SCHEMA = "hockeystick.Accountant"
VERSION = 1


class Accountant:
    """A ledger of the mechanisms that ran, for training loops and services.

    Mutable, and not to be changed from two threads at once.

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
        self._ledger: list[tuple[Mechanism, int]] = []
        self._composition = Composition()

    def __repr__(self) -> str:
        return (
            f"<Accountant adjacency={self._adjacency.value!r} tolerance={self._tolerance!r} "
            f"composition={self._composition!r}>"
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
        return tuple(self._ledger)

    @property
    def composition(self) -> Composition:
        """All of the ledger as one composition."""
        return self._composition

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
        entries = ((mechanism, 1),) if isinstance(mechanism, Mechanism) else mechanism.terms
        ledger = self._ledger[-1:]
        for entry, runs in entries:
            _enter(ledger, entry, times * runs)
        self._composition += times * mechanism
        self._ledger[-1:] = ledger
        return self

    def would_exceed(
        self,
        mechanism: Composable,
        count: int,
        epsilon: float,
        delta: float,
        *,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> bool:
        """Whether `count` more runs might break a budget; nothing is entered.

        False is a certificate: with them, epsilon at `delta` has an upper bound of at most
        `epsilon`. True says that there is none at this tolerance: the budget is broken, or so
        nearly spent that this cannot be told.

        Args:
            mechanism: What might run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            epsilon: The budget, finite and >= 0 [nats].
            delta: In (0, 1).
            memory_limit: Bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type.

        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
        >>> acct = hs.Accountant().compose(step, count=1000)
        >>> acct.would_exceed(step, 100, epsilon=2.0, delta=1e-5)
        False
        >>> acct.would_exceed(step, 300, epsilon=2.0, delta=1e-5)
        True
        """
        _checks.instance("mechanism", mechanism, Composable)
        budget = _checks.non_negative("epsilon", epsilon)
        then = self._composition + _checks.count(count) * mechanism
        try:
            upper = then.epsilon_bounds(
                _checks.open_unit("delta", delta),
                adjacency=self._adjacency,
                tolerance=self._tolerance,
                memory_limit=memory_limit,
            ).upper
        except CertificationError as error:  # its bounds hold, if wider than asked for
            upper = error.bounds.upper
        return not upper <= budget

    def epsilon(self, delta: Value, *, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Value:
        """Certified upper bound on epsilon; see ``Composition.epsilon``."""
        return self.epsilon_bounds(delta, memory_limit=memory_limit).upper

    def epsilon_bounds(
        self, delta: Value, *, memory_limit: int = DEFAULT_MEMORY_LIMIT
    ) -> Bounds[Value]:
        """Epsilon so far, enclosed; see ``Composition.epsilon_bounds``."""
        return self._composition.epsilon_bounds(
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
        return self._composition.delta_bounds(
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
                "ledger": [
                    {"mechanism": _json.mechanism_to_json(mechanism), "count": count}
                    for mechanism, count in self._ledger
                ],
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

        Raises:
            OSError: The file cannot be written.
            TypeError: As ``to_json``, or `path` is no path.
            ValueError: As ``to_json``.
        """
        _files.replace(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The accountant that `save` wrote.

        Raises:
            OSError: The file cannot be read.
            ValueError: It holds no accountant, or was changed; see ``from_json``.
            TypeError: `path` is no path.
        """
        try:
            return cls.from_json(_files.read(path, _json.LONGEST))
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def _restored(cls, value: Mapping[str, Any]) -> Self:
        names = ("schema", "version", "adjacency", "tolerance", "ledger")
        _json.members(value, "$", names)
        _expect("$.schema", value["schema"], SCHEMA)
        _expect("$.version", value["version"], VERSION)
        known = tuple(adjacency.value for adjacency in Adjacency)
        adjacency = Adjacency(_json.one_of("$.adjacency", value["adjacency"], known))
        account = _json.at("$", lambda: cls(adjacency=adjacency, tolerance=value["tolerance"]))
        if not isinstance(value["ledger"], list):
            _json.fail("$.ledger", "must be an array", value["ledger"])
        ledger: list[tuple[Mechanism, int]] = []
        for index, entry in enumerate(value["ledger"]):
            _enter_json(ledger, entry, f"$.ledger[{index}]")
        composition = _json.at("$.ledger", lambda: Composition(ledger))
        account._ledger, account._composition = ledger, composition  # noqa: SLF001, its own
        return account


def _enter_json(ledger: list[tuple[Mechanism, int]], value: object, path: str) -> None:
    entry = _json.members(value, path, ("mechanism", "count"))
    mechanism = _json.mechanism_from_json(entry["mechanism"], f"{path}.mechanism")
    _json.at(path, lambda: _enter(ledger, mechanism, _checks.count(entry["count"])))


def _enter(ledger: list[tuple[Mechanism, int]], mechanism: Mechanism, count: int) -> None:
    before = ledger.pop()[1] if ledger and ledger[-1][0] == mechanism else 0
    total = _checks.count(before + count)
    if total:
        ledger.append((mechanism, total))


def _expect(path: str, got: object, expected: str | int) -> None:
    if type(got) is not type(expected) or got != expected:
        _json.fail(path, f"must be {expected!r}", got)
