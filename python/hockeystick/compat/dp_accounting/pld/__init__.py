# SPDX-License-Identifier: Apache-2.0
"""The names of ``dp_accounting.pld`` over this library: change one import line.

    from hockeystick.compat.dp_accounting import pld       # was: from dp_accounting import pld

Modules, functions, classes, arguments and defaults are those of dp_accounting 0.6, and what its
main branch has besides (true positive rates, mu, more events). Only the accountant needs
dp_accounting installed, for its events and base class: ``pip install hockeystick[dp-accounting]``.

Distributions are objects with probabilities on a grid, as there: connect the dots or privacy
buckets at multiples of `value_discretization_interval`, from above (`pessimistic_estimate`) or from
below. Compositions keep their factors; queries compose them with the tilt they need, and
probabilities are made when they are looked at. The accountant answers small compositions from such
a grid, others from ``Composition``'s bounds, at least as tight.

Answers differ where the original is wrong, or fails:

| where | dp_accounting 0.6.0 | here |
| --- | --- | --- |
| a pessimistic delta or epsilon | may fall below the truth: transforms are taken as exact | never below: all rounding is in the bound |
| delta below about 1e-12 | noise, negative, or epsilon = inf | relative accuracy down to the mass at +inf; of the accountant, down to 1e-300 |
| `tail_mass_truncation` | moves mass, seen by all queries | moves it in the probabilities shown; queries do not lose it |
| optimistic `self_compose` | adds `tail_mass_truncation` to the mass at +inf | takes the transform's error from it |
| `use_connect_dots`, not pessimistic | warns and uses buckets | connects the dots from below |
| `from_mixture_gaussian_mechanism` | outcomes searched to 1e-6, deltas a little too low | exact cells |
| the same at an `int` interval | outcomes cut to whole numbers: not a bound | shows the same probabilities, answers from right ones |
| losses on the grid, like 0.3 at 1e-4 | may be rounded a whole interval up | stay |
| `from_privacy_parameters` of large epsilon | `math.exp` overflows | works |
| upper tails, like 1 - cdf | 0 below 1e-16 | relative accuracy |
| a scalar and a vector of epsilons | two formulas, two answers | one |
| NaN, infinite or negative parameters and masses | often accepted | ValueError |
| `RandomizedResponseDpEvent` in the accountant | composed once, whatever the count | composed `count` times |
| `DiscreteGaussianDpEvent` (main branch) | not supported | supported in one dimension |
| `get_epsilon(0)` of bounded losses | inf after truncation | the largest loss |
| true positive rates of the accountant | a symmetric bound | the trade-off curve's own bound, never higher |

What mixtures of truncated batches dominate is as loose as there in the distributions and in the
accountant's small compositions, tighter in its large ones.
"""  # noqa: E501 - rows of a table

from importlib import import_module
from typing import Any

from hockeystick.compat.dp_accounting.pld import (
    accountant,
    common,
    pld_pmf,
    privacy_loss_distribution,
    privacy_loss_mechanism,
)

__all__ = [
    "PLDAccountant",
    "accountant",
    "common",
    "pld_pmf",
    "pld_privacy_accountant",
    "privacy_loss_distribution",
    "privacy_loss_mechanism",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """What needs dp_accounting, when asked for."""
    if name not in ("PLDAccountant", "pld_privacy_accountant"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.pld_privacy_accountant")
    return module if name == "pld_privacy_accountant" else module.PLDAccountant
