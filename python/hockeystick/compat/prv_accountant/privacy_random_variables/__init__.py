# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.privacy_random_variables``: what can be composed."""

from hockeystick.compat.prv_accountant.privacy_random_variables.abstract_privacy_random_variable import (  # noqa: E501
    PrivacyRandomVariable,
    PrivacyRandomVariableTruncated,
)
from hockeystick.compat.prv_accountant.privacy_random_variables.approximate_dp import (
    ApproximateDPMechanism,
)
from hockeystick.compat.prv_accountant.privacy_random_variables.gaussian_mechanism import (
    GaussianMechanism,
)
from hockeystick.compat.prv_accountant.privacy_random_variables.laplace_mechanism import (
    LaplaceMechanism,
)
from hockeystick.compat.prv_accountant.privacy_random_variables.poisson_subsampled_gaussian_mechanism import (  # noqa: E501
    PoissonSubsampledGaussianMechanism,
)
from hockeystick.compat.prv_accountant.privacy_random_variables.pure_dp_mechanism import (
    PureDPMechanism,
)

__all__ = [
    "ApproximateDPMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "PoissonSubsampledGaussianMechanism",
    "PrivacyRandomVariable",
    "PrivacyRandomVariableTruncated",
    "PureDPMechanism",
]
