# SPDX-License-Identifier: Apache-2.0
"""A run of DP-SGD by the name of the way in which its batches are drawn."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Literal, TypeVar, get_args

from hockeystick import _checks, _html
from hockeystick._words import one_of, spoken, written
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism
from hockeystick.limits import Options
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.poisson_sampled import PoissonSampled

Sampling = Literal["poisson", "random_allocation", "shuffled", "fixed_size", "cyclic"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
ADJACENCIES = {
    "shuffled": Adjacency.REPLACE_SPECIAL,
    "fixed_size": Adjacency.REPLACE_ONE,
    "cyclic": Adjacency.REPLACE_SPECIAL,
}
"""The widest relation that a scheme is known for, if it is not ADD_OR_REMOVE_ONE."""
EPOCHS = ("random_allocation", "shuffled", "cyclic")
"""The schemes that cut each epoch into batches, every record into one of them at most."""
_MOST = 1e12  # batches of an epoch, records of a batch
MOST_RECORDS = 10**12
_WHOLE = 1e-9  # how far from a whole number a quotient of two doubles may be, relatively


Real = TypeVar("Real")  # of one run a float, of an array of runs whatever becomes an array
Whole = TypeVar("Whole")  # likewise, for int


class Scheme(Options, Generic[Real, Whole], total=False):
    """The keywords of a question about runs of DP-SGD: their batches and their length."""

    sampling_probability: Real | None
    steps: Whole | None
    batch_size: Whole | None
    dataset_size: Whole | None
    epochs: Real | None
    sampling: Sampling
    drop_last: bool


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class DPSGD(Composition):
    """A run of DP-SGD, said as it was configured: a composition that knows where it comes from.

    Args:
        noise_multiplier: Standard deviation of the noise over the clipping norm; in [0.001, 1e12].
        batch_size: The expected number of records in a batch, in [1, dataset_size]; of
            "fixed_size" the number.
        dataset_size: The number of records, in [1, 1e12].
        epochs: >= 0, not necessarily whole. The steps are epochs * dataset_size / batch_size,
            rounded up, since a step that is begun counts.
        sampling_probability: In place of both sizes, the probability that a record is in a batch.
            Of sizes it is batch_size / dataset_size, the nearest double, which is certified.
        steps: In place of the epochs; in [0, 1e9].
        sampling: How batches are drawn: "poisson", "random_allocation", "shuffled", "fixed_size" or
            "cyclic", each of which has an adjacency: see ``dpsgd_epsilon_bounds``. Of
            "random_allocation", "shuffled" and "cyclic" the epochs are whole, and have
            dataset_size / batch_size batches, rounded up.
        drop_last: Of these three, whether what does not fill a batch is left out of the epoch, as
            by PyTorch's loader: the batches are then rounded down. See ``dpsgd_epsilon_bounds``.

    Attributes ``sampling_probability`` and ``steps`` say what was made of sizes and epochs: of
    epochs that are cut into batches, the probability is 1 over their number.

    >>> run = DPSGD(1.0, batch_size=256, dataset_size=60_000, epochs=10)
    >>> run.steps, run.sampling_probability
    (2344, 0.004266666666666667)
    >>> 1.27 < run.epsilon(delta=1e-6) < 1.28
    True
    >>> sizes = {"batch_size": 256, "dataset_size": 60_000, "epochs": 10}
    >>> whole = DPSGD(1.0, **sizes, sampling="random_allocation", drop_last=True)
    >>> whole == 10 * Gaussian(noise_multiplier=1.0).random_allocation(steps=234)
    True
    """

    noise_multiplier: float
    sampling_probability: float
    steps: int
    sampling: Sampling
    batch_size: int | None
    dataset_size: int | None
    epochs: float | None
    drop_last: bool
    _given: tuple[tuple[str, Any], ...]

    @spoken
    def __init__(
        self,
        noise_multiplier: float,
        *,
        batch_size: int | None = None,
        dataset_size: int | None = None,
        epochs: float | None = None,
        sampling_probability: float | None = None,
        steps: int | None = None,
        sampling: Sampling = "poisson",
        drop_last: bool = False,
    ) -> None:
        if noise_multiplier is None:  # a Gaussian may have other words in its place
            _checks.noise_multiplier(noise_multiplier)  # type: ignore[unreachable]
        step, kind = Gaussian(noise_multiplier), sampling_of(sampling)
        numbers: dict[str, Any] = {
            "batch_size": batch_size,
            "dataset_size": dataset_size,
            "epochs": epochs,
            "sampling_probability": sampling_probability,
            "steps": steps,
        }
        way: dict[str, Any] = {"sampling": kind, "drop_last": drop_last}
        rate, count = rate_and_steps(**numbers, **way)
        part, times = _part(step, kind, rate, count, batch_size, dataset_size, drop_last)
        run = times * part
        for name, x in numbers.items():  # as Python's own numbers
            if x is not None:
                numbers[name] = int(x) if x == int(x) else float(x)
        given = {"noise_multiplier": step.noise_multiplier, **numbers, **way}
        kept = {"terms": run.terms, "_given": tuple(given.items())}
        kept |= given | {"sampling_probability": rate, "steps": count}
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def step(self) -> Mechanism:
        """The mechanism that the run repeats: a step or, where an epoch is drawn at once, an epoch.

        >>> DPSGD(1.0, sampling_probability=0.25, steps=8).step
        Gaussian(1.0).poisson_sampled(0.25)
        >>> DPSGD(1.0, sampling_probability=0.25, steps=8, sampling="random_allocation").step
        Gaussian(1.0).random_allocation(steps=4)
        """
        return self._repeated()[0]

    @property
    def steps_covered(self) -> int:
        """The number of an optimizer's steps in one `step`: 1, or those of an epoch."""
        step, count = self._repeated()
        return self.steps // count if count else step.steps_covered

    def _repeated(self) -> tuple[Mechanism, int]:
        return drawn(**{name: value for name, value in self._given if value is not None})

    def __repr__(self) -> str:
        return written(type(self), dict(self._given))

    def _repr_html_(self) -> str:
        given = {name: value for name, value in self._given if value is not None}
        shown = given | {"sampling_probability": self.sampling_probability, "steps": self.steps}
        head = [name.replace("_", " ") for name in shown]
        return _html.table(head, [[str(value) for value in shown.values()]], left=())


