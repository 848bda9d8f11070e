# SPDX-License-Identifier: Apache-2.0
"""The names of ``dp_accounting.pld`` over this library: change one import line.

    from hockeystick.compat.dp_accounting import pld       # was: from dp_accounting import pld

Modules, functions, classes, arguments and defaults are those of dp_accounting 0.6 but for what the
second table leaves out; answers about attacks are also those of its main branch. Only the accountant needs dp_accounting installed, for its events and
base class: the extra ``hockeystick[dp-accounting]``. Versions from 0.4 on do, with the events that they have. A Gaussian
under `REPLACE_ONE` is that of 0.5 and later, whose records are twice as far apart as in 0.4.

A distribution keeps the run of mechanisms that it is of. Its answers are ``Composition``'s bounds of
that run, the upper one (`pessimistic_estimate`) or the lower one; `value_discretization_interval`
says how close they have to be. Probabilities at its multiples, by connecting the dots or by privacy
buckets, are made when they are looked at. Masses that are given are composed as they are.

Answers differ where the original is wrong, or fails:

| where | dp_accounting 0.6.0 | here |
| --- | --- | --- |
| a pessimistic delta or epsilon | of the grid, and may fall below the truth: transforms are taken as exact | never below the truth, and no grid between: all rounding is in the bound |
| delta below about 1e-12 | noise, negative, or epsilon = inf | relative accuracy down to 1e-300 |
| `tail_mass_truncation`, `log_mass_truncation_bound` | move mass, seen by all queries | move about that in the probabilities shown; queries do not lose it |
| `use_connect_dots`, not pessimistic | warns and uses buckets | connects the dots from below |
| `from_mixture_gaussian_mechanism` | outcomes searched to 1e-6, deltas a little too low; at an `int` interval cut to whole numbers, no bound | right |
| `from_truncated_subsampled_gaussian_mechanism` and its event | a loose mixture | tighter: ``TruncatedPoissonGaussian`` |
| losses on the grid, like 0.3 at 1e-4 | may be rounded a whole interval up | stay |
| `from_privacy_parameters` of large epsilon | `math.exp` overflows | works |
| upper tails, like 1 - cdf | 0 below 1e-16 | relative accuracy |
| a scalar and a vector of epsilons | two formulas, two answers | one |
| NaN, infinite or negative parameters and masses | often accepted | ValueError |
| `RandomizedResponseDpEvent` in the accountant | composed once, whatever the count | composed `count` times |
| `SampledWithoutReplacementDpEvent`, `SampledWithReplacementDpEvent` | not supported | of a Gaussian, under `REPLACE_ONE` or `REPLACE_SPECIAL`: safe, theory leaves a gap |
| `SingleEpochTreeAggregationDpEvent` | not supported | a Gaussian a level of the deepest tree, exact; under `REPLACE_SPECIAL` |
| `ZCDpEvent` | not supported | ``ZCDP``: safe, theory leaves a gap; with `xi`, as (rho + xi)-zCDP, or xi-DP where rho is 0 |
| `get_smallest_subsampled_gaussian_noise` | of the grid | the same to 1e-7, or more where that does not meet the guarantee |
| `get_epsilon(0)` of bounded losses | inf after truncation | the largest loss |
| `create_pmf_pessimistic_connect_dots` | floating-point masses | certified for every mechanism with these deltas: ``HockeyStickCurve`` |

Not offered, as no maintained library is known to ask for it (a published program subclasses one class of
`privacy_loss_mechanism` and imports a private builder); the error says what to use:

| left out | in its place |
| --- | --- |
| the module `privacy_loss_mechanism` | ``hockeystick.mechanisms`` |
| `self_convolve`, `convolve_dictionary` and `self_convolve_dictionary` | distributions compose |
| `log_sinh`, `asinh_exp` and `log_a_times_exp_b_plus_c` | NumPy and SciPy |

Pmfs are dense, except those made of dictionaries and `compose_pmfs` of few of their masses, and all
compose with each other. The masses that a composition shows are as rounded as there; its answers are
bounds.
"""  # noqa: E501 - rows of a table

from importlib import import_module
from typing import Any

from hockeystick.compat.dp_accounting.pld import (
    _offered,
    accountant,
    common,
    pld_pmf,
    privacy_loss_distribution,
)

__all__ = [
    "PLDAccountant",
    "accountant",
    "common",
    "pld_pmf",
    "pld_privacy_accountant",
    "privacy_loss_distribution",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """A name that needs dp_accounting, when it is asked for."""
    if name not in ("PLDAccountant", "pld_privacy_accountant"):
        _offered.refuse(f"module {__name__!r}", name)
    module = import_module(f"{__name__}.pld_privacy_accountant")
    return module if name == "pld_privacy_accountant" else module.PLDAccountant
