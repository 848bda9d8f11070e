# SPDX-License-Identifier: Apache-2.0
"""Names of dp_accounting.pld that this library leaves out, and their replacements."""

from typing import NoReturn

_CONVOLVE = "its distributions, or hockeystick.Composition, compose"
_MATH = "NumPy, SciPy and hockeystick.mechanisms have such functions"
INSTEAD = {
    "privacy_loss_mechanism": (
        "hockeystick.mechanisms has the mechanisms, privacy_loss_distribution.from_... their "
        "distributions, and Composition.loss_tail their losses"
    ),
    "convolve_dictionary": _CONVOLVE,
    "self_convolve": _CONVOLVE,
    "self_convolve_dictionary": _CONVOLVE,
    "log_a_times_exp_b_plus_c": _MATH,
    "log_sinh": _MATH,
    "asinh_exp": _MATH,
}


def message(name: str) -> str:
    """Why there is no such name."""
    return f"hockeystick.compat.dp_accounting does not offer {name}: {INSTEAD[name]}"


def refuse(owner: str, name: str) -> NoReturn:
    """Raises the AttributeError of a name that is left out, or was never there."""
    if name in INSTEAD:
        raise AttributeError(message(name))
    raise AttributeError(f"{owner} has no attribute {name!r}")
