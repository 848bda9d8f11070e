# SPDX-License-Identifier: Apache-2.0
"""A step chosen from a menu by looking at earlier outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import Accuracy, EnclosedMechanism, Pairs

MOST_OPTIONS = 64
_POINTS = 4800  # of all curves together, evenly over their losses: chords cost 1e-4 of an epsilon
_FAR = 640.0
_GONE = 1e-40
_USUAL = Accuracy()

Losses = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class AnyOf(EnclosedMechanism):
    """A step that is chosen from a menu by looking at earlier outputs: see ``any_of``.

    Args:
        options: The mechanisms of the menu, 1 to 64, each known by a dominating pair.
    """

    options: tuple[Mechanism, ...]

    def __post_init__(self) -> None:
        given: object = self.options
        if not isinstance(given, tuple | list) or not 1 <= len(given) <= MOST_OPTIONS:
            raise ValueError(
                f"options must be 1 to {MOST_OPTIONS} mechanisms, got {_checks.show(given)}"
            )
        for one in given:
            _checks.instance("option", one, Mechanism)
            if not one.is_exact:
                raise ValueError(f"option must be known by a dominating pair, got {one!r}")
        distinct = sorted(dict.fromkeys(self.options), key=lambda one: one.rank)
        _checks.keep(self, options=tuple(distinct))

    def simplified(self) -> Mechanism | None:
        """The menu without options that cost nothing; the only one left; None if none is left."""
        simplest = {one.simplified() for one in self.options}
        left = [one for one in simplest if one is not None]
        if len(left) <= 1:
            return left[0] if left else None
        return AnyOf(tuple(left))

    def pair_above(self, direction: Direction, accuracy: Accuracy = _USUAL) -> _core.DominatingPair:
        """The pair whose curve is the largest of the options'."""
        del accuracy
        return self._pair(direction)

    @lru_cache(maxsize=64)  # noqa: B019, since equal menus share the pairs that the cache keeps
    def _pair(self, direction: Direction) -> _core.DominatingPair:
        pairs = [one.dominating_pair(direction) for one in self.options]
        backward = [one.dominating_pair(direction.reversed) for one in self.options]
        return _core.menu_pair(pairs, _losses(pairs, backward))

    def at_most(self) -> tuple[tuple[Mechanism, int], ...]:
        """All options together, which cost at least as much as any one of them."""
        return tuple((one, 1) for one in self.options)

    def pairs_below(self, direction: Direction, accuracy: Accuracy = _USUAL) -> Pairs:
        """The pairs of the options, each of which an adversary may always choose."""
        del accuracy
        return tuple(one.dominating_pair(direction) for one in self.options)

    def moment_pairs(self, direction: Direction, accuracy: Accuracy = _USUAL) -> Pairs:
        """A pair that encloses the largest Renyi divergence of the options, which add up."""
        runs: Any = [[(pair, 1)] for pair in self.pairs_below(direction, accuracy)]
        both = _core.run_moments(runs, attained=True)
        return both, both


def any_of(*options: Mechanism | Sequence[Mechanism]) -> Mechanism:
    """A step that is one of several mechanisms, chosen by looking at all earlier outputs.

    **Theorem.** If it is fixed in advance how many steps there are, and each is chosen from its
    menu by outputs, then each is dominated by the largest of the options' hockey-stick curves, and
    the run by the composition of these. So ``a + 10 * any_of(b, c)`` may be asked, and entered into
    an ``Accountant``, where ``a + 4 * b + 6 * c`` may not. Where the number of steps depends on
    outputs, too, use a filter, such as ``GaussianFilter``.

    Upper bounds hold for every strategy; lower ones are those of whoever always chooses the same
    option, so that between them bounds are ``limited_by == "theory"``.

    Args:
        options: Mechanisms that are known by a dominating pair, up to 64; sampled ones, too. Or a
            list of them.

    Returns:
        The mechanism, or the only option.

    Raises:
        ValueError: There is no option, or more than 64, or one is known by bounds alone.
        TypeError: An option is no mechanism.

    Cost: two integrals of each option, of some thousand cells, once.
    Source: that the largest curve dominates: cpp/proofs/menu-curve.md.

    >>> from math import log
    >>> import hockeystick as hs
    >>> first, second = hs.ApproximateDP(log(2), 0), hs.ApproximateDP(log(3), 0)
    >>> third = hs.ApproximateDP(0, 1 / 3)
    >>> round((first + second).delta(log(2)), 9), round((first + third).delta(log(2)), 9)
    (0.333333333, 0.333333333)
    >>> round((first + hs.any_of(second, third)).delta(log(2)), 9)  # 4/9
    0.444444444
    """
    listed = [_checks.instance("option", one, Mechanism) for one in _checks.listed(options)]
    if not listed:
        raise ValueError("options must hold at least one mechanism, got none")
    return listed[0] if len(set(listed)) == 1 else AnyOf(tuple(listed))


def _losses(pairs: list[_core.DominatingPair], backward: list[_core.DominatingPair]) -> Losses:
    """The losses at which curves are evaluated: any choice is valid, and kinks make it close."""
    ends = [_past(pair.loss_supremum) for pair in pairs]
    ends += [-_past(pair.loss_supremum) for pair in backward]
    number = -(-_POINTS // len(pairs))
    some = [_losses_of(*both, number) for both in zip(pairs, backward, strict=True)]
    points: Losses = np.unique(np.concatenate([*some, [*ends, -1e-3, 0.0, 1e-3]]))
    return points


def _past(loss: float) -> float:
    """A loss past the largest one, if there is one."""
    return loss + 1e-9 * abs(loss) + 1e-9 if loss < _FAR / 2 else 0.0


def _losses_of(pair: _core.DominatingPair, backward: _core.DominatingPair, number: int) -> Losses:
    known = np.concatenate([pair.loss_nodes(), -backward.loss_nodes(), [0.0]])
    known = known[np.abs(known) < _FAR]
    low, high = -_reach(backward, float(-known.min())), _reach(pair, float(known.max()))
    return np.concatenate([known, np.linspace(low, high, number)])


def _reach(pair: _core.DominatingPair, known: float) -> float:
    """A loss up to which next to nothing is left of the curve, or the largest there is."""
    reach, largest = max(known, 1e-3), max(pair.loss_supremum, 1e-3)
    while reach < min(largest, _FAR):
        if pair.delta_above(np.array([reach]))[0] < _GONE:
            break
        reach *= 1.25
    return min(reach, largest, _FAR)
