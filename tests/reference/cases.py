# SPDX-License-Identifier: Apache-2.0
"""The questions of `table.json`: where accountants are known to fail, and the corners of the range.

A question is (name, run, direction, query, at); a run is a list of (sigma, q, count), and `query`
says whether epsilon is asked at the delta `at`, or delta at the epsilon `at`.
"""

Terms = list[tuple[float, float, int]]
Question = tuple[str, Terms, str, str, float]


def _epsilons(
    name: str, terms: Terms, deltas: list[float], direction: str = "add_remove"
) -> list[Question]:
    return [(name, terms, direction, "epsilon", delta) for delta in deltas]


def _deltas(
    name: str, terms: Terms, epsilons: list[float], direction: str = "add_remove"
) -> list[Question]:
    return [(name, terms, direction, "delta", epsilon) for epsilon in epsilons]


def _reported() -> list[Question]:
    """Inputs that users of other accountants reported, or on which one was found to err."""
    return [
        *_epsilons("few-shot", [(0.8, 0.125, 1000)], [1e-5, 1e-6, 1e-18]),
        *_epsilons("large rate, short", [(1.0, 0.2, 10)], [1e-5]),
        *_epsilons("large rate, long", [(1.0, 0.2, 500)], [1e-5]),
        *_epsilons("rare", [(4.0, 0.00033, 10_000)], [1e-5, 1e-12, 1.1e-18, 1.13e-18]),
        *_epsilons("rare", [(4.0, 0.00038, 10_000)], [1.13e-18, 1.11e-18]),
        *_epsilons("never costs", [(5.0, 0.01, 10)], [0.1, 0.9]),
        *_epsilons("long", [(0.8, 0.05, 20_000)], [1e-6]),
        *_epsilons("longer", [(0.8, 0.05, 50_000)], [1e-6]),
        *_epsilons("longest", [(0.8, 0.05, 500_000)], [1e-5]),
        *_epsilons("calibration", [(1.5, 0.04, 2250)], [1e-5]),
        *_epsilons("schedule", [(1 + 0.001 * i, 0.01, 10) for i in range(100)], [1e-5]),
        *_epsilons("many Gaussians", [(100.0, 1.0, 10_000)], [1e-10, 1e-12, 1e-14]),
        *_epsilons("very many Gaussians", [(3162.3, 1.0, 10_000_000)], [1e-10]),
        *_epsilons("DP-SGD", [(1.0, 0.01, 1000)], [1e-5, 1e-100]),
        *_epsilons("DP-SGD", [(1.0, 0.01, 10_000)], [1e-5, 1e-10, 1e-12, 1e-13]),
        *_epsilons("much noise", [(50.0, 0.1, 100_000)], [1e-10, 1e-13]),
        *_epsilons("more noise", [(20.0, 0.05, 1_000_000)], [1e-9, 1e-11, 1e-12]),
        *_epsilons("rare and long", [(1.0, 0.001, 100_000)], [1e-12]),
        *_epsilons("little noise", [(0.2, 0.01, 1000)], [1e-5]),
        *_epsilons("one, little noise", [(0.05, 1.0, 1)], [1e-5]),
        *_epsilons("nearly always", [(2.0, 0.999, 20)], [1e-10]),
        *_epsilons("short and rare", [(0.5, 0.01, 10)], [1e-5]),
    ]


def _corners() -> list[Question]:
    """The ends of the range of delta, epsilon and the counts."""
    dpsgd = [(1.0, 0.01, 10_000)]
    mixed = [(1.0, 0.01, 10_000), (3.0, 1.0, 5)]
    billion = 1_000_000_000
    return [
        *_epsilons("DP-SGD", dpsgd, [0.9, 1e-2, 1e-18, 1e-100, 1e-300]),
        *_epsilons("one Gaussian", [(1.0, 1.0, 1)], [0.9, 0.3, 1e-6, 1e-18, 1e-100, 1e-300]),
        *_epsilons("one sampled step", [(1.0, 0.01, 1)], [1e-3, 1e-9, 1e-18, 1e-300]),
        *_epsilons("a billion Gaussians", [(1e5, 1.0, billion)], [1e-6, 1e-18]),
        *_epsilons("a billion rare steps", [(1.0, 1e-6, billion)], [1e-9, 1e-18]),
        *_epsilons("a billion noisy steps", [(100.0, 1e-3, billion)], [1e-6, 1e-100]),
        *_epsilons("mixture", mixed, [1e-2, 1e-6, 1e-18, 1e-100]),
        *_deltas("DP-SGD", dpsgd, [0.0, 1.0, 6.0, 20.0, 100.0]),
        *_deltas("one sampled step", [(1.0, 0.01, 1)], [0.0, 1.0, 10.0]),
        *_deltas("mixture", mixed, [0.0, 5.0, 50.0]),
        *_deltas("large epsilon", [(0.8, 0.05, 500_000)], [2000.0, 2500.0, 3000.0]),
        *_deltas("no privacy left", [(0.5, 0.5, 1000)], [0.0, 100.0]),
        *_deltas("largest epsilon", [(0.01, 1.0, 2)], [1e4]),
        *_deltas("rare", [(4.0, 0.00033, 10_000)], [0.0, 0.05, 0.07, 0.1]),
    ]


def _directions() -> list[Question]:
    """The directions on their own, and replacement."""
    dpsgd = [(1.0, 0.01, 1000)]
    return [
        *_epsilons("removal", dpsgd, [1e-5, 1e-18], "remove"),
        *_epsilons("addition", dpsgd, [1e-5, 1e-18], "add"),
        *_deltas("addition", dpsgd, [0.0, 1.0], "add"),
        *_epsilons("addition, large rate", [(1.0, 0.9, 50)], [1e-5], "add"),
        *_epsilons("addition, one step", [(1.0, 0.5, 1)], [1e-2, 1e-5], "add"),
        *_deltas("addition, beyond its loss", [(1.0, 0.5, 1)], [1.0], "add"),
        *_epsilons("replacement, Gaussian", [(1.0, 1.0, 1)], [1e-6], "replace"),
        *_epsilons("replacement, one step", [(2.0, 0.1, 1)], [1e-5], "replace"),
        *_epsilons("replacement", dpsgd, [1e-5, 1e-10, 1e-18, 1e-100], "replace"),
        *_deltas("replacement", dpsgd, [0.0, 2.0], "replace"),
        *_epsilons("replacement, few-shot", [(0.8, 0.125, 1000)], [1e-6], "replace"),
        *_epsilons("replacement, mixture", [(1.0, 0.01, 100), (20.0, 1.0, 50)], [1e-6], "replace"),
    ]


def questions() -> list[Question]:
    """All of them, in the order of the table."""
    return _reported() + _corners() + _directions()
