# SPDX-License-Identifier: Apache-2.0
"""Mechanisms take their parameter by position, and under the names that the field has for it."""

import base64
import dataclasses
import math
import pickle

import pytest

import hockeystick as hs
from hockeystick import Adjacency

SAME = [
    (hs.Gaussian(2), hs.Gaussian(noise_multiplier=2.0)),
    (hs.Gaussian(sigma=2.0), hs.Gaussian(2.0)),
    (hs.Gaussian(scale=6.0, sensitivity=3), hs.Gaussian(2.0)),
    (hs.Gaussian(standard_deviation=1, sensitivity=0.5), hs.Gaussian(2.0)),
    (hs.Laplace(20), hs.Laplace(noise_multiplier=20.0)),
    (hs.Laplace(scale=20), hs.Laplace(20.0)),
    (hs.Laplace(scale=5, sensitivity=0.25), hs.Laplace(20.0)),
    (hs.Laplace(epsilon=0.05), hs.Laplace(20.0)),
    (hs.DiscreteGaussian(10), hs.DiscreteGaussian(sigma=10.0)),
    (hs.DiscreteGaussian(scale=10, sensitivity=2), hs.DiscreteGaussian(10, sensitivity=2)),
    (
        hs.DiscreteGaussian(noise_multiplier=5, sensitivity=2),
        hs.DiscreteGaussian(10, sensitivity=2),
    ),
    (hs.DiscreteLaplace(0.5), hs.DiscreteLaplace(parameter=0.5)),
    (hs.DiscreteLaplace(epsilon=1, sensitivity=2), hs.DiscreteLaplace(0.5, sensitivity=2)),
    (hs.DiscreteLaplace(scale=2, sensitivity=3), hs.DiscreteLaplace(0.5, sensitivity=3)),
    (hs.DiscreteLaplace(noise_multiplier=1, sensitivity=2), hs.DiscreteLaplace(0.5, sensitivity=2)),
    (hs.RandomizedResponse(0.5), hs.RandomizedResponse(noise_parameter=0.5, num_buckets=2)),
    (hs.ApproximateDP(1, 1e-5), hs.ApproximateDP(epsilon=1.0, delta=1e-5)),
    (hs.ExponentialMechanism(0.1), hs.ExponentialMechanism(epsilon=0.1)),
    (hs.PermuteAndFlip(0.5), hs.PermuteAndFlip(epsilon=0.5)),
    (hs.PoissonSampled(hs.Gaussian(1), 0.5), hs.Gaussian(1.0).poisson_sampled(0.5)),
    (hs.RandomAllocation(hs.Gaussian(1), steps=3), hs.Gaussian(1).random_allocation(steps=3)),
    (hs.DiscretePair([1, 2], [2, 1]), hs.DiscretePair(p=[1, 2], q=[2, 1])),
    (
        hs.GaussianMixture(2, sensitivities=[0, 1], probabilities=[0.5, 0.5]),
        hs.GaussianMixture(sigma=2.0, sensitivities=[0, 1], probabilities=[0.5, 0.5]),
    ),
    (
        hs.TruncatedPoissonGaussian(
            2, sampling_probability=0.5, truncated_batch_size=6, dataset_size=9
        ),
        hs.TruncatedPoissonGaussian(
            sigma=1.0,
            sensitivity=0.5,
            sampling_probability=0.5,
            truncated_batch_size=6,
            dataset_size=9,
        ),
    ),
]


@pytest.mark.parametrize(("said", "meant"), SAME, ids=lambda one: type(one).__name__)
def test_synonyms(said, meant):
    assert said == meant
    assert hash(said) == hash(meant)
    assert dataclasses.replace(said) == meant


@pytest.mark.parametrize(("buckets", "odds"), [(2, 3), (8, 9)])
def test_the_noise_of_randomized_response(buckets, odds):
    response = hs.RandomizedResponse(epsilon=math.log(odds), num_buckets=buckets)
    assert response.noise_parameter == pytest.approx(0.5, rel=1e-15)


def test_epsilon_is_what_they_guarantee():
    """At it nothing is left for delta, but for the rounding of the noise."""
    for epsilon in (0.1, 1.0, 3.0):
        replaced = {"adjacency": Adjacency.REPLACE_ONE}
        for mechanism, options in (
            (hs.Laplace(epsilon=epsilon), {}),
            (hs.DiscreteLaplace(epsilon=epsilon, sensitivity=3), {}),
            (hs.ExponentialMechanism(epsilon), {}),
            (hs.RandomizedResponse(epsilon=epsilon), replaced),
            (hs.RandomizedResponse(epsilon=epsilon, num_buckets=7), replaced),
        ):
            assert mechanism.delta(epsilon * (1 + 1e-14), **options) == 0
            assert mechanism.delta(epsilon * (1 - 1e-9), **options) > 0


