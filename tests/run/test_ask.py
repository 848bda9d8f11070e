# SPDX-License-Identifier: Apache-2.0
"""Every question is put to a run in one way: few calls lead there, whoever describes the run."""

import gc
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Adjacency, Direction, _core
from questions import told

LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}


def built():
    return 10_000 * hs.Gaussian(0.8).poisson_sampled(0.001)


RUN = built()


def calls_of(work):
    """The files of the Python functions that the second such work calls, one for each call.

    The collector of garbage waits: it would close generators that earlier tests left, by calls.
    """
    work()
    files = []

    def note(frame, event, _):
        if event == "call":
            files.append(frame.f_code.co_filename)

    gc.disable()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return files[1:]


def test_a_run_is_asked_in_few_calls():
    files = calls_of(lambda: RUN.epsilon(1e-6))
    assert len(files) <= 6
    assert len(set(files)) <= 3


def test_a_run_is_made_and_asked_in_few_calls():
    assert len(calls_of(lambda: built().epsilon(1e-6))) <= 21
    scheme = {"sampling_probability": 0.001, "steps": 10_000}
    assert len(calls_of(lambda: hs.DPSGD(0.8, **scheme).epsilon(1e-6))) <= 25


def test_one_row_is_asked_in_few_calls():
    row = {"noise_multiplier": 0.8, "sampling_probability": 0.001, "steps": 10_000, "delta": 1e-6}
    assert len(calls_of(lambda: hs.dpsgd_epsilon(**row))) <= 8
    assert hs.dpsgd_epsilon(**row) == RUN.epsilon(1e-6)


@dataclass(frozen=True)
class Opaque(hs.Mechanism):
    """A mechanism of which nothing but its pair is seen."""

    of: hs.Mechanism

    def dominating_pair(self, direction):
        """That of the mechanism inside."""
        return self.of.dominating_pair(direction)


STEPS = [hs.Gaussian(2.0), hs.Laplace(3.0).poisson_sampled(0.1), hs.DiscreteGaussian(sigma=2.0)]
QUESTIONS = {
    "epsilon_bounds": [1e-3, 1e-6],
    "delta_bounds": [0.1, 1.0],
    "true_positive_rate_bounds": [0.01, 0.3],
    "bayes_risk_bounds": [0.3, 0.7],
    "renyi_divergence_bounds": [1.0, 8.0],
}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "remove-one"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_mechanism_of_ones_own_is_asked_as_its_pair(question, adjacency, step):
    """Its directions are not known to be reverses, without which answers may be wider."""
    answers = [
        getattr(20 * one, question)(QUESTIONS[question], adjacency=adjacency)
        for one in (Opaque(step), step)
    ]
    own, known = answers
    if question == "true_positive_rate_bounds":
        assert np.all(np.maximum(own.lower, known.lower) <= np.minimum(own.upper, known.upper))
    else:
        assert np.array_equal(own.lower, known.lower)
        assert np.array_equal(own.upper, known.upper)


def test_a_pair_that_is_none_is_refused():
    @dataclass(frozen=True)
    class Wrong(hs.Mechanism):
        def dominating_pair(self, direction):
            """Nothing of the kind."""
            return direction.value

    with pytest.raises(TypeError, match="dominating_pair must return a DominatingPair, got 'rem"):
        Wrong().epsilon(1e-5)


def test_what_a_mechanism_of_ones_own_raises_arrives():
    @dataclass(frozen=True)
    class Broken(hs.Mechanism):
        def dominating_pair(self, direction):
            """Fails."""
            raise ZeroDivisionError(direction.value)

    with pytest.raises(ZeroDivisionError, match="remove-one"):
        (3 * Broken() + hs.Gaussian(1.0)).epsilon(1e-5)


def test_a_run_keeps_its_directions():
    core = RUN._run()
    assert core is RUN._run()
    assert RUN._directions(Adjacency.ADD_OR_REMOVE_ONE) == [
        core.pairs(Direction.REMOVE.index),
        core.pairs(Direction.ADD.index),
    ]
    alone = _core.epsilon_bounds(core.directions(0), np.array([1e-6]), **LIMITS)[0]
    asked = core.ask("epsilon", 1e-6, 0, *LIMITS.values(), 0.0)[0]
    assert (alone.lower, alone.upper) == (asked.lower, asked.upper)


