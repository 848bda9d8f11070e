# SPDX-License-Identifier: Apache-2.0
"""Runs on disjoint parts of the data: of all runs that see one record, the worst counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, combinations_with_replacement
from math import comb
from typing import Any

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._other_forms import InSentences
from hockeystick._words import outspoken
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable, Composition, Mechanism, Terms
from hockeystick.errors import CertificationError
from hockeystick.limits import Limits
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.queries import Query
from hockeystick.views.attacks import AttackViews
from hockeystick.views.losses import LossViews
from hockeystick.views.privacy import PrivacyViews

SCHEMA = "hockeystick.DisjointParts"
MOST_RUNS = 256
"""Runs of which the worst is asked for: epsilon of 256 runs of 50 Laplace mechanisms took 30 ms."""


@outspoken
@dataclass(frozen=True, slots=True, repr=False)
class DisjointParts(InSentences, PrivacyViews, AttackViews, LossViews):
    """The result of ``parallel``: runs on disjoint parts, so that each record is in one of them.

    It answers the questions of a `Composition`, each with the worst of its runs, but for ``pld``,
    which one distribution answers: ask each of ``runs``.
    """

    __array_ufunc__ = None  # lets numpy integers multiply from the left
    runs: tuple[Composition, ...]
    """The runs that no other run contains, in a fixed order."""

    @property
    def terms(self) -> Terms:
        """The distinct mechanisms of all runs, and how often each runs in one at most."""
        most: dict[Mechanism, int] = {}
        for mechanism, count in chain.from_iterable(run.terms for run in self.runs):
            most[mechanism] = max(count, most.get(mechanism, 0))
        return tuple(most.items())

    def __add__(self, other: "Composable | DisjointParts") -> "DisjointParts":
        """Both: a record that is in some part of each may be in any part of each."""
        if isinstance(other, DisjointParts):
            _check_runs(len(self.runs) * len(other.runs))
            return _worst_of(one + another for one in self.runs for another in other.runs)
        if isinstance(other, Composable):
            return _worst_of(run + other for run in self.runs)
        return NotImplemented

    def __radd__(self, other: object) -> "DisjointParts":
        """``other + self``; ``0 + self``, with which ``sum()`` starts, is the same as ``self``."""
        if isinstance(other, Composable):
            return self + other
        if isinstance(other, int) and not isinstance(other, bool) and other == 0:
            return self
        return NotImplemented

    def __mul__(self, count: object) -> "DisjointParts":
        """`count` runs, each of which may divide the data in its own way."""
        times = _checks.count(count)
        _check_runs(comb(times + len(self.runs) - 1, times))
        if len(self.runs) == 1:
            return _worst_of([self.runs[0] * times])
        choices = combinations_with_replacement(self.runs, times)
        return _worst_of(Composition(chain.from_iterable(r.terms for r in one)) for one in choices)

    __rmul__ = __mul__

    def group(self, size: int, *, same_part: bool = False) -> "DisjointParts":
        """The parts for up to `size` records that are added or removed at once.

        Records of a group may be in different parts, which may cost more than a group within one:
        known of Gaussians alone, where a group within one part costs most. Say `same_part` where
        all records of a group are in one part, as those of a user who lives in one region are;
        then each run is grouped by itself, as ``Composition.group`` does, whatever runs.

        Args:
            size: In [1, 1000].
            same_part: Whether all records of a group are in one part.

        Raises:
            ValueError: `size` is out of range, or runs of other mechanisms are to be grouped across
                parts.
            TypeError: `size` is no whole number, or `same_part` no bool.

        >>> import hockeystick as hs
        >>> groups = hs.parallel(4 * hs.Gaussian(20.0), hs.Gaussian(8.0))
        >>> groups.group(2).epsilon(1e-6) == hs.Gaussian(4.0).epsilon(1e-6)
        True
        """
        _checks.instance("same_part", same_part, bool)
        checked = _checks.whole("size", size, 1, 1000)
        if checked > 1 and not (same_part or self._run().groups_by_part):
            other = next(one for one, _ in self.terms if not isinstance(one, Gaussian))
            raise ValueError(
                f"same_part must be True where a run has {other!r}: {checked} records in "
                "different parts have a known cost for Gaussians alone; pass same_part=True if all "
                "records of a group are in one part"
            )
        return _worst_of(run.group(checked) for run in self.runs)

    def to_json(self) -> str:
        """The runs as JSON, with a checksum, which ``from_json`` takes; floats round-trip exactly.

        Raises:
            TypeError: A mechanism is of a class of the user's own, or holds functions.
            ValueError: The text would have more than 2^26 characters.
        """
        text: str = import_module("hockeystick.accountant.parts").to_json(self)
        return text

    @staticmethod
    def from_json(text: str) -> "DisjointParts":
        """The runs that `to_json` wrote, or that were described as for ``Accountant.read_text``.

        A description has ``parallel``, an array with ``{"ledger": [...]}`` for each part, and may
        have ``ledger`` beside it, which runs on all data.

        Raises:
            ValueError: It describes no such runs; the message says where.
            TypeError: `text` is no string.

        >>> import hockeystick as hs
        >>> groups = hs.parallel(50 * hs.Laplace(40.0), 4 * hs.Gaussian(5.0))
        >>> hs.DisjointParts.from_json(groups.to_json()) == groups
        True
        """
        runs: DisjointParts = import_module("hockeystick.accountant.parts").from_json(text)
        return runs

    def __repr__(self) -> str:
        """Code that makes an equal object, but for the long runs that `Composition` cuts."""
        return f"parallel({', '.join(map(repr, self.runs))})"

    @property
    def _alternatives(self) -> tuple[Terms, ...]:
        return tuple(run.terms for run in self.runs)

    def _run(self) -> _core.Run:
        return _core.Run.worst_of([run._run() for run in self.runs])  # noqa: SLF001

    def _directions(self, adjacency: Adjacency) -> list[_core.Terms]:
        check_adjacency(adjacency)
        return super(DisjointParts, self)._directions(adjacency)

    def _answers(self, query: Query, at: float | FloatArray, limits: Limits) -> _core.Answers:
        check_adjacency(limits.adjacency)
        return super(DisjointParts, self)._answers(query, at, limits)

    def _certified(
        self, query: Query, points: FloatArray, answers: _core.Answers, limits: Limits
    ) -> Bounds[Any]:
        """Bounds on the worst run; an error names the first run whose bounds are too wide."""
        certified = super(DisjointParts, self)._certified
        try:
            return certified(query, points, answers, limits)
        except CertificationError as error:
            for run in () if self._run().is_exact else self.runs:
                try:
                    run._answer(query, points, limits)  # noqa: SLF001, as all questions
                except CertificationError as one:
                    wide = f"of {run!r}: {one}"
                    raise CertificationError(wide, error.bounds, one.limited_by) from None
            raise


AnyRun = Composable | DisjointParts
"""A run that can be asked for its privacy, and is no ledger."""


def parallel(*parts: "Composable | DisjointParts") -> DisjointParts:
    """Runs on disjoint parts of the data: what is released about all parts costs as the worst part.

    Each record is in one part at most, by a rule that looks at this record alone and is fixed in
    advance: departments, regions, devices. Where a record is added or removed, one part changes and
    the outputs about the others tell nothing of it, so that the hockey-stick curve is the pointwise
    maximum of the curves of the parts, and no less. A record also stays in its part while other
    mechanisms run on all data, so that ``parallel(a, b) + c`` costs as the worse of ``a + c`` and
    ``b + c``. What runs in a part may depend on outputs before it, within its pairs; which records
    a part holds must not.

    Under replace-special the special record takes the place in the same part. Under replace-one it
    is refused: the other record may be in another part, which costs a removal and an addition.

    ``n * parallel(a, b)``, and sums of several, allow each to divide the data in its own way: a
    record may be in any part of each. Where the parts stay the same, ``parallel(n * a, n * b)``
    says so and costs no more. Parts of one guarantee count once, so that there may be thousands.

    Args:
        parts: What runs on each part: mechanisms, compositions, or what ``parallel`` returned. Or
            a list of them.

    Returns:
        The questions of a composition can be asked of it, but for ``pld``; answers are certified.
        It is written and read as JSON, said in sentences, grouped, and taken by ``calibrate`` and
        by ``--run`` of the command line. ``calibrate`` finds no n of ``n * parallel(a, b)`` beyond
        256 runs; ``parallel(n * a, n * b)`` has no such end. No ledger keeps it: keep an
        `Accountant` for each part, and enter in each what runs on all data.

    Raises:
        TypeError: A part is nothing that runs.
        ValueError: There is no part, or a record may be seen by more than 256 different runs.

    Cost: of one question about each of its ``runs``, which are those that no other contains.
    Source: McSherry (2009), Theorem 4, for pure differential privacy.

    >>> import hockeystick as hs
    >>> groups = hs.parallel(hs.Laplace(10), hs.Laplace(20))
    >>> round(groups.epsilon(delta=0), 12)
    0.1
    >>> total = groups + hs.Gaussian(8.0)
    >>> total.epsilon(1e-5) == (hs.Laplace(10) + hs.Gaussian(8.0)).epsilon(1e-5)
    True
    """
    given = _checks.listed(parts)
    if not given:
        raise ValueError("parts must hold a mechanism or a run for each part, got none")
    runs: list[Composition] = []
    for part in given:
        if isinstance(part, DisjointParts):
            runs += part.runs
        else:
            runs.append(Composition(_checks.instance("part", part, Composable).terms))
    return _worst_of(runs)


def _worst_of(runs: Iterable[Composition]) -> DisjointParts:
    """The runs that no other contains: a run never costs less with one more mechanism."""
    kept: dict[Composition, dict[Mechanism, int]] = {}
    for run in sorted(dict.fromkeys(runs), key=_size, reverse=True):  # the larger first
        if not any(_holds(counts, run) for counts in kept.values()):
            kept[run] = dict(run.terms)
            _check_runs(len(kept))
    return DisjointParts(tuple(sorted(kept, key=_rank)))


def _size(run: Composition) -> int:
    return sum(count for _, count in run.terms)


def _holds(counts: dict[Mechanism, int], run: Composition) -> bool:
    return all(count <= counts.get(mechanism, 0) for mechanism, count in run.terms)


def _rank(run: Composition) -> list[tuple[str, int]]:
    return [(mechanism.rank, count) for mechanism, count in run.terms]


def _check_runs(many: int) -> None:
    if many > MOST_RUNS:
        raise ValueError(
            f"parts must be such that at most {MOST_RUNS} different runs may see a record, got "
            f"{min(many, 10**6)} or more: where the parts are the same each time, write "
            "parallel(n * a, n * b) for n * parallel(a, b), and parallel(a + c, b + d) for "
            "parallel(a, b) + parallel(c, d)"
        )


def check_adjacency(adjacency: Adjacency) -> None:
    """A record must stay in its part: a ValueError where others take its place."""
    if any(direction.replaces for direction in adjacency.directions):
        raise ValueError(
            f"adjacency must be one that leaves a record in its part, not {adjacency.value!r}: the "
            "record in its place may be in another part, which costs a removal in one and an "
            'addition in the other; pass adjacency="add-or-remove-one" or "replace-special"'
        )
