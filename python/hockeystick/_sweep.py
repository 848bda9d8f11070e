# SPDX-License-Identifier: Apache-2.0
"""A function over a grid of arguments, on any executor."""

import itertools
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import closing
from importlib import import_module
from typing import Any

import numpy as np

from hockeystick import _checks, _html
from hockeystick._decimals import rounded
from hockeystick._progress import Progress, Report
from hockeystick._words import spoken
from hockeystick.errors import of_extra

Record = dict[str, Any]


class Records(list[Record]):
    """A list of records, one a cell of the grid and in its order."""

    __slots__ = ()

    def frame(self) -> Any:  # noqa: ANN401, pandas is optional
        """The records as a pandas frame, a row each.

        Raises:
            ModuleNotFoundError: pandas is not installed; the extra is named.
        """
        with of_extra("sweep"):
            return import_module("pandas").DataFrame.from_records(list(self))

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for record in self for name in record))
        rows = ([_shown(name, record.get(name, "")) for name in names] for record in self)
        return _html.table(names, rows, left=())


def _shown(name: str, value: object) -> str:
    """A value as text; bounds are rounded outward."""
    if not isinstance(value, float):
        return str(value)
    if name in ("lower", "upper"):
        return rounded(value, "lower" if name == "lower" else "upper")
    return f"{value:.6g}"


class SweepError(RuntimeError):
    """A cell of a sweep failed; what it raised is the ``__cause__``."""

    def __init__(self, message: str, cell: Record, records: Records) -> None:
        super().__init__(message, cell, records)  # all three, for pickle

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def cell(self) -> Record:
        """The arguments of the cell that failed."""
        return self.args[1]  # type: ignore[no-any-return]

    @property
    def records(self) -> Records:
        """The records of the cells that were done, in the order of the grid."""
        return self.args[2]  # type: ignore[no-any-return]


@spoken
def sweep(
    function: Callable[..., Any],
    grid: Mapping[str, Sequence[Any]],
    executor: Executor | None = None,
    progress: bool | Report | None = None,  # noqa: FBT001
) -> Records:
    """`function` at every combination of the values in `grid`.

    Args:
        function: Called with one value of each name of the grid, by keyword. An executor of other
            processes or machines must be able to pickle it.
        grid: For each keyword its values: a list, a tuple, a range or a one-dimensional array. The
            last name varies fastest.
        executor: Runs the calls: any ``concurrent.futures.Executor``, such as a thread or process
            pool or, on a Dask cluster, ``client.get_executor()``. By default they run one by one.
        progress: True draws a bar on stderr, False none. By default there is one on a terminal when
            the work takes longer than 2 s. A function is called as ``progress(done, total)``.

    Returns:
        A list of records, dicts with the names of the grid and the result: the items of a mapping,
        the fields of a named tuple such as Bounds, or else "value". ``.frame()`` is the list as a
        pandas frame, where that is installed.

    Raises:
        ValueError: `grid` or a result repeats a name.
        TypeError: An argument has the wrong type.
        SweepError: A call failed. The message names its arguments, ``cell`` holds them, and
            ``records`` what was done until then; calls that had not begun are cancelled.

    Cost: a call each, and with an executor one task each: let a call take longer than that.

    >>> import hockeystick as hs
    >>> records = hs.sweep(
    ...     lambda sigma, steps: (steps * hs.Gaussian(noise_multiplier=sigma)).epsilon_bounds(1e-5),
    ...     {"sigma": [1.0, 2.0], "steps": [1, 10]},
    ... )
    >>> [(record["sigma"], record["steps"], round(record["upper"], 3)) for record in records]
    [(1.0, 1, 4.377), (1.0, 10, 17.857), (2.0, 1, 1.993), (2.0, 10, 7.511)]
    """
    if not callable(function):
        raise TypeError(f"function must be callable, got {_checks.show(function)}")
    if executor is not None:
        _checks.instance("executor", executor, Executor)
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(
            f"progress must be a bool, None or a function, got {_checks.show(progress)}"
        )
    cells = _cells(grid)
    results: dict[int, Any] = {}
    run = _run_here if executor is None else _run_on(executor)
    with Progress(len(cells), progress) as bar, closing(run(function, cells)) as outcomes:
        for index, outcome in outcomes:
            if isinstance(outcome, _Failure):
                raise _failed(cells, index, results, outcome.error) from outcome.error
            results[index] = outcome
            bar.step()
    return _records(cells, results)