def test_the_worst_of_runs_is_the_worst_at_each_point():
    parts = [5 * hs.ZCDP(0.02), 100 * hs.Laplace(20.0), hs.Gaussian(1.5).random_allocation(steps=5)]
    worst = _core.Run.worst_of([part._run() for part in parts])
    for view, at, least in (("delta", [0.1, 2.0], np.max), ("bayes_risk", [0.2, 0.5], np.min)):
        ask = (view, np.array(at), 0, 1e-2, 2**30, 0.0)
        tables = [part._run().ask(*ask).table()[:2] for part in parts]
        assert np.array_equal(worst.ask(*ask).table()[:2], least(tables, axis=0))


@pytest.mark.parametrize("fpr", [0.0, 1e-300, 1e-20, 1e-17, 1e-9, 0.01, 0.3, 0.9, 1.0])
def test_false_negative_rates_are_one_less_the_rates(fpr):
    """Rounded outwards by less than two units in the last place, and not where 1 - x is exact."""
    reached = RUN.true_positive_rate_bounds(fpr)
    missed = RUN.tradeoff_bounds(fpr)
    ends = ((missed.lower, reached.upper, 1), (missed.upper, reached.lower, -1))
    with ctx.workprec(2000):
        for found, rate, sign in ends:
            off = sign * (1 - arb(rate) - arb(found))
            assert 0 <= off <= arb(2) ** -52
            assert rate not in {0, 1} or off == 0


REFUSED = [  # between sides, with little memory
    (
        hs.Gaussian(1.7604).random_allocation(steps=9, selected=8),
        "epsilon_bounds",
        1e-12,
        "add-one",
    ),
    (hs.RenyiDP(order=1.1383, divergence=2.58e-4), "reconstruction_risk_bounds", 0.1, "add-one"),
    (hs.ZCDP(0.005979), "tradeoff_bounds", 1e-9, "replace-one"),
    (hs.Gaussian(5.8438).shuffled(batches=981), "renyi_divergence_bounds", 3.0, "replace-one"),
    (hs.Gaussian(0.5).random_allocation(steps=50), "bayes_risk_bounds", 0.3, "remove-one"),
    (
        hs.Gaussian(10.13).fixed_size_sampled(batch_size=1, dataset_size=10),
        "true_positive_rate_bounds",
        0.5,
        "replace-one",
    ),
    (
        hs.Gaussian(986182.0).fixed_size_sampled(batch_size=14242, dataset_size=59399),
        "probabilistic_delta_bounds",
        0.0,
        "replace-special",
    ),
]


@pytest.mark.every(2)
@pytest.mark.parametrize(("mechanism", "question", "at", "adjacency"), REFUSED)
@pytest.mark.parametrize("memory", [2**16, 2**20])
def test_refusals_between_sides_have_the_best_of_looser_tolerances(
    mechanism, question, at, adjacency, memory
):
    def ends(tolerance):
        limits = {"memory_limit": memory, "tolerance": tolerance}
        return told(getattr(7 * mechanism, question), at, adjacency=adjacency, **limits)

    tight = ends(1e-7)
    for tolerance in (0.5, 0.1, 0.01):
        loose = ends(tolerance)
        # A tolerance that is refused itself may end with another plan, next to as good.
        assert tight.lower >= loose.lower * (1 - 2e-3)
        assert tight.upper <= loose.upper * (1 + 1e-3)


def test_one_hard_point_of_an_array_hides_no_other():
    run = hs.TruncatedPoissonGaussian(
        noise_multiplier=0.01,
        sampling_probability=1e-9,
        truncated_batch_size=400,
        dataset_size=70_000,
    )
    with pytest.raises(hs.CertificationError) as refused:
        run.epsilon_bounds([2e-300, 1e-12, 1e-11, 1e-10, 5e-324])
    lower, upper = refused.value.bounds
    assert np.all(lower[:4] > 0.997 * upper[:4])


@pytest.mark.every(2)
@pytest.mark.parametrize("memory", [1, 2**16])
def test_a_refusal_knows_that_guesses_are_right_as_often_as_chance(memory):
    run = 30 * hs.Gaussian(0.05).random_allocation(steps=2)
    for rate in (1e-5, 0.3):
        found = {"tolerance": 1e-9, "memory_limit": memory}
        with pytest.raises(hs.CertificationError) as refused:
            run.true_positive_rate_bounds(rate, **found)
        assert refused.value.bounds.lower >= rate
        with pytest.raises(hs.CertificationError) as refused:
            run.bayes_risk_bounds(rate, **found)
        assert refused.value.bounds.upper <= rate


