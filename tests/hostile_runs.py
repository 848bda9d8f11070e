# SPDX-License-Identifier: Apache-2.0
"""Hostile random runs, by kind, and the adjacencies that each is defined for."""

import math
import random
from collections.abc import Callable
from typing import Any

from scipy import special

import hockeystick as hs
from exact.release import power
from hostile_gaussians import ADJACENCIES, ALL, REPLACEMENT, Run, between_noises, groups, matrices
from random_runs import compositions, laplace_below, log_laplace, log_normal
from rare_runs import batches


def _rate(rng: random.Random) -> float:
    """A sampling probability: plausible, tiny, or all but 1."""
    low = rng.choice((-4, -4, -12, -300))
    return rng.choice((power(rng, low, -0.01), power(rng, low, -0.01), 1 - power(rng, -15.9, -1)))


def sampled_once(rng: random.Random) -> Run:
    step = hs.Gaussian(noise_multiplier=power(rng, -3, rng.choice((0, 2, 12))))
    return 1 * step.poisson_sampled(_rate(rng)), ALL


def sampled_often(rng: random.Random) -> Run:
    terms = [
        rng.randint(1, 10 ** rng.randint(1, 5))
        * hs.Gaussian(noise_multiplier=power(rng, -0.4, 2)).poisson_sampled(power(rng, -5, -0.01))
        for _ in range(rng.choice((1, 1, 2)))
    ]
    return sum(terms, hs.Composition()), ALL


def gaussians(rng: random.Random) -> Run:
    terms = [
        rng.randint(1, 10 ** rng.randint(0, 9)) * hs.Gaussian(noise_multiplier=power(rng, -1, 12))
        for _ in range(rng.randint(1, 3))
    ]
    return sum(terms, hs.Composition()), ALL


def laplace(rng: random.Random) -> Run:
    count = rng.choice((1, 1, 1, 2, rng.randint(2, 25)))
    return count * hs.Laplace(noise_multiplier=power(rng, -2.5, 2)), ALL


def selection(rng: random.Random) -> Run:
    epsilon = power(rng, -4, 2.5)
    kind = rng.choice((hs.ExponentialMechanism, hs.PermuteAndFlip))
    return rng.choice((1, 1, 2, rng.randint(1, 30))) * kind(epsilon=epsilon), ADJACENCIES


def guarantees(rng: random.Random) -> Run:
    delta = rng.choice((0.0, power(rng, -307, -1), 1 - power(rng, -15.9, -1)))
    count = rng.choice((1, 2, rng.randint(1, 100), rng.randint(1, 3000)))
    return count * hs.ApproximateDP(epsilon=power(rng, -8, 2), delta=delta), ALL


def responses(rng: random.Random) -> Run:
    noise = rng.choice((power(rng, -100, -0.1), 1 - power(rng, -15.9, -1)))
    response = hs.RandomizedResponse(noise_parameter=noise, num_buckets=rng.randint(2, 1000))
    return rng.choice((1, 2, rng.randint(1, 400))) * response, REPLACEMENT


def lattices(rng: random.Random) -> Run:
    if rng.random() < 0.5:
        step = hs.DiscreteLaplace(
            parameter=power(rng, -3, 1.5), sensitivity=rng.choice((1, 1, 2, 5))
        )
    else:
        truncation = rng.choice((None, rng.randint(1, 20)))
        step = hs.DiscreteGaussian(sigma=power(rng, -0.6, 0.7), truncation=truncation)
    return rng.choice((1, 1, 2, 3, rng.randint(1, 40))) * step, ALL


def pairs(rng: random.Random) -> Run:
    number = rng.randint(2, 4)
    if rng.random() < 0.5:
        p, q = ([rng.randint(0 if j > 1 else 1, 90) for j in range(number)] for _ in "pq")
    else:  # one outcome all but impossible
        rare = power(rng, -300, -3), power(rng, -300, -3)
        p, q = ([1 - x, x] for x in rare)
    return rng.choice((1, 1, 2, 8, rng.randint(1, 60))) * hs.DiscretePair(p=p, q=q), ALL


def one_rare_large_loss(rng: random.Random) -> Run:
    response = hs.RandomizedResponse(noise_parameter=power(rng, -70, -2), num_buckets=3)
    small = hs.DiscreteLaplace(parameter=rng.choice((0.5, power(rng, -1, 0.3))), sensitivity=2)
    return rng.randint(1, 4) * small + response, REPLACEMENT