def test_mechanisms_of_ones_own_say_what_they_take():
    @dataclasses.dataclass(frozen=True, slots=True)
    class Own(hs.Mechanism):
        depth: int

        def dominating_pair(self, direction):
            return hs.Gaussian(self.depth**-0.5).dominating_pair(direction)

    assert Own(4).epsilon(1e-5) == hs.Gaussian(0.5).epsilon(1e-5)
    with pytest.raises(TypeError, match="^Own takes depth; got an unexpected keyword"):
        Own(width=4)


G = hs.Gaussian(1.0)
MANY = tuple(range(1, 30))
WRITTEN = {
    "Gaussian(1.0)": G,
    "Gaussian(1.0).poisson_sampled(0.01)": G.poisson_sampled(0.01),
    "DiscreteGaussian(10.0, truncation=20)": hs.DiscreteGaussian(10, truncation=20),
    "ApproximateDP(1.0, 1e-05)": hs.ApproximateDP(1, 1e-5),
    "RandomizedResponse(0.5)": hs.RandomizedResponse(0.5),
    "RandomizedResponse(0.5, num_buckets=4)": hs.RandomizedResponse(0.5, num_buckets=4),
    "Gaussian(1.0).random_allocation(steps=9)": G.random_allocation(steps=9),
    "Gaussian(1.0).random_allocation(steps=9, selected=2)": G.random_allocation(
        steps=9, selected=2
    ),
    "RandomAllocation(RandomizedResponse(0.5), steps=3)": hs.RandomAllocation(
        hs.RandomizedResponse(0.5), steps=3
    ),
    "Gaussian(1.0).shuffled(batches=3)": G.shuffled(batches=3),
    "Gaussian(1.0).fixed_size_sampled(batch_size=3, dataset_size=5)": G.fixed_size_sampled(
        batch_size=3, dataset_size=5
    ),
    "1 * Gaussian(1.0)": 1 * G,
    "Composition()": hs.Composition(),
    "Gaussian(1.0) + 1000 * Gaussian(1.0).poisson_sampled(0.01)": G + 1e3 * G.poisson_sampled(0.01),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_what_is_shown_is_code(text):
    assert repr(WRITTEN[text]) == text
    assert eval(text, vars(hs)) == WRITTEN[text]  # noqa: S307


def test_long_ones_are_cut_and_whole_elsewhere():
    pair = hs.DiscretePair(MANY, MANY[::-1])
    assert repr(pair) == "DiscretePair((1, 2, 3, <25 more>, 29), (29, 28, 27, <25 more>, 1))"
    assert hs.DiscretePair(**pair.arguments) == pair
    run = sum(hs.Laplace(k) for k in range(1, 20))
    assert repr(run) == "Laplace(1.0) + Laplace(10.0) + Laplace(11.0) + <15 more> + Laplace(9.0)"
    assert hs.Composition(run.terms) == run
    assert eval(repr(run.terms), vars(hs)) == run.terms  # noqa: S307
    for text in (repr(pair), repr(run)):
        with pytest.raises(SyntaxError):
            compile(text, "cut", "eval")


OLD = (  # of 3 * Gaussian(noise_multiplier=1.5).poisson_sampled(0.25) + 2 * ApproximateDP(...)
    b"fCQBs0RR910001t7ie!|Yh`(JbZKL2E@N+PaBp*IbZKvHl#B~QZ*6dIb7^#GZ*G*6lqrFfU6hO^Xm4X{WqEUSX=7"
    b"_HZDnI<VQy)2ZF4SRaBy;Ocxi26bY)*;aFmP<L2z(#Z+K~KVRU6gP?VFDDS?z-lqg3(@Bjb+0000-KIHhdh~sGSW"
    b"nxPLhLnsZXm4X{WqEUSX=7_HZDnI<VQy)2ZF4SgZ)tOLZ*E_6VQp}1Wn`3$4p47tb8~NQQ(<jzY-MDWlawielwFi"
    b"4j2~!kV{2u3b98BAYc6eNV`yP+X>)CJE@xqNb8~57Zj_7&M`3kyb7^62l#`Sxfs|d8M?d%g000000AXTBKhOXG00"
    b"000WnxPMhLnbsVPY-"
)


def test_what_was_kept_before_there_were_synonyms_is_read():
    run = 3 * hs.Gaussian(1.5).poisson_sampled(0.25) + 2 * hs.ApproximateDP(1.0, 1e-5)
    assert pickle.loads(base64.b85decode(OLD)) == run  # noqa: S301
