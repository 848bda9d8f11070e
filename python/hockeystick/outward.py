# SPDX-License-Identifier: Apache-2.0
"""Single operations rounded to one side: not below the exact result if `above`, else not above it.

A result that is a binary64 number is itself. Numbers and arrays broadcast. The core does them
(``cpp/proofs/outward-operations.md``), so that bounds that are put together in Python round by
nothing of their own.

>>> quotient(1, 4, above=True), quotient(1, 3, above=False) < quotient(1, 3, above=True)
(0.25, True)
"""

# ruff: noqa: ANN401, a number or an array, and so is the result

from typing import Any

from hockeystick import _core


def sum_of(a: Any, b: Any, *, above: bool) -> Any:
    """The sum of two."""
    return _core.outward_sum(a, b, above)


def difference(a: Any, b: Any, *, above: bool) -> Any:
    """The one less the other."""
    return _core.outward_sum(a, -b, above)


def product(a: Any, b: Any, *, above: bool) -> Any:
    """The product of two."""
    return _core.outward_product(a, b, above)


def quotient(a: Any, b: Any, *, above: bool) -> Any:
    """The one over the other, which is not 0."""
    return _core.outward_quotient(a, b, above)


def root(x: Any, *, above: bool) -> Any:
    """The square root of what is >= 0."""
    return _core.outward_root(x, above)


def exp(x: Any, *, above: bool) -> Any:
    """The exponential."""
    return _core.outward_exp(x, above)


def expm1(x: Any, *, above: bool) -> Any:
    """The exponential less 1."""
    return _core.outward_expm1(x, above)


def log(x: Any, *, above: bool) -> Any:
    """The logarithm of what is > 0."""
    return _core.outward_log(x, above)


def total(terms: Any, *, above: bool) -> float:
    """The sum of all terms."""
    return _core.outward_total(terms, above)
