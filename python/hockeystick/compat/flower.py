# SPDX-License-Identifier: Apache-2.0
"""An accountant for Flower, in the place of its `RdpAccountant`.

    from hockeystick.compat.flower import HockeystickAccountant

    accountant = HockeystickAccountant(config)     # was: RdpAccountant(config)

It has what ``flwr.serverapp.PrivacyAccountant`` asks for, and consumes Flower's own configuration
and events. Needs Flower 1.35: the extra ``hockeystick[flower]``.

Every number is a certified upper bound: with ``POISSON`` and ``NO_AMPLIFICATION`` within a
thousandth of the truth, where Renyi accounting stays well above. With ``WITHOUT_REPLACEMENT``
theory leaves a gap. A client who is replaced moves the sum by two clipping norms, and the noise
multiplier is relative to one; Flower's `RdpAccountant` takes it as relative to the whole move.
"""

from dataclasses import asdict
from typing import Any, NoReturn

import hockeystick as hs
from hockeystick import outward
from hockeystick.compat import _arguments
from hockeystick.errors import of_extra

with of_extra("flower"):
    from flwr.serverapp import (
        GaussianPrivacyEvent,
        NeighboringRelation,
        PrivacyConfig,
        PrivacySpent,
        SamplingMethod,
    )

METHOD = "hockeystick"
_VERSION = 1


class HockeystickAccountant:
    """Certified cumulative privacy of sampled Gaussian releases.

    Args:
        config: Flower's configuration. ``WITHOUT_REPLACEMENT`` goes with ``REPLACE_ONE`` alone.

    Raises:
        ValueError: Sampling is ``WITHOUT_REPLACEMENT`` of clients who are added or removed.
        TypeError: `config` is no such configuration.
    """

    def __init__(self, config: PrivacyConfig) -> None:
        self._config: PrivacyConfig = _arguments.instance("config", config, PrivacyConfig)
        relation = config.neighboring_relation
        if self._is_fixed and relation is not NeighboringRelation.REPLACE_ONE:
            raise ValueError(
                "config.neighboring_relation must be REPLACE_ONE for WITHOUT_REPLACEMENT, as the "
                "probability of a client changes with the number of clients, "
                f"got {relation.name}; or sample with POISSON"
            )
        self._events: list[tuple[GaussianPrivacyEvent, int]] = []
        self._account = hs.Accountant(adjacency=relation.value)

    @property
    def config(self) -> PrivacyConfig:
        """Flower's configuration."""
        return self._config

    @property
    def _is_fixed(self) -> bool:
        return self._config.sampling_method is SamplingMethod.WITHOUT_REPLACEMENT

    @property
    def num_releases(self) -> int:
        """The number of releases that were composed."""
        return sum(count for _, count in self._events)

    def compose(self, event: GaussianPrivacyEvent, count: int = 1) -> None:
        """Enter `count` equal releases; on an error, nothing is entered.

        Args:
            event: A release, on the population of the configuration.
            count: In [1, 1e9]; so is the total of each distinct event.

        Raises:
            ValueError: An argument is out of range, or the population another one.
            TypeError: An argument has the wrong type.
        """
        self._account.compose(self._mechanism(event), _count(count))
        self._events.append((event, count))

    def get_epsilon(self, delta: float) -> float:
        """Certified upper bound on epsilon so far at `delta`, in (0, 1)."""
        return self._account.epsilon(delta)

    def get_delta(self, epsilon: float) -> float:
        """Certified upper bound on delta so far at `epsilon`, in [0, 1e4] nats."""
        return self._account.delta(epsilon)

    def get_privacy_spent(self, delta: float | None = None) -> PrivacySpent:
        """Flower's report of epsilon so far at `delta`, by default that of the configuration."""
        delta = self._config.target_delta if delta is None else delta
        return PrivacySpent(
            epsilon=self.get_epsilon(delta),
            delta=delta,
            num_releases=self.num_releases,
            accounting_method=METHOD,
        )

    def would_exceed(
        self, event: GaussianPrivacyEvent, max_epsilon: float | None = None, count: int = 1
    ) -> bool:
        """Whether `count` more releases might break a budget; nothing is entered.

        False is a certificate; see ``hockeystick.Accountant.would_exceed``.

        Args:
            event: As of `compose`.
            max_epsilon: The budget, > 0 [nats]; by default that of the configuration.
            count: As of `compose`.

        Raises:
            ValueError: As `compose`; or there is no budget.
            TypeError: An argument has the wrong type.
        """
        limit = self._config.max_epsilon if max_epsilon is None else max_epsilon
        if limit is None:
            raise ValueError("max_epsilon must be given, here or in the PrivacyConfig")
        limit = _arguments.positive("max_epsilon", limit)
        mechanism = self._mechanism(event)
        return self._account.would_exceed(
            mechanism, _count(count), epsilon=limit, delta=self._config.target_delta
        )

    def state_dict(self) -> dict[str, object]:
        """The whole account as data that JSON can hold."""
        return {
            "schema_version": _VERSION,
            "backend": METHOD,
            "config": _config_state(self._config),
            "compositions": [
                {"event": asdict(event), "count": count} for event, count in self._events
            ],
        }

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Restore what `state_dict` gave; on an error, nothing changes.

        Raises:
            ValueError: `state` is not of such an accountant, or of another configuration.
        """
        expected = {
            "schema_version": _VERSION,
            "backend": METHOD,
            "config": _config_state(self._config),
        }
        for name, value in expected.items():
            if name not in state or state[name] != value:
                _refuse(name, f"must be {value!r}", state.get(name))
        entries = state.get("compositions")
        if not isinstance(entries, list):
            _refuse("compositions", "must be a list", entries)
        restored = type(self)(self._config)
        for entry in entries:
            _restore(restored, entry)
        self._events, self._account = restored._events, restored._account

    def _mechanism(self, event: GaussianPrivacyEvent) -> hs.Mechanism:
        """One release; a sampling probability that is no binary64 number is rounded up."""
        event = _arguments.instance("event", event, GaussianPrivacyEvent)
        population = self._config.population_size
        if event.population_size != population:
            raise ValueError(
                f"event.population_size must be that of the configuration, {population}, "
                f"got {event.population_size}"
            )
        noise = hs.Gaussian(noise_multiplier=event.noise_multiplier)
        if self._is_fixed and population > 1:
            return noise.fixed_size_sampled(batch_size=event.sample_size, dataset_size=population)
        if self._config.sampling_method is not SamplingMethod.POISSON:
            return noise
        probability = outward.quotient(event.sample_size, population, above=True)
        return noise.poisson_sampled(probability)


def _count(count: object) -> int:
    return _arguments.count("count", count, 1)


def _config_state(config: PrivacyConfig) -> dict[str, object]:
    state = asdict(config)
    return {name: getattr(value, "value", value) for name, value in state.items()}


def _restore(account: HockeystickAccountant, entry: Any) -> None:  # noqa: ANN401
    try:
        account.compose(GaussianPrivacyEvent(**entry["event"]), entry["count"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"state['compositions'] must hold releases, got {entry!r}") from error


def _refuse(name: str, expected: str, got: object) -> NoReturn:
    raise ValueError(f"state[{name!r}] {expected}, got {got!r}")
