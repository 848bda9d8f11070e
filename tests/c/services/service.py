# SPDX-License-Identifier: Apache-2.0
"""The same question from Python without the package: ctypes and the shared library."""

import ctypes
import sys


class Parameter(ctypes.Structure):
    """A number by its name."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("value", ctypes.c_double),
        ("values", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    )


class Answer(ctypes.Structure):
    """A certified interval."""

    _fields_ = (
        ("lower", ctypes.c_double),
        ("upper", ctypes.c_double),
        ("required_bytes", ctypes.c_uint64),
        ("limited_by", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    )


hs = ctypes.CDLL(sys.argv[1])
hs.hs_last_error.restype, hs.hs_run_new.restype = ctypes.c_char_p, ctypes.c_void_p


def check(status):
    """Raise what the library says."""
    if status < 0:
        raise ValueError(hs.hs_last_error().decode())


size, whole = ctypes.c_size_t, ctypes.c_int64
run = ctypes.c_void_p(hs.hs_run_new())
step = (Parameter * 2)((b"noise_multiplier", 1.0), (b"sampling_probability", 0.01))
check(
    hs.hs_run_add(
        run, b"poisson_sampled(gaussian)", step, ctypes.c_size_t(2), ctypes.c_int64(10000)
    )
)
count = (Parameter * 1)((b"noise_multiplier", 20.0))
check(hs.hs_run_add(run, b"laplace", count, ctypes.c_size_t(1), ctypes.c_int64(5)))
delta, answer = ctypes.c_double(1e-5), Answer()
check(hs.hs_epsilon(run, ctypes.byref(delta), ctypes.c_size_t(1), None, ctypes.byref(answer)))
hs.hs_run_free(run)
print(answer.lower, answer.upper)  # noqa: T201, it is a program
