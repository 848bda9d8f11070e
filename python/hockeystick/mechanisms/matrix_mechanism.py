# SPDX-License-Identifier: Apache-2.0
"""Matrix mechanisms: noise that is correlated from step to step, as of DP-FTRL."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick.mechanisms._correlated_noise import LARGEST, Amplified, CorrelatedNoise
from hockeystick.mechanisms.matrix_strategies import (
    BufferedMechanism,
    ToeplitzMechanism,
    TreeMechanism,
)

MOST_COLUMNS = 1024


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
        _checks.keep(self, strategy=tuple(map(tuple, _matrix(self.strategy).tolist())))
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

    toeplitz = ToeplitzMechanism
    buffered = BufferedMechanism
    tree = TreeMechanism


def _matrix(values: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401, nested sequences or an array
    if isinstance(values, list | tuple):
        for row in values:
            if isinstance(row, list | tuple) and bool in set(map(type, row)):
                raise TypeError(f"strategy must be numbers, got {_checks.show(row)}")
    matrix = _checks.array(
        "finite, at most 1e100 in size", lambda x: np.abs(x) <= LARGEST, values, name="strategy"
    )
    if matrix.ndim != 2 or not matrix.size or matrix.shape[1] > MOST_COLUMNS:  # noqa: PLR2004
        raise ValueError(
            f"strategy must be of shape (outputs, steps) with 1 to {MOST_COLUMNS} steps, got shape "
            f"{matrix.shape}"
        )
    return matrix + 0.0