def mixtures(rng: random.Random) -> Run:
    number = rng.randint(1, 4)
    weights = [rng.random() + 1e-3 for _ in range(number)]
    deviation = power(rng, -0.5, 2)
    mixture = hs.GaussianMixture(
        standard_deviation=deviation,
        sensitivities=[rng.choice((0.0, deviation * power(rng, -9, 1))) for _ in range(number)],
        probabilities=[w / math.fsum(weights) for w in weights],
    )
    return rng.choice((1, 1, rng.randint(1, 1000))) * mixture, ADJACENCIES


def allocations(rng: random.Random) -> Run:
    """One epoch: compositions have no truth."""
    steps = rng.choice((rng.randint(2, 9), round(power(rng, 0.4, 4)), round(power(rng, 1, 12))))
    epochs = rng.choice((1, 1, rng.randint(2, 30)))
    noise = power(rng, -0.6, rng.choice((0.5, 3))) * math.sqrt(epochs)
    step = hs.Gaussian(noise_multiplier=noise)
    return 1 * step.random_allocation(steps=steps, epochs=epochs), ADJACENCIES


def small_allocations(rng: random.Random) -> Run:
    """Of few outcomes, some of infinite loss, and composed with as many epochs and steps."""
    number = rng.randint(2, 3)
    p, q = ([rng.randint(0 if j > 1 else 1, 64) for j in range(number)] for _ in "pq")
    step: hs.Mechanism = hs.DiscretePair(p=p, q=q)
    if rng.random() < 0.3:
        step = hs.ApproximateDP(epsilon=power(rng, -3, 1), delta=rng.choice((0.0, 1e-9, 0.01)))
    epoch = step.random_allocation(steps=rng.choice((2, 3, 4, rng.randint(2, 30))))
    run = rng.choice((1, 1, 2, 3)) * epoch
    if rng.random() < 0.3:
        run = run + rng.randint(1, 5) * hs.Gaussian(noise_multiplier=power(rng, 0, 1.5))
    return run, ADJACENCIES


def selected(rng: random.Random) -> Run:
    steps = rng.choice((3, 4, rng.randint(3, 40), round(power(rng, 1, 5))))
    chosen = rng.randint(2, min(steps - 1, rng.choice((2, 3, 40))))
    step = hs.Gaussian(noise_multiplier=power(rng, -0.5, 1.5))
    epoch = step.random_allocation(steps=steps, selected=chosen, epochs=rng.choice((1, 1, 3)))
    return rng.choice((1, 1, 2, 30)) * epoch, ADJACENCIES


def fixed_sizes(rng: random.Random) -> Run:
    size = rng.choice((2, 3, 10, round(power(rng, 0.4, 7))))
    batch = min(max(1, round(size * power(rng, -3, 0))), size)
    step = hs.Gaussian(noise_multiplier=power(rng, -0.7, 1.5))
    drawn = step.fixed_size_sampled(
        batch_size=batch, dataset_size=size, replacement=rng.random() < 0.4
    )
    return rng.choice((1, 1, 1, rng.randint(2, 2000))) * drawn, REPLACEMENT


def shuffles(rng: random.Random) -> Run:
    batches = rng.choice((2, 3, rng.randint(2, 100), round(power(rng, 1, 6))))
    step = hs.Gaussian(noise_multiplier=power(rng, -0.5, 1.5))
    sizes = {}
    if batches < 10 and rng.random() < 0.3:
        sizes = {"batch_size": (size := rng.randint(2, 99)), "last_batch": rng.randint(1, size)}
    epoch = step.shuffled(batches=batches, epochs=rng.choice((1, 1, rng.randint(1, 9))), **sizes)
    return rng.choice((1, 1, rng.randint(2, 100))) * epoch, REPLACEMENT


def concentrated(rng: random.Random) -> Run:
    run = rng.choice((1, 1, rng.randint(2, 100))) * hs.ZCDP(power(rng, -9, 1.5))
    if rng.random() < 0.3:
        run = run + rng.randint(1, 10) * hs.Gaussian(noise_multiplier=power(rng, -0.3, 2))
    return run, ALL


