# SPDX-License-Identifier: Apache-2.0
"""A run in words, for titles, legends and reports."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from hockeystick.composition import Composition, Mechanism, Terms
from hockeystick.mechanisms import Gaussian, PoissonSampled
from hockeystick.queries import Asked

MOST_TERMS = 3
_SHORT = {"noise_multiplier": "noise", "sampling_probability": "q", "guaranteed_epsilon": "epsilon"}
_KEPT = {"DP", "ZCDP", "Gaussian", "Laplace", "Poisson"}


def in_words(run: Asked, most: int = MOST_TERMS) -> str:
    """The run and its counts in words: "DP-SGD: 1,000 steps, noise 1, q = 0.01".

    Args:
        run: A mechanism, a composition, or runs on disjoint parts.
        most: How many of its terms are named, the most frequent first; how many others there are is
            said. So of the parts, in their order.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    >>> in_words(1000 * step)
    'DP-SGD: 1,000 steps, noise 1, q = 0.01'
    >>> in_words(20 * hs.Laplace(noise_multiplier=5) + hs.RandomizedResponse(noise_parameter=0.5))
    '20 times Laplace, noise 5 + randomized response, noise parameter 0.5'
    >>> in_words(hs.Composition())
    'nothing'
    >>> in_words(hs.parallel(hs.Laplace(noise_multiplier=5), hs.Gaussian(noise_multiplier=2)))
    'on disjoint parts: Gaussian, noise 2; Laplace, noise 5'
    """
    runs = run._alternatives  # noqa: SLF001, of which the worst counts
    if len(runs) == 1:
        return _run_in_words(runs[0], most)
    parts = [_run_in_words(terms, most) for terms in runs[:most]]
    if len(runs) > most:
        parts.append(f"{len(runs) - most:,} more")
    return f"on disjoint parts: {'; '.join(parts)}"


def _run_in_words(run: Terms, most: int) -> str:
    terms = sorted(run, key=lambda term: -term[1])
    parts = [_term(mechanism, count) for mechanism, count in terms[:most]]
    if len(terms) > most:
        parts.append(f"{len(terms) - most:,} more")
    return " + ".join(parts) or "nothing"


def _term(mechanism: Mechanism, count: int) -> str:
    if isinstance(mechanism, PoissonSampled) and isinstance(mechanism.mechanism, Gaussian):
        steps = f"{count:,} step{'' if count == 1 else 's'}"
        return f"DP-SGD: {steps}, " + _said(
            {**mechanism.mechanism.arguments, "q": mechanism.sampling_probability}
        )
    often = "" if count == 1 else f"{count:,} times "
    return often + mechanism_in_words(mechanism)


def mechanism_in_words(mechanism: Mechanism) -> str:
    """One run of a mechanism in words, without its count: "Gaussian, noise 1, q = 0.01"."""
    kind = type(mechanism)
    given: dict[str, Any] = dict(mechanism.arguments)
    inner = given.pop("mechanism", None)
    defaults = inspect.signature(kind).parameters
    given = {
        name: value
        for name, value in given.items()
        if name not in defaults or value != defaults[name].default
    }
    if isinstance(mechanism, PoissonSampled):
        return f"{mechanism_in_words(mechanism.mechanism)}, {_said(given)}"
    name = _name(kind.__name__)
    if isinstance(inner, Mechanism):
        name += f"{'' if name.endswith('ed') else ' of'} {mechanism_in_words(inner)}"
    return f"{name}, {_said(given)}" if given else name


def _name(kind: str) -> str:
    """The name of a class in words, as "randomized response" for RandomizedResponse."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", kind)
    return " ".join(word if word in _KEPT else word.lower() for word in words)


def _said(arguments: Mapping[str, Any]) -> str:
    parts = []
    for name, value in arguments.items():
        word = _SHORT.get(name, name.removeprefix("guaranteed_").replace("_", " "))
        if value is True:
            parts.append(word)
        elif isinstance(value, tuple) and isinstance(value[0], Mechanism):
            parts.append(" or ".join(map(mechanism_in_words, value)))
        elif isinstance(value, tuple):
            parts.append(f"{word} of {len(value):,} numbers")
        elif isinstance(value, Composition):
            parts.append(f"{word} of {in_words(value)}")
        elif isinstance(value, str):
            parts.append(f"{word} {value}")
        elif callable(value):
            parts.append(f"{word} a function")
        else:
            between = " = " if len(word) == 1 else " "
            shown = f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
            parts.append(f"{word}{between}{shown}")
    return ", ".join(parts)
