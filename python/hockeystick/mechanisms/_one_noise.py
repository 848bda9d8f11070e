# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are one Gaussian, or noise of one scale: what groups of their records move."""

from typing import TYPE_CHECKING, Any

from hockeystick.composition import Mechanism
from hockeystick.mechanisms._correlated_noise import CorrelatedNoise
from hockeystick.mechanisms.gaussian import Gaussian, merged_noise
from hockeystick.mechanisms.gaussian_between import GaussianBetween, SampledBetween
from hockeystick.mechanisms.joint_gaussian import JointGaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.poisson_sampled import PoissonSampled

if TYPE_CHECKING:
    from collections.abc import Sequence


def spread(mechanism: Mechanism) -> float | None:
    """The noise over what one record moves, where the pair of a group is made from that."""
    if isinstance(mechanism, CorrelatedNoise | GaussianBetween):
        return mechanism.least_noise
    if isinstance(mechanism, SampledBetween):
        return mechanism.mechanism.least_noise
    inner = mechanism.mechanism if isinstance(mechanism, PoissonSampled) else mechanism
    if isinstance(inner, Gaussian) or (inner is mechanism and isinstance(inner, Laplace)):
        return inner.noise_multiplier
    return None


def joined(mechanism: Mechanism, size: int) -> JointGaussian | None:
    """One joint Gaussian that moves the output as far as a group does: the squares add up."""
    if isinstance(mechanism, Gaussian):
        parts: Sequence[tuple[Gaussian, int]] = ((mechanism, 1),)
    elif isinstance(mechanism, JointGaussian):
        parts = mechanism.parts  # type: ignore[assignment]
    else:
        return None
    return JointGaussian(
        noise_multipliers=[one.noise_multiplier for one, _ in parts],
        counts=[count * size**2 for _, count in parts],
    )


def noise_ends(mechanism: Mechanism) -> tuple[float, float] | None:
    """The least and the most noise multiplier of the one Gaussian that it is, if it is one."""
    if isinstance(mechanism, Gaussian):
        return mechanism.noise_multiplier, mechanism.noise_multiplier
    if isinstance(mechanism, GaussianBetween):
        return mechanism.least_noise, mechanism.most_noise
    if not isinstance(mechanism, JointGaussian):
        return None
    parts: Any = mechanism.parts
    noises = [(one.noise_multiplier, count) for one, count in parts]
    return merged_noise(noises, above=False), merged_noise(noises, above=True)
