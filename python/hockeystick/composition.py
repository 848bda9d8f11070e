# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in general, and their composition."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, NoReturn

from hockeystick import _checks, _core, _html
from hockeystick._neighbours import Kinds
from hockeystick._other_forms import OtherForms
from hockeystick._terms import check_bases, fields_by_argument, joined, merged
from hockeystick._words import LONGEST, elided, outspoken, written
from hockeystick.adjacency import Adjacency, AdjacencyLike, Direction, adjacency_of
from hockeystick.errors import of_extra


@outspoken
class Composable(OtherForms):
    """What can be composed (``10 * a + b``) and asked for its privacy: see Composition."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None  # lets numpy integers multiply from the left

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple["Mechanism", int], ...]:
        """The distinct mechanisms that cost anything, and how often each runs."""

    @property
    @abstractmethod
    def rank(self) -> str:
        """The key by which compositions order their terms: equal terms have equal ranks."""

    def __add__(self, other: "Composable") -> "Composition":
        """Both, in either order: composition is commutative."""
        if not isinstance(other, Composable):
            return NotImplemented
        return Composition._of(joined(self.terms, other.terms))

    def __radd__(self, other: object) -> "Composition":
        """``0 + self``, with which ``sum()`` starts."""
        if isinstance(other, int) and not isinstance(other, bool) and other == 0:
            return Composition._of(merged(self.terms))
        return NotImplemented

    def __mul__(self, count: object) -> "Composition":
        """`count` independent runs."""
        times = _checks.count(count)
        if len(terms := self.terms) == 1:  # the common case
            ((mechanism, runs),) = terms
            total = times if runs == 1 else _checks.count(times * runs)
            return Composition._of(((mechanism, total),) if total else ())
        return Composition._of(merged((one, _checks.count(times * runs)) for one, runs in terms))

    __rmul__ = __mul__

    def __getitem__(self, _: object) -> NoReturn:
        """Refuse it, and to be listed."""
        raise TypeError("a run is no list; its mechanisms, and how often each runs, are run.terms")

    @staticmethod
    def from_json(text: str) -> "Composition":
        """The run that `to_json` wrote, or that was described as for ``Accountant.read_text``.

        Raises:
            ValueError: It describes no run; the message says where.
            TypeError: `text` is no string.

        >>> import hockeystick as hs
        >>> run = 10 * hs.Gaussian(noise_multiplier=2.0)
        >>> hs.Composition.from_json(run.to_json()) == run
        True
        """
        account = import_module("hockeystick.accountant").Accountant.read_text(text)
        run: Composition = account.composition
        return run

    @abstractmethod
    def group(self, size: int) -> "Composable":
        """The run for up to `size` records that are added, removed or replaced at once.

        Also for users with up to `size` records each. Each mechanism of a run is grouped by itself,
        which costs less than grouping the curve of the run. See `Grouped` for what is exact and
        what is a bound; `explain` says it of a run.

        Args:
            size: In [1, 1000].

        Raises:
            ValueError: `size` is out of range, or too large for that little noise.

        >>> import hockeystick as hs
        >>> run = 100 * hs.Gaussian(20.0)
        >>> run.group(3).epsilon(1e-6) == (900 * hs.Gaussian(20.0)).epsilon(1e-6)
        True
        """


@outspoken
class Mechanism(Composable, metaclass=Kinds):
    """A randomized algorithm, known through its dominating pairs.

    To add one of your own that is dominated by pairs of mechanisms here, derive a frozen dataclass
    and give it ``dominating_pair``:

    >>> import hockeystick as hs
    >>> @dataclass(frozen=True, slots=True, kw_only=True)
    ... class TreeCounter(hs.Mechanism):
    ...     '''A record counts in `depth` nodes of a tree, each with normal noise.'''
    ...     noise_multiplier: float
    ...     depth: int
    ...
    ...     def dominating_pair(self, direction: hs.Direction) -> hs.DominatingPair:
    ...         noise = self.noise_multiplier / self.depth**0.5
    ...         return hs.Gaussian(noise_multiplier=noise).dominating_pair(direction)
    >>> counter = TreeCounter(noise_multiplier=40.0, depth=16)
    >>> (5 * counter).epsilon(1e-6) == (5 * hs.Gaussian(noise_multiplier=10.0)).epsilon(1e-6)
    True
    """

    __slots__ = ("_rank",)
    _rank: str
    is_exact: ClassVar[bool] = True
    """Whether its dominating pair is all that is known of it; see EnclosedMechanism."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Have methods and the constructor, also one of ``dataclass``, say what they take."""
        check_bases(cls)
        super().__init_subclass__(**options)  # again where slots make the class anew
        outspoken(cls)

    @property
    def terms(self) -> tuple[tuple["Mechanism", int], ...]:
        """The mechanism once, in its simplest form; nothing if it costs nothing."""
        simplest = self.simplified()
        return () if simplest is None else ((simplest, 1),)

    @property
    def run_above(self) -> "Terms":
        """Mechanisms, and how often each runs, whose composition dominates it: itself, once."""
        return ((self, 1),)

    @property
    def steps_covered(self) -> int:
        """The number of an optimizer's steps in one run: those of an epoch where one is drawn."""
        return 1

    def is_exact_for(self, adjacency: Adjacency) -> bool:
        """Whether its dominating pairs tell all of it under an adjacency."""
        del adjacency
        return self.is_exact

    def said_of(self, adjacency: Adjacency) -> str:
        """The note of `explain` next to the methods: whether the answers are exact, or bounds."""
        del adjacency
        return ""

    def group(self, size: int) -> "Mechanism":  # noqa: D102, as of what can be composed
        made: Mechanism = import_module("hockeystick.mechanisms.grouped").Grouped(self, size)
        return made

    made_by: ClassVar[str] = ""
    """The method of another mechanism that makes it, where that is how it is written."""

    @classmethod
    def merged(cls, terms: "Terms") -> "Mechanism":
        """One mechanism that equals these runs, all of this kind, on the same data.

        Raises:
            TypeError: None is known.
        """
        if len(terms) == 1 and terms[0][1] == 1:
            return terms[0][0]
        raise TypeError(
            f"mechanisms on one sample must be one mechanism, as Gaussians are; none is known of "
            f"{Composition(terms)!r}"
        )

    def __repr__(self) -> str:
        """Code that makes an equal mechanism, but for long arrays: see ``arguments``."""
        return written(type(self), self.arguments, self.made_by)

    @classmethod
    def argument_names(cls) -> tuple[str, ...]:
        """The fields of the dataclass; what is kept as ``guaranteed_epsilon`` is ``epsilon``."""
        return tuple(fields_by_argument(cls))

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments that make an equal mechanism, synonyms left out."""
        by_argument = fields_by_argument(type(self))
        return {name: getattr(self, field) for name, field in by_argument.items()}

    @property
    def rank(self) -> str:
        """The key by which compositions order their terms: equal mechanisms have equal ranks."""
        try:
            return self._rank
        except AttributeError:
            arguments = (
                f"{name}={value.rank if isinstance(value, Composable) else repr(value)}"
                for name, value in self.arguments.items()
            )
            rank = f"{type(self).__name__}({', '.join(arguments)})"
            object.__setattr__(self, "_rank", rank)
            return rank

    def simplified(self) -> "Mechanism | None":
        """An equivalent mechanism in simplest form; None if the output ignores the data."""
        return self

    @abstractmethod
    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`.

        Equal mechanisms return the same object, and so do directions that share a pair. That it
        dominates is the mechanism's to know; how a pair is represented is no part of the interface.

        Raises:
            ValueError: No such pair is known.
        """


