# SPDX-License-Identifier: Apache-2.0
"""The theorems of shuffled epochs (cpp/proofs/shuffled-left-out.md, shuffled-every.md).

Of one or two batches, by quadrature in doubles.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]

NODES, WEIGHTS = (10 * each for each in np.polynomial.legendre.leggauss(500))
DENSITY = np.exp(-(NODES**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS


def _terms(mu: float, t: float, alpha: float, *, back: bool) -> tuple[Array, Array]:
    """T (Y - alpha), or T (1 - alpha Y), and their weights; Y is seen where it is large."""
    a, c = math.sqrt(1 + t) * mu, math.sqrt(1 + 1 / t) * mu
    shift = 0 if back else c
    x = np.exp(a * NODES - a * a / 2)[:, None]
    y = np.exp(c * (NODES + shift) - c * c / 2)[None, :]
    weight = np.exp(-((NODES + shift) ** 2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS
    return x * (1 - alpha * y if back else y - alpha), DENSITY[:, None] * weight


def left_out(mu: float, t: float, alpha: float, batches: int, ratio: float, *, back: bool) -> float:
    """Where `ratio` of a batch's records are left out."""
    terms, weights = (each.ravel() for each in _terms(mu, t, alpha, back=back))
    less = ratio * (alpha - 1)
    if batches == 1:
        return float(weights @ np.maximum(terms - less, 0)) / (1 + ratio)
    order = np.argsort(terms)
    terms, weights = terms[order], weights[order]
    mass, first = (
        np.append(np.cumsum(each[::-1])[::-1], 0.0) for each in (weights, weights * terms)
    )
    at = np.searchsorted(terms, less - terms)
    return float(weights @ (first[at] + (terms - less) * mass[at])) / (2 + ratio)


def pivot(nu: float, u: Array, v: Array, less: Array) -> Array:
    """E (u p - v q - less)_+ of the last batch's output."""
    k = math.exp(-nu * nu / 2)
    root = np.sqrt(less * less + 4 * u * v * k * k)
    w = np.where(less >= 0, less + root, 0) / (2 * u * k)
    w = np.where(less < 0, 2 * v * k / np.maximum(root - less, 1e-300), w)
    at = np.log(np.maximum(w, 1e-290)) / nu
    return np.asarray(u * ndtr(nu - at) - v * ndtr(-nu - at) - less * ndtr(-at))


def pivoted(
    mu: float, c: Array, alpha: float, weight: float, *, back: bool, replaces: bool
) -> Array:
    """What c, of the first batch, and the last one, of that weight, gain together."""
    up, down = np.maximum(c, 0), np.maximum(-c, 0)
    if replaces:
        return pivot(mu, up + weight, down + weight * alpha, 0 * up)
    if back:
        return pivot(mu, np.maximum(up, 1e-280), down + weight * alpha, 0 * up - weight)
    return pivot(mu, up + weight, down, 0 * up + weight * alpha)


def of_all(
    mu: float, t: float, alpha: float, *, back: bool, replaces: bool = False, weight: float = 0.5
) -> float:
    """Of two batches of all records; weight: of the last one."""
    terms, weights = _terms(mu * (2 if replaces else 1), t, alpha, back=back)
    first = (1 - weight) * terms
    return float((weights * pivoted(mu, first, alpha, weight, back=back, replaces=replaces)).sum())
