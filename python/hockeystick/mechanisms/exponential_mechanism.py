# SPDX-License-Identifier: Apache-2.0
"""The exponential mechanism."""

from dataclasses import dataclass

from hockeystick.mechanisms._guarantee import Selection


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ExponentialMechanism(Selection):
    """Selection of a candidate with probability proportional to e^(epsilon score / (2 range)).

    Accounted for as any epsilon-differentially private mechanism, ApproximateDP(epsilon=epsilon,
    delta=0), under whichever adjacency is asked: the bounds enclose that guarantee, which the
    exponential mechanism does not use up. Its loss stays in an interval of length epsilon, not
    2 epsilon (bounded range).

    Args:
        epsilon: In [0, 1e4] nats; 0 costs nothing. Kept as ``guaranteed_epsilon``.

    Source: McSherry & Talwar (2007); Dong, Durfee & Rogers (2020) on bounded range.

    >>> import hockeystick as hs
    >>> selections = 20 * hs.ExponentialMechanism(epsilon=0.1)
    >>> selections.epsilon(1e-6) == (20 * hs.ApproximateDP(epsilon=0.1, delta=0)).epsilon(1e-6)
    True
    """
