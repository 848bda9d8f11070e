# SPDX-License-Identifier: Apache-2.0
"""The parameter that spends a privacy budget, and provably no more."""

from hockeystick.calibration.calibrate import calibrate

__all__ = ["calibrate"]
