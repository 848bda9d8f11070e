# SPDX-License-Identifier: Apache-2.0
"""DP-SGD for whole arrays of parameters."""

from functools import wraps
from typing import Any, Generic, NotRequired, Unpack, overload

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick import sampling as schemes
from hockeystick._array_like import ArrayLike
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.bounds import Bounds, ErrorBudget
from hockeystick.composition import Composable
from hockeystick.errors import CertificationError
from hockeystick.limits import Limits, Options, spelled_out
from hockeystick.mechanisms.gaussian import Gaussian

_LIMITS = Limits()
_OF_ONE = (float, float, int, float)  # types of the numbers of one question
_CHUNK = 4096  # questions that are answered at once, which bounds the memory of their answers


class Run(schemes.Scheme[schemes.Real, schemes.Whole], Generic[schemes.Real, schemes.Whole]):
    """The keywords of a question about one run, or about an array of runs."""

    noise_multiplier: schemes.Real
    delta: schemes.Real
    threads: NotRequired[int]


@overload
def dpsgd_epsilon_bounds(**run: Unpack[Run[float, int]]) -> Bounds[float]: ...
@overload
def dpsgd_epsilon_bounds(
    **runs: Unpack[Run[ArrayLike, ArrayLike]],
) -> Bounds[FloatArray]: ...
@spoken
@spelled_out
def dpsgd_epsilon_bounds(  # noqa: PLR0913, two ways to say two numbers
    *,
    noise_multiplier: ArrayLike,
    sampling_probability: ArrayLike | None = None,
    steps: ArrayLike | None = None,
    delta: ArrayLike,
    batch_size: ArrayLike | None = None,
    dataset_size: ArrayLike | None = None,
    epochs: ArrayLike | None = None,
    sampling: schemes.Sampling = "poisson",
    drop_last: bool = False,
    threads: int = 1,
    **options: Unpack[Options],
) -> Any:
    """Epsilon of runs of DP-SGD, enclosed: ``steps`` Gaussians on Poisson subsamples.

    All numbers broadcast like the arguments of a NumPy ufunc. Every element is the answer to
    ``(steps * Gaussian(...).poisson_sampled(...)).epsilon_bounds(delta)``, to the last bit.

    Args:
        noise_multiplier: Standard deviation of the noise over the clipping norm; in [0.001, 1e12].
        sampling_probability: Of each record in each step; in [0, 1], where 0 costs nothing.
        steps: Whole numbers in [0, 1e9].
        delta: In [0, 1). One record in n may leak whole at delta = 1 / n: usual is n^-1.1 or less.
        batch_size: In place of sampling_probability, with dataset_size: the expected number of
            records in a batch. The probability is batch_size / dataset_size.
        dataset_size: The number of records; also for "fixed_size".
        epochs: In place of steps, which are epochs * dataset_size / batch_size, rounded up.
        sampling: How batches are drawn: "poisson", "random_allocation", "shuffled", "fixed_size" or
            "cyclic". "shuffled" and "fixed_size" have an adjacency of their own, to be asked for,
            and bounds that theory does not close: they are wider than the tolerance, without an
            exception. In "cyclic" batches, always the same, an epoch is one Gaussian step.
        drop_last: Where batch_size does not divide dataset_size and an epoch is cut into batches,
            as of 60,000 records into batches of 256: False, as in PyTorch, the last batch is
            smaller (235 batches); True, what does not fill a batch is left out (234 batches, 96
            records left out of each epoch). Of "random_allocation" these are the numbers of batches
            that records are drawn into, of random sizes. A "cyclic" epoch costs the same.
            "shuffled" epochs with a smaller batch cost about what as many equal batches do; which
            random records are left out hides where a record is, and has a far smaller bound: see
            ``Shuffled``.
        threads: How many share the questions, in [1, 1024]; answers do not depend on it.
        options: As of ``Composition.epsilon_bounds``; the memory limit is that of each question.

    Returns:
        ``lower`` and ``upper`` [nats], of the common shape, or floats if all arguments are scalar.
        The exact epsilon lies between, rounding included, and
        ``upper - lower <= tolerance * upper``.

    Raises:
        ValueError: An argument is out of range, or the shapes do not broadcast.
        TypeError: An argument has the wrong type.
        CertificationError: The tolerance is out of reach for some question, the first of which the
            message names; carries the best bounds for all.

    Cost: one loop in the core, during which other Python threads run.
    """
    limits = Limits().updated(options) if options else _LIMITS
    row = (noise_multiplier, sampling_probability, steps, delta)
    if (
        tuple(map(type, row)) == _OF_ONE
        and batch_size is dataset_size is epochs is None
        and (sampling, drop_last, threads) == ("poisson", False, 1)
        and (alone := _answered_alone(row, limits)) is not None
    ):
        return alone
    workers = _checks.whole("threads", threads, 1, _checks.MAX_THREADS)
    numbers = {
        "sampling_probability": sampling_probability,
        "steps": steps,
        "batch_size": batch_size,
        "dataset_size": dataset_size,
        "epochs": epochs,
    }
    numbers = {name: value for name, value in numbers.items() if value is not None}
    kind = schemes.sampling_of(sampling)
    if kind == "poisson" and (drop_last or set(numbers) != {"sampling_probability", "steps"}):
        numbers = _rates_and_steps(numbers, drop_last=drop_last)
    if kind == "poisson":
        numbers["sampling_probability"] = _checks.rate_array(
            numbers["sampling_probability"], name="sampling_probability"
        )
        numbers["steps"] = _checks.count_array("steps", numbers["steps"])
    runs = _broadcast(
        noise_multiplier=_checks.noise_multiplier_array(noise_multiplier),
        **{name: np.asarray(value) for name, value in numbers.items()},
        delta=_checks.delta_array(delta),
    )
    shape = runs["delta"].shape
    if kind != "poisson":
        return _one_by_one(runs, {"sampling": kind, "drop_last": drop_last}, limits, workers)
    table, unmet = _solve([values.ravel() for values in runs.values()], limits, workers)
    bounds = Bounds.of([row.reshape(shape) if shape else row.item() for row in table])
    if unmet is not None:
        question = {name: values.flat[unmet].item() for name, values in runs.items()}
        raise _refusal(question, bounds, limits)
    return bounds


