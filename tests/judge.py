# SPDX-License-Identifier: Apache-2.0
"""Answer a file of reference truths, for a judge that is not part of this repository.

    python tests/judge.py truths.json answers.jsonl [tolerance]

One line a case: {"id", "lower", "upper"}, or {"id", "skipped": reason} where a mechanism is not
one of ours. The best bounds are written also where the tolerance is out of reach.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hockeystick as hs
import questions

Parameters = dict[str, Any]


def _gaussian(m: Parameters) -> hs.Mechanism:
    gaussian = hs.Gaussian(noise_multiplier=m["sigma"] / m.get("sensitivity", 1.0))
    return gaussian.poisson_sampled(m["q"]) if "q" in m else gaussian


def _discrete_laplace(m: Parameters) -> hs.Mechanism:
    noise = hs.DiscreteLaplace(parameter=m["a"], sensitivity=m["sensitivity"])
    return noise.poisson_sampled(m["q"]) if "q" in m else noise


def _discrete_gaussian(m: Parameters) -> hs.Mechanism:
    noise = hs.DiscreteGaussian(
        sigma=m["sigma"], sensitivity=m["sensitivity"], truncation=m["truncation_bound"]
    )
    return noise.poisson_sampled(m["q"]) if "q" in m else noise


def _laplace(m: Parameters) -> hs.Mechanism:
    laplace = hs.Laplace(noise_multiplier=m["scale"] / m["sensitivity"])
    return laplace.poisson_sampled(m["q"]) if "q" in m else laplace


def _kary_randomized_response(m: Parameters) -> hs.Mechanism:
    """As the pair of two values, so that it can stand beside what adds or removes a record."""
    p, k = m["p"], m["k"]
    other, own, rest = p / k, 1 - p + p / k, p * (k - 2) / k
    return hs.DiscretePair(p=[own, other, rest], q=[other, own, rest])


MAKERS: dict[str, Callable[[Parameters], hs.Mechanism]] = {
    "gaussian": _gaussian,
    "poisson_subsampled_gaussian": _gaussian,
    "replace_one_subsampled_gaussian": _gaussian,
    "laplace": _laplace,
    "poisson_subsampled_laplace": _laplace,
    "mixture_of_gaussians": lambda m: hs.GaussianMixture(
        standard_deviation=m["sigma"], sensitivities=m["sensitivities"], probabilities=m["probs"]
    ),
    "randomized_response": lambda m: hs.ApproximateDP(epsilon=m["eps0"], delta=0),
    "eps_delta_dp": lambda m: hs.ApproximateDP(epsilon=m["eps0"], delta=m["delta0"]),
    "kary_randomized_response": lambda m: hs.RandomizedResponse(
        noise_parameter=m["p"], num_buckets=m["k"]
    ),
    "discrete_laplace": _discrete_laplace,
    "subsampled_discrete_laplace": _discrete_laplace,
    "discrete_gaussian": _discrete_gaussian,
    "subsampled_discrete_gaussian": _discrete_gaussian,
}


def cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a file of truths."""
    listed: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return listed


def mechanism(parameters: Parameters, direction: str) -> hs.Mechanism:
    """One mechanism of a file of truths."""
    name = parameters["name"]
    if name == "kary_randomized_response" and direction != "replace_one":
        return _kary_randomized_response(parameters)
    return MAKERS[name](parameters)


def answer(case: dict[str, Any], tolerance: float) -> dict[str, Any]:
    """The line for one case."""
    foreign = {part["mechanism"]["name"] for part in case["composition"]} - set(MAKERS)
    if foreign:
        return {"id": case["id"], "skipped": f"no {', '.join(sorted(foreign))}"}
    direction = case["direction"]
    run = sum(
        (part["count"] * mechanism(part["mechanism"], direction) for part in case["composition"]),
        hs.Composition(),
    )
    query: questions.Query = "epsilon" if "delta" in case["query"] else "delta"
    at = case["query"]["delta" if query == "epsilon" else "eps"]
    form = "replace" if direction == "replace_one" else direction
    bounds = questions.put(run, query, at, form, tolerance).bounds
    return {"id": case["id"], "lower": bounds.lower, "upper": bounds.upper}


def main(truths: str, answers: str, tolerance: str = "1e-3") -> None:
    """Write the answers."""
    lines = [json.dumps(answer(case, float(tolerance))) for case in cases(Path(truths))]
    Path(answers).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
