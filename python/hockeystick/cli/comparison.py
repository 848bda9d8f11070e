# SPDX-License-Identifier: Apache-2.0
"""`hockeystick compare`."""

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, Literal, NamedTuple

import click

import hockeystick
from hockeystick import _checks
from hockeystick._decimals import outward
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.cli import _options, peers
from hockeystick.cli._numbers import NUMBER
from hockeystick.cli.peers.child import Reply, ask
from hockeystick.sampling import ADJACENCIES, sampled_run

Wanted = Literal["epsilon", "delta"]


@click.command(
    epilog="Example: hockeystick compare --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --delta 1e-5"
)
@click.option("--delta", "-d", type=NUMBER, help="Target delta, in [0, 1); or give --epsilon.")
@click.option("--epsilon", type=NUMBER, help="Target epsilon [nats], in [0, 1e4].")
@click.option(
    "--time-limit",
    type=NUMBER,
    default=60.0,
    show_default=True,
    help="Seconds each of the other accountants may take, imports not counted.",
)
@click.option(
    "--peer",
    "libraries",
    type=click.Choice(list(dict.fromkeys(peer.name for peer in peers.PEERS))),
    multiple=True,
    help="A library to ask; give it again for another. By default all of them.",
)
@_options.comparison_options
def compare(
    *,
    delta: float | None,
    epsilon: float | None,
    time_limit: float,
    libraries: tuple[str, ...],
    as_json: bool,
    tolerance: float,
    memory_limit: int,
    **scheme: Any,
) -> None:
    """One question, asked of every accountant that is installed.

    Neighbours differ in one record that is added or removed, in shuffled batches made a special
    one, in those of a fixed size replaced. The others are dp-accounting (PLD, RDP), prv-accountant,
    Opacus (PRV, RDP) and PLD_accounting, with their defaults, each in a process of its own; the
    time is that of the first call, without imports.
    """
    if (delta is None) == (epsilon is None):
        raise click.UsageError("either --delta or --epsilon must be given, and not both")
    time_limit = _checks.within("time_limit", time_limit, 1e-3, 1e6)
    said = _options.taken(scheme)
    run, known = sampled_run(**said), _options.described(said)
    sampling = said["sampling"].replace("-", "_")
    limits: dict[str, Any] = {"tolerance": tolerance, "memory_limit": memory_limit}
    known_for = {"adjacency": ADJACENCIES[sampling].value} if sampling in ADJACENCIES else {}
    start = perf_counter()
    wanted: Wanted = "delta" if delta is None else "epsilon"
    if delta is not None:
        at, bounds = delta, run.epsilon_bounds(delta, **known_for, **limits)
    elif epsilon is not None:
        at, bounds = epsilon, run.delta_bounds(epsilon, **known_for, **limits)
    ours = _Ours(wanted, bounds, perf_counter() - start)
    terms = ((known["noise_multiplier"], known["sampling_probability"], known["steps"]),)
    size = said["dataset_size"] if sampling == "fixed_size" else None
    question = peers.Question(terms, wanted, at, sampling, size)
    others = [peer for peer in peers.PEERS if not libraries or peer.name in libraries]
    replies = ((peer, ask(peer, question, time_limit)) for peer in others)
    given = "delta" if wanted == "epsilon" else "epsilon"
    if as_json:
        asked = {"wanted": wanted, given: at, **known, **known_for, **limits}
        click.echo(_options.in_json(_object(ours, replies, asked | {"time_limit": time_limit})))
        return
    adjacency = known_for.get("adjacency", Adjacency.ADD_OR_REMOVE_ONE.value)
    click.echo(f"{wanted} at {given} = {at!r}, {_options.sentence(said, adjacency)}")
    for row in _rows(ours, replies):
        click.echo(row)


Replies = Iterable[tuple[peers.Peer, Reply]]


class _Ours(NamedTuple):
    """The certified answer."""

    wanted: Wanted
    bounds: Bounds[float]
    seconds: float

    def refutes(self, answer: peers.Answer) -> bool:
        """Whether the truth, which is within the bounds, is certainly not where `answer` says."""
        lower, upper = self.bounds
        return answer.upper < lower or (answer.lower is not None and answer.lower > upper)


def _object(ours: _Ours, replies: Replies, question: dict[str, Any]) -> dict[str, Any]:
    """The answers as JSON."""
    lower, upper = ours.bounds
    return {
        ours.wanted: upper,
        "lower": lower,
        "upper": upper,
        "seconds": ours.seconds,
        "peers": [_entry(ours, *one) for one in replies],
        "question": question,
    }


def _entry(ours: _Ours, peer: peers.Peer, reply: Reply) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": peer.name, "version": peer.version, "way": peer.way}
    if reply.answer is None:
        return entry | {"failure": reply.failure}
    return entry | {
        ours.wanted: reply.answer.upper,
        "lower": reply.answer.lower,
        "upper": reply.answer.upper,
        "certified": False,
        "wrong": ours.refutes(reply.answer),
        "seconds": reply.seconds,
    }


def _rows(ours: _Ours, replies: Replies) -> Iterator[str]:
    """The answers as lines of text, each as soon as it is known."""
    label = f"hockeystick {hockeystick.__version__}"
    yield _row(label, _interval(ours.wanted, *ours.bounds), "certified", ours.seconds)
    for peer, reply in replies:
        if reply.answer is None:
            yield _row(peer.label, reply.failure)
            continue
        lower, upper = reply.answer.lower, reply.answer.upper
        wanted = ours.wanted
        value = f"{wanted} <= {upper:.8g}" if lower is None else _interval(wanted, lower, upper)
        remark = "WRONG" if ours.refutes(reply.answer) else "not certified"
        yield _row(peer.label, value, remark, reply.seconds)


def _row(label: str, value: str, remark: str = "", seconds: float | None = None) -> str:
    line = f"{label:<26} {value}"
    if seconds is None:
        return line
    taken = f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
    return f"{line:<62} {remark:<13} {taken:>8}"


def _interval(wanted: Wanted, lower: float, upper: float) -> str:
    low, high = outward(lower, upper)
    return f"{low} <= {wanted} <= {high}"
