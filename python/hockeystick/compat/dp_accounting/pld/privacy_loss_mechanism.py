# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.privacy_loss_mechanism``: the privacy losses of single mechanisms."""

from hockeystick.compat.dp_accounting.pld._losses.additive import AdditiveNoisePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.discrete_gaussian import (
    DiscreteGaussianPrivacyLoss,
)
from hockeystick.compat.dp_accounting.pld._losses.discrete_laplace import DiscreteLaplacePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.gaussian import GaussianPrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.laplace import LaplacePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.loss import (
    AdjacencyType,
    ConnectDotsBounds,
    MonotonePrivacyLoss,
    TailPrivacyLossDistribution,
)
from hockeystick.compat.dp_accounting.pld._losses.mixture import MixtureGaussianPrivacyLoss

__all__ = [
    "AdditiveNoisePrivacyLoss",
    "AdjacencyType",
    "ConnectDotsBounds",
    "DiscreteGaussianPrivacyLoss",
    "DiscreteLaplacePrivacyLoss",
    "GaussianPrivacyLoss",
    "LaplacePrivacyLoss",
    "MixtureGaussianPrivacyLoss",
    "MonotonePrivacyLoss",
    "TailPrivacyLossDistribution",
]
