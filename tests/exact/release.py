# SPDX-License-Identifier: Apache-2.0
"""What the oracle of a mechanism with finitely many losses is made of.

A direction is remove, add, replace, replace_back, special_remove or special_add: with a record
against without it, the reverse, with one record against with another, the reverse, with a record
against with one that adds nothing, and the reverse.
"""

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

Parameters = dict[str, Any]


def grid(**values: Sequence[Any]) -> list[Parameters]:
    """All arguments of these values."""
    return [dict(zip(values, each, strict=True)) for each in product(*values.values())]


def removes(direction: str) -> bool:
    """Whether the record, or the one replaced, is in the first dataset."""
    return direction in ("remove", "replace", "special_remove")


def way_of(direction: str) -> str:
    """Whether a direction compares as remove does or as add does."""
    return "remove" if removes(direction) else "add"


def shift_of(direction: str) -> int:
    """How far a sum of records moves, over the sensitivity."""
    return 2 if direction.startswith("replace") else 1


def power(rng: random.Random, low: float, high: float) -> float:
    """Of 10, log-uniform."""
    return 10 ** rng.uniform(low, high)


def with_rate(rng: random.Random, parameters: Parameters, share: float = 0.6) -> Parameters:
    """With a sampling probability more often than not."""
    if rng.random() < share:
        parameters["rate"] = min(power(rng, -4, 0), 0.999)
    return parameters
