# SPDX-License-Identifier: Apache-2.0
"""A Gaussian budget for each record of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import floor
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _json
from hockeystick._array_like import ArrayLike
from hockeystick._words import outspoken
from hockeystick.accountant.saved_ledger import VERSION, Saved
from hockeystick.adjacency import Adjacency
from hockeystick.filters.exact import Amount, double_below, rational
from hockeystick.filters.filter import Guaranteed
from hockeystick.mechanisms import Gaussian

_SCALE = 2**20  # norms are counted in multiples of 2^-20, rounded up: squares fit 64 bits
_LARGEST_NORM = 2.0**10


@outspoken
class IndividualFilter(Guaranteed, Saved):
    """Each record takes part in Gaussian steps until the squares of its own norms are used up.

    In a step with noise s the record i is charged (n_i / s)^2, n_i the norm of what it really adds,
    and not the clipping norm: records with small gradients take part longer. A record whose budget
    would be exceeded is left out from then on in that step. The whole is mu-GDP when a record is
    added or removed: by the theorem of ``GaussianFilter``, applied to one record, whose norms are
    functions of the record and of earlier outputs.

    Conditions: every record takes part in each step as the mask says, without sampling; the noise
    and the queries are chosen by released outputs and public data alone; the sum is of the records
    in the mask, each of norm n_i, and its noise does not depend on how many there are. **The mask
    and what records have spent depend on the data: they must not be published**, nor anything that
    was derived from them; so must files of `save` and texts of `to_json`, which hold what each
    record has spent.

    Args:
        mu: The budget of each record, in [1e-6, 1000], at its exact value, as of GaussianFilter.
        records: How many there are, in [1, 1e9].
        noise_multiplier: Standard deviation s of the noise of every step, in the unit of the norms,
            in [0.001, 1e12].

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Cost: 8 bytes a record; comparisons are exact, of norms rounded up to multiples of 2^-20.
    Source: Feldman & Zrnic (2021); Koskela, Tobaben & Honkela (2022), Individual privacy accounting
    with Gaussian DP.

    >>> import numpy as np
    >>> budget = IndividualFilter(mu=1, records=2, noise_multiplier=10)
    >>> takes_part = [budget.step(np.array([1.0, 0.5])) for _ in range(401)]
    >>> sum(takes_part).tolist()
    [100, 400]
    """

    adjacency = Adjacency.ADD_OR_REMOVE_ONE
    _members: ClassVar[tuple[str, ...]] = ("mu", "records", "noise_multiplier")
    _schema: ClassVar[str] = "hockeystick.IndividualFilter"

    def __init__(self, mu: Amount, *, records: int, noise_multiplier: float) -> None:
        self._mu = rational("mu", mu, "[1e-6, 1000]")
        self._records = _checks.whole("records", records, 1, 10**9)
        self._noise = _checks.noise_multiplier(noise_multiplier)
        most = (self._mu * Fraction(self._noise) * _SCALE) ** 2
        self._most = min(floor(most), 2**62)
        self._squares = np.zeros(self._records, dtype=np.int64)
        self._steps = 0
        super().__init__()

    def step(self, norms: ArrayLike) -> npt.NDArray[np.bool_]:
        """Charge one step: which records may take part in it.

        Args:
            norms: Of what each record would add, shape (records,), in [0, 1024], in the unit in
                which the noise is given.

        Returns:
            The mask of the records to add up, shape (records,). Others are charged nothing.

        Raises:
            ValueError: `norms` is out of range, or has another shape.
            TypeError: `norms` are no numbers.
        """
        given = _checks.array(
            "in [0, 1024]", lambda x: (x >= 0) & (x <= _LARGEST_NORM), norms, name="norms"
        )
        if given.shape != (self._records,):
            raise ValueError(
                f"norms must be one for each record, of shape ({self._records},), got {given.shape}"
            )
        squares = np.ceil(given * _SCALE).astype(np.int64) ** 2  # both exact: norms have 53 bits
        with self._lock:
            mask: npt.NDArray[np.bool_] = squares <= self._most - self._squares
            self._squares[mask] += squares[mask]
            self._steps += 1
        return mask

    @property
    def steps(self) -> int:
        """The number of steps that were charged."""
        return self._steps

    @property
    def guarantee(self) -> Gaussian:
        """The Gaussian that the whole is not worse than when a record is added or removed."""
        return Gaussian(double_below(1 / self._mu))

    def __repr__(self) -> str:
        return (
            f"<IndividualFilter mu={self._mu} records={self._records} "
            f"noise_multiplier={self._noise!r} steps={self._steps}>"
        )

    def to_json(self) -> str:
        """The filter as JSON text, with a checksum; it holds what each record has spent.

        Raises:
            ValueError: The text would have more than 2^26 characters, as of 4 million records that
                took part.
        """
        with self._lock:
            return _json.dump(
                {
                    "schema": self._schema,
                    "version": VERSION,
                    **self._arguments,
                    "steps": self._steps,
                    "squares": self._squares.tolist() if self._squares.any() else [],
                }
            )

    @property
    def _arguments(self) -> dict[str, Any]:
        return {"mu": str(self._mu), "records": self._records, "noise_multiplier": self._noise}

    @property
    def _stand(self) -> int:
        return self._steps

    @classmethod
    def _restored(cls, value: Mapping[str, Any]) -> Self:
        usual: dict[str, Any] = {
            "schema": cls._schema,
            "version": VERSION,
            "steps": 0,
            "squares": [],
        }
        value = {**usual, **value}
        _json.one_of("$.schema", value["schema"], (cls._schema,))
        _json.members(value, "$", (*usual, *cls._members))
        given = {name: value[name] for name in cls._members}
        read = _json.at("$", lambda: cls(**given))
        read._take(value["steps"], value["squares"])  # noqa: SLF001, its own
        return read

    def _take(self, steps: object, squares: object) -> None:
        """Takes the steps and the records of a file."""
        self._steps = _json.at("$", lambda: _checks.whole("steps", steps, 0, 2**62))
        if not isinstance(squares, list) or not all(
            type(one) is int and 0 <= one <= self._most for one in squares
        ):
            _json.fail("$.squares", f"must be a list of whole numbers in [0, {self._most}]")
        if len(squares) not in (0, self._records):
            _json.fail("$.squares", f"must be one of each of {self._records} records", len(squares))
        if squares:
            self._squares[:] = squares

    @classmethod
    @contextmanager
    def locked(
        cls, path: str | PathLike[str], *, timeout: float | None = None, **budget: Any
    ) -> Iterator[Self]:
        """The filter of a file, to charge steps, while no other thread or process may.

        As ``Accountant.locked``: it is read as the block begins, made new with the arguments given
        if there is none, and saved as the block ends, if a step was charged.
        """
        with cls._held(path, budget, timeout) as held:
            yield held
