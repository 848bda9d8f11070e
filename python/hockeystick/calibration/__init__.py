# SPDX-License-Identifier: Apache-2.0
"""The parameter that spends a privacy budget, and provably no more."""

from hockeystick.calibration.calibrate import calibrate
from hockeystick.calibration.dpsgd import dpsgd_noise_multiplier

__all__ = ["calibrate", "dpsgd_noise_multiplier"]
