# SPDX-License-Identifier: Apache-2.0
"""A certificate out of reach says what to change, and keeps what was found."""

import pickle

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import queries


def run():
    """Whose answers are not kept."""
    return 10_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


class Answer:
    """An answer of the core that did not meet the tolerance."""

    def __init__(self, obstacle, required_bytes=0):
        self.lower, self.upper, self.converged = 1.0, 1.5, False
        self.limited_by, self.required_bytes = obstacle, required_bytes
        self.discretization = self.truncation = self.wraparound = self.rounding = 0.125


class Answers(list):
    """The answers of one call, as the core has them."""

    def table(self):
        """A column for each answer."""
        return np.array([self.row(i) for i in range(len(self))]).T

    def row(self, index):
        """One column."""
        answer = self[index]
        budget = (answer.discretization, answer.truncation, answer.wraparound, answer.rounding)
        return [answer.lower, answer.upper, *budget]

    def end(self, _):
        """None, as it is too wide."""

    def theory(self):
        """What is not the reason."""
        return ""

    def unmet(self):
        """The first index not met."""
        return next((i for i, answer in enumerate(self) if not answer.converged), None)


@pytest.fixture
def core_answers(monkeypatch):
    """Make the core give one such answer per point."""

    def install(*arguments):
        answer = Answer(*arguments)

        class Run:
            """As of the core."""

            def __init__(self, _):
                pass

            def ask(self, _, at, *__):
                """The same answer at each point."""
                return Answers(answer for _ in np.ravel(at))

        monkeypatch.setattr(queries._core, "Run", Run)

    return install


def test_memory_limit_is_named(core_answers):
    core_answers("memory_limit", 5 * 2**20 - 1)
    with pytest.raises(hs.CertificationError) as caught:
        run().epsilon(delta=1e-5, tolerance=1e-6, memory_limit=2**20)
    assert str(caught.value) == (
        "tolerance = 1e-06 needs about 5 MiB, more than memory_limit = 1048576 bytes allows: raise "
        "memory_limit or loosen tolerance; best bounds 1.0 <= epsilon <= 1.5 at delta = 1e-05"
    )
    assert caught.value.limited_by == "memory_limit"
    assert caught.value.bounds == (1.0, 1.5)
    assert caught.value.bounds.error_budget.total == 0.5


def test_pickle_keeps_everything(core_answers):
    core_answers("rounding")
    with pytest.raises(hs.CertificationError) as caught:
        run().epsilon(delta=1e-5)
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert str(copy) == str(caught.value)
    assert (copy.bounds, copy.limited_by) == (caught.value.bounds, "rounding")


def test_a_tiny_memory_limit_is_an_error_with_valid_bounds():
    with pytest.raises(hs.CertificationError, match="raise memory_limit") as caught:
        run().epsilon(delta=1e-5, tolerance=2e-12, memory_limit=1)
    lower, upper = caught.value.bounds
    assert 0 <= lower <= run().epsilon_bounds(delta=1e-5).upper
    assert upper >= run().epsilon_bounds(delta=1e-5).lower


@pytest.mark.parametrize("obstacle", ["memory_limit", "passes", "rounding"])
@pytest.mark.parametrize("ends", [(0.0, 1.5), (1.0, np.inf)])
def test_no_tolerance_is_advised_where_none_helps(core_answers, monkeypatch, obstacle, ends):
    core_answers(obstacle)
    initialize = Answer.__init__

    def with_ends(self, *arguments):
        initialize(self, *arguments)
        self.lower, self.upper = ends

    monkeypatch.setattr(Answer, "__init__", with_ends)
    core_answers(obstacle)
    with pytest.raises(hs.CertificationError) as caught:
        run().epsilon(delta=1e-5)
    assert "loosen" not in str(caught.value)


def test_advice_helps():
    """A looser tolerance, and more memory, each answer what was refused."""
    sampled = hs.Laplace(noise_multiplier=5.0).poisson_sampled(0.5)
    long = 1000 * sampled + hs.DiscreteGaussian(sigma=3.0)
    with pytest.raises(hs.CertificationError, match="raise memory_limit or loosen") as caught:
        long.epsilon_bounds(1e-5, tolerance=1e-7, memory_limit=2**18)
    lower, upper = caught.value.bounds
    looser = long.epsilon_bounds(1e-5, tolerance=2 * (1 - lower / upper), memory_limit=2**18)
    more = long.epsilon_bounds(1e-5, tolerance=1e-7)
    assert looser.lower <= more.upper
    assert more.lower <= looser.upper
