# SPDX-License-Identifier: Apache-2.0
"""Every validator: what passes, what fails, and that the message has name, range and value."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _checks


class Tensor:
    """A number as libraries of tensors have it, without data where they are "meta"."""

    def __init__(self, value, dtype, ndim=0):
        self.value, self.dtype, self.ndim = value, dtype, ndim

    def __float__(self):
        if self.dtype == "meta":
            raise ValueError("no data")
        if self.dtype == "complex":
            raise RuntimeError("no real number")  # as PyTorch has it, for both
        return float(self.value)


NAN = math.nan
INF = math.inf
RUN = 5 * hs.Gaussian(1.0).poisson_sampled(0.01)
NOT_REAL = [
    *("1", None, 1j, [1.0], True, np.True_, object(), b"1", np.timedelta64(1, "s")),
    *(np.datetime64(1, "s"), np.complex128(1), np.str_("1"), Decimal("sNaN")),
]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (_checks.positive, [5e-324, 1, 1e308], [0, -0.0, -1.0, NAN, INF, -INF, 10**400]),
        (_checks.probability, [0, -0.0, 1, 0.5], [-5e-324, 1 + 2**-52, NAN, INF, -INF, 10**400]),
        (_checks.not_negative, [0, -0.0, 5e-324, 1e308, INF], [-5e-324, -1, NAN, -INF]),
        (_checks.open_unit, [5e-324, 1 - 2**-53], [0, 1, -0.1, NAN, INF, -INF, -(10**400)]),
    ],
)
def test_scalars(check, good, bad):
    for value in good:
        result = check("name", value)
        assert type(result) is float
        assert result == value
    for value in bad:
        with pytest.raises(ValueError, match=r"^name must be .*, got ") as caught:
            check("name", value)
        assert repr(value) in str(caught.value)
    for value in NOT_REAL:
        with pytest.raises(
            TypeError, match=r"^name must be a real number that is .*, got "
        ) as caught:
            check("name", value)
        assert repr(value) in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        *(np.float32(0.5), np.float64(0.5), Fraction(1, 2), np.float16(0.5), np.array(0.5)),
        *(np.array(0.5, dtype=np.float32), np.array(0.5, dtype=object), np.ma.array(0.5)),
        *(Decimal("0.5"), np.array(Decimal("0.5")), Tensor(0.5, "torch.float32")),
    ],
)
def test_any_real_type_becomes_a_float(value):
    assert _checks.probability("q", value) == 0.5
    assert type(_checks.probability("q", value)) is float


@pytest.mark.parametrize(
    "value",
    [
        *(np.array("1"), np.array(1j), np.array(True), np.array(None), np.array(1, "M8[s]")),
        *(np.ma.array(1.0, mask=True), np.array(1, "m8[s]"), np.zeros((), [("x", "f8")])),
        *(np.array([1.0]), np.array([[]])),
        *(Tensor(True, "torch.bool"), Tensor(1.0, "torch.float32", ndim=1), Tensor(1.0, "meta")),
        Tensor(1.0, "complex"),
    ],
)
def test_arrays_that_hold_no_real_number(value):
    with pytest.raises(TypeError, match=r"^name must be a real number that is in \[0, 1\], got "):
        _checks.probability("name", value)


def test_negative_zero_becomes_zero():
    assert math.copysign(1, _checks.probability("q", -0.0)) == 1


WHOLE = [
    *(0, 1, 10**9, np.int8(3), np.uint64(7)),
    *(1e4, -0.0, np.float32(2), Fraction(2), Decimal("1e4"), np.array(2.0, dtype=object)),
]


@pytest.mark.parametrize("value", WHOLE)
def test_good_counts(value):
    assert _checks.count(value) == _checks.count(np.array(value)) == value
    assert type(_checks.count(value)) is int


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (1, 0, 2)])
def test_arrays_keep_their_shape(shape):
    array = _checks.epsilon_array(np.ones(shape, dtype=np.float32))
    assert array.shape == shape
    assert array.dtype == np.float64
    assert array.flags.c_contiguous


def test_arrays_of_other_numbers():
    values = [Fraction(1, 4), Decimal("0.5"), np.array(0.75)]
    assert _checks.delta_array(values).tolist() == [0.25, 0.5, 0.75]
    assert _checks.delta_array(Decimal("0.5")).shape == ()
    assert _checks.delta_array(Tensor(0.5, "torch.float32")).shape == ()
    with pytest.raises(TypeError, match=r"^delta must be numbers in \[0, 1\), got True$"):
        _checks.delta_array([Fraction(1, 4), True])


def test_arrays_of_whole_floats_are_counts():
    assert _checks.count_array("steps", [1e4, 2.0]).tolist() == [10_000, 2]
    assert _checks.count_array("steps", [Fraction(4, 2), 10**3]).tolist() == [2, 1000]
    with pytest.raises(TypeError, match="^steps must be a whole number"):
        _checks.count_array("steps", [1.5, 2.0])
    for bad in (INF, 1e10, -1.0, np.float16(INF)):
        with pytest.raises(ValueError, match="^steps must be a whole number"):
            _checks.count_array("steps", [1.0, bad])


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="needs long doubles")
def test_what_no_double_can_hold_is_out_of_range():
    with np.errstate(all="raise"), pytest.raises(ValueError, match=r"^delta must be .* got inf$"):
        RUN.epsilon(np.array([1], dtype=np.longdouble) * np.finfo(np.longdouble).max)


def test_answers_to_those_who_make_all_errors_of_numpy_so():
    with np.errstate(all="raise"):
        assert RUN.tradeoff([0, 0.5, 1])[-1] == 0
        assert RUN.pld(discretization_interval=0.01).tradeoff(1.0) == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda long: RUN.epsilon(1e-5, adjacency=long),
        lambda long: hs.AdditiveNoise(long, long),
        lambda long: hs.DiscretePair(np.ones(2 * 10**6), long),
        lambda long: hs.sweep(long, {}),
        lambda long: hs.sweep(print, {long: 1}),
        lambda long: hs.calibrate(long, epsilon=1, delta=1e-5),
        lambda long: hs.calibrate(hs.Gaussian, epsilon=1, delta=1e-5, bounds=long),
    ],
)
def test_long_values_are_cut_in_messages(ask):
    with pytest.raises((TypeError, ValueError)) as caught:
        ask("a" * 10**5)
    assert len(str(caught.value)) < 1500
