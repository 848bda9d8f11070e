# SPDX-License-Identifier: Apache-2.0
"""The C library by ctypes, as any program of another language calls it.

The module of tests holds it, so that nothing needs to be built for these tests.
"""

import ctypes
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
    sizeof,
)

from hockeystick import _core

OK, WIDE, BAD_ARGUMENT, NO_PAIR, STOPPED = 0, 1, -1, -2, -5
ADJACENCIES = ("add-or-remove-one", "remove-one", "add-one", "replace-one", "replace-special")
WATCH = ctypes.CFUNCTYPE(c_int, c_void_p)


class Options(Structure):
    """As hs_options."""

    _fields_ = (
        ("size", c_uint64),
        ("tolerance", c_double),
        ("memory_limit", c_uint64),
        ("watch", WATCH),
        ("watch_data", c_void_p),
        ("adjacency", c_int32),
        ("threads", c_int32),
        ("smallest", c_double),
    )


class Answer(Structure):
    """As hs_answer."""

    _fields_ = (
        ("lower", c_double),
        ("upper", c_double),
        ("required_bytes", c_uint64),
        ("limited_by", c_int32),
        ("reserved", c_int32),
    )


class Parameter(Structure):
    """As hs_parameter."""

    _fields_ = (
        ("name", c_char_p),
        ("value", c_double),
        ("values", POINTER(c_double)),
        ("count", c_size_t),
    )


lib = ctypes.CDLL(_core.__file__)
lib.hs_version.restype = lib.hs_last_error.restype = c_char_p
lib.hs_run_new.restype = c_void_p
lib.hs_mechanism_name.restype = lib.hs_mechanism_parameter.restype = c_char_p
lib.hs_mechanism_name.argtypes = (c_size_t,)
lib.hs_mechanism_parameter.argtypes = (c_size_t, c_size_t)
lib.hs_run_free.argtypes = (c_void_p,)
lib.hs_run_add.argtypes = (c_void_p, c_char_p, POINTER(Parameter), c_size_t, c_int64)
lib.hs_run_add_json.argtypes = (c_void_p, c_char_p, c_size_t)
_asks = (c_void_p, POINTER(c_double), c_size_t, POINTER(Options), POINTER(Answer))
VIEWS = ("epsilon", "delta", "true_positive_rate", "bayes_risk", "gdp_mu", "renyi_divergence")
VIEWS += ("zcdp", "loss_tail", "loss_quantile")
for _name in VIEWS:
    getattr(lib, f"hs_{_name}").argtypes = _asks
lib.hs_advantage.argtypes = (c_void_p, POINTER(Options), POINTER(Answer))
_array = POINTER(c_double)
lib.hs_dpsgd_epsilon.argtypes = (
    *(_array, _array, POINTER(c_int64), _array, c_size_t),
    *(POINTER(Options), POINTER(Answer)),
)


_calibrates = (c_size_t, POINTER(Options), POINTER(Answer))
_whole = POINTER(c_int64)
for _name, _columns in {
    "noise_multiplier": (_array, _whole, _array, _array),
    "sampling_probability": (_array, _whole, _array, _array),
    "steps": (_array, _array, _array, _array),
}.items():
    getattr(lib, f"hs_dpsgd_{_name}").argtypes = (*_columns, *_calibrates)


class Refused(Exception):  # noqa: N818, it is what the library does
    """A status below 0, and the message."""

    def __init__(self, status):
        self.status, self.message = status, lib.hs_last_error().decode()
        super().__init__(f"{status}: {self.message}")


def checked(status):
    """The status, if it is no error."""
    if status < 0:
        raise Refused(status)
    assert lib.hs_last_error() == b""
    return status


def doubles(values):
    return (c_double * len(values))(*values)


def options(**fields):
    made = Options()
    lib.hs_default_options(byref(made), sizeof(Options))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def parameters(**given):
    """The parameters, numbers or lists; the lists live as long as the array."""
    made = (Parameter * len(given))()
    for one, (name, value) in zip(made, given.items(), strict=True):
        one.name = name.encode()
        if isinstance(value, (list, tuple)):
            one.values, one.count = doubles(value), len(value)
        else:
            one.value = value
    return made


class Run:
    """A run of the library, freed with this object."""

    def __init__(self):
        self.handle = lib.hs_run_new()

    def __del__(self):
        lib.hs_run_free(self.handle)

    def add(self, mechanism, count=1, **given):
        """Adds a mechanism by its name."""
        made = parameters(**given)
        checked(lib.hs_run_add(self.handle, mechanism.encode(), made, len(made), count))
        return self

    def add_json(self, text):
        """Adds a ledger, text or bytes."""
        data = text if isinstance(text, bytes) else text.encode()
        checked(lib.hs_run_add_json(self.handle, data, len(data)))
        return self

    def ask(self, question, at, **fields):
        """The status and the answers."""
        points, answers = doubles(at), (Answer * len(at))()
        ask = getattr(lib, f"hs_{question}")
        status = checked(ask(self.handle, points, len(at), byref(options(**fields)), answers))
        return status, [(answer.lower, answer.upper) for answer in answers]