def truncated(rng: random.Random) -> Run:
    size = rng.choice((2, 3, 20, round(power(rng, 1, 4))))
    step = batches(
        power(rng, -0.4, 1), rng.choice((power(rng, -3, -0.01), 1.0)), rng.randint(1, size), size
    )
    return rng.choice((1, 1, rng.randint(2, 1000))) * step, ADJACENCIES


def divergences(rng: random.Random) -> Run:
    """Of one order each, by themselves or beside a Gaussian."""
    known = {"order": 1 + power(rng, -2, 3), "divergence": power(rng, -6, 1.5)}
    run = rng.choice((1, 1, rng.randint(2, 100))) * hs.RenyiDP(**known)
    if rng.random() < 0.3:
        known["divergence"] = power(rng, -4, 1)
        run = run + hs.RenyiDP(**known) + rng.randint(1, 9) * hs.Gaussian(power(rng, -0.3, 2))
    return run, ALL


def shuffled_reports(rng: random.Random) -> Run:
    """Of any randomizers, adaptive or not, of k-ary response, and with Laplace noise."""
    kind: dict[str, Any] = rng.choice(
        (
            {"users": round(power(rng, 0, 4.5))},
            {"users": round(power(rng, 0, 4.5)), "adaptive": True},
            {"users": rng.randint(1, 100), "randomizer": "k-ary", "choices": rng.randint(2, 20)},
            {"users": rng.randint(1, 100), "randomizer": "laplace"},
        )
    )
    reports = hs.ShuffledLocal(epsilon0=power(rng, -1.5, 1), **kind)
    return rng.choice((1, 1, 1, 2)) * reports, (hs.Adjacency.REPLACE_ONE,)


def given_curves(rng: random.Random) -> Run:
    """The curve of a response at a few points, or wider than that."""
    number, epsilon = rng.randint(2, 9), power(rng, -1, 0.7)
    alpha = sorted(math.exp(rng.uniform(-1.3, 1.3) * epsilon) for _ in range(number))
    odds = math.exp(epsilon)
    exact = [max((odds - a) / (1 + odds), 1 - a, 0.0) for a in alpha]
    wide = power(rng, -12, -2)
    curve = hs.HockeyStickCurve(
        alpha=alpha,
        lower=[v * (1 - wide) for v in exact],
        upper=[min(1.0, v * (1 + wide) + wide) for v in exact],
    )
    if rng.random() < 0.3:
        return rng.choice((1, 1, 3)) * curve.poisson_sampled(power(rng, -3, -0.01)), ADJACENCIES
    return rng.choice((1, 1, rng.randint(2, 5))) * curve, ALL


def normal_noise(rng: random.Random) -> Run:
    """See `random_runs.known_form`."""
    noise = hs.AdditiveNoise(
        log_density=log_normal, distribution=special.ndtr, sensitivity=2.0 ** rng.randint(-9, 5)
    )
    return 1 * noise, ADJACENCIES


def laplace_noise(rng: random.Random) -> Run:
    """As above, of Laplace noise."""
    noise = hs.AdditiveNoise(
        log_density=log_laplace,
        distribution=laplace_below,
        sensitivity=2.0 ** rng.randint(-9, 8),
        accuracy=rng.choice((1e-13, 1e-9)),
    )
    return 1 * noise, ADJACENCIES


def parts(rng: random.Random) -> Run:
    """Disjoint parts of the data, beside which some of it is used by all."""
    both = [rng.choice((gaussians, laplace, selection, guarantees))(rng)[0] for _ in "ab"]
    run = hs.parallel(*both)
    return (run + 1 * hs.Laplace(power(rng, -1, 1)) if rng.random() < 0.3 else run), ADJACENCIES


def _single(rng: random.Random) -> hs.Mechanism:
    """One cheap release."""
    noise = power(rng, -0.7, 1.3)
    return rng.choice(
        (
            hs.Gaussian(noise),
            hs.Laplace(noise),
            hs.ApproximateDP(epsilon=1 / noise, delta=rng.choice((0.0, power(rng, -12, -2)))),
            hs.DiscreteLaplace(parameter=noise),
        )
    )


def menus(rng: random.Random) -> Run:
    menu = hs.any_of(*(_single(rng) for _ in range(rng.choice((2, 2, 3)))))
    return rng.choice((1, 1, 2, rng.randint(2, 20))) * menu, ALL