class _Failure:
    """The exception of a call."""

    def __init__(self, error: Exception) -> None:
        self.error = error


Outcomes = Generator[tuple[int, Any], None, None]


def _run_here(function: Callable[..., Any], cells: list[Record]) -> Outcomes:
    for index, cell in enumerate(cells):
        try:
            outcome = function(**cell)
        except Exception as error:  # noqa: BLE001, raised again with the cell
            outcome = _Failure(error)
        yield index, outcome


def _run_on(executor: Executor) -> Callable[[Callable[..., Any], list[Record]], Outcomes]:
    def run(function: Callable[..., Any], cells: list[Record]) -> Outcomes:
        futures: dict[Future[Any], int] = {}
        try:
            for index, cell in enumerate(cells):
                futures[executor.submit(_call, function, cell, index)] = index
            waiting = dict(futures)
            for future in as_completed(futures):
                index = waiting.pop(future)
                error = future.exception()
                if error is None:
                    yield index, future.result()
                    continue
                for other, place in waiting.items():  # what is done as well is not to be lost
                    if other.done() and other.exception() is None:
                        yield place, other.result()
                if not isinstance(error, Exception):
                    raise error
                yield index, _Failure(error)
        finally:
            for future in futures:
                future.cancel()

    return run


def _call(function: Callable[..., Any], cell: Record, _: int) -> Any:  # noqa: ANN401
    # One positional cell, since executors have keywords of their own, and the index, since Dask
    # takes equal calls for one.
    return function(**cell)


def _cells(grid: object) -> list[Record]:
    if not isinstance(grid, Mapping):
        raise TypeError(
            "grid must be a dict of sequences, such as {'sigma': [1.0, 2.0]}, got "
            f"{_checks.show(grid)}"
        )
    columns = []
    for name, values in grid.items():
        if not isinstance(name, str):
            raise TypeError(f"grid must have strings for names, got {_checks.show(name)}")
        if isinstance(values, np.ndarray) and values.ndim == 1:
            columns.append(values.tolist())
        elif isinstance(values, Sequence) and not isinstance(values, str | bytes):
            columns.append(list(values))
        else:
            raise TypeError(
                f"grid[{_checks.show(name)}] must be a list, a range or an array, "
                f"got {_checks.show(values)}"
            )
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*columns)]


def _records(cells: list[Record], results: dict[int, Any]) -> Records:
    return Records(_record(cells[index], results[index]) for index in sorted(results))


def _record(cell: Record, result: Any) -> Record:  # noqa: ANN401
    if isinstance(result, Mapping):
        fields: Mapping[Any, Any] = result
    elif isinstance(result, tuple) and hasattr(result, "_asdict"):
        fields = result._asdict()
    else:
        fields = {"value": result}
    for name in fields:
        if name in cell:
            raise ValueError(f"grid and result must not share a name, got {_checks.show(name)}")
    return cell | dict(fields)


def _failed(
    cells: list[Record], index: int, results: dict[int, Any], error: Exception
) -> SweepError:
    where = ", ".join(f"{name}={value!r}" for name, value in cells[index].items())
    reason = f"{type(error).__name__}: {error}"
    message = f"function({where}) raised {reason}; {len(results)} of {len(cells)} calls were done"
    return SweepError(message, cells[index], _records(cells, results))
