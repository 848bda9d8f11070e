# SPDX-License-Identifier: Apache-2.0
"""Releases from the same records, sampled together."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from hockeystick import _checks, _core
from hockeystick._array_like import ArrayLike
from hockeystick._words import spoken
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.gaussian_between import GaussianBetween
from hockeystick.mechanisms.joint_gaussian import JointGaussian

MOST_CORRELATED = 256
LEAST_VARIANCE, MOST_VARIANCE = 1e-6, 1e24


class JointRelease(Composition):
    """Mechanisms on the same records, released together, and sampled as a whole."""

    __slots__ = ()

    def poisson_sampled(self, sampling_probability: float) -> Mechanism:  # type: ignore[override]
        """The release on one subsample: one coin decides whether a record is in all mechanisms."""
        return self.poisson_sampled_together(sampling_probability)

    def random_allocation(self, *_: object, **__: object) -> NoReturn:
        """Refused, as are ``shuffled`` and ``fixed_size_sampled``: known of Gaussians alone."""
        raise TypeError(
            "a joint release of other mechanisms than Gaussians is sampled by poisson_sampled "
            "alone: random_allocation, shuffled and fixed_size_sampled are not known of "
            f"{super().__repr__()} as a whole"
        )

    shuffled = fixed_size_sampled = random_allocation


def joint(
    *parts: Composable | Sequence[Composable], covariance: ArrayLike | None = None
) -> Mechanism | JointRelease:
    """Mechanisms on the same records, and sampled with them, as one release.

    One coin: ``joint(a, b).poisson_sampled(q)`` draws a record for all parts or for none.
    Two coins: ``a.poisson_sampled(q) + b.poisson_sampled(q)`` draws it for each part anew, which is
    another mechanism, and may cost more or less.

    A training loop that clips and adds noise layer by layer on one batch is the first. Gaussians
    are one Gaussian, of 1 / noise_multiplier^2 = sum of theirs, whatever directions a record moves
    them in: exact, and certified with the root enclosed. Any other parts are the composition of
    theirs, whose curve is sampled. What a part computes may depend on the outputs of those before
    it, where records are added or removed; not its noise over its norm bound.

    Gaussians whose noises are correlated are given by the covariance matrix S of these, each in the
    unit of what a record moves its part by at most; the diagonal holds squares of noise
    multipliers. They are one Gaussian with 1 / noise_multiplier^2 = the largest u' S^-1 u over what
    a record may move the parts by, which is exact for two parts, and where signs of the parts make
    no entry of S^-1 negative; else it is enclosed.

    Args:
        parts: Mechanisms, or ``n * mechanism`` for n that are alike. Or a list of them.
        covariance: Of the noises of further Gaussians, of shape (n, n), n at most 256: symmetric,
            positive definite, on the diagonal in [1e-6, 1e24].

    Returns:
        A `Gaussian`, `JointGaussian` or `GaussianBetween`, or a composition with a
        ``poisson_sampled`` of its own. Not sampled, it costs exactly what ``a + b`` does.

    Raises:
        ValueError: No part is given, or `covariance` is no such matrix.
        TypeError: A part is nothing that runs.

    Source: Zhu, Dong & Wang (2022), Theorems 10 and 11; Balle & Wang (2018), Theorem 8;
    cpp/proofs/covariance.md.

    >>> import hockeystick as hs
    >>> hs.joint(hs.Gaussian(3), hs.Gaussian(4))
    JointGaussian((3.0, 4.0), (1.0, 1.0))
    >>> one_coin = 1000 * hs.joint(hs.Gaussian(3), hs.Gaussian(4)).poisson_sampled(0.01)
    >>> one = (1000 * hs.Gaussian(2.4).poisson_sampled(0.01)).epsilon(1e-6)
    >>> round(one_coin.epsilon(1e-6) / one, 6)
    1.0
    >>> for shared in (0.0, 6.0, -6.0):
    ...     round(hs.joint(covariance=[[9.0, shared], [shared, 16.0]]).epsilon(1e-6), 3)
    1.846
    2.681
    2.681
    """
    given = _checks.listed(parts)
    if covariance is not None:
        given = (*given, _correlated(covariance))
    if not given:
        raise ValueError("parts must hold a mechanism, got none")
    if len(given) == 1 and isinstance(given[0], GaussianBetween):
        return given[0]
    terms = []
    for part in given:
        checked = _checks.instance("part", part, Composable).terms
        terms += [
            each
            for one, count in checked
            for each in (_scaled(one, count) if isinstance(one, JointGaussian) else [(one, count)])
        ]
    run = Composition(terms)
    if not run.terms or not all(isinstance(one, Gaussian) for one, _ in run.terms):
        return JointRelease(run.terms)
    noises: list[Any] = [one.noise_multiplier for one, _ in run.terms]  # type: ignore[attr-defined]
    joined = JointGaussian(noises, counts=[count for _, count in run.terms])
    return joined.simplified()


def _correlated(covariance: ArrayLike) -> GaussianBetween:
    matrix = _checks.array(
        "finite, at most 1e24 in size",
        lambda x: np.abs(x) <= MOST_VARIANCE,
        covariance,
        name="covariance",
    )
    if matrix.ndim != 2 or not 1 <= len(matrix) == matrix.shape[1] <= MOST_CORRELATED:  # noqa: PLR2004
        raise ValueError(
            f"covariance must be of shape (n, n), n in [1, {MOST_CORRELATED}], got shape "
            f"{matrix.shape}"
        )
    variances = np.diag(matrix)
    if not (variances >= LEAST_VARIANCE).all():
        raise ValueError(
            f"covariance must have a diagonal in [{LEAST_VARIANCE:g}, {MOST_VARIANCE:g}], got "
            f"{_checks.show(float(variances.min()))}"
        )
    least, most = _core.noise_of_covariance(matrix)
    low, high = _checks.MIN_NOISE, _checks.MAX_NOISE
    if not low <= least <= most <= high:
        raise ValueError(
            f"covariance must leave a noise multiplier in [{low:g}, {high:g}], got {least:.6g}"
        )
    return GaussianBetween(least_noise=least, most_noise=most)


def _scaled(joined: JointGaussian, count: int) -> Sequence[tuple[Mechanism, int]]:
    return [(one, count * times) for one, times in joined.parts]


@spoken
def adaptive_clipping(
    *, noise_multiplier: float, quantile_noise: float, shifted: bool = True
) -> Mechanism:
    """A step of DP-SGD that also releases how many norms are below the clipping norm.

    One coin: the step's ``poisson_sampled(q)`` draws a record for its gradient and for its bit
    together. Two coins would be ``Gaussian(noise_multiplier).poisson_sampled(q) +
    Gaussian(2 * quantile_noise).poisson_sampled(q)``, two samples, which no training loop draws.

    The bit is 0 or 1; ``shifted`` to -1/2 and 1/2 a record moves the sum by 1/2, so that its noise
    multiplier is 2 quantile_noise, else it is quantile_noise. Where a record is replaced, the bit
    moves by 1 and the gradient by 2: the same ratio, for shifted bits.

    Args:
        noise_multiplier: Of the sum of gradients: its noise over the clipping norm, in
            [0.001, 1e12].
        quantile_noise: The standard deviation of the noise on the sum of bits, as far.
        shifted: Whether 1/2 is subtracted from each bit.

    Returns:
        `joint` of both. For a noise of gradient and bit together that is to be z, choose
        noise_multiplier = (z^-2 - (2 quantile_noise)^-2)^(-1/2).

    Raises:
        ValueError: A noise is out of its range.

    Source: Andrew, Thakkar, McMahan & Ramaswamy (2021), Theorem 1.

    >>> import hockeystick as hs
    >>> step = adaptive_clipping(noise_multiplier=1.5, quantile_noise=20.0)
    >>> run = 1000 * step.poisson_sampled(0.01)
    >>> same = 1000 * hs.Gaussian(1.498946423563771).poisson_sampled(0.01)
    >>> round(run.epsilon(1e-6) / same.epsilon(1e-6), 6)
    1.0
    """
    noise = _checks.noise_multiplier(noise_multiplier)
    bits = _checks.noise_multiplier(quantile_noise, "quantile_noise")
    _checks.instance("shifted", shifted, bool)
    if shifted:
        bits = _checks.within("quantile_noise", bits, _checks.MIN_NOISE, _checks.MAX_NOISE / 2) * 2
    made = joint(Gaussian(noise), Gaussian(bits))
    assert isinstance(made, Mechanism)  # noqa: S101, as both are Gaussians
    return made