@overload
def dpsgd_epsilon(**run: Unpack[Run[float, int]]) -> float: ...
@overload
def dpsgd_epsilon(**runs: Unpack[Run[ArrayLike, ArrayLike]]) -> FloatArray: ...
@spoken
@wraps(dpsgd_epsilon_bounds, assigned=(), updated=())  # which has its arguments
def dpsgd_epsilon(**runs: Any) -> Any:
    """Certified upper bounds on epsilon: the upper end of ``dpsgd_epsilon_bounds``.

    >>> import hockeystick as hs
    >>> epsilon = hs.dpsgd_epsilon(
    ...     noise_multiplier=[[1.0], [2.0]],
    ...     sampling_probability=0.01,
    ...     steps=[100, 1000, 10_000],
    ...     delta=1e-5,
    ... )
    >>> epsilon.shape
    (2, 3)
    """
    return dpsgd_epsilon_bounds(**runs).upper


def _answered_alone(row: tuple[Any, ...], limits: Limits) -> Bounds[float] | None:
    """Bounds of one run said by four plain numbers; None where there is more to say of them."""
    adjacency, tolerance, memory_limit, _ = limits
    try:
        answers = _core.dpsgd_epsilon_bounds(
            *row,
            adjacency=adjacency.index,
            tolerance=tolerance,
            memory_limit=memory_limit,
        )
    except ValueError:
        return None
    return Bounds.of(answers.row(0)) if answers.unmet() is None else None


def _rates_and_steps(numbers: dict[str, Any], *, drop_last: bool) -> dict[str, Any]:
    """The sampling probabilities and steps of sizes and epochs."""
    if not numbers:
        schemes.rate_and_steps()  # raises, and names the missing arguments
    given = _broadcast(**{name: np.asarray(value) for name, value in numbers.items()})
    rows = zip(*(array.ravel().tolist() for array in given.values()), strict=True)
    pairs = [
        schemes.rate_and_steps(**dict(zip(given, row, strict=True)), drop_last=drop_last)
        for row in rows
    ]
    shape = next(iter(given.values())).shape
    rates, steps = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return {"sampling_probability": rates.reshape(shape), "steps": steps.reshape(shape)}


def _one_by_one(
    runs: dict[str, npt.NDArray[Any]], way: dict[str, Any], limits: Limits, threads: int
) -> Bounds[Any]:
    """Bounds of runs whose batches are drawn in another way."""
    shape = runs["delta"].shape

    def answer(index: tuple[int, ...]) -> Bounds[Any]:
        question = {name: values[index].item() for name, values in runs.items()}
        delta = question.pop("delta")
        run = schemes.sampled_run(**question, **way)
        return run.epsilon_bounds(delta, **limits.options())

    if not shape:
        return answer(())
    if threads == 1:
        found = list(map(answer, np.ndindex(shape)))
    else:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, takes time to import

        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(answer, np.ndindex(shape)))
    ends = np.array(found, dtype=np.float64).reshape(-1, 2).T
    bounds = Bounds.of([end.reshape(shape) for end in ends])
    bounds._limited_by = max((one.limited_by for one in found), default="")  # noqa: SLF001
    return bounds


def _broadcast(**arrays: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
    try:
        broadcast = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must broadcast to a common one, got {shapes}") from None
    return dict(zip(arrays, broadcast, strict=True))


def _solve(
    runs: list[npt.NDArray[Any]], limits: Limits, threads: int
) -> tuple[npt.NDArray[np.float64], int | None]:
    """The numbers of all answers, a row each, and the index of the first that is too wide."""
    size = runs[0].size
    table = np.empty((2 + len(ErrorBudget._fields), size))
    first = None
    for start in range(0, size, _CHUNK):
        answers = _core.dpsgd_epsilon_bounds(
            *(values[start : start + _CHUNK] for values in runs),
            adjacency=limits.adjacency.index,
            tolerance=limits.tolerance,
            memory_limit=limits.memory_limit,
            threads=threads,
        )
        table[:, start : start + _CHUNK], unmet = answers.table(), answers.unmet()
        if unmet is not None and first is None:
            first = start + unmet
    return table, first


def _refusal(question: dict[str, Any], bounds: Bounds[Any], limits: Limits) -> CertificationError:
    """The error of the one question, asked once more for its reasons, with the bounds of all."""
    step = Gaussian(noise_multiplier=question["noise_multiplier"])
    run: Composable = question["steps"] * step.poisson_sampled(question["sampling_probability"])
    named = ", ".join(f"{name} = {value!r}" for name, value in question.items())
    try:
        run.epsilon_bounds(question["delta"], **limits.options())
    except CertificationError as error:
        return CertificationError(f"{named}: {error}", bounds, error.limited_by)
    raise AssertionError(f"{named}: two answers to one question")  # pragma: no cover
