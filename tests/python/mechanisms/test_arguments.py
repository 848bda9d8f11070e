# SPDX-License-Identifier: Apache-2.0
"""Arguments of mechanisms that are out of range, or of a wrong type, are refused by name."""

import math

import numpy as np
import pytest

import hockeystick as hs

NOISE, RATE = r"finite and in \[0.001, 1e\+12\]", r"in \[0, 1\]"
RANGES = {
    ("Gaussian", "noise_multiplier"): NOISE,
    ("Laplace", "noise_multiplier"): NOISE,
    ("PoissonSampled", "sampling_probability"): RATE,
    ("TruncatedPoissonGaussian", "noise_multiplier"): NOISE,
    ("TruncatedPoissonGaussian", "sampling_probability"): RATE,
    ("ApproximateDP", "epsilon"): r"in \[0, 10000\]",
    ("ApproximateDP", "delta"): RATE,
    ("DiscreteGaussian", "sigma"): r"in \[0.001, 1e\+12\]",
    ("DiscreteLaplace", "parameter"): r"in \[1e-12, 1000\]",
    ("ExponentialMechanism", "epsilon"): r"in \[0, 10000\]",
    ("PermuteAndFlip", "epsilon"): r"0 or in \[1e-12, 1000\]",
    ("RandomizedResponse", "noise_parameter"): RATE,
}
WHOLE = {
    ("TruncatedPoissonGaussian", "truncated_batch_size"): "a whole number in [1, 1000000000]",
    ("TruncatedPoissonGaussian", "dataset_size"): "a whole number in [1, 1000000000]",
    ("DiscreteGaussian", "sensitivity"): "a whole number in [1, 1000000]",
    ("DiscreteGaussian", "truncation"): "a whole number in [1, 1000000000000000]",
    ("DiscreteLaplace", "sensitivity"): "a whole number in [1, 1000000]",
    ("RandomizedResponse", "num_buckets"): "a whole number in [1, 1000000000]",
}
VALID = {
    "ApproximateDP": {"epsilon": 1.5, "delta": 1e-6},
    "DiscreteGaussian": {"sigma": 2.5},
    "DiscreteLaplace": {"parameter": 0.25},
    "ExponentialMechanism": {"epsilon": 0.5},
    "Gaussian": {"noise_multiplier": 1.5},
    "Laplace": {"noise_multiplier": 1.5},
    "PermuteAndFlip": {"epsilon": 0.75},
    "PoissonSampled": {"mechanism": hs.Gaussian(1.5), "sampling_probability": 0.5},
    "RandomizedResponse": {"noise_parameter": 0.25, "num_buckets": 5},
    "TruncatedPoissonGaussian": {
        "noise_multiplier": 1.5,
        "sampling_probability": 0.05,
        "truncated_batch_size": 12,
        "dataset_size": 200,
    },
}


def make(kind, **changed):
    return getattr(hs, kind)(**VALID[kind] | changed)


@pytest.mark.parametrize("value", [-1e-9, -1, 1e13, math.nan, math.inf, -math.inf, 10**400])
@pytest.mark.parametrize(("kind", "name"), RANGES)
def test_numbers_out_of_range(kind, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be {RANGES[kind, name]}, got "):
        make(kind, **{name: value})


@pytest.mark.parametrize("value", ["1", True, 1j, [1.0], np.array([1.0])])
@pytest.mark.parametrize(("kind", "name"), RANGES)
def test_numbers_of_a_wrong_type(kind, name, value):
    expected = f"a real number that is {RANGES[kind, name]}"
    with pytest.raises(TypeError, match=f"^{name} must be {expected}, got "):
        make(kind, **{name: value})


@pytest.mark.parametrize("value", [0, -1, 10**16, 10**400])
@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_whole_numbers_out_of_range(kind, name, value):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        make(kind, **{name: value})
    assert str(error.value).startswith(f"{name} must be {WHOLE[kind, name]}, got ")


@pytest.mark.parametrize("value", ["1", True, 1.5, 1j, [1]])
@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_whole_numbers_of_a_wrong_type(kind, name, value):
    with pytest.raises(TypeError) as error:
        make(kind, **{name: value})
    assert str(error.value).startswith(f"{name} must be {WHOLE[kind, name]}, got ")


@pytest.mark.parametrize("kind", ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace"])
@pytest.mark.parametrize("value", [0, 0.0, -0.0])
def test_no_noise_is_refused(kind, value):
    (name,) = VALID[kind]
    why = ".*epsilon is infinite.*, got " if kind == "Gaussian" else ""
    with pytest.raises(ValueError, match=f"^{name} must be .*{why}"):
        make(kind, **{name: value})


@pytest.mark.parametrize("value", [None, "Gaussian", hs.Gaussian(1.5).poisson_sampled(0.5)])
def test_what_cannot_be_sampled(value):
    with pytest.raises(TypeError, match="^mechanism must be a SamplableMechanism, got "):
        make("PoissonSampled", mechanism=value)
