# SPDX-License-Identifier: Apache-2.0
"""Certified differential-privacy accounting: epsilon and delta between proven bounds.

>>> import hockeystick as hs
>>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
>>> lower, upper = (10_000 * step).epsilon_bounds(delta=1e-5)
>>> lower <= upper <= 1.001 * lower
True
"""

from importlib import import_module
from inspect import getattr_static
from types import ModuleType
from typing import Any

from hockeystick import audit, mechanisms
from hockeystick._core import DominatingPair
from hockeystick._neighbours import MADE_BY, Uncalled, likely
from hockeystick._sweep import Records, SweepError, sweep
from hockeystick.accountant import Accountant
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.bounds import LARGEST_LOSS_ROUNDING, Bounds, ErrorBudget
from hockeystick.calibration import calibrate, dpsgd_noise_multiplier
from hockeystick.composition import Composition, Mechanism
from hockeystick.disjoint import DisjointParts, parallel
from hockeystick.dpsgd import dpsgd_epsilon, dpsgd_epsilon_bounds
from hockeystick.errors import (
    BudgetExceeded,
    CertificationError,
    InternalError,
    StaleLedgerError,
)
from hockeystick.filters import (
    GaussianFilter,
    IndividualFilter,
    PureFilter,
    RenyiFilter,
    ZCDPFilter,
)
from hockeystick.joint import JointRelease, adaptive_clipping, joint
from hockeystick.limits import time_limit
from hockeystick.mechanisms import *
from hockeystick.mechanisms.menu import any_of
from hockeystick.meter import EpsilonMeter
from hockeystick.pld import PrivacyLossDistribution
from hockeystick.sampling import DPSGD
from hockeystick.selection import (
    above_threshold,
    best_of,
    first_above,
    propose_test_release,
    report_noisy_max,
)
from hockeystick.verify import Verified, verify

__all__ = [
    "DPSGD",
    "LARGEST_LOSS_ROUNDING",
    "Accountant",
    "Adjacency",
    "Bounds",
    "BudgetExceeded",
    "CertificationError",
    "Composition",
    "Direction",
    "DisjointParts",
    "DominatingPair",
    "EpsilonMeter",
    "ErrorBudget",
    "GaussianFilter",
    "IndividualFilter",
    "InternalError",
    "JointRelease",
    "Mechanism",
    "PrivacyLossDistribution",
    "PureFilter",
    "Records",
    "RenyiFilter",
    "StaleLedgerError",
    "SweepError",
    "Verified",
    "ZCDPFilter",
    "__version__",
    "above_threshold",
    "adaptive_clipping",
    "any_of",
    "audit",
    "best_of",
    "calibrate",
    "dpsgd_epsilon",
    "dpsgd_epsilon_bounds",
    "dpsgd_noise_multiplier",
    "first_above",
    "joint",
    "parallel",
    "propose_test_release",
    "report_noisy_max",
    "sweep",
    "time_limit",
    "verify",
]
__all__ += mechanisms.__all__


_ON_DEMAND = ("baselines", "callbacks", "compat", "plot")
"""Modules that the package does not need itself, imported where they are first named."""


def __getattr__(name: str) -> Any:  # noqa: ANN401, a module or a string
    if name == "__version__":  # read on demand: the metadata take longer to load than the package
        from importlib.metadata import version  # noqa: PLC0415

        return version("hockeystick")
    if name in _ON_DEMAND:
        module = import_module(f"{__name__}.{name}")
        if module.__class__ is ModuleType:
            module.__class__ = Uncalled
        return module
    made = MADE_BY.get(name.lower())
    hint = f"; write {made}" if made else likely(name, [*__all__, *_ON_DEMAND])
    for owner, value in ((Composition, "(10 * hs.Gaussian(1.0))"), (Accountant, "account")):
        if hasattr(owner, name):
            of_class = isinstance(getattr_static(owner, name), classmethod | staticmethod)
            hint = f"; write {f'hs.{owner.__name__}' if of_class else value}.{name}(...)"
            break
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


for _name, _module in [*globals().items(), *vars(audit).items()]:
    if isinstance(_module, ModuleType) and _module.__name__.startswith(f"{__name__}."):
        _module.__class__ = Uncalled


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})
