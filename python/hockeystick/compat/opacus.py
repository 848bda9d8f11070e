# SPDX-License-Identifier: Apache-2.0
"""An accountant for Opacus: importing this module registers it as "hockeystick".

    from hockeystick.compat.opacus import PrivacyEngine     # was: from opacus import PrivacyEngine

    engine = PrivacyEngine()

This engine is Opacus' own, whose accountant is ours unless another one is asked for; after the
import, so is ``opacus.PrivacyEngine(accountant="hockeystick")``. ``get_noise_multiplier(..., accountant="hockeystick")``, ``make_private_with_epsilon`` and
checkpoints work as with Opacus' own accountants; so do checkpoints of runs that began with one of those. Needs Opacus 1.6: the extra
``hockeystick[opacus]``.

Answers differ from those of its "prv", "rdp" and "gdp" where these are wrong, or fail:

| where | Opacus 1.6.0 | here |
| --- | --- | --- |
| epsilon | prv, gdp: may fall below the truth; rdp: above, mostly by far | certified, within a thousandth |
| before the first step | prv: ValueError, gdp: IndexError | 0 |
| at large delta | prv, rdp: negative | at least 0 |
| delta below about 1e-13 | prv: ValueError | down to 1e-300 |
| large epsilon, schedules of noise | prv: seconds, minutes, or errors | milliseconds; 100 noise levels, a second |
| ``len(accountant)`` | entries of the history | steps, as `IAccountant` documents |

The account is of Poisson-sampled batches, with a record added or removed. `PrivacyEngine` warns of
``poisson_sampling=False``. An accountant by itself, and Opacus' own engine, do not see how batches
are drawn; there it is for the user not to train otherwise.
"""  # noqa: E501 - rows of a table

import math
import warnings
from collections.abc import Mapping
from typing import Any

import hockeystick as hs
from hockeystick.compat import _arguments
from hockeystick.errors import of_extra
from hockeystick.limits import DEFAULT_TOLERANCE

with of_extra("opacus"):
    import opacus
    from opacus.accountants import IAccountant, register_accountant

NAME = "hockeystick"
_SAME_HISTORIES = ("gdp", "prv", "rdp")
_NOT_POISSON = (
    "with poisson_sampling=False this account, which is of Poisson sampling, may be far below the "
    "truth; of shuffled batches, ask hockeystick.DPSGD(noise_multiplier, batch_size=.., "
    'dataset_size=.., epochs=.., sampling="shuffled", drop_last=data_loader.drop_last)'
    '.epsilon_bounds(delta, adjacency="replace-special")'
)


class HockeystickAccountant(IAccountant):  # type: ignore[misc] # Opacus' type is not known
    """Certified epsilon of the steps that an optimizer took.

    `history` holds (noise multiplier, sample rate, steps) in order of arrival, equal neighbours
    merged; it may be assigned. Steps are whole numbers, also as floats.
    """

    def __init__(self) -> None:
        self.history: list[tuple[float, float, int]] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Enter one optimization step.

        Args:
            noise_multiplier: Standard deviation of the noise over the clipping norm: 0, or in
                [0.001, 1e12].
            sample_rate: Probability with which a record is in the batch, in [0, 1].

        Raises:
            ValueError: An argument is out of range; nothing is entered.
            TypeError: An argument has the wrong type; nothing is entered.
        """
        _steps(noise_multiplier, sample_rate, 1)
        if self.history and tuple(self.history[-1][:2]) == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:  # noqa: ARG002, theirs
        """Certified upper bound on epsilon at `delta`; inf after a step without noise.

        Args:
            delta: In (0, 1).
            args: Not used: the options of Opacus' accountants, such as `eps_error` or `alphas`,
                choose between accuracy and time.
            kwargs: As `args`.

        Raises:
            ValueError: `delta`, or something in the history, is out of range.
            TypeError: As above, of the wrong type.
            CertificationError: A thousandth is out of reach; carries the best bounds.
        """
        return self.epsilon_bounds(delta).upper

    def epsilon_bounds(
        self, delta: float, *, tolerance: float = DEFAULT_TOLERANCE
    ) -> hs.Bounds[float]:
        """Epsilon at `delta`, enclosed; see ``Composition.epsilon_bounds``."""
        delta = _arguments.one_delta(delta)
        run = self._run()
        if run is None:
            return hs.Bounds(math.inf, math.inf)
        return run.epsilon_bounds(delta, tolerance=tolerance)

    @property
    def composition(self) -> hs.Composition:
        """The whole account as a run: for ledgers and reports, pictures, sentences and audits.

        Raises:
            ValueError: A step ran without noise: it may tell everything, which no run says; or
                something in the history is out of range.
        """
        run = self._run()
        if run is None:
            raise ValueError("noise_multiplier must be in [0.001, 1e+12] in every step, got 0")
        return run

    def _run(self) -> hs.Composition | None:
        """The run of the whole account, or None after a step without noise."""
        parts = [_steps(*entry) for entry in self.history]
        if None in parts:
            return None
        return sum((part for part in parts if part is not None), hs.Composition())

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a state of this accountant, or of Opacus' "prv", "rdp" or "gdp".

        Their histories are of the same form. As theirs, this account is of Poisson sampling.

        Args:
            state_dict: What ``state_dict()`` gave.

        Raises:
            ValueError: It is of another mechanism, or incomplete.
        """
        if state_dict and state_dict.get("mechanism") in _SAME_HISTORIES:
            state_dict = {**state_dict, "mechanism": NAME}
        super().load_state_dict(state_dict)
        self.history = list(self.history)

    def __len__(self) -> int:
        """Steps taken so far."""
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name under which Opacus knows this accountant."""
        return NAME


class PrivacyEngine(opacus.PrivacyEngine):  # type: ignore[misc] # Opacus' type is not known
    """Opacus' engine, with a `HockeystickAccountant` unless another accountant is named.

    Args:
        accountant: The name of an accountant.
        secure_mode: Whether noise and batches come from a cryptographic generator.
    """

    def __init__(self, *, accountant: str = NAME, secure_mode: bool = False) -> None:
        super().__init__(accountant=accountant, secure_mode=secure_mode)

    def make_private(self, *, poisson_sampling: bool = True, **kwargs: Any) -> Any:  # noqa: ANN401
        """Makes training private as Opacus does; `make_private_with_epsilon` calls this, too.

        Args:
            poisson_sampling: Whether batches are sampled anew. Warned of if not: the account is of
                Poisson sampling, which may cost far less.
            kwargs: As of Opacus' ``make_private``.

        Raises:
            ValueError: `noise_multiplier` is less than this account knows, and not 0; said before
                the training, not after it.
        """
        if isinstance(self.accountant, HockeystickAccountant) and "noise_multiplier" in kwargs:
            _steps(kwargs["noise_multiplier"], 1.0, 1)
        if not poisson_sampling and isinstance(self.accountant, HockeystickAccountant):
            warnings.warn(_NOT_POISSON, UserWarning, stacklevel=2)
        return super().make_private(poisson_sampling=poisson_sampling, **kwargs)


def _steps(noise_multiplier: float, sample_rate: float, steps: int) -> hs.Composition | None:
    """The run of one entry of a history; None if that may reveal everything."""
    rate = _arguments.probability("sample_rate", sample_rate)
    count = _arguments.count("steps", steps)
    if noise_multiplier == 0:
        return hs.Composition() if 0 in (rate, count) else None
    return count * hs.Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(rate)


register_accountant(NAME, HockeystickAccountant, force=True)
