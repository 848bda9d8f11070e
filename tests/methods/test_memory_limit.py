# SPDX-License-Identifier: Apache-2.0
"""No question takes more than its memory limit: too large ones are coarsened or refused."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core

TESTS = Path(__file__).parents[1]
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")


@linux
def test_hostile_questions_keep_to_their_memory(samples):
    count = samples(80)  # of 10^4
    for seed in range(1, 2 + count // 1000):
        child = subprocess.run(
            [sys.executable, str(TESTS / "hostile_memory.py"), str(min(count, 1000)), str(seed)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (child.returncode, child.stderr) == (0, ""), child.stdout + child.stderr


CLOSE = """
import resource
import hockeystick as hs
from hockeystick import _core
from hockeystick import _core
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 2**28, -1))
close = hs.DiscretePair(
    p=(0.00034073022747088444, 0.9996592697725292, 5.940022746918028e-217),
    q=(0.0009703344160061738, 0.9990296655839939, 1.6916046915827808e-216),
)
noise = hs.DiscreteGaussian(sigma=1.0, truncation=6)
def ask(run, epsilon, adjacency, tolerance):
    for method in "", "fft_composition":
        found = _core.delta_bounds(
            run._directions(adjacency), [epsilon], tolerance=tolerance, memory_limit=2**27,
            method=method,
        )[0]
        assert 0 <= found.lower <= found.upper <= 1
        assert found.converged or found.limited_by
ask(17 * close, 1e-6, hs.Adjacency.ADD_ONE, 1e-5)
for exponent in 21, 60, 150, 280:
    run = 2 * noise.poisson_sampled(10.0**-exponent) + hs.DiscreteLaplace(parameter=0.5)
    ask(run, 0.57, hs.Adjacency.REMOVE_ONE, 1e-3)
far = 3 * hs.DiscretePair(p=(1 - 1e-9, 1e-9, 1e-300), q=(1e-300, 1e-9, 1 - 1e-9))
ask(far, 1.0, hs.Adjacency.REMOVE_ONE, 1e-3)
"""


@linux
def test_little_or_far_apart_losses_take_no_grid_of_all_between():
    child = subprocess.run(
        [sys.executable, "-c", CLOSE], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stderr) == (0, "")


@pytest.mark.parametrize("wanted", ["epsilon", "delta"])
def test_few_sums_are_listed_before_anything_is_transformed(wanted):
    step = hs.DiscretePair(p=(0.00034, 0.99866, 1e-3), q=(0.00097, 0.99875, 0.00028))
    directions = (2 * step)._directions(hs.Adjacency.ADD_OR_REMOVE_ONE)
    ask = hs._core.epsilon_bounds if wanted == "epsilon" else hs._core.delta_bounds
    answer = ask(directions, [1e-4], tolerance=1e-6, memory_limit=2**20)[0]
    assert answer.converged
    assert (answer.method, answer.size, answer.passes) == ("enumeration", 6, 1)


def test_tables_of_outcomes_count():
    number = 10_000
    pair = hs.DiscretePair(p=range(1, number + 1), q=range(number, 0, -1))
    with pytest.raises(hs.CertificationError) as caught:
        (3 * pair).delta_bounds(0.1, memory_limit=2**18)
    assert caught.value.limited_by == "memory_limit"
    assert (caught.value.bounds.lower, caught.value.bounds.upper) == (0, 1)
    for question in (
        lambda: pair.true_positive_rate_bounds(0.1, memory_limit=2**18),
        lambda: pair.probabilistic_delta_bounds(0.1, memory_limit=2**18),
        lambda: pair.renyi_divergence_bounds(2.0, memory_limit=2**18),
        lambda: pair.gdp_mu_bounds(memory_limit=2**18),
        lambda: pair.zcdp_bounds(memory_limit=2**18),
        lambda: pair.loss_variance_bounds(memory_limit=2**18),
    ):
        with pytest.raises(hs.CertificationError):
            question()
    with pytest.raises(ValueError, match="memory_limit"):
        pair.pld(discretization_interval=0.1, memory_limit=2**18)


def test_delta_is_at_most_the_total_variation():
    rng = random.Random(1)
    for _ in range(20):
        q, count = rng.uniform(0.0005, 0.002), rng.randrange(50, 150)
        run = count * hs.Gaussian(noise_multiplier=0.002).poisson_sampled(q)
        limits = {"method": "trivial_bounds", "tolerance": 1e-3, "memory_limit": 2**22}
        with ctx.workprec(200):
            truth = 1 - (1 - arb(q)) ** count  # less 1e-10000 or so
            for terms in run._directions(hs.Adjacency.ADD_OR_REMOVE_ONE):
                (bounds,) = _core.delta_bounds([terms], [0.0], **limits)
                assert bounds.lower <= truth <= arb(bounds.upper) < truth * (1 + 1e-9)
