# SPDX-License-Identifier: Apache-2.0
"""What is composed in the place of a privacy random variable."""

from typing import NamedTuple

from hockeystick.composition import Composable


class Enclosed(NamedTuple):
    """Two mechanisms with what is meant between them; one and the same where it is representable.

    In full: with k runs in company of any others, delta(epsilon) is at most that of k runs of
    `less_private`, and at least that of k runs of `more_private` at epsilon + k `shift`, less
    k `missed`.
    """

    more_private: Composable
    less_private: Composable
    shift: float = 0.0
    missed: float = 0.0


class Allowance(NamedTuple):
    """How far from each other the two may be, a run, where one has to choose."""

    width: float
    """Of the losses, on average [nats]."""
    tail: float
    """The mass that either end may lose."""