def joint_samples(rng: random.Random) -> Run:
    """Of one sample: Gaussians, which are one, or a run of other mechanisms."""
    rate = power(rng, -5, -0.01)
    if rng.random() < 0.5:
        noises = [power(rng, -0.3, 1.5) for _ in range(rng.randint(2, 4))]
        step: hs.Mechanism = hs.joint(*map(hs.Gaussian, noises)).poisson_sampled(rate)
        return rng.choice((1, 1, rng.randint(2, 1000))) * step, ALL
    step = hs.joint(_single(rng), _single(rng)).poisson_sampled(rate)
    return rng.choice((1, 1, 2)) * step, ADJACENCIES


def selections_of_runs(rng: random.Random) -> Run:
    law: dict[str, Any] = rng.choice(
        (
            {"runs": "poisson", "mean": power(rng, -1, 2)},
            {"runs": "geometric", "mean": 1 + power(rng, -2, 2)},
            {"runs": "logarithmic", "mean": 1 + power(rng, -2, 2)},
            {"runs": "fixed", "mean": rng.randint(1, 9)},
        )
    )
    return 1 * hs.best_of(_single(rng), **law), ALL


def thresholds(rng: random.Random) -> Run:
    """Guarantees that are calls of their own."""
    first, second = power(rng, -3, 1), power(rng, -3, 1)
    made = rng.choice(
        (
            hs.above_threshold(threshold_epsilon=first, query_epsilon=second),
            hs.first_above(epsilon=first),
            hs.report_noisy_max(epsilon=first),
            hs.propose_test_release(
                test_epsilon=first, release_epsilon=second, test_delta=power(rng, -12, -2)
            ),
        )
    )
    return rng.choice((1, 2, rng.randint(1, 300))) * made, ALL


def composed_allocations(rng: random.Random) -> Run:
    """With a gap: whoever knows the step, and whoever adds all outputs."""
    step = hs.Gaussian(power(rng, -0.3, 1))
    run = rng.randint(2, 20) * step.random_allocation(steps=rng.choice((2, 5, 100, 10**4)))
    return (run + 1 * hs.Laplace(power(rng, 0, 1)) if rng.random() < 0.3 else run), ADJACENCIES


def left_out(rng: random.Random) -> Run:
    """Shuffles that leave some records out of each epoch, once and composed."""
    step = hs.Gaussian(power(rng, -0.3, 1))
    batches = rng.choice((2, 3, rng.randint(2, 100), round(power(rng, 1, 5))))
    epoch = step.shuffled(
        batches=batches, left_out=rng.choice((1, 7)), batch_size=rng.randint(1, 99)
    )
    return rng.choice((1, 1, rng.randint(2, 20))) * epoch, REPLACEMENT


FAMILIES: dict[str, tuple[Callable[[random.Random], Run], int]] = {
    "compositions": (compositions, 3),
    "sampled once": (sampled_once, 4),
    "sampled often": (sampled_often, 2),
    "Gaussians": (gaussians, 4),
    "Laplace": (laplace, 4),
    "selection": (selection, 3),
    "guarantees": (guarantees, 4),
    "responses": (responses, 3),
    "lattices": (lattices, 3),
    "pairs": (pairs, 4),
    "one rare large loss": (one_rare_large_loss, 2),
    "mixtures": (mixtures, 1),
    "allocations": (allocations, 2),
    "small allocations": (small_allocations, 3),
    "selected steps": (selected, 2),
    "fixed sizes": (fixed_sizes, 3),
    "shuffles": (shuffles, 2),
    "concentrated": (concentrated, 2),
    "divergences": (divergences, 2),
    "shuffled reports": (shuffled_reports, 2),
    "truncated": (truncated, 2),
    "given curves": (given_curves, 2),
    "normal noise": (normal_noise, 2),
    "Laplace noise": (laplace_noise, 2),
    "parts": (parts, 3),
    "menus": (menus, 2),
    "joint samples": (joint_samples, 2),
    "best of runs": (selections_of_runs, 1),
    "matrices": (matrices, 3),
    "thresholds": (thresholds, 2),
    "groups": (groups, 3),
    "composed allocations": (composed_allocations, 2),
    "left out": (left_out, 2),
    "between noises": (between_noises, 1),
}
