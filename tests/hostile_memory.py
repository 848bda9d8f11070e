# SPDX-License-Identifier: Apache-2.0
"""Random questions that ask for much memory, in a process that has little more than they may take.

``python tests/hostile_memory.py COUNT SEED`` prints how many were answered and refused; any other
end of a question is an error.
"""

import collections
import math
import random
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hockeystick as hs
from exact.release import power
from random_runs import ALL, KINDS, NO_REPLACEMENT, Term, mechanism

SPARE = 160 << 20  # bytes: what the core keeps between questions, the heap's own, the interpreter's
SAMPLED = ("Gaussian", "Laplace", "DiscreteLaplace", "DiscreteGaussian", "DiscretePair")
QUERIES = (
    ("epsilon_bounds", lambda rng: power(rng, -12, -0.3)),
    ("delta_bounds", lambda rng: rng.choice((0.0, power(rng, -3, 2)))),
    ("true_positive_rate_bounds", lambda rng: power(rng, -12, -0.1)),
    ("bayes_risk_bounds", lambda rng: rng.uniform(0.001, 0.999)),
    ("probabilistic_delta_bounds", lambda rng: power(rng, -3, 1)),
    ("loss_quantile_bounds", lambda rng: rng.uniform(0.001, 0.999)),
    ("renyi_divergence_bounds", lambda rng: 1 + power(rng, -2, 3)),
    ("gdp_mu_bounds", None),
    ("loss_variance_bounds", None),
    ("zcdp_bounds", None),
)


def _near(rng: random.Random) -> dict:
    """Two losses all but equal, and perhaps an outcome of next to no mass."""
    p = power(rng, -6, -0.4)
    ratio = 1 + rng.choice((-1, 1)) * power(rng, -12, -1)
    rare = rng.choice((0.0, power(rng, -300, -3)))
    return {"p": (p, 1 - p, rare), "q": (min(p * ratio, 0.9), 1 - min(p * ratio, 0.9), 2 * rare)}


def _many(rng: random.Random) -> dict:
    """Thousands of outcomes at no regular losses."""
    number = round(power(rng, 2, 4.5))
    p = [rng.random() + 1e-9 for _ in range(number)]
    return {"p": tuple(p), "q": tuple(x * math.exp(rng.gauss(0, 0.1)) for x in p)}


def _term(rng: random.Random, name: str) -> Term:
    drawn = KINDS[name].draw(rng)
    if name == "DiscretePair" and rng.random() < 0.7:
        drawn = rng.choice((_near, _near, _many))(rng)
    if name in SAMPLED and rng.random() < 0.4:
        drawn["rate"] = power(rng, -300 if rng.random() < 0.3 else -20, -0.01)
    if name == "Gaussian" and rng.random() < 0.3:
        drawn["noise_multiplier"] = power(rng, -3, -1)
    if name == "ApproximateDP" and rng.random() < 0.3:
        drawn["epsilon"] = power(rng, -12, 6)
    return Term(name, drawn, round(power(rng, 0, rng.choice((0.5, 1.5, 3, 6)))))


def _question(rng: random.Random) -> tuple[str, Callable[[], object]]:
    names = list(NAMES)
    terms = [_term(rng, rng.choice(names)) for _ in range(rng.choice((1, 1, 2, 3)))]
    adjacencies = [a for a in ALL if all(a in KINDS[t.name].adjacencies for t in terms)]
    adjacency = rng.choice([a for a in adjacencies if a in NO_REPLACEMENT] or adjacencies)
    limit = round(power(rng, 6.3, 8))
    tolerance = rng.choice((1e-3, power(rng, -9, -5), power(rng, -9, -5)))
    named, point = rng.choice(QUERIES)
    at = None if point is None else point(rng)
    many = at is not None and rng.random() < 0.1
    interval = power(rng, -7, 0)

    def ask() -> object:
        run = sum((t.count * mechanism(t) for t in terms), hs.Composition())
        if explicit:
            options = {"discretization_interval": interval, "adjacency": adjacency}
            pld = run.pld(**options, side=side, memory_limit=limit)
            return pld.delta(0.5), pld.delta_composed(pld, 1.0)
        arguments = () if at is None else ([at] * 3 if many else at,)
        width = "deviations" if named == "loss_quantile_bounds" else "tolerance"
        return getattr(run, named)(
            *arguments, adjacency=adjacency, **{width: tolerance}, memory_limit=limit
        )

    explicit, side = rng.random() < 0.1, rng.choice(("upper", "lower"))
    asked = f"pld({interval!r}, {side!r})" if explicit else f"{named}({at!r}, many={many})"
    shown = [f"{t.count} {t.name}{_short(t.parameters)}" for t in terms]
    return f"{asked}, {tolerance=}, {limit=}, {adjacency}: {' + '.join(shown)}", ask


NAMES = (
    *("Gaussian", "Gaussian", "Laplace", "DiscretePair", "DiscretePair", "DiscretePair"),
    *("DiscreteLaplace", "DiscreteGaussian", "ApproximateDP", "RandomizedResponse"),
    *("ExponentialMechanism", "PermuteAndFlip", "GaussianMixture", "TruncatedPoissonGaussian"),
    "logistic noise",
)


def _short(parameters: dict) -> str:
    return str(dict(parameters))[:300]


def questions(seed: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Endless; those that no adjacency suits are left out."""
    rng = random.Random(seed)
    while True:
        try:
            yield _question(rng)
        except IndexError:
            continue


def main(count: int, seed: int) -> None:
    """Asks so many questions."""
    tally: collections.Counter[str] = collections.Counter()
    for name, ask in questions(seed):
        if sum(tally.values()) >= count:
            break
        held = _bytes_of_this_process()
        limit = int(name.split("limit=")[1].split(",")[0])
        resource.setrlimit(resource.RLIMIT_AS, (held + limit + SPARE, -1))
        try:
            ask()
            tally["answered"] += 1
        except hs.CertificationError as error:
            tally[error.limited_by] += 1
        except ValueError as error:
            if "memory_limit" not in str(error):
                tally["no question"] += 1
                continue
            tally["memory_limit"] += 1
        except BaseException as error:
            print(f"{type(error).__name__} at {name}", flush=True)  # noqa: T201
            raise
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    print(dict(tally))  # noqa: T201


def _bytes_of_this_process() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
