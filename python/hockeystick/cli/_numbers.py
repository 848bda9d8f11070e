# SPDX-License-Identifier: Apache-2.0
"""Numbers as people type them."""

import re
from decimal import Decimal, DecimalException
from fractions import Fraction
from typing import Any, NoReturn

import click


class Quotient(float):
    """A number that was typed as one over another."""


class Number(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.3 on
    """A real number: 0.01, 1e-5, 10,000, 1% or 256/60000, as the nearest double."""

    name = "number"
    _kind = "a number, such as 0.01, 1e-5, 10,000, 1% or 256/60000"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401, as click has it
        """The double nearest to what was typed."""
        if not isinstance(value, str):
            return value
        try:
            return _number(value)
        except (ArithmeticError, ValueError):
            self._refuse(value, param, ctx)

    def _refuse(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> NoReturn:
        shown = value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}..."
        self.fail(f"{shown!r} is not {self._kind}", param, ctx)


class Whole(Number):
    """A whole number: 10000, 10,000 or 1e4; not 10.000, which some mean as 10,000."""

    name = "integer"
    _kind = "a whole number, such as 10000, 10,000 or 1e4"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401, as click has it
        """The integer that was typed."""
        if not isinstance(value, str):
            return value
        if _POINTS.fullmatch(value.strip()):
            self._refuse(value, param, ctx)
        try:
            return int(_without_commas(value))
        except ValueError:
            pass
        try:
            number = _ratio(value)
        except (ArithmeticError, ValueError):
            self._refuse(value, param, ctx)
        if number.denominator != 1:
            self._refuse(value, param, ctx)
        return int(number)


_LONGEST_SHOWN = 60
_COMMAS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
_SOME_DIGIT = re.compile("[1-9]")
_POINTS = re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+")
_LARGEST_EXPONENT = 400  # beyond, a part of a quotient is not worked out to its last digit


def _without_commas(text: str) -> str:
    stripped = text.strip()
    return stripped.replace(",", "") if _COMMAS.fullmatch(stripped) else stripped


def _number(text: str) -> float:
    plain = text.strip()
    if "/" in plain:
        number: float = Quotient(_ratio(plain))
    else:
        number = float(_ratio(plain) if plain.endswith("%") else _without_commas(plain))
    if number == 0 and _SOME_DIGIT.search(plain.lower().partition("/")[0].partition("e")[0]):
        raise ValueError(text)  # too small for a double: 0 is another question
    return number


def _ratio(text: str) -> Fraction:
    plain = text.strip()
    if plain.endswith("%"):
        return _exact(plain[:-1]) / 100
    if "/" in plain:
        above, below = plain.split("/")
        return _exact(above) / _exact(below)
    return _exact(plain)


def _exact(text: str) -> Fraction:
    try:
        number = Decimal(_without_commas(text))
    except DecimalException:
        raise ValueError(text) from None
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError(text)
    return Fraction(number)


NUMBER, WHOLE = Number(), Whole()
