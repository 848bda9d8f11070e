# SPDX-License-Identifier: Apache-2.0
"""The names of ``prv_accountant`` over this library: change one import line.

    from hockeystick.compat.prv_accountant import PRVAccountant    # was: from prv_accountant ...

Modules, classes, arguments and the three numbers of an answer are those of prv_accountant 0.2 but
for what is listed below, and it need not be installed. On the command line, ``hockeystick epsilon`` takes the options of
``compute-dp-epsilon``.

Every answer is ``(lower, estimate, upper)``: the truth lies between the outer two, rounding
included, and `estimate` is their middle. It is the loss of removing a record that is enclosed, as
there. No run of DP-SGD is known where adding one costs more, but that is not proved: ``Composition``
asks for both. Answers differ where the original is wrong, or fails:

| where | prv_accountant 0.2.0 | here |
| --- | --- | --- |
| `eps_error` | each bound is moved by it: answers are twice as wide | the widest gap accepted; answers are mostly far narrower |
| `delta_error` | added to delta, subtracted for the lower bound | not used: all error is in the bounds; with mechanisms of one's own, what their `cdf` may be off by |
| an upper bound | may fall below the truth: transforms are taken as exact, `PureDPMechanism` as less than it costs | never below |
| "Discrete mean differs significantly ..." | RuntimeError for much noise in few steps, and other quadratures | no quadrature |
| delta below about 1e-13 | ValueError | down to 1e-300 |
| a lower bound of epsilon or delta | may be negative | at least 0 |
| epsilon = inf, as at delta below the mass at +inf | (inf, inf, inf) | the same |
| `max_self_compositions` | more of them, slower and less accurate | only limits what may be asked, and sets the grid of mechanisms of one's own |
| `eps_max` | warns, and wraps around beyond it | not needed, not used |
| `find_noise_multiplier` | epsilon within `eps_error` of the target | the least noise that provably meets it |
| `num_self_compositions` of another length | may be broadcast or cut | ValueError |
| NaN, infinite or negative parameters | often accepted | ValueError |

``PRVAccountant.compute_composition`` and `composers` return losses on a grid: `pmf` and `domain` are
to look at, in floating point, and ``compute_epsilon`` of such a loss encloses what was composed: the
mechanisms, or the masses given to `DiscretePrivacyRandomVariable`, as they are. The mechanisms' `rdp`
and `mean` are certified upper bounds; their `cdf` and `pdf` are to look at, and so is all of
`PrivacyRandomVariableTruncated`, whose `cdf` is 0 at its lower end (there: not quite).

``PRVAccountant.compute_trade_off_curve`` is proposed for prv_accountant, and in none of its versions.

Mechanisms of one's own are subclasses of `PrivacyRandomVariable` with a `cdf`, and perhaps `pm_inf`.
Their losses are rounded up and down to a grid that `eps_error` chooses, so that the bounds enclose
what the `cdf` says; `rdp`, `mean` and `pdf` are not needed.

Not offered: its module `discretisers` and ``accountant.compute_safe_domain_size``, since nothing is
discretised before it is asked about; and its second opinion, ``other_accountants.RDP``
(``hockeystick.baselines`` has more of them).
"""  # noqa: E501 - rows of a table

from hockeystick.compat.prv_accountant.accountant import Accountant, PRVAccountant
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    ApproximateDPMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
    PrivacyRandomVariable,
    PureDPMechanism,
)

__all__ = [
    "Accountant",
    "ApproximateDPMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "PRVAccountant",
    "PoissonSubsampledGaussianMechanism",
    "PrivacyRandomVariable",
    "PureDPMechanism",
]
