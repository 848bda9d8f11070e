# SPDX-License-Identifier: Apache-2.0
"""The bounds of shuffled epochs: their integrals, and small shuffles.

The integrals are those of the theorems (cpp/proofs/shuffled-left-out.md, shuffled-every.md) over
one or two batches, by quadrature. The theorems themselves are held to adversaries of small
shuffles, too.
"""

import math

import numpy as np
import pytest
from flint import arb
from scipy.special import ndtr

import hockeystick as hs
from hockeystick import _core
from mechanisms.shuffles import Term

sampling = _core.sampling
NODES, WEIGHTS = np.polynomial.legendre.leggauss(500)
NODES, WEIGHTS = 10 * NODES, 10 * WEIGHTS
DENSITY = np.exp(-(NODES**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS


def normal(x):
    """P(Z > x)."""
    return math.erfc(x / math.sqrt(2)) / 2


def terms(reach, alpha, *, back=False, replaces=False):
    """Values of a term over NODES, to both sides of 0, and their probabilities."""
    k = math.exp(-(reach**2))
    starts = [math.log(alpha) / reach, -math.log(alpha) / reach]
    squares = [not (back or replaces), back and not replaces]
    sides = []
    for start, square in zip(starts, squares, strict=True):
        g = start + (1.5 if square else 0.5) * reach + (NODES + 10) / 2
        y = np.exp(reach * g - reach**2 / 2)
        sides.append((y, np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS / 2))
    (y, above), (z, below) = sides
    gains = y - alpha if back or replaces else k * y * y - alpha * y
    losses = alpha * k * z * z - z if squares[1] else alpha * z - 1
    values = np.concatenate([gains, -losses, [0.0]])
    return values, np.concatenate([above, below, [1 - above.sum() - below.sum()]])


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("mu", "ratio"), [(0.25, 0.5), (1.0, 10.0), (0.05, 0.01)])
def test_one_batch_is_the_integral(mu, ratio, back, replaces):
    """E (m X - r (alpha - 1))_+ / n: what a batch of fixed size attains."""
    alphas = [math.exp(mu * k) for k in (0.0, 0.1, 0.5, 1.0)]
    given = {"back": back, "replaces": replaces, "alpha": alphas}
    found = sampling.shuffle_bound(mu, 1, ratio, 1 / (1 + ratio), **given)
    for alpha, upper in zip(alphas, found, strict=True):
        exact = Term(mu, alpha, back=back, replaces=replaces).call(ratio * (arb(alpha) - 1))
        least = float(exact / (1 + ratio))
        assert least * (1 - 1e-9) <= upper <= 1.02 * least


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("mu", [0.25, 1.0])
def test_two_batches_are_the_integral(mu, back, replaces):
    alphas = [1.0, math.exp(0.5 * mu), math.exp(mu)]
    how = {"back": back, "replaces": replaces}
    found = sampling.shuffle_bound(mu, 2, 0.0, 1.0, **how, alpha=alphas)
    for alpha, upper in zip(alphas, found, strict=True):
        x, mass = terms(mu, alpha, **how)
        truth = float(mass @ np.maximum(x[:, None] + x[None, :], 0) @ mass) / 2
        assert truth * (1 - 1e-4) <= upper <= 1.002 * truth


def real_shuffle(mu, alpha, means):
    """delta of one record of three, in one of two batches or left out.

    The other two add `means` to their batches when they stand there, each order alike likely; a
    batch's second query is turned by what the first answered, so as to hurt most.
    """
    first, second = (m * mu for m in means)
    best = 0.0
    outputs = NODES + mu
    means = np.array([mu, first, second, 0.0])
    weight = np.exp(-(outputs**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS

    def density(at):  # against N(0, 1)
        return np.exp(at * outputs - at * at / 2)

    # Places of (record, A, B): batch 1, batch 2, left out.
    for turn in (1.0, -1.0):
        gain = np.zeros(len(outputs))
        for n, z in enumerate(outputs):
            record, one, two, none = np.exp(means * z - means**2 / 2)
            flip = turn if z > mu / 2 else 1.0
            total = np.zeros(len(outputs))
            for x, (mine, gone) in ((0, (record, none)), (1, (one, one)), (2, (two, two))):
                if x == 0:  # the record in batch 1: A or B in batch 2
                    for other in (first, second):
                        total += (mine - alpha * gone) * density(flip * other)
                else:  # A or B in batch 1: the record, or the other, in batch 2
                    other = second if x == 1 else first
                    total += mine * (density(mu) - alpha)
                    total += mine * density(flip * other) * (1 - alpha)
            gain[n] = (np.maximum(total / 6, 0) * weight).sum()
        best = max(best, float((gain * weight).sum()))
    return best


@pytest.mark.parametrize("mu", [0.3, 1.0, 1.5])
def test_small_shuffles_are_below(mu):
    """Three records, two batches of one, one left out; others of all signs, chosen adaptively."""
    alphas = [math.exp(e) for e in (0.1, 0.5, 1.0)]
    found = sampling.shuffle_bound(mu, 2, 0.5, 2 / 3, back=False, alpha=alphas)
    for alpha, upper in zip(alphas, found, strict=True):
        attained = [
            real_shuffle(mu, alpha, means) for means in ((0, 0), (-1, -1), (1, 1), (-1, 1), (-1, 0))
        ]
        assert 0 < max(attained) <= upper


def pivot(nu, u, v, less):
    """E (u p - v q - less)_+ of the last batch's output; u, v: arrays."""
    k = math.exp(-nu * nu / 2)
    root = np.sqrt(less * less + 4 * u * v * k * k)
    w = np.where(less >= 0, less + root, 0) / (2 * u * k)
    w = np.where(less < 0, 2 * v * k / np.maximum(root - less, 1e-300), w)
    at = np.log(np.maximum(w, 1e-290)) / nu
    return u * ndtr(nu - at) - v * ndtr(-nu - at) - less * ndtr(-at)


def pivot_of(mu, up, down, weight, alpha, *, back, replaces):
    """The same of a last batch of that weight, beside what the first gains and loses."""
    if replaces:
        return pivot(mu, up + weight, down + weight * alpha, 0 * up)
    if back:
        return pivot(mu, np.maximum(up, 1e-280), down + weight * alpha, 0 * up - weight)
    return pivot(mu, up + weight, down, 0 * up + weight * alpha)


def every(mu, alpha, *, back=False, replaces=False, weight=0.5):
    """The theorem's bound of two batches, by quadrature; weight: of the last one."""
    reach = mu * (2 if replaces else 1)
    x, mass = terms(reach, alpha, back=back, replaces=replaces)
    up, down = (np.maximum(sign * x * (1 - weight), 0) for sign in (1, -1))
    value = pivot_of(mu, up, down, weight, alpha, back=back, replaces=replaces)
    return float((mass * value).sum())


@pytest.mark.parametrize("weight", [0.5, 0.4, 0.05])
@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("mu", [0.25, 1.0])
def test_two_batches_of_all_records_are_the_integral(mu, back, replaces, weight):
    """Of the better pivot; corners of the last batch add a part."""
    alphas = [1.0, math.exp(0.5 * mu), math.exp(mu)]
    given = {"uses_all": True, "last_size": weight / (1 - weight), "replaces": replaces}
    reach = 2 * mu if replaces else mu
    for alpha in alphas:
        (upper,) = sampling.shuffle_bound(reach, 2, **given, back=back, alpha=[alpha])
        step = hs.Gaussian(1 / reach).delta_bounds(math.log(alpha), adjacency="remove-one")
        how = {"back": back, "replaces": replaces}
        least = min(step.upper, *(every(mu, alpha, **how, weight=w) for w in (weight, 1 - weight)))
        assert least * (1 - 1e-4) <= upper <= 1.2 * least


def chosen_last(mu, alpha, weights, *, back=False, replaces=False):
    """delta of the best last query of two batches, whose record and others the first showed.

    One record is special or not (or adds 1 or -1), the others add -mu or mu to the first batch; in
    the last one, those that came from the first add +-mu as the first output says, which is the
    best of all choices at given first output.
    """
    best = 0.0
    x = NODES + mu
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS
    for other in (-mu, mu, 0.0):
        with_it, without = (mu, -mu if replaces else 0.0)
        if back:
            with_it, without = without, with_it
        # Relative to the other record in the first batch.
        ratio = [
            np.exp((m - other) * (x - other) - (m - other) ** 2 / 2) for m in (with_it, without)
        ]
        base = np.exp(other * x - other * other / 2) * density
        c = weights[0] * (ratio[0] - alpha * ratio[1])
        up, down = np.maximum(c, 0), np.maximum(-c, 0)
        value = pivot_of(mu, up, down, weights[1], alpha, back=back, replaces=replaces)
        best = max(best, float((base * value).sum()))
    return best


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("mu", [0.25, 0.5, 1.0, 1.4])
def test_who_chooses_the_last_batch_after_the_first_is_below(mu, back, replaces):
    """An adversary of the real shuffle of two batches of one record each."""
    alphas = [math.exp(e) for e in (0.0, 0.1, 0.3, 1.0, 2.0)]
    reach = 2 * mu if replaces else mu
    found = sampling.shuffle_bound(
        reach, 2, uses_all=True, replaces=replaces, back=back, alpha=alphas
    )
    for alpha, upper in zip(alphas, found, strict=True):
        attained = chosen_last(mu, alpha, (0.5, 0.5), back=back, replaces=replaces)
        assert 0 < attained <= upper


def test_without_weights_the_bound_of_unequal_batches_would_be_wrong():
    """The first has 99 of 100 records: what an adversary attains exceeds that of equal ones."""
    mu, alpha = 0.5, math.exp(0.3)
    attained = chosen_last(mu, alpha, (0.99, 0.01))
    assert attained > 1.1 * every(mu, alpha)
    (upper,) = sampling.shuffle_bound(
        mu, 2, uses_all=True, last_size=1 / 99, back=False, alpha=[alpha]
    )
    assert attained <= upper


@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_the_same_order_in_two_epochs_is_one_at_less_noise(mu):
    """Two batches of one record, kept in two epochs: the best last queries are the constant ones.

    Given what the first batch showed in both epochs, the last one answers twice; its second query
    is the best at what its first output was, for each choice of the first.
    """
    outputs, weights = np.polynomial.hermite_e.hermegauss(100)
    weights /= weights.sum()
    both = math.sqrt(2) * mu
    for epsilon in (0.1, 0.4, 1.0):
        alpha = math.exp(epsilon)
        # Of the first batch, to which the other record adds -mu.
        ratio = [np.exp((m + both) * outputs - (m + both) ** 2 / 2) for m in (both, 0.0)]
        c = 0.5 * (ratio[0] - alpha * ratio[1])[:, None]
        up, down = np.maximum(c, 0), np.maximum(-c, 0)
        less = 0.5 * alpha

        def played(signs, up=up, down=down, less=less):
            """The mean over the first output of the last batch of the best second query."""
            gains = [np.exp(s * mu * outputs - (s * mu) ** 2 / 2) for s in signs]
            u = up * gains[0] + 0.5 * gains[2]
            return (weights * pivot(mu, u, down * gains[1], 0 * u + less)).sum(axis=1)

        once = pivot(both, up + 0.5, down, 0 * up + less)[:, 0]
        constant = played((1, -1, 1))
        assert constant == pytest.approx(once, rel=1e-6, abs=1e-12)
        for signs in ((1, 1, 1), (0, 0, 1), (-1, 1, 1), (1, -1, -1), (1, 0, 0), (0.5, -1, 1)):
            assert np.all(played(signs) <= constant * (1 + 1e-6) + 1e-12)
        (upper,) = sampling.shuffle_bound(both, 2, uses_all=True, back=False, alpha=[alpha])
        assert 0 < float((weights * constant).sum()) <= upper
