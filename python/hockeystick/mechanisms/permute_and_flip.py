# SPDX-License-Identifier: Apache-2.0
"""Permute-and-flip."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.mechanisms._guarantee import Selection, replaceable


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PermuteAndFlip(Selection):
    """Selection of the first candidate, in random order, whose coin shows heads.

    The coin shows heads with probability e^(epsilon (score - best score) / (2 range)), range the
    most by which adding or removing a record changes a score. Dominated by the Laplace mechanism
    of noise multiplier 1 / epsilon, and with two candidates no better than that. For let f be the
    probability of a set of candidates. On a straight way from the scores of one dataset to those of
    a neighbour, f changes at a rate of at most epsilon f, and 1 - f of epsilon (1 - f), since a
    part x of the way is a change that is x epsilon-differentially private. The probability that
    Laplace noise stays below a moving threshold grows at just the smaller of the two rates.

    Args:
        epsilon: 0, which costs nothing, or in [1e-12, 1000] nats. Kept as ``guaranteed_epsilon``.

    Source: McKenna & Sheldon (2020), Theorem 1; Ding, Kifer, Steinke, Wang, Xiao & Zhang (2021).

    >>> import hockeystick as hs
    >>> selections = 20 * hs.PermuteAndFlip(epsilon=0.5)
    >>> selections.epsilon(1e-6) == (20 * hs.Laplace(noise_multiplier=2)).epsilon(1e-6)
    True
    """

    @replaceable
    def __init__(self, epsilon: float) -> None:
        checked = _checks.zero_or_within("epsilon", epsilon, *_checks.PURE_EPSILON)
        _checks.keep(self, guaranteed_epsilon=checked)
