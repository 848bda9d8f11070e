# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.domain``: the grid that losses are shown on."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


class Domain:
    """An even number of equidistant losses.

    Args:
        t_min: The first [nats].
        t_max: The last [nats].
        size: How many, even.
        shifts: By how much they have been moved altogether [nats].
    """

    def __init__(self, t_min: float, t_max: float, size: int, shifts: float = 0.0) -> None:
        if not isinstance(size, int):
            raise TypeError(f"size must be a whole number, got {size!r}")
        if size < 2 or size % 2:  # noqa: PLR2004
            raise ValueError(f"size must be even and > 0, got {size!r}")
        if not -math.inf < t_min <= t_max < math.inf:
            raise ValueError(f"t_max must be finite and >= t_min, got {t_max!r} and {t_min!r}")
        self._t_min, self._size, self._shifts = float(t_min), size, float(shifts)
        self._dt = (float(t_max) - self._t_min) / (size - 1)

    @staticmethod
    def create_aligned(t_min: float, t_max: float, dt: float) -> "Domain":
        """Multiples of `dt` from `t_min` or less to `t_max` or more, one more if they are odd."""
        if not 0 < dt < math.inf:
            raise ValueError(f"dt must be finite and > 0, got {dt!r}")
        low, high = math.floor(t_min / dt), math.ceil(t_max / dt)
        high += (high - low + 1) % 2
        return Domain(low * dt, high * dt, high - low + 1)

    def shifts(self) -> float:
        """The sum of all shifts of the domain."""
        return self._shifts

    def shift_right(self, dt: float) -> "Domain":
        """The domain, moved up by `dt`."""
        return Domain(self._t_min + dt, self.t_max() + dt, self._size, self._shifts + dt)

    def shift_left(self, dt: float) -> "Domain":
        """The domain, moved down by `dt`."""
        return self.shift_right(-dt)

    def t(self, i: int) -> float:
        """The loss of this index."""
        return self._t_min + i * self._dt

    def dt(self) -> float:
        """The distance of neighbours."""
        return self._dt

    def t_min(self) -> float:
        """The first loss."""
        return self._t_min

    def t_max(self) -> float:
        """The last loss."""
        return self.t(self._size - 1)

    def ts(self) -> npt.NDArray[np.float64]:
        """All losses of the grid."""
        return self._t_min + np.arange(self._size, dtype=np.float64) * self._dt

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, i: int) -> float:
        if not 0 <= i < self._size:
            raise IndexError(f"index must be in [0, {self._size}), got {i}")
        return self.t(i)

    def __iter__(self) -> Iterator[float]:
        return iter(self.ts().tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return (
            f"Domain(t_min={self._t_min}, t_max={self.t_max()}, size={self._size}, dt={self._dt})"
        )
