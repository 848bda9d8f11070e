# SPDX-License-Identifier: Apache-2.0
"""Values that nobody ought to pass, and calls that mix them with values that one may."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import hockeystick as hs

REFUSALS = (ValueError, TypeError, hs.CertificationError, hs.SweepError)  # all that is documented

_NUMBERS = (0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 1e-300, 1e308, -1e308)
_NEAR = (math.nextafter(0.0, 1.0), math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0), 0.5, 1e-12)
_WHOLE = (0, 1, -1, 2, 7, 10**6, 10**7, 10**9, 10**9 + 1, 2**31, 2**53, 2**63, -(2**63), 10**400)
_OTHERS = (
    None,
    True,
    False,
    "",
    "1",
    "nan",
    b"1",
    1j,
    (),
    [],
    {},
    [1.0],
    (0.1, "x"),
    {0.1},
    object,
)
_FOREIGN = (Fraction(1, 3), Fraction(10**400), Decimal("0.1"), Decimal("nan"), range(3), ...)
_ARRAYS = (
    np.float32(0.25),
    np.float64(math.nan),
    np.longdouble(0.25),
    np.int8(-1),
    np.int64(3),
    np.bool_(True),
    np.array(0.5),
    np.array([]),
    np.zeros((2, 0, 3)),
    np.array([[0.1, 0.2], [0.3, math.nan]]),
    np.array([0.1, 0.2], dtype=object),
    np.array(["a"]),
    np.array([1 + 1j]),
    np.array([1, 2], dtype="M8[s]"),
    np.array([0.1, 0.5, 0.9])[::-2],
    np.ma.array([0.1, 0.2], mask=[True, False]),
    np.zeros(2, dtype=[("x", "f8")]),
)

hostile = st.one_of(
    *(st.sampled_from(values) for values in (_NUMBERS, _NEAR, _WHOLE, _OTHERS, _FOREIGN, _ARRAYS)),
    st.floats(),
    st.integers(),
)


def powers(low, high):
    """Floats of every order of magnitude from 10^low to 10^high."""
    return st.floats(low, high).map(lambda x: 10.0**x)


def mostly(plausible):
    """What may be passed, and one time in eight something else."""
    return st.integers(0, 7).flatmap(lambda k: hostile if k == 0 else plausible)


rates = st.one_of(powers(-12, 0), st.floats(0, 1))
counts = st.one_of(st.integers(0, 20), st.integers(0, 10**9))
noise = powers(-3.2, 4)
distributions = st.lists(st.integers(0, 9), min_size=1, max_size=6)
weights = st.one_of(distributions, distributions.map(lambda w: [x / max(1, sum(w)) for x in w]))


def _log_logistic(x):
    return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))


def _logistic(x):
    return (1 + np.tanh(x / 2)) / 2 if np.max(x) > 0 else np.exp(x) / (1 + np.exp(x))


functions = st.sampled_from(
    [_log_logistic, _logistic, np.sin, np.zeros_like, np.sum, len, lambda _: math.nan, str]
)

ARGUMENTS = {
    "AdditiveNoise": {
        "log_density": st.just(_log_logistic) | functions,
        "distribution": st.just(_logistic) | functions,
        "sensitivity": powers(-4, 2),
    },
    "ApproximateDP": {"epsilon": powers(-6, 3), "delta": rates},
    "DiscreteGaussian": {
        "sigma": powers(-2, 3),
        "sensitivity": st.integers(1, 50),
        "truncation": st.none() | st.integers(1, 500),
    },
    "DiscreteLaplace": {"parameter": powers(-4, 2), "sensitivity": st.integers(1, 50)},
    "DiscretePair": {"p": weights, "q": weights},
    "ExponentialMechanism": {"epsilon": powers(-6, 3)},
    "Gaussian": {"noise_multiplier": noise},
    "GaussianMixture": {
        "standard_deviation": powers(-2, 4),
        "sensitivities": st.lists(st.floats(0, 10), min_size=1, max_size=5),
        "probabilities": weights,
    },
    "Laplace": {"noise_multiplier": noise},
    "PermuteAndFlip": {"epsilon": powers(-6, 3)},
    "RandomizedResponse": {"noise_parameter": rates, "num_buckets": st.integers(2, 100)},
    "TruncatedPoissonGaussian": {
        "noise_multiplier": noise,
        "sampling_probability": rates,
        "truncated_batch_size": st.integers(1, 1000),
        "dataset_size": st.integers(1, 10**6),
    },
}


def calls(function, plausible):
    """(function, keyword arguments), any of which may be hostile or missing."""
    given = {name: mostly(values) for name, values in plausible.items()}
    some = st.fixed_dictionaries({}, optional=given)
    full = st.fixed_dictionaries(given)
    return st.tuples(st.just(function), full | full | full | some)


constructions = st.one_of(*(calls(getattr(hs, name), what) for name, what in ARGUMENTS.items()))


def made(call):
    """The mechanism, or None where it is refused."""
    function, arguments = call
    try:
        return function(**arguments)
    except REFUSALS:
        return None


mechanisms = st.one_of(
    *(
        st.tuples(st.just(getattr(hs, name)), st.fixed_dictionaries(what))
        for name, what in ARGUMENTS.items()
    )
).map(made)