class _Keeping(Composable):
    """Keeps what the core makes of it, which neither copies nor pickles hold."""

    __slots__ = ("_kept",)
    _kept: _core.Run

    def _run(self) -> _core.Run:
        """The run as the core asks it; made once."""
        try:
            return _kept_by(self)
        except AttributeError:
            object.__setattr__(self, "_kept", _core.Run(self.terms))
            return self._kept


# The slot itself: a name that an object lacks is looked up among the words of others.
_kept_by: Callable[[_Keeping], _core.Run] = vars(_Keeping)["_kept"].__get__


@outspoken
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Composition(_Keeping):
    """Runs of mechanisms on the same data, each with noise of its own.

    Which mechanisms run, and how often, is fixed in advance. What each does may depend on the
    outputs before it, within its dominating pairs: the question, say, but not the noise over its
    sensitivity. Runs of one mechanism may end early for any reason.

    Canonical: equal mechanisms are merged, free ones dropped, and the order is fixed, so equal
    compositions are ``==``, hash alike and give the same bits. Nothing is computed until asked.
    Shown is code that makes it, but for more than eight terms: ``terms`` has all of them, and
    ``Composition(run.terms) == run``.

    Args:
        terms: Pairs (mechanism, count) with counts of at most 1e9 per distinct mechanism, or
            mechanisms that run once; or the count of each mechanism, as of a ``Counter``.

    Raises:
        ValueError: A count is negative, or above 1e9 after merging.
        TypeError: A count is not a whole number.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=2.0)
    >>> 3 * step + step
    4 * Gaussian(2.0)
    >>> hs.Composition().epsilon(delta=1e-5)
    0.0
    """

    terms: tuple[tuple[Mechanism, int], ...] = ()

    def __init__(
        self, terms: Iterable[tuple[Mechanism, int] | Mechanism] | Mapping[Mechanism, int] = ()
    ) -> None:
        checked = []
        for term in terms.items() if isinstance(terms, Mapping) else terms:
            mechanism, count = term if isinstance(term, tuple) else (term, 1)
            simplest = _checks.instance("mechanism", mechanism, Mechanism).simplified()
            times = _checks.count(count)
            if simplest is not None:
                checked.append((simplest, times))
        object.__setattr__(self, "terms", merged(checked))

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if isinstance(other, Composition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.terms)

    @staticmethod
    def from_dp_event(
        event: Any,  # noqa: ANN401, dp_accounting is optional
        *,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
    ) -> "Composition":
        """The run that an event of dp_accounting is, its accountants' ledgers among them.

        The reverse of ``to_dp_event``. Noise multipliers mean the same in both libraries.

        Args:
            event: What the installed dp_accounting calls a ``DpEvent``.
            adjacency: What the run will be asked about; some events have a mechanism under some
                adjacencies only.

        Raises:
            ValueError: The event, or a part of it, has no mechanism under `adjacency`, or its
                numbers are out of range.
            TypeError: `event` is no ``DpEvent``.
            ModuleNotFoundError: dp_accounting is not installed; the extra is named.
        """
        with of_extra("dp-accounting"):
            events = import_module("hockeystick.compat.dp_accounting.events")
        return events.run_of(event, adjacency_of(adjacency))  # type: ignore[no-any-return]

    @classmethod
    def _of(cls, terms: "Terms") -> "Composition":
        """A composition of canonical terms."""
        composition = cls.__new__(cls)
        object.__setattr__(composition, "terms", terms)
        return composition

    def poisson_sampled(self, sampling_probability: float) -> NoReturn:
        """Refused: a sample for each run and one sample for all are not the same."""
        q = _checks.probability("sampling_probability", sampling_probability)
        first, count = self.terms[0] if self.terms else ("mechanism", 1)
        raise TypeError(
            "a composition is not sampled as a whole: where each run draws its own sample, sample "
            f"the mechanism, then repeat, {count} * {first!r}.poisson_sampled({q!r}); where all "
            f"run on one sample, write .poisson_sampled_together({q!r})"
        )

    def poisson_sampled_together(self, sampling_probability: float) -> Mechanism:
        """All runs on one and the same Poisson subsample, as one mechanism.

        Gaussians on the same data are one Gaussian, of noise multiplier 1 / sqrt(sum of count /
        noise_multiplier^2), rounded down to a double; the bounds are about the mechanism that is
        returned (`joint` encloses the root). The curve of other runs is sampled. For mechanisms
        chosen by the outputs of others on the sample this holds where
        records are added or removed; under REPLACE_ONE they must have been chosen before.

        Args:
            sampling_probability: Of each record, in [0, 1].

        Source: Zhu, Dong & Wang (2022), Theorems 10 and 11.

        >>> import hockeystick as hs
        >>> (4 * hs.Gaussian(2.0)).poisson_sampled_together(0.01)
        Gaussian(1.0).poisson_sampled(0.01)
        """
        if not self.terms:
            raise ValueError("composition must hold a mechanism to be sampled, got none")
        try:
            one: Any = type(self.terms[0][0]).merged(self.terms)
        except TypeError:
            one = None
        if not hasattr(one, "poisson_sampled"):
            kind = import_module("hockeystick.mechanisms.poisson_sampled_run").PoissonSampledRun
            whole: Mechanism = kind(self, sampling_probability=sampling_probability)
            return whole
        sampled: Mechanism = one.poisson_sampled(sampling_probability)
        return sampled

    @property
    def rank(self) -> str:
        """The key by which compositions order their terms; unlike shown text, it is complete."""
        return " + ".join(f"{count} * {one.rank}" for one, count in self.terms)

    def group(self, size: int) -> "Composition":  # noqa: D102, as of what can be composed
        return Composition((one.group(size), count) for one, count in self.terms)

    def __repr__(self) -> str:
        terms = self.terms
        if len(terms) < 2:  # noqa: PLR2004
            return " + ".join(f"{count} * {one!r}" for one, count in terms) or "Composition()"
        if len(terms) <= LONGEST:
            return " + ".join(map(_written, terms))
        return " + ".join(elided(list(map(_written, terms[:3])), len(terms), _written(terms[-1])))

    def _repr_html_(self) -> str:
        rows = ((repr(mechanism), f"{count:,}") for mechanism, count in self.terms)
        return _html.table(("mechanism", "count"), rows)


Terms = tuple[tuple[Mechanism, int], ...]


def _written(term: tuple[Mechanism, int]) -> str:
    mechanism, count = term
    return repr(mechanism) if count == 1 else f"{count} * {mechanism!r}"
