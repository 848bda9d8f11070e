# SPDX-License-Identifier: Apache-2.0
"""Matrix mechanisms: noise that is correlated from step to step, as of DP-FTRL."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick.bounds import Bounds
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian

MOST_COLUMNS = 1024
MOST_STEPS = 10**6
_LARGEST = 1e100

Amplified = Any
"""A `Composition`, or `DisjointParts` where groups differ."""


class CorrelatedNoise(EnclosedMechanism):
    """What all matrix mechanisms have in common; see MatrixMechanism."""

    __slots__ = ("_known",)
    _known: tuple[Bounds[float], Bounds[float] | None]
    noise_multiplier: float
    min_separation: int
    max_participations: int | None

    @property
    @abstractmethod
    def _columns(self) -> int:
        """How many steps there are."""

    @abstractmethod
    def _sensitivity(self, participations: int) -> tuple[float, float]:
        """The sensitivity for so many participations at most, enclosed."""

    @property
    def participations(self) -> int:
        """How often a record may take part: at most as often as the steps allow."""
        most = -(-self._columns // self.min_separation)
        return most if self.max_participations is None else min(most, self.max_participations)

    def sensitivity_bounds(self) -> Bounds[float]:
        """How far a record of norm 1 in each of its steps moves C G, enclosed, rounding included.

        Where the ends differ by more than rounding, no formula tells the sensitivity, and its sets
        of steps are too many to list: then the upper end is that of the best sum of rows of the
        Gram matrix, or of coefficients made to fall; the lower end is that of a set of steps that
        was found.
        """
        return self._computed()[0]

    def _computed(self) -> tuple[Bounds[float], Bounds[float] | None]:
        try:
            return self._known
        except AttributeError:
            bounds = Bounds(*self._sensitivity(self.participations))
            noise = None
            if bounds.upper > 0:
                least = max(bounds.lower, 1e-300)
                ends = _core.noise_of_sensitivity(self.noise_multiplier, least, bounds.upper)
                noise = Bounds(*ends)
            object.__setattr__(self, "_known", (bounds, noise))
            return self._known

    def _check(self) -> None:
        noise = _checks.noise_multiplier(self.noise_multiplier)
        object.__setattr__(self, "noise_multiplier", noise)
        apart = _checks.whole("min_separation", self.min_separation, 1, _checks.MAX_COUNT)
        object.__setattr__(self, "min_separation", apart)
        if self.max_participations is not None:
            most = _checks.whole("max_participations", self.max_participations, 1, 10**9)
            object.__setattr__(self, "max_participations", most)

    @property
    def steps_covered(self) -> int:
        """All steps: the mechanism is the whole run."""
        return self._columns

    def simplified(self) -> Mechanism | None:
        """None if the strategy is 0: the output then ignores the data."""
        return None if self.sensitivity_bounds().upper == 0 else self

    @property
    def least_noise(self) -> float:
        """The noise over the sensitivity, rounded down."""
        return self._relative_noise().lower

    @property
    def most_noise(self) -> float:
        """The noise over a move that a record can make, rounded up."""
        return self._relative_noise().upper

    def _relative_noise(self) -> Bounds[float]:
        noise = self._computed()[1]
        if noise is None:
            raise ValueError(f"strategy must not be 0, got {self!r}")
        if not _checks.MIN_NOISE <= noise.lower <= noise.upper <= _checks.MAX_NOISE:
            raise ValueError(
                f"noise_multiplier / sensitivity must be in [{_checks.MIN_NOISE:g}, "
                f"{_checks.MAX_NOISE:g}], got {noise.lower!r}"
            )
        return noise

    def gaussian(self) -> Gaussian:
        """The Gaussian that it costs no more than: its noise over the sensitivity, rounded down."""
        return Gaussian(self.least_noise)

    def _amplified(self, q: float, groups: Sequence[npt.NDArray[np.float64]]) -> Amplified:
        """The worst of groups, each a list of norms of columns, from above."""
        kept: list[npt.NDArray[np.float64]] = []
        for group in sorted((np.sort(g)[::-1] for g in groups), key=lambda g: -g.sum()):
            if not any(len(g) >= len(group) and (g[: len(group)] >= group).all() for g in kept):
                kept.append(group)
        runs = []
        for group in kept:
            norms, counts = np.unique(group[group > 0], return_counts=True)
            terms = []
            for norm, count in zip(norms.tolist(), counts.tolist(), strict=True):
                noise, _ = _core.noise_of_sensitivity(self.noise_multiplier, norm, norm)
                terms.append((Gaussian(noise).poisson_sampled(q), count))
            runs.append(Composition(terms))
        if len(runs) == 1:
            return runs[0]
        return import_module("hockeystick.disjoint").parallel(*runs)  # which stands above

    def _check_amplified(self, bands: int, sampling_probability: float) -> float:
        if bands > self.min_separation:
            raise ValueError(
                "strategy must have at most min_separation bands to be amplified: "
                f"{self.min_separation}, got {bands}"
            )
        if self.participations < -(-self._columns // self.min_separation):
            raise ValueError(
                "max_participations must be None to be amplified, as a group takes part in every "
                f"min_separation-th step, got {self.max_participations}"
            )
        return _checks.probability("sampling_probability", sampling_probability)


@dataclass(frozen=True, slots=True, repr=False)
class MatrixMechanism(CorrelatedNoise):
    """A run that releases C G + Z: the rows of G are sums of records of norm at most 1, one a step.

    C is the *strategy*, `strategy[i][j]` how much of step j goes into output i; Z is normal with
    standard deviation `noise_multiplier`. What training does with it afterwards, as B (C G + Z), is
    post-processing: give the factor that the noise is added to, **not the one that decodes**. The
    noise is relative to the clipping norm, not to the sensitivity.

    A record takes part in steps that lie `min_separation` or more apart (1: in any), at most
    `max_participations` of them. The run is then one Gaussian whose noise is noise_multiplier over
    the sensitivity; gradients may depend on earlier outputs (Denisov et al. 2022). Exact are
    matrices whose columns `min_separation` apart do not overlap, and small ones that are not
    negative; see ``sensitivity_bounds`` for others.

    For long runs there are ``toeplitz``, ``buffered`` and ``tree``; ``amplified`` adds sampling.

    Args:
        strategy: C, of shape (outputs, steps), at most 1024 steps, finite numbers up to 1e100.
        noise_multiplier: In [0.001, 1e12].
        min_separation: b, in [1, 1e9]: a record in step i is next in step i + b, or later.
        max_participations: k, in [1, 1e9]; None: as many as fit.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Source: Choquette-Choo et al. (2023), Multi-epoch matrix factorization mechanisms, and (2023),
    (Amplified) banded matrix factorization; Denisov et al. (2022). What is proved:
    cpp/proofs/matrix-sensitivity.md.

    >>> import hockeystick as hs
    >>> prefix = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> run = hs.MatrixMechanism(prefix, noise_multiplier=3.0)
    >>> round(run.sensitivity_bounds().upper ** 2, 9)  # all three steps: 1 + 4 + 9
    14.0
    >>> run.epsilon(1e-6) > hs.Gaussian(1.0).epsilon(1e-6)
    True
    """

    strategy: tuple[tuple[float, ...], ...]
    _: KW_ONLY
    noise_multiplier: float
    min_separation: int = 1
    max_participations: int | None = None

    def __post_init__(self) -> None:
        matrix = _matrix(self.strategy)
        object.__setattr__(self, "strategy", tuple(map(tuple, matrix.tolist())))
        self._check()

    @property
    def _columns(self) -> int:
        return len(self.strategy[0])

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        return _core.matrix_sensitivity(
            np.array(self.strategy), self.min_separation, participations
        )

    def amplified(self, sampling_probability: float) -> Amplified:
        """The run where records are in `min_separation` fixed groups, which take turns.

        Step i draws each record of group i mod min_separation with `sampling_probability`: **the
        rate within the group**, min_separation times the overall one. The groups are fixed
        independently of the data. Columns min_separation apart do not overlap, so that the run of a
        record is a sequence of Poisson-sampled Gaussians, with the noise over the norm of each
        column: exact when a record is added or removed.

        Args:
            sampling_probability: In [0, 1].

        Returns:
            The run of the worst group, or ``parallel`` of the groups that no other exceeds.

        Raises:
            ValueError: The strategy is not lower triangular, has more than `min_separation` bands,
                or `max_participations` is fewer than fit.

        Source: Choquette-Choo et al. (2023), (Amplified) banded matrix factorization, Theorem 4.

        >>> import hockeystick as hs
        >>> banded = [[1, 0, 0, 0], [0.5, 1, 0, 0], [0, 0.5, 1, 0], [0, 0, 0.5, 1]]
        >>> run = hs.MatrixMechanism(banded, noise_multiplier=2.0, min_separation=2)
        >>> run.amplified(0.1).terms[0][1]
        2
        """
        matrix = np.array(self.strategy)
        rows, columns = np.nonzero(matrix)
        if (rows < columns).any():
            raise ValueError("strategy must be lower triangular to be amplified")
        bands = int((rows - columns).max(initial=0)) + 1
        q = self._check_amplified(bands, sampling_probability)
        norms = np.array([upper for _, upper in _core.column_norms(matrix)])
        apart = self.min_separation
        return self._amplified(q, [norms[g::apart] for g in range(min(apart, len(norms)))])

    @staticmethod
    def toeplitz(
        coefficients: Sequence[float],
        *,
        steps: int,
        noise_multiplier: float,
        min_separation: int = 1,
        max_participations: int | None = None,
    ) -> "ToeplitzMechanism":
        """Of a lower triangular Toeplitz strategy, by its first column: see ToeplitzMechanism."""
        return ToeplitzMechanism(
            coefficients,  # type: ignore[arg-type]
            steps=steps,
            noise_multiplier=noise_multiplier,
            min_separation=min_separation,
            max_participations=max_participations,
        )

    @staticmethod
    def buffered(
        scales: Sequence[float],
        decays: Sequence[float],
        *,
        steps: int,
        noise_multiplier: float,
        min_separation: int = 1,
        max_participations: int | None = None,
    ) -> "BufferedMechanism":
        """Of a buffered linear Toeplitz strategy (BLT): see BufferedMechanism."""
        return BufferedMechanism(
            scales,  # type: ignore[arg-type]
            decays,  # type: ignore[arg-type]
            steps=steps,
            noise_multiplier=noise_multiplier,
            min_separation=min_separation,
            max_participations=max_participations,
        )

    @staticmethod
    def tree(*, leaves: int, noise_multiplier: float, restarts: int = 1) -> "TreeMechanism":
        """Of a binary tree over the steps of an epoch, anew in each: see TreeMechanism."""
        return TreeMechanism(leaves=leaves, noise_multiplier=noise_multiplier, restarts=restarts)


@dataclass(frozen=True, slots=True, repr=False)
class ToeplitzMechanism(CorrelatedNoise):
    """A matrix mechanism whose strategy is a lower triangular Toeplitz matrix.

    Coefficients that are not negative and do not grow have the worst record at steps 0, b, 2 b and
    so on, and the sensitivity is exact; so it is if there are no more of them than
    `min_separation`, whatever their signs. Of others it is enclosed: for up to 512 steps as of any
    matrix, else from above by the largest of each coefficient and all later ones.

    Args:
        coefficients: The first column, of which the first `steps` count; 0 after them.
        steps: T, in [1, 1e6].
        noise_multiplier: As of ``MatrixMechanism``, and so on.
        min_separation: Likewise.
        max_participations: Likewise.

    Cost: linear in `steps`: of 16,384 steps a millisecond.
    Source: Kalinin & Lampert (2024), Banded square root matrix factorization, Theorem 2; Dvijotham
    et al. (2024).

    >>> run = ToeplitzMechanism([1, 0.5, 0.375], steps=16384, noise_multiplier=5, min_separation=64)
    >>> lower, upper = run.sensitivity_bounds()
    >>> upper - lower < 1e-14 * upper, run.participations
    (True, 256)
    """

    coefficients: tuple[float, ...]
    _: KW_ONLY
    steps: int
    noise_multiplier: float
    min_separation: int = 1
    max_participations: int | None = None

    def __post_init__(self) -> None:
        steps = _checks.whole("steps", self.steps, 1, MOST_STEPS)
        object.__setattr__(self, "steps", steps)
        values = _numbers("coefficients", self.coefficients, MOST_STEPS)
        object.__setattr__(self, "coefficients", values)
        self._check()

    @property
    def _columns(self) -> int:
        return self.steps

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        return _core.toeplitz_sensitivity(
            np.array(self.coefficients), self.steps, self.min_separation, participations
        )

    def amplified(self, sampling_probability: float) -> Amplified:
        """The run where groups take turns: see ``MatrixMechanism.amplified``.

        The first group has the longest columns, so that its run is the worst.
        """
        used = self.coefficients[: self.steps]
        bands = max((t + 1 for t, c in enumerate(used) if c), default=1)
        q = self._check_amplified(bands, sampling_probability)
        column = np.array(used[:bands])
        lengths = self.steps - np.arange(0, self.steps, self.min_separation)
        norms = {
            length: _core.column_norms(column[:length, None])[0][1]
            for length in set(np.minimum(lengths, bands).tolist())
        }
        group = np.array([norms[length] for length in np.minimum(lengths, bands).tolist()])
        return self._amplified(q, [group])


@dataclass(frozen=True, slots=True, repr=False)
class BufferedMechanism(CorrelatedNoise):
    """A matrix mechanism with a buffered linear Toeplitz strategy (BLT), as of DP-FTRL in practice.

    Its first column is 1 and the sum over buffers of scale * decay^(t - 1). Where scales are not
    negative and sum to 1 at most, it falls, and the sensitivity is exact; else see
    ``ToeplitzMechanism``.

    Args:
        scales: Of the buffers' outputs, 1 to 64 finite numbers up to 1e100.
        decays: Of the buffers, as many, in [0, 1].
        steps: T, in [1, 1e6].
        noise_multiplier: As of ``MatrixMechanism``, and so on.
        min_separation: Likewise.
        max_participations: Likewise.

    Source: Dvijotham, McMahan, Pillutla, Steinke & Thakurta (2024), Efficient and near-optimal
    noise generation for streaming differential privacy; McMahan, Xu & Zhang (2024).

    >>> run = BufferedMechanism([0.3, 0.1], [0.9, 0.99], steps=2000, noise_multiplier=8)
    >>> lower, upper = run.sensitivity_bounds()
    >>> upper - lower < 1e-14 * upper
    True
    """

    scales: tuple[float, ...]
    decays: tuple[float, ...]
    _: KW_ONLY
    steps: int
    noise_multiplier: float
    min_separation: int = 1
    max_participations: int | None = None

    def __post_init__(self) -> None:
        steps = _checks.whole("steps", self.steps, 1, MOST_STEPS)
        object.__setattr__(self, "steps", steps)
        scales = _numbers("scales", self.scales, 64)
        decays = _checks.vector("decays", self.decays, "in [0, 1]", lambda x: 0 <= x <= 1, 64)
        if len(scales) != len(decays):
            raise ValueError(f"decays must be as many as scales, {len(scales)}, got {len(decays)}")
        object.__setattr__(self, "scales", scales)
        object.__setattr__(self, "decays", decays)
        self._check()

    @property
    def _columns(self) -> int:
        return self.steps

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        scales, decays = np.array(self.scales), np.array(self.decays)
        return _core.buffered_sensitivity(
            scales, decays, self.steps, self.min_separation, participations
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TreeMechanism(CorrelatedNoise):
    """DP-FTRL with a binary tree: each complete node releases the sum of its steps, noisily.

    A record takes part in one step of each epoch, and the tree begins anew after each. The first
    step is in one node of every height, floor(log2 leaves) + 1 of them, and no step in more, so
    that the whole is a Gaussian of sensitivity sqrt(restarts * height). Trees that go on over
    epochs are for ``MatrixMechanism``.

    Args:
        leaves: Steps of an epoch, in [1, 1e12].
        noise_multiplier: Of each node, relative to the clipping norm, in [0.001, 1e12].
        restarts: How many trees there are, one an epoch, in [1, 1e9].

    Source: Kairouz et al. (2021), Practical and private (deep) learning without sampling or
    shuffling; Dwork et al. (2010).

    >>> import hockeystick as hs
    >>> run = TreeMechanism(leaves=1000, noise_multiplier=20.0, restarts=5)
    >>> run.epsilon(1e-6) <= (50 * hs.Gaussian(20.0)).epsilon(1e-6) * (1 + 1e-9)
    True
    """

    leaves: int
    noise_multiplier: float
    restarts: int = 1
    min_separation: ClassVar[int] = 1  # type: ignore[misc]
    max_participations: ClassVar[int | None] = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        leaves = _checks.whole("leaves", self.leaves, 1, _checks.MAX_STEPS)
        object.__setattr__(self, "leaves", leaves)
        object.__setattr__(self, "restarts", _checks.whole("restarts", self.restarts, 1, 10**9))
        noise = _checks.noise_multiplier(self.noise_multiplier)
        object.__setattr__(self, "noise_multiplier", noise)

    @property
    def _columns(self) -> int:
        return self.leaves * self.restarts

    @property
    def participations(self) -> int:
        """One in each epoch."""
        return self.restarts

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        return _core.root_bounds(self.leaves.bit_length() * participations)


def _matrix(values: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401, nested sequences or an array
    if isinstance(values, list | tuple):
        for row in values:
            if isinstance(row, list | tuple) and bool in set(map(type, row)):
                raise TypeError(f"strategy must be numbers, got {_checks.show(row)}")
    matrix = _checks.array(
        "finite, at most 1e100 in size", lambda x: np.abs(x) <= _LARGEST, values, name="strategy"
    )
    if matrix.ndim != 2 or not matrix.size or matrix.shape[1] > MOST_COLUMNS:  # noqa: PLR2004
        raise ValueError(
            f"strategy must be of shape (outputs, steps) with 1 to {MOST_COLUMNS} steps, got shape "
            f"{matrix.shape}"
        )
    return matrix + 0.0


def _numbers(name: str, values: Any, most: int) -> tuple[float, ...]:  # noqa: ANN401
    expected = "a finite number, at most 1e100 in size"
    return _checks.vector(name, values, expected, lambda x: abs(x) <= _LARGEST, most)
