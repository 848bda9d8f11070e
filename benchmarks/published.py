# SPDX-License-Identifier: Apache-2.0
"""The comparisons that were published with connect the dots, as questions to all libraries.

Doroshenko, Ghazi, Kamath, Kumar & Manurangsi (2022) compare their estimates with privacy buckets
and with prv_accountant on much finer grids: same mechanisms, delta and grids here, own data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cases import Truth
from measure import Answer, Ask

if TYPE_CHECKING:
    import hockeystick as hs

TRUTHS = Path(__file__).with_name("published_truths.json")
DELTA = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Epsilon at delta = 1e-5 of a mechanism, at each of `counts`, by each of `methods`."""

    name: str
    title: str
    noise_multiplier: float
    sampling_probability: float = 1.0
    laplace: bool = False
    counts: tuple[int, ...]
    interval: float
    """Grid of connect the dots [nats]."""
    fine: float
    """Grid of privacy buckets in dp-accounting [nats]."""
    mesh: float | None = None
    """Grid of prv-accountant [nats], if it has the mechanism."""
    reach: float | None = None
    """Largest loss of a step on the grid [nats]; None: as far as its mass goes."""

    @property
    def step(self) -> hs.Mechanism:
        """The mechanism."""
        import hockeystick as hs  # noqa: PLC0415

        kind = hs.Laplace if self.laplace else hs.Gaussian
        mechanism = kind(noise_multiplier=self.noise_multiplier)
        q = self.sampling_probability
        return mechanism if q == 1 else mechanism.poisson_sampled(q)

    @property
    def support(self) -> list[float] | None:
        """The losses a step is put on, where it would not be put on any by itself."""
        if self.reach is None:
            return None
        last = math.ceil(self.reach / self.interval)
        return [k * self.interval for k in range(-last, last + 1)]


COMPARISONS = (
    Comparison(
        name="gaussian",
        title="Gaussian, noise multiplier 80",
        noise_multiplier=80.0,
        counts=(100, 250, 500, 1000, 2000, 4000),
        interval=5e-3,
        fine=5e-3,
        reach=0.15,  # 12 standard deviations of the loss
    ),
    Comparison(
        name="sampled-gaussian",
        title="Gaussian, noise multiplier 1, sampling probability 0.01",
        noise_multiplier=1.0,
        sampling_probability=0.01,
        counts=(100, 250, 500, 1000, 2000, 4000),
        interval=5e-3,
        fine=7.5e-5,
        mesh=7.5e-4,
    ),
    Comparison(
        name="sampled-laplace",
        title="Laplace, noise multiplier 5, sampling probability 0.01",
        noise_multiplier=5.0,
        sampling_probability=0.01,
        laplace=True,
        counts=(100, 250, 500, 1000, 2000, 4000),
        interval=2e-4,
        fine=2e-6,
    ),
)


def truths(path: Path = TRUTHS) -> dict[tuple[str, int], Truth]:
    """The truth of each comparison at each count, from the table that make_truths.py wrote."""
    return {
        (row["name"], row["count"]): Truth(Fraction(row["truth"]), Fraction(row["error"]))
        for row in json.loads(path.read_text(encoding="utf-8"))
    }


def certified(comparison: Comparison, count: int) -> Ask:
    """What the library answers when it may choose the grid, at its default tolerance."""

    def ask() -> Answer:
        bounds = (count * comparison.step).epsilon_bounds(DELTA)
        return Answer(lower=bounds.lower, upper=bounds.upper, estimate=bounds.estimate)

    return ask


def connect_dots(comparison: Comparison, count: int) -> Ask:
    """Both estimates on the grid of the comparison."""
    support = comparison.support

    def ask() -> Answer:
        run = count * comparison.step
        lower, upper = (
            run.pld(
                discretization_interval=comparison.interval, side=side, support=support
            ).epsilon(DELTA)
            for side in ("lower", "upper")
        )
        return Answer(lower=lower, upper=upper)

    return ask


def _dp_accounting(comparison: Comparison) -> Callable[..., float]:
    from dp_accounting.pld import (  # type: ignore[import-untyped]  # noqa: PLC0415
        privacy_loss_distribution as pld,
    )

    def epsilon(count: int, interval: float, *, upper: bool, dots: bool) -> float:
        make = pld.from_laplace_mechanism if comparison.laplace else pld.from_gaussian_mechanism
        step = make(
            comparison.noise_multiplier,
            sampling_prob=comparison.sampling_probability,
            value_discretization_interval=interval,
            pessimistic_estimate=upper,
            use_connect_dots=dots,
        )
        return float(step.self_compose(count).get_epsilon_for_delta(DELTA))

    return epsilon


def their_connect_dots(comparison: Comparison, count: int) -> Ask:
    """dp-accounting's connect the dots on the same grid, which has no lower estimate."""
    epsilon = _dp_accounting(comparison)

    def ask() -> Answer:
        return Answer(upper=epsilon(count, comparison.interval, upper=True, dots=True))

    return ask


def their_buckets(comparison: Comparison, count: int) -> Ask:
    """dp-accounting's privacy buckets on a finer grid, from both sides."""
    epsilon = _dp_accounting(comparison)

    def ask() -> Answer:
        lower = epsilon(count, comparison.fine, upper=False, dots=False)
        return Answer(lower=lower, upper=epsilon(count, comparison.fine, upper=True, dots=False))

    return ask


def prv(comparison: Comparison, count: int) -> Ask:
    """prv-accountant with the eps_error that makes its mesh the one wanted."""
    from prv_accountant import PRVAccountant  # type: ignore[import-untyped]  # noqa: PLC0415
    from prv_accountant.privacy_random_variables import (  # type: ignore[import-untyped]  # noqa: PLC0415
        GaussianMechanism,
        PoissonSubsampledGaussianMechanism,
    )

    sigma, q = comparison.noise_multiplier, comparison.sampling_probability
    delta_error = DELTA / 1000
    # The mesh is eps_error over this root: Gopi, Lee & Wutschitz (2021), Theorem 5.5.
    eps_error = (comparison.mesh or 0.0) * math.sqrt(count / 2 * math.log(12 / delta_error))

    def ask() -> Answer:
        variable = (
            GaussianMechanism(noise_multiplier=sigma)
            if q == 1
            else PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=q)
        )
        accountant = PRVAccountant(
            prvs=[variable],
            max_self_compositions=[count],
            eps_error=eps_error,
            delta_error=delta_error,
        )
        lower, estimate, upper = map(float, accountant.compute_epsilon(DELTA, [count]))
        return Answer(lower=lower, upper=upper, estimate=estimate)

    return ask


def methods(comparison: Comparison) -> dict[str, Callable[[Comparison, int], Ask]]:
    """The ways to an answer, by the names they have in pictures and tables; ours first."""
    ways: dict[str, Callable[[Comparison, int], Ask]] = {
        "hockeystick, certified": certified,
        f"hockeystick, connect the dots, {comparison.interval:g}": connect_dots,
    }
    if find_spec("dp_accounting"):
        ways[f"dp-accounting, connect the dots, {comparison.interval:g}"] = their_connect_dots
        ways[f"dp-accounting, privacy buckets, {comparison.fine:g}"] = their_buckets
    if find_spec("prv_accountant") and comparison.mesh is not None:
        ways[f"prv-accountant, {comparison.mesh:g}"] = prv
    return ways
