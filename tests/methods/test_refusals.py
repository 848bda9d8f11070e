# SPDX-License-Identifier: Apache-2.0
"""A refusal reports the best bounds that any tolerance has (cpp/methods/budgeted.hpp)."""

import pytest

import hockeystick as hs

LOOSER = (0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


def rare(count, noise, rate):
    return count * hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate)


def sigmas(count):
    """Discrete Gaussians of different variances."""
    steps = [hs.DiscreteGaussian(sigma=(3 + 60 * k) ** 0.5) for k in range(count)]
    return sum(steps[1:], start=1 * steps[0])


# Name of the question, run, point, options and tolerance.
ASKED = {
    "delta of one rare large loss": ("delta", rare(504, 1.0, 1e-4), 1.0, {"smallest": 0.0}, 1e-3),
    "delta that rounding hides": (
        *("delta", rare(100, 1.0, 2.413942934386617e-05), 1.0),
        *({"smallest": 0.0}, 1e-3),
    ),
    "delta of a long rare run": (
        *("delta", rare(5000, 1.0, 2.413942934386617e-05), 1.0, {"smallest": 0.0}, 1e-3),
    ),
    "epsilon in little memory": ("epsilon", sigmas(12), 1e-35, {"memory_limit": 2**21}, 1e-7),
    "an array in little memory": (
        *("epsilon", sigmas(12), [1e-35, 1e-5], {"memory_limit": 2**21}, 1e-7),
    ),
    "TPR of rare samples": ("true_positive_rate", rare(30000, 1.0, 1e-5), 1e-6, {}, 1e-3),
    "a moment": (
        *("renyi_divergence", hs.Gaussian(37.387).random_allocation(steps=10000), 1.00024),
        *({}, 1e-3),
    ),
    "a quantile": (
        *("loss_quantile", 3 * hs.ApproximateDP(6.42, 0) + 100 * hs.Gaussian(6.047), 1 - 1e-9),
        *({}, 1e-2),
    ),
    "no memory at all": ("epsilon", sigmas(12), 1e-35, {"memory_limit": 2**14}, 1e-3),
}


def found(query, run, point, options, tolerance):
    """The bounds, and whether they were refused."""
    width = "deviations" if query == "loss_quantile" else "tolerance"
    try:
        return getattr(run, f"{query}_bounds")(point, **options, **{width: tolerance}), False
    except hs.CertificationError as error:
        return error.bounds, True


def ends(bounds):
    pairs = zip(*(end if hasattr(end, "shape") else [end] for end in bounds), strict=True)
    return [tuple(map(float, pair)) for pair in pairs]


@pytest.mark.parametrize("name", ASKED)
def test_a_refusal_is_no_wider_than_a_looser_answer(name):
    query, run, point, options, tolerance = ASKED[name]
    refused, is_refused = found(query, run, point, options, tolerance)
    for looser in LOOSER:
        if looser <= tolerance or not is_refused:  # two answers may be by two methods
            break
        answer, _ = found(query, run, point, options, looser)
        for (low, high), (lower, upper) in zip(
            ends((refused.lower, refused.upper)), ends((answer.lower, answer.upper)), strict=True
        ):
            assert low >= lower
            assert high <= upper


def test_what_a_contour_loses_to_rounding_is_known_by_large_losses():
    """It said (1e-55, 1e-21)."""
    bounds, is_refused = found(*ASKED["delta that rounding hides"])
    assert not is_refused
    assert 0.95 * bounds.upper < bounds.lower < 1.387e-30 < bounds.upper


def test_a_refusal_of_many_sigmas_knows_epsilon():
    """It said (0, inf)."""
    bounds, is_refused = found(*ASKED["epsilon in little memory"])
    assert is_refused
    assert bounds.lower > 0.99 * bounds.upper > 0