def sampled_run(**scheme: Any) -> Composition:
    """A run of DP-SGD, with the arguments of `drawn`."""
    part, count = drawn(**scheme)
    return count * part


def drawn(
    *,
    noise_multiplier: float,
    sampling: str = "poisson",
    dataset_size: int | None = None,
    drop_last: bool = False,
    **numbers: Any,
) -> tuple[Mechanism, int]:
    """The repeated mechanism, a step or an epoch, and the number of its runs.

    Args:
        noise_multiplier: In [0.001, 1e12], or less where a scheme says so.
        sampling: "poisson", "random_allocation" (drawn anew in each epoch), "shuffled" (anew in
            each epoch), "fixed_size" (drawn without replacement for each step) or "cyclic" (each
            record in one batch of every epoch, which may be known; one Gaussian step an epoch);
            underscore or hyphen. If cyclic batches are cut from a list, a record that is added or
            removed moves all later ones: that is not known, and not refused.
        dataset_size: The number of records, with a batch size or for "fixed_size": the batch has
            sampling_probability * dataset_size records, a whole number.
        drop_last: As of `batches_of`.
        numbers: As of `rate_and_steps`. An epoch of "random_allocation", "shuffled" or "cyclic" has
            1 / sampling_probability batches, a whole number up to 1e12, or those of `batches_of`;
            the steps are whole epochs of these three.

    Raises:
        ValueError: An argument is out of range, or not whole where it must be.
    """
    kind = sampling_of(sampling)
    way: dict[str, Any] = {"dataset_size": dataset_size, "drop_last": drop_last}
    q, count = rate_and_steps(**numbers, sampling=kind, **way)
    return _part(Gaussian(noise_multiplier), kind, q, count, numbers.get("batch_size"), **way)


def _part(
    step: Gaussian,
    kind: Sampling,
    q: float,
    count: int,
    records: int | None,
    dataset_size: int | None,
    drop_last: bool,  # noqa: FBT001
) -> tuple[Mechanism, int]:
    """The result of `drawn` for the probability q and the number of steps."""
    if kind == "poisson" or q == 0:
        return PoissonSampled(step, q), count
    if kind == "fixed_size":
        size = _checks.whole("dataset_size", dataset_size, 2, MOST_RECORDS)
        said = f"sampling_probability * dataset_size must be whole, got {q * size!r}"
        batch = _whole(q * size, said) if records is None else records
        return step.fixed_size_sampled(batch_size=batch, dataset_size=size), count
    batches, left_out = _whole_batches(kind, q), 0
    if records is not None:
        batches, left_out = batches_of(int(dataset_size or 0), int(records), drop_last=drop_last)
    epochs, more = divmod(count, batches)
    if more:
        raise ValueError(
            f"steps must be whole epochs of {batches} batches for {kind!r}, got {count}: "
            f"{epochs * batches} or {(epochs + 1) * batches} would do"
        )
    if kind == "cyclic":
        return step, epochs
    if kind == "random_allocation":
        return step.random_allocation(steps=batches), epochs
    sizes: dict[str, Any] = {} if records is None else {"batch_size": records}
    if records is not None and (rest := int(dataset_size or 0) % records):
        sizes["left_out" if left_out else "last_batch"] = rest
    return step.shuffled(batches=batches, **sizes), epochs


