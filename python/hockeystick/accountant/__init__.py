# SPDX-License-Identifier: Apache-2.0
"""A running account of what has been spent."""

from hockeystick.accountant.report import Reported
from hockeystick.accountant.run_file import Described

__all__ = ["Accountant"]


class Accountant(Reported, Described):
    """A ledger of the mechanisms that ran, for training loops and services.

    Mutable. Threads may share it: each change is made as a whole, one after another.

    It answers what a composition answers, from ``epsilon`` to ``pld``, under its own adjacency and
    at its own tolerance; another adjacency is refused. So ask it, and not its ``composition``,
    which knows no adjacency. ``calibrate``, pictures and ``EpsilonMeter`` take it as it is, too.

    It sums what was fixed in advance. Where the next mechanism, its noise or how many there are is
    chosen by looking at outputs, that sum is no bound: use a filter, such as ``GaussianFilter``.

    From 32 distinct mechanisms on, what answered the last questions of epsilon or delta is kept, up
    to 2 MiB each: of Gaussians, sampled or not, a new step then costs what it alone takes. Such
    bounds are as certified and as tight as those of its ``composition``, if not the same bits.

    Args:
        adjacency: Which datasets are neighbours, an ``Adjacency`` or its name, for every query.
        tolerance: Widest relative gap accepted, in (1e-12, 1), for every query; of P(L > epsilon)
            at least 1e-2. A query may be given another.

    Raises:
        ValueError: `tolerance` is out of range.
        TypeError: An argument has the wrong type.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=2.0)
    >>> acct = hs.Accountant()
    >>> acct.compose(step, count=3).compose(step).ledger
    ((Gaussian(2.0), 4),)
    >>> hs.Accountant.from_json(acct.to_json()).ledger == acct.ledger
    True
    >>> replaced = hs.Accountant(adjacency="replace-one").compose(step, count=4)
    >>> round(acct.zcdp(), 9), round(replaced.zcdp(), 9)
    (0.5, 2.0)
    """
