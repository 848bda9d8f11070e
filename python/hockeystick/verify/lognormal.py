# SPDX-License-Identifier: Apache-2.0
"""g(s) = E e^(-s Y), log Y = mu x - mu^2 / 2, x standard normal, in the plane without (-inf, 0].

Arb integrates along a line Im x = -y, where Y turns by the angle -mu y. On any line with
Re(s e^(-i mu y)) >= 0 abs(e^(-s Y)) is at most 1, so that beyond both ends the integral is at most
e^(y^2 / 2) times the mass of a normal law there. The line goes through the saddle x = -W / mu,
W e^W = s mu^2 e^(-mu^2 / 2), or as near to it as is allowed: there the integrand is hardly larger
than the integral.
"""

import math
from collections.abc import Iterable, Iterator

from flint import acb, arb, ctx

from hockeystick.verify.balls import ZERO, enlarged, normal_tail
from hockeystick.verify.work import spend

RIGHT_ANGLE = math.pi / 2 * (1 - 1e-9)
MOST_VALUES = 10**5  # of an integrand
VALUE = 4.5  # units of work of one
GUARD = 48  # bits of an integral beyond those asked for
SAFETY = 8.0  # nats


class Transform:
    """g, for all s with Re(s e^(-i theta)) >= 0 for every theta in [least, pi / 2]."""

    def __init__(self, mu: arb, least: float) -> None:
        self._mu, self._least = mu, least * (1 + 1e-9)
        self._inside: float = min(float(mu), RIGHT_ANGLE - self._least) / 2

    def __call__(self, s: acb, nats: float) -> acb:
        """g(s), to about e^-nats of itself."""
        return self._mean(s, ZERO, nats)

    def powers(
        self, nodes: Iterable[acb], k: arb, steps: int, top: float, goal: float
    ) -> Iterator[tuple[acb, acb]]:
        """The nodes s of a contour along which F(s) = e^(s k) g(s)^steps / s^2 falls, and F there.

        It begins at about e^top, and is known to about e^goal.
        """
        for s in nodes:
            g = self(s, max(top - goal, 0.0) + math.log(steps) + SAFETY)
            if abs(g).lower() > 0:
                value = (s * k + steps * g.log()).exp() / (s * s)
            else:
                most = ((s.real * k).exp() * abs(g) ** steps / abs(s) ** 2).upper()
                value = acb(arb(0, most), arb(0, most))
            top = min(top, float(abs(value).upper().log()))
            yield s, value

    def tilted(self, s: acb, around: acb, length: arb, shift: arb, nats: float) -> tuple[arb, arb]:
        """abs(E e^(s (shift - Y))) at `s`, and a bound for the points of a curve.

        Those are all in the box `around`, and at most `length` of the curve away from s.
        """
        here = abs(self._mean(s, shift, nats))
        steepest = abs(self._mean(around, shift, nats, slope=True))
        return here, (here + length * steepest).upper()

    def _mean(self, s: acb, shift: arb, nats: float, *, slope: bool = False) -> acb:
        """E e^(s (shift - Y)), or its derivative; of a box of s, a ball that holds all values."""
        mu, middle = self._mu, s.mid()
        saddle = (middle * mu**2 * (-mu * mu / 2).exp()).lambertw()
        lowest = float(middle.arg()) - math.pi / 2 + self._inside  # there e^(-s Y) falls
        angle = max(float(saddle.imag), lowest, self._least)
        y = arb(min(angle, RIGHT_ANGLE)) / mu
        log_g = float((-saddle * (saddle + 2) / (2 * mu * mu)).real)
        depth = nats + float(y * y) / 2 - min(log_g, 0.0)
        end = arb(math.ceil(math.sqrt(2 * depth) + (float(mu) if slope else 0.0)))
        down, less = acb(0, y), mu * mu / 2
        stopped: list[BaseException] = []

        def integrand(x: acb, _: bool) -> acb:  # noqa: FBT001, as Arb asks
            if stopped:
                return acb("nan")
            try:
                spend(VALUE)
                x = x - down
                rest = shift - (mu * x - less).exp()
                value = (s * rest - x * x / 2).exp()
                return rest * value if slope else value
            except BaseException as error:  # noqa: BLE001, Arb loses it; raised below
                stopped.append(error)
                return acb("nan")

        lifted = (s.real * shift).exp()
        small = (-arb(nats)).exp()
        tolerance = (small * lifted.mid() * arb(log_g).exp()).mid()
        with ctx.workprec(min(ctx.prec, GUARD + int(nats / math.log(2)))):
            try:
                total = acb.integral(
                    integrand, -end, end, rel_tol=small, abs_tol=tolerance, eval_limit=MOST_VALUES
                )
            except SystemError as error:  # a signal came before the integrand could catch it
                first: BaseException = error
                while first.__cause__ is not None:
                    first = first.__cause__
                raise first from None
        if stopped:
            raise stopped[0]
        total /= (2 * arb.pi()).sqrt()
        cut = 2 * normal_tail(end)
        if slope:
            cut = shift * cut + normal_tail(end - mu) + normal_tail(end + mu)
        cut *= (y * y / 2).exp() * lifted
        return acb(enlarged(total.real, cut), enlarged(total.imag, cut))


def bits_of(nats: float, large: float) -> int:
    """The working precision for integrals of this many nats, and exponents as large as e^large."""
    return 64 + int((nats + large) / math.log(2))