def batches_of(dataset_size: int, batch_size: int, *, drop_last: bool) -> tuple[int, int]:
    """The batches of an epoch that is cut, and how many records are left out of each epoch.

    Args:
        dataset_size: The number of records.
        batch_size: Of a whole batch, at most `dataset_size`.
        drop_last: Whether records that do not fill a batch are left out of the epoch. If not they
            are a batch by themselves, the last and smaller one.

    What an epoch costs does not depend on the size of a batch, as noise is added to the sum; what
    can be proved of shuffled batches does. In a fixed order each record is in one known batch,
    whatever its size. Random allocation draws one of the batches for each record by itself, so that
    their sizes are random, and none is left out.
    Where batches are shuffled, the theorem weighs them by their sizes: a smaller one costs little.
    From below, with all other records alike, the outputs of b batches of any sizes, put into a
    random order, are those of b batches of equal size: no attack on these is lost.
    """
    batches, rest = divmod(dataset_size, batch_size)
    return (batches, rest) if drop_last or rest == 0 else (batches + 1, 0)


def sampling_of(name: object) -> Sampling:
    """The way of drawing batches of that name, underscore or hyphen."""
    if name.__class__ is not str or name not in SAMPLINGS:
        said = name.replace("-", "_") if isinstance(name, str) else name
        name = _checks.choice("sampling", said, SAMPLINGS)
    return name  # type: ignore[return-value]


def rate_and_steps(
    *,
    sampling_probability: float | None = None,
    steps: int | None = None,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    epochs: float | None = None,
    sampling: str = "poisson",
    drop_last: bool = False,
) -> tuple[float, int]:
    """The probability that a record is in a batch, and the number of steps.

    Given as such, or as the size of batches and data, and as epochs. Epochs are rounded up to whole
    steps, but for what the rounding of a double explains; of epochs that are cut into batches, the
    probability is 1 over the number of `batches_of`.

    Raises:
        ValueError: A number is out of range.
        TypeError: A number is missing, given twice, or has the wrong type.
    """
    unclear = (sampling_probability is None) == (batch_size is None)
    if unclear or (steps is None) == (epochs is None):
        one_of(sampling_probability=sampling_probability, batch_size=batch_size)
        one_of(steps=steps, epochs=epochs)
    cut = batch_size is not None and sampling in EPOCHS
    if drop_last is not False and _checks.instance("drop_last", drop_last, bool) and not cut:
        why = "without batch_size" if sampling in EPOCHS else f"for {sampling!r}"
        raise ValueError(f"drop_last must be False {why}: no epoch is cut into batches; got True")
    if batch_size is not None:
        if dataset_size is None:
            raise TypeError("dataset_size must be given with batch_size")
        size = _checks.whole("dataset_size", dataset_size, 1, MOST_RECORDS)
        records = _checks.whole("batch_size", batch_size, 1, size)
        part: Fraction | float = Fraction(records, size)
        if cut:
            part = Fraction(1, batches_of(size, records, drop_last=drop_last)[0])
    else:
        if (sampling == "fixed_size") != (dataset_size is not None):
            raise ValueError(
                f"dataset_size must be given with batch_size, or if sampling is 'fixed_size', "
                f"and only then, got {_checks.show(dataset_size)} with {sampling!r}"
            )
        part = _checks.probability("sampling_probability", sampling_probability)
    if epochs is None:
        return float(part), _checks.whole("steps", steps, 0, _checks.MAX_COUNT)
    if part == 0:
        raise ValueError("sampling_probability must be above 0 if epochs are given, got 0")
    exact = Fraction(_checks.non_negative("epochs", epochs)) / Fraction(part)
    nearest = round(exact)
    count = nearest if abs(exact - nearest) <= exact * Fraction(2) ** -50 else math.ceil(exact)
    if count > _checks.MAX_COUNT:
        raise ValueError(
            f"epochs must make at most {_checks.MAX_COUNT} steps, got {_checks.show(epochs)}"
        )
    return float(part), count


def _whole_batches(kind: str, rate: float) -> int:
    """The number of batches in an epoch."""
    said = f"1 / sampling_probability must be whole, up to 1e12, for {kind!r}, got {1 / rate!r}"
    if 1 < 1 / rate < _MOST:
        said += f": 1/{math.floor(1 / rate)} or 1/{math.ceil(1 / rate)} would do"
    return _whole(1 / rate, said)


def _whole(value: float, message: str) -> int:
    nearest = round(min(value, _MOST))
    if not (value <= _MOST and abs(nearest - value) <= _WHOLE * value):
        raise ValueError(message)
    return nearest
