# SPDX-License-Identifier: Apache-2.0
"""The mechanisms: immutable values that know their dominating pairs, one file each."""

from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.poisson_sampled import PoissonSampled

__all__ = ["Gaussian", "PoissonSampled"]