SMALL = [  # moments, or the step on all records, bound these; curves do not
    (hs.Gaussian(0.3205).random_allocation(steps=11922612), 98.69),
    (30 * hs.Gaussian(0.506).random_allocation(steps=3, selected=2), 594.5),
    (hs.best_of(hs.Gaussian(2.56), runs="geometric", mean=6.7), 12.07),
]


@pytest.mark.parametrize(("run", "epsilon"), SMALL)
@pytest.mark.parametrize("tolerance", [pytest.param(1e-9, marks=pytest.mark.deep), 1e-3])
def test_what_is_below_the_floor_is_an_answer_whoever_tells_it(run, epsilon, tolerance):
    for ask in (run.delta_bounds, run.probabilistic_delta_bounds):
        assert ask(epsilon, smallest=1e-30, tolerance=tolerance).upper <= 1e-30


def pairs_made(*questions):
    """Of each question in turn, the pairs that are made for it, in a process of its own."""
    lines = ["import hockeystick as hs", "from hockeystick import _core"]
    for run, at, adjacency in questions:
        ask = f"({run}).delta_bounds({at}, adjacency={adjacency!r})"
        lines += ["before = _core.parts.held_pairs()[0]", ask]
        lines.append("print(_core.parts.held_pairs()[0] - before)")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True
    )
    return [int(line) for line in done.stdout.split()]


def allocated(epochs, noise, steps):
    return f"{epochs} * hs.Gaussian({noise}).random_allocation(steps={steps})"


def test_no_more_pairs_are_made_of_a_direction_that_cannot_be_the_worst():
    """Where a record is added, delta is 1e-37; both directions took twice the pairs of one."""
    both, one = pairs_made(
        (allocated(3, 0.85, 5955), 4.0, "add-or-remove-one"),
        (allocated(3, 0.8501, 5955), 4.0, "remove-one"),
    )
    assert one < both < 1.6 * one


def test_an_array_of_deltas_shares_the_pairs_of_its_least():
    """Each size of delta had pairs of its own, and the nine took up to twenty times the least."""
    points = [0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0]
    for k, (epochs, noise, steps) in enumerate(((122, 5.81, 5593), (3, 6.82, 526), (245, 3, 261))):
        runs = [allocated(epochs, noise + 1e-4 * i, steps) for i in range(10)]
        adjacency = ("add-or-remove-one", "remove-one", "add-one")[k]
        together, *alone = pairs_made(
            *((run, at, adjacency) for run, at in zip(runs, [points, *points], strict=True))
        )
        assert together <= 2 * max(alone)


def test_small_deltas_of_several_epochs_are_told_by_few_cells():
    """By the series where it is close: convolutions alone took seven times as many cells."""
    run = 209 * hs.Gaussian(1.664531029976351).random_allocation(steps=920)
    found = run.delta_bounds(2.0, adjacency="remove-one")
    assert found.lower <= 1.268573e-11 <= found.upper <= 1.001 * found.lower
    (made,) = pairs_made((allocated(209, 1.6645, 920), 2.0, "remove-one"))
    assert made <= 6


NEXT_TO_WHAT_SERIES_KNOW = [  # epochs, noise, steps, epsilon: deltas of 1e-11
    (1, 5.277581992028449, 10, 0.3646234512506345),
    (2, 1.1553066606172133, 679, 0.4507964718104588),
    (3, 2.44807407704513, 6, 1.9866611029396661),
]


@pytest.mark.parametrize(("epochs", "noise", "steps", "epsilon"), NEXT_TO_WHAT_SERIES_KNOW)
def test_deltas_next_to_what_series_know_are_asked_of_convolutions(epochs, noise, steps, epsilon):
    run = epochs * hs.Gaussian(noise).random_allocation(steps=steps)
    found = run.delta_bounds(epsilon, adjacency="remove-one", tolerance=0.01)
    assert 5e-12 < found.lower <= found.upper < 3e-11


@pytest.mark.parametrize(
    "step", [hs.Gaussian(0.2).poisson_sampled(1e-3), hs.Laplace(0.2).random_allocation(steps=3)]
)
def test_delta_at_0_is_that_of_either_order(step):
    """The total variation: of added records alone a transform took seconds."""
    orders = ["add-or-remove-one", "remove-one", "add-one"]
    first, *others = ((5 * step).delta_bounds(0.0, adjacency=one) for one in orders)
    assert others == [first, first]


