# SPDX-License-Identifier: Apache-2.0
"""Compositions that plans are tested on."""

import hockeystick as hs
from hockeystick.adjacency import Direction


def sampled(noise, rate):
    return hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate)


GAUSSIAN = sampled(1.0, 0.01)
LAPLACE = hs.Laplace(noise_multiplier=3.0).poisson_sampled(0.2)
LATTICE = hs.DiscreteGaussian(sigma=4.0)
MECHANISMS = [(GAUSSIAN, 1000), (LAPLACE, 200), (LATTICE, 50)]


def terms(mechanism, count):
    return [(mechanism.dominating_pair(Direction.REMOVE), count)]
