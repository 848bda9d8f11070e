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
ROW = {"noise_multiplier": 1.0, "sampling_probability": 0.01, "steps": 10, "delta": 1e-5}
NOT_REAL = [
    *("1", None, 1j, [1.0], True, np.True_, object(), b"1", np.timedelta64(1, "s")),
    *(np.datetime64(1, "s"), np.complex128(1), np.str_("1"), Decimal("sNaN")),
]
NOT_WHOLE = [
    2.5,
    Fraction(5, 2),
    Decimal("2.5"),
    Decimal("NaN"),
    Decimal("1e999999"),
    "2",
    None,
    True,
    False,
    np.True_,
    np.array(True),
    np.array(2.5),
    np.array([2.0]),
    NAN,
    INF,
    np.float64(2.5),
    np.complex128(2),
    np.timedelta64(2, "s"),
    [2],
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


@pytest.mark.parametrize("value", [1e-12, 0, 1, -1, NAN, INF])
def test_tolerance_out_of_range(value):
    with pytest.raises(ValueError, match=r"^tolerance must be in \(1e-12, 1\), got "):
        _checks.tolerance(value)


@pytest.mark.parametrize("value", NOT_WHOLE)
def test_counts_of_a_wrong_type(value):
    with pytest.raises(
        TypeError, match=r"^count must be a whole number in \[0, 1000000000\], got "
    ):
        _checks.count(value)


@pytest.mark.parametrize("value", [-1, 10**9 + 1, 10**30, -(10**30), np.int64(-3)])
def test_counts_out_of_range(value):
    with pytest.raises(
        ValueError, match=r"^count must be a whole number in \[0, 1000000000\], got "
    ):
        _checks.count(value)


WHOLE = [
    *(0, 1, 10**9, np.int8(3), np.uint64(7)),
    *(1e4, -0.0, np.float32(2), Fraction(2), Decimal("1e4"), np.array(2.0, dtype=object)),
]


@pytest.mark.parametrize("value", WHOLE)
def test_good_counts(value):
    assert _checks.count(value) == _checks.count(np.array(value)) == value
    assert type(_checks.count(value)) is int


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (2**63, ValueError), (1e9 + 0.5, TypeError)]
)
def test_memory_limit(value, error):
    with pytest.raises(error, match=r"^memory_limit must be a whole number of bytes in \[1, "):
        _checks.memory_limit(value)


@pytest.mark.parametrize("bad", [1, -1, 2, -5e-324, NAN, INF, -INF, [0.1, NAN], [[0.5], [1.0]]])
def test_deltas_out_of_range(bad):
    with pytest.raises(ValueError, match=r"^delta must be in \[0, 1\), got "):
        _checks.delta_array(bad)


@pytest.mark.parametrize("bad", [-1, -5e-324, 10_000.1, NAN, INF, [1, -1], np.array([INF])])
def test_epsilons_out_of_range(bad):
    with pytest.raises(ValueError, match=r"^epsilon must be in \[0, 10000\], got "):
        _checks.epsilon_array(bad)


@pytest.mark.parametrize("bad", ["0.5", None, 0.5j, ["0.5"], [None], [0.5j], True, [True], {}])
@pytest.mark.parametrize("check", [_checks.delta_array, _checks.epsilon_array])
def test_arrays_of_a_wrong_type(check, bad):
    with pytest.raises(TypeError, match=r"^(delta|epsilon) must be "):
        check(bad)


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


def test_choice():
    assert _checks.choice("side", "upper", ("upper", "lower")) == "upper"
    with pytest.raises(ValueError, match="^side must be one of 'upper', 'lower', got 'up'$"):
        _checks.choice("side", "up", ("upper", "lower"))
    with pytest.raises(TypeError, match="^side must be one of 'upper', 'lower', got 1$"):
        _checks.choice("side", 1, ("upper", "lower"))


def test_instance():
    assert _checks.instance("text", "a", str) == "a"
    with pytest.raises(TypeError, match="^text must be a str, got 1$"):
        _checks.instance("text", 1, str)
    with pytest.raises(TypeError, match="^budget must be an ErrorBudget, got 1$"):
        _checks.instance("budget", 1, hs.ErrorBudget)
    with pytest.raises(TypeError) as caught:
        _checks.instance("adjacency", "add-one", hs.Adjacency)
    assert str(caught.value) == (
        "adjacency must be one of Adjacency.ADD_OR_REMOVE_ONE, Adjacency.REMOVE_ONE, "
        "Adjacency.ADD_ONE, Adjacency.REPLACE_ONE, Adjacency.REPLACE_SPECIAL, got 'add-one'"
    )


MASKED = np.ma.array([0.5, 0.25], mask=[True, False])


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("delta", lambda: RUN.epsilon(MASKED)),
        ("epsilon", lambda: RUN.delta_bounds(MASKED)),
        ("p", lambda: hs.DiscretePair(MASKED, (0.5, 0.5))),
        ("steps", lambda: hs.dpsgd_epsilon(**ROW | {"steps": np.ma.array([1, 2], mask=[0, 1])})),
    ],
)
def test_masked_entries_are_no_numbers(name, ask):
    """NumPy would answer for what stands below the mask."""
    with pytest.raises(ValueError, match=f"^{name} must be an array without masked entries, got "):
        ask()


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="needs long doubles")
def test_what_no_double_can_hold_is_out_of_range():
    with np.errstate(all="raise"), pytest.raises(ValueError, match=r"^delta must be .* got inf$"):
        RUN.epsilon(np.array([1], dtype=np.longdouble) * np.finfo(np.longdouble).max)


def test_a_question_to_explain_is_one_number():
    for delta in ([], [1e-5, 1e-6]):
        with pytest.raises(ValueError, match="^delta must be one number, got the shape "):
            RUN.explain(delta=delta)


def test_answers_to_those_who_make_all_errors_of_numpy_so():
    with np.errstate(all="raise"):
        assert RUN.tradeoff([0, 0.5, 1])[-1] == 0
        assert RUN.pld(discretization_interval=0.01).tradeoff(1.0) == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda long: RUN.epsilon(1e-5, adjacency=long),
        lambda long: hs.AdditiveNoise(long, long),
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
