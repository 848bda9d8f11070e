# SPDX-License-Identifier: Apache-2.0
"""Other forms of a run: sentences, JSON, events of dp_accounting."""

from importlib import import_module
from typing import Any

from hockeystick._words import outspoken
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.errors import of_extra
from hockeystick.queries import Asked
from hockeystick.views import Views


@outspoken
class InSentences(Asked):
    """Runs as sentences, by a module that stands above."""

    __slots__ = ()

    def sentence(
        self,
        delta: float | None = None,
        *,
        epsilon: float | None = None,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
        **options: Any,
    ) -> str:
        """The answer in sentences, to put into a paper or a report.

        Args:
            delta: In [0, 1), or None.
            epsilon: In its place, in [0, 10000] nats; then delta is what is said.
            adjacency: Which datasets are neighbours.
            options: ``tolerance`` and ``memory_limit``, as of ``epsilon_bounds``.

        Raises:
            ValueError: An argument is out of range.
            TypeError: Not one of `delta` and `epsilon` is given.
            CertificationError: The tolerance is out of reach.

        >>> import hockeystick as hs
        >>> (100 * hs.Gaussian(noise_multiplier=10.0)).sentence(delta=1e-5)  # doctest: +ELLIPSIS
        'The result is (epsilon = 4.37718, delta = 1e-05)-differentially private, where ...'
        """
        write = import_module("hockeystick.sentences").sentence
        said: str = write(self, delta=delta, epsilon=epsilon, adjacency=adjacency, **options)
        return said


@outspoken
class OtherForms(InSentences, Views):
    """Also as JSON and as events."""

    __slots__ = ()

    def to_json(self) -> str:
        """The run as JSON, which ``Composition.from_json`` and ``Accountant.read_text`` take.

        Raises:
            TypeError: A mechanism is of a class of the user's own, or holds functions.
        """
        accountant = import_module("hockeystick.accountant").Accountant()
        text: str = accountant.compose(self).to_json()
        return text

    def to_dp_event(self) -> Any:  # noqa: ANN401, dp_accounting is optional
        """The same run as an event of dp_accounting, for its accountants and other tools.

        Raises:
            TypeError: The installed dp_accounting has no event for a mechanism.
            ModuleNotFoundError: It is not installed; the extra is named.
        """
        with of_extra("dp-accounting"):
            return import_module("hockeystick.compat.dp_accounting.written").event_of(self)
