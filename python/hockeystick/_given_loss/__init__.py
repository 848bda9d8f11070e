# SPDX-License-Identifier: Apache-2.0
"""Mechanisms around a privacy loss that is known by other means than a dominating pair."""

from hockeystick._given_loss.enclosed import Allowance, Enclosed
from hockeystick._given_loss.given_cdf import enclosed

__all__ = ["Allowance", "Enclosed", "enclosed"]