def test_delta_at_0_is_asked_first_where_it_is_cheap():
    run = 73 * hs.Gaussian(0.47652).poisson_sampled(2.6237e-7)
    before = _core.work.taken()
    found = run.delta_bounds(0.0)
    assert _core.work.taken() - before < 2e6  # a record removed takes a thousand times as much
    assert 4.4724e-6 < found.lower <= found.upper < 4.4734e-6


@pytest.mark.parametrize(
    ("noise", "rate"), [(0.109, 0.00135), (0.0815, 0.00193), (0.0639, 0.000606), (0.0683, 1.38e-5)]
)
@pytest.mark.parametrize("epsilon", [1e-11, 1e-9, [1e-9, 0.1]])
def test_deltas_next_to_zero_are_those_of_zero(noise, rate, epsilon):
    """The curve is nearly constant there, while delta(0) is a distance that is told at once."""
    run = 8296 * hs.Laplace(noise).poisson_sampled(rate)
    first = np.ravel(epsilon)[0]
    at_zero = run.delta_bounds(0.0, adjacency="add-one")
    try:
        found = run.delta_bounds(epsilon, adjacency="add-one")
    except hs.CertificationError as error:  # of the other epsilon, which is not next to 0
        assert np.ndim(epsilon) == 1
        found = error.bounds
    low, high = (float(np.ravel(end)[0]) for end in (found.lower, found.upper))
    assert (1 - 1e-7) * at_zero.lower - 1.001 * first <= low <= high <= at_zero.upper
    assert high - low <= 1.1e-3 * high


@pytest.mark.parametrize(
    ("epsilon", "truth"), [(1e-4, 0.977254), (0.01, 0.977117), (0.1, 0.975836), (1.0, 0.95894)]
)
def test_deltas_that_no_grid_tells_are_asked_of_the_reverse(epsilon, truth):
    """Half of a step's mass lies off the grid, below its largest loss; truths by verify."""
    run = 8296 * hs.Laplace(0.109).poisson_sampled(0.00135)
    found = run.delta_bounds(epsilon, adjacency="add-one")
    assert found.lower <= truth + 6e-6
    assert truth - 6e-6 <= found.upper


@pytest.mark.parametrize(("noise", "rate"), [(0.109, 0.00135), (0.0815, 0.00193), (0.0639, 6e-4)])
@pytest.mark.parametrize("prior", [0.4, 0.5, 0.5 + 1e-10])
def test_risks_are_told_in_either_order(noise, rate, prior):
    """At prior 1/2 the risk is (1 - delta(0)) / 2 in both."""
    run = 8296 * hs.Laplace(noise).poisson_sampled(rate)
    risks = [run.bayes_risk_bounds(prior, adjacency=one) for one in ("remove-one", "add-one")]
    at_zero = run.delta_bounds(0.0)
    for each in risks if prior >= 0.5 else []:
        assert each.lower <= (1 - at_zero.lower) / 2
        assert (1 - at_zero.upper) / 2 <= each.upper * (1 + 1e-9)


RARE = [  # noise, rate, count, and delta(0) by grids that hold all losses
    (0.1696, 1.049e-07, 1697, 1.662042e-4, 1.662852e-4),
    (0.3136, 2.001e-07, 184, 1.680911e-5, 1.681402e-5),
    (0.4584, 1.088e-06, 18, 7.640820e-6, 7.641423e-6),
    (0.22, 1.5e-07, 49438, 3.277938e-3, 3.277942e-3),  # by verify
]


@pytest.mark.parametrize(("noise", "rate", "count", "least", "most"), RARE)
def test_losses_so_low_that_no_sum_with_them_counts_take_no_work(noise, rate, count, least, most):
    """Where a record is added: windows that held them were 15 nats wide, for sums of 1e-3."""
    run = count * hs.Gaussian(noise).poisson_sampled(rate)
    for adjacency, epsilon in (("add-one", 0.0), ("remove-one", 1e-4 * least)):
        before = _core.work.taken()
        found = run.delta_bounds(epsilon, adjacency=adjacency)
        assert _core.work.taken() - before < 5e6  # it was up to 2e9
        assert found.lower <= most
        assert least - epsilon <= found.upper
