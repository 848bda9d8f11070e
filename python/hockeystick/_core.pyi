"""
Core of hockeystick: see cpp/README.md for what it certifies.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing

__all__: list[str] = [
    "Answer",
    "Answers",
    "DominatingPair",
    "InternalError",
    "KeptRun",
    "LossPmf",
    "NoPairError",
    "NumberOfRuns",
    "Run",
    "Search",
    "Terms",
    "additive_noise_pair",
    "attack_rates",
    "audited_epsilon",
    "audited_mu",
    "bayes_risk_bounds",
    "best_of_largest",
    "best_of_moments",
    "best_of_pair",
    "buffered_sensitivity",
    "chained_pair",
    "clock",
    "column_norms",
    "composed_delta",
    "composed_directly",
    "delta_bounds",
    "described_pair",
    "described_types",
    "dominating_pair",
    "dpsgd_epsilon_bounds",
    "enclosing_pairs",
    "end_work_at",
    "epsilon_bounds",
    "explain",
    "forget_transforms",
    "gaussians_about",
    "gdp_bounds",
    "is_group_cut",
    "kernel",
    "largest_loss_rounding",
    "list_mechanism",
    "loss_pmf",
    "loss_quantile_bounds",
    "loss_tail_bounds",
    "loss_variance_bounds",
    "matrix_sensitivity",
    "menu_pair",
    "methods",
    "noise_of_sensitivity",
    "one_run_epsilon",
    "one_run_p_value",
    "one_run_refutes",
    "pld_bayes_risk",
    "pld_gdp_mu",
    "pld_quantile",
    "pld_renyi",
    "pld_tail",
    "pld_variance",
    "pld_zcdp",
    "poisson_sampled",
    "power_bounds",
    "pure_gdp_mu",
    "ranges",
    "rate_limits",
    "renyi_bounds",
    "root_bounds",
    "run_moments",
    "run_pair",
    "sum_above",
    "toeplitz_sensitivity",
    "zcdp_bounds",
]

class NoPairError(ValueError):
    """
    No dominating pair is known for a comparison; the message is the reason.
    """

class DominatingPair:
    """
    Two distributions that dominate a mechanism. Immutable.
    """
    def __reduce__(self) -> str: ...
    def delta_above(
        self, epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Upper bound of delta at each epsilon.
        """
    def deltas_above(
        self, epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        The same at epsilons that increase, by one integral for all.
        """
    def loss_nodes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Losses where its law has much of its mass, for guesses; of few atoms all.
        """
    def renyi_slope_bound(self, order: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        Upper bound of D_a / a for all orders a from there on.
        """
    @property
    def loss_supremum(self) -> float: ...

class Terms:
    """
    Pairs of one direction of an adjacency, and how often each is run. Immutable.
    """
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(
        self,
        pairs: collections.abc.Sequence[
            tuple[DominatingPair, typing.SupportsInt | typing.SupportsIndex]
        ],
    ) -> None: ...
    def __reduce__(self) -> str: ...

class LossPmf:
    """
    A composed privacy loss distribution on a grid. Immutable.
    """
    def __len__(self) -> int: ...
    def __reduce__(self) -> str: ...
    def delta(
        self, epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Certified bound of delta at each epsilon, of this side.
        """
    def epsilon(
        self, deltas: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Certified bound of epsilon at each delta, of this side.
        """
    def power(
        self, false_positive_rates: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Certified bound of the largest true positive rate at each, of this side.
        """
    def reflected(self) -> LossPmf:
        """
        The distribution of the reversed pair.
        """
    def tradeoff(
        self, false_positive_rates: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Certified bound of the least false negative rate at each, of this side.
        """
    @property
    def first(self) -> int: ...
    @property
    def infinity_mass(self) -> float: ...
    @property
    def interval(self) -> float: ...
    @property
    def loss_error(self) -> float: ...
    @property
    def mass(self) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def reverse_infinity_mass(self) -> float: ...
    @property
    def side(self) -> str: ...
    @property
    def slack(self) -> float: ...

class InternalError(RuntimeError):
    """
    Bounds came out that cannot be: a mistake in hockeystick, not in the question. Please report it.
    """

class Answer:
    """
    A certified interval and what its width is made of.
    """
    def __reduce__(self) -> str: ...
    @property
    def converged(self) -> bool: ...
    @property
    def cost(self) -> float: ...
    @property
    def discretization(self) -> float: ...
    @property
    def interval(self) -> float: ...
    @property
    def limited_by(self) -> str: ...
    @property
    def lower(self) -> float: ...
    @property
    def method(self) -> str: ...
    @property
    def passes(self) -> int: ...
    @property
    def required_bytes(self) -> int: ...
    @property
    def rounding(self) -> float: ...
    @property
    def size(self) -> int: ...
    @property
    def tilt(self) -> float: ...
    @property
    def total_cost(self) -> float: ...
    @property
    def truncation(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def wraparound(self) -> float: ...

class Answers:
    """
    The answers to one call.
    """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> Answer: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> str: ...
    def end(self, lower: bool) -> float | None:
        """
        The lower or the upper end of the only answer; None if it is too wide, or not alone.
        """
    def row(
        self, index: typing.SupportsInt | typing.SupportsIndex
    ) -> typing.Annotated[list[float], "FixedSize(6)"]:
        """
        A column of the table, as floats.
        """
    def table(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        lower, upper and the error budget: a row each, a column for each answer.
        """
    def theory(self) -> str:
        """
        'theory' if that limits one of them, else ''.
        """
    def unmet(self) -> int | None:
        """
        The index of the first answer that is wider than asked for, and not by theory.
        """

class KeptRun:
    """
    A run that grows, with what answers a question.
    """
    @staticmethod
    def of(
        directions: collections.abc.Sequence[Terms],
        quantity: str,
        at: typing.SupportsFloat | typing.SupportsIndex,
        *,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        memory_limit: typing.SupportsInt | typing.SupportsIndex,
    ) -> KeptRun | None:
        """
        Made for a question; None where nothing that may grow has a tight answer.
        """
    def __reduce__(self) -> str: ...
    def answers(
        self,
        quantity: str,
        at: typing.SupportsFloat | typing.SupportsIndex,
        *,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        memory_limit: typing.SupportsInt | typing.SupportsIndex,
    ) -> Answers | None:
        """
        The answer for the worst direction, if it is tight.
        """
    def grown(self, more: collections.abc.Sequence[Terms]) -> KeptRun | None:
        """
        The run extended by these terms of each direction; None if they do not fit.
        """
    @property
    def directions(self) -> int:
        """
        How many it has.
        """

class Run:
    """
    Mechanisms on the same data, and how often each runs.
    """
    @staticmethod
    def worst_of(parts: collections.abc.Sequence[Run]) -> Run:
        """
        Runs of which the worst counts.
        """
    def __init__(self, terms: collections.abc.Iterable[tuple[typing.Any, int]]) -> None: ...
    def __reduce__(self) -> str: ...
    def ask(
        self,
        view: str,
        at: float | typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        adjacency: typing.SupportsInt | typing.SupportsIndex,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        memory_limit: typing.SupportsInt | typing.SupportsIndex,
        smallest: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Answers:
        """
        Encloses the answer at each point, for the worst direction of an adjacency by its index.
        """
    def directions(self, adjacency: typing.SupportsInt | typing.SupportsIndex) -> list[Terms]:
        """
        The pairs and counts of each distinct direction of an adjacency by its index.
        """
    def pairs(self, comparison: typing.SupportsInt | typing.SupportsIndex) -> Terms:
        """
        The dominating pairs and counts in a comparison by its index.
        """
    def sides(
        self,
        comparison: typing.SupportsInt | typing.SupportsIndex,
        cells: typing.SupportsFloat | typing.SupportsIndex,
        tail: typing.SupportsFloat | typing.SupportsIndex,
        *,
        above: bool,
    ) -> list[Terms]:
        """
        The pairs and counts of the run above it in a comparison by its index, or of those below.
        """
    @property
    def groups_by_part(self) -> bool:
        """
        Whether a group of records in several parts costs no more than one in a single part.
        """
    @property
    def is_exact(self) -> bool:
        """
        Whether one pair tells all of each mechanism.
        """

class Search:
    """
    The search for the costliest parameter that meets a goal.
    """
    def __init__(
        self,
        family: typing.Any,
        goal: typing.Any,
        before: Search | None = None,
        *,
        alike: bool = False,
    ) -> None:
        """
        What one before has found helps: all of it if that is `alike`, of the same family and asked alike.
        """
    def __reduce__(self) -> str: ...
    def run(self) -> typing.Any:
        """
        The parameter.
        """

class NumberOfRuns:
    """
    A random number of runs. Immutable.
    """
    def __init__(
        self,
        kind: str,
        mean: typing.SupportsFloat | typing.SupportsIndex,
        extra: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None: ...
    def __reduce__(self) -> str: ...
    def between(
        self,
        x: typing.SupportsFloat | typing.SupportsIndex,
        rest: typing.SupportsFloat | typing.SupportsIndex,
        part: typing.SupportsFloat | typing.SupportsIndex,
    ) -> float:
        """
        f(1 - x) - f(1 - x - part).
        """
    def log_share(self, x: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        Of f'(1 - x) / mean.
        """
    def rate(self, x: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        f'(1 - x), f the generating function.
        """
    def rate_slope(self, x: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        The size of its slope.
        """
    @property
    def error(self) -> float:
        """
        Relative, of all these.
        """
    @property
    def none(self) -> float:
        """
        The probability of no run.
        """

def additive_noise_pair(
    log_density: collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], typing.Any],
    distribution: collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], typing.Any],
    accuracy: typing.SupportsFloat | typing.SupportsIndex,
    shift: typing.SupportsFloat | typing.SupportsIndex,
    steepest: typing.SupportsFloat | typing.SupportsIndex | None = None,
) -> DominatingPair:
    """
    The pair of a noise given by functions, shifted against itself.
    """

def attack_rates(
    true_positives: typing.SupportsFloat | typing.SupportsIndex,
    false_negatives: typing.SupportsFloat | typing.SupportsIndex,
    false_positives: typing.SupportsFloat | typing.SupportsIndex,
    true_negatives: typing.SupportsFloat | typing.SupportsIndex,
    alpha: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float, float]:
    """
    True positives at least, false positives and false negatives at most, all but with probability alpha.
    """

def audited_epsilon(
    false_positives: typing.SupportsFloat | typing.SupportsIndex,
    false_negatives: typing.SupportsFloat | typing.SupportsIndex,
    delta: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    A lower bound of epsilon from upper bounds of both rates.
    """

def audited_mu(
    false_positives: typing.SupportsFloat | typing.SupportsIndex,
    false_negatives: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    A lower bound of mu, likewise.
    """

def bayes_risk_bounds(
    directions: collections.abc.Sequence[Terms],
    priors: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the Bayes risk at each prior, for the worst direction; `reverses` answer for priors above 1/2, where `directions` do not contain their own.
    """

def best_of_largest(forth: Terms, back: Terms, runs: NumberOfRuns) -> float:
    """
    Upper bound of the largest loss of the best.
    """

def best_of_moments(
    forth: Terms,
    back: Terms | None,
    runs: NumberOfRuns,
    cells: typing.SupportsFloat | typing.SupportsIndex,
    tail: typing.SupportsFloat | typing.SupportsIndex,
    *,
    attained: bool,
) -> DominatingPair:
    """
    A pair that encloses Renyi divergences of the best of several runs.
    """

def best_of_pair(
    forth: Terms,
    back: Terms | None,
    runs: NumberOfRuns,
    cells: typing.SupportsFloat | typing.SupportsIndex,
    tail: typing.SupportsFloat | typing.SupportsIndex,
    *,
    goal: typing.SupportsFloat | typing.SupportsIndex | None = None,
) -> DominatingPair:
    """
    A pair above the best of several runs, or, where a delta is the goal, one that is attained.
    """

def buffered_sensitivity(
    scales: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    decays: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    steps: typing.SupportsFloat | typing.SupportsIndex,
    min_separation: typing.SupportsFloat | typing.SupportsIndex,
    max_participations: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    That of a buffered linear Toeplitz matrix.
    """

def chained_pair(
    chains: collections.abc.Sequence[
        collections.abc.Sequence[
            tuple[Terms, Terms | None, typing.SupportsInt | typing.SupportsIndex]
        ]
    ],
    cells: typing.SupportsFloat | typing.SupportsIndex,
    tail: typing.SupportsFloat | typing.SupportsIndex,
    *,
    sampling_probability: typing.SupportsFloat | typing.SupportsIndex | None = None,
    back_again: bool = False,
) -> DominatingPair:
    """
    A pair above the least of what several chains of neighbours allow; each link is a run, its reverse and a number. On a Poisson subsample, and reversed, if asked.
    """

def clock() -> float:
    """
    Seconds of a clock that never goes back.
    """

def column_norms(
    strategy: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> list[tuple[float, float]]:
    """
    The norm of each column, enclosed.
    """

def composed_delta(
    first: LossPmf,
    second: LossPmf,
    epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Certified bound of delta of the composition, of the side and interval that both share.
    """

def composed_directly(
    first: LossPmf, second: LossPmf, *, cut: typing.SupportsFloat | typing.SupportsIndex
) -> LossPmf:
    """
    The composition by direct sums, of the side and interval that both share, without up to `cut` at each end.
    """

def delta_bounds(
    directions: collections.abc.Sequence[Terms],
    epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    method: str = "",
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses delta at each epsilon, for the worst direction.
    """

def described_pair(
    mechanism: typing.Any, comparison: typing.SupportsInt | typing.SupportsIndex
) -> DominatingPair:
    """
    The pair of a mechanism that the table of mechanisms describes, in a comparison of neighbours by its index.
    """

def described_types() -> set[str]:
    """
    The classes of mechanisms that the table of mechanisms describes.
    """

def dominating_pair(
    name: str, parameters: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex]
) -> DominatingPair:
    """
    The dominating pair registered under a name.
    """

def dpsgd_epsilon_bounds(
    noise_multipliers: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    sampling_probabilities: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    steps: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    deltas: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    adjacency: typing.SupportsInt | typing.SupportsIndex,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    threads: typing.SupportsInt | typing.SupportsIndex = 1,
) -> Answers:
    """
    Encloses epsilon of many runs of DP-SGD.
    """

def enclosing_pairs(
    mechanism: typing.Any,
    comparison: typing.SupportsInt | typing.SupportsIndex,
    cells: typing.SupportsFloat | typing.SupportsIndex,
    tail: typing.SupportsFloat | typing.SupportsIndex,
    *,
    above: bool,
) -> list[DominatingPair]:
    """
    The pair above a mechanism, or those below, in a comparison by its index.
    """

def end_work_at(seconds: typing.SupportsFloat | typing.SupportsIndex) -> float:
    """
    Have works of this thread raise TimeoutError from that time of `clock` on; returns what it was before.
    """

def epsilon_bounds(
    directions: collections.abc.Sequence[Terms],
    deltas: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    method: str = "",
) -> Answers:
    """
    Encloses epsilon at each delta, for the worst direction.
    """

def explain(
    directions: collections.abc.Sequence[Terms],
    quantity: str,
    at: typing.SupportsFloat | typing.SupportsIndex,
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    method: str = "",
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> list[list[tuple[str, float, float, float, str, int, float]]]:
    """
    What became of each method, a table for each direction.
    """

def forget_transforms() -> None:
    """
    Drops all kept transforms.
    """

def gaussians_about(
    sigma: typing.SupportsFloat | typing.SupportsIndex,
    moved: typing.SupportsFloat | typing.SupportsIndex,
) -> typing.Annotated[list[float], "FixedSize(2)"]:
    """
    The noise multipliers of Gaussians that cost at least, and at most, what discrete Gaussian noise of that sigma costs, moved by `moved` or by twice that.
    """

def gdp_bounds(
    directions: collections.abc.Sequence[Terms],
    smallest_rates: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the smallest mu of Gaussian differential privacy for error rates from each rate on; `reverses`: the reverse of each direction, if known.
    """

def is_group_cut(
    rates: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
) -> bool:
    """
    Whether a number of coins that show heads has a probability too small for doubles.
    """

def kernel() -> str:
    """
    Name of the vector kernel in use.
    """

def list_mechanism(
    type: type, name: str, kept_as: collections.abc.Sequence[tuple[str, str]]
) -> None:
    """
    Has runs read mechanisms of a class by their numbers: the row of the table of mechanisms, and the field that keeps each argument.
    """

def loss_pmf(
    terms: Terms,
    *,
    interval: typing.SupportsFloat | typing.SupportsIndex,
    side: str,
    estimator: str,
    tail_mass: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    support: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [],
    merge_gaussians: bool = True,
) -> LossPmf:
    """
    The composed privacy loss distribution of one direction, on a uniform grid.
    """

def loss_quantile_bounds(
    directions: collections.abc.Sequence[Terms],
    levels: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the quantile of the loss at each level, for the worst direction; `reverses`: the reverse of each, which knows the curve at negative losses, if known.
    """

def loss_tail_bounds(
    directions: collections.abc.Sequence[Terms],
    epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the probability that the loss exceeds each epsilon, for the worst direction.
    """

def loss_variance_bounds(
    directions: collections.abc.Sequence[Terms],
    unused: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the variance of the loss, for the worst direction, once per element.
    """

def matrix_sensitivity(
    strategy: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    min_separation: typing.SupportsFloat | typing.SupportsIndex,
    max_participations: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    The sensitivity of a matrix mechanism, enclosed.
    """

def menu_pair(
    pairs: collections.abc.Sequence[DominatingPair],
    losses: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> DominatingPair:
    """
    A pair above all of these, by the largest of their curves at these losses.
    """

def methods() -> list[str]:
    """
    The names of the methods, in the order in which they are asked for a forecast.
    """

def noise_of_sensitivity(
    noise_multiplier: typing.SupportsFloat | typing.SupportsIndex,
    lower: typing.SupportsFloat | typing.SupportsIndex,
    upper: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    The noise over a sensitivity that is enclosed, enclosed.
    """

def one_run_epsilon(
    canaries: typing.SupportsFloat | typing.SupportsIndex,
    guesses: typing.SupportsFloat | typing.SupportsIndex,
    correct: typing.SupportsFloat | typing.SupportsIndex,
    delta: typing.SupportsFloat | typing.SupportsIndex,
    alpha: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    An epsilon at which that probability is below alpha, or 0.
    """

def one_run_p_value(
    canaries: typing.SupportsFloat | typing.SupportsIndex,
    guesses: typing.SupportsFloat | typing.SupportsIndex,
    correct: typing.SupportsFloat | typing.SupportsIndex,
    epsilon: typing.SupportsFloat | typing.SupportsIndex,
    delta: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    An upper bound of the probability of this many right guesses in one run that is (epsilon, delta)-DP.
    """

def one_run_refutes(
    canaries: typing.SupportsFloat | typing.SupportsIndex,
    guesses: typing.SupportsFloat | typing.SupportsIndex,
    correct: typing.SupportsFloat | typing.SupportsIndex,
    epsilon: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    delta: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    alpha: typing.SupportsFloat | typing.SupportsIndex,
) -> bool:
    """
    Whether this many right guesses are less likely than alpha for a curve below these points.
    """

def pld_bayes_risk(
    pmf: LossPmf, reverse: LossPmf, priors: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Certified bound of the Bayes risk at each prior, of the side; `reverse` answers for priors above 1/2.
    """

def pld_gdp_mu(
    pmf: LossPmf, smallest_rates: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Certified bound of the smallest mu from each rate on, of the side.
    """

def pld_quantile(
    pmf: LossPmf, levels: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
) -> numpy.typing.NDArray[numpy.float64]:
    """
    The quantile of the law as stored, at each level.
    """

def pld_renyi(
    pmf: LossPmf, orders: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Certified bound of the Renyi divergence at each order, of the side.
    """

def pld_tail(
    pmf: LossPmf, epsilons: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
) -> numpy.typing.NDArray[numpy.float64]:
    """
    P(L > epsilon) of the law as stored, at each epsilon.
    """

def pld_variance(pmf: LossPmf) -> float:
    """
    The variance of the law as stored.
    """

def pld_zcdp(
    pmf: LossPmf, largest_orders: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Certified bound of the smallest rho up to each order, of the side.
    """

def poisson_sampled(
    pmf: LossPmf,
    probability: typing.SupportsFloat | typing.SupportsIndex,
    *,
    backward: bool,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
) -> LossPmf:
    """
    The distribution of a mechanism on a Poisson subsample, of its side and interval.
    """

def power_bounds(
    directions: collections.abc.Sequence[Terms],
    false_positive_rates: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the largest true positive rate at each false positive rate, for the worst direction; `reverses`: the reverse of each, if known.
    """

def pure_gdp_mu(epsilon: typing.SupportsFloat | typing.SupportsIndex) -> float:
    """
    Upper bound of the mu of Gaussian differential privacy of whatever is epsilon-differentially private.
    """

def ranges() -> dict[str, tuple[float, float]]:
    """
    The ends of what users may give, by name.
    """

def rate_limits(
    successes: typing.SupportsFloat | typing.SupportsIndex,
    trials: typing.SupportsFloat | typing.SupportsIndex,
    alpha: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    The limits of Clopper and Pearson for a rate, each of which fails with probability alpha at most.
    """

def renyi_bounds(
    directions: collections.abc.Sequence[Terms],
    orders: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the Renyi divergence at each order, for the worst direction.
    """

def root_bounds(square: typing.SupportsFloat | typing.SupportsIndex) -> tuple[float, float]:
    """
    The root of a whole number, enclosed.
    """

def run_moments(
    runs: collections.abc.Sequence[Terms],
    *,
    sampling_probability: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    attained: bool = False,
) -> DominatingPair:
    """
    A pair that encloses Renyi divergences of the worst of several runs, on a sample if asked.
    """

def run_pair(
    forth: Terms,
    back: Terms | None,
    cells: typing.SupportsFloat | typing.SupportsIndex,
    tail: typing.SupportsFloat | typing.SupportsIndex,
    *,
    above: bool,
    sampling_probability: typing.SupportsFloat | typing.SupportsIndex | None = None,
    back_again: bool = False,
) -> DominatingPair:
    """
    A pair above or below a whole run. On a Poisson subsample, and reversed, if asked.
    """

def sum_above(
    a: typing.SupportsFloat | typing.SupportsIndex, b: typing.SupportsFloat | typing.SupportsIndex
) -> float:
    """
    The sum, or the next double if that is below it.
    """

def toeplitz_sensitivity(
    coefficients: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    steps: typing.SupportsFloat | typing.SupportsIndex,
    min_separation: typing.SupportsFloat | typing.SupportsIndex,
    max_participations: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    That of a lower triangular Toeplitz matrix, by its first column.
    """

def zcdp_bounds(
    directions: collections.abc.Sequence[Terms],
    largest_orders: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
    smallest: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> Answers:
    """
    Encloses the smallest rho with D_a <= rho a for orders up to each largest one, for the worst direction.
    """

largest_loss_rounding: float = 2.842170943040401e-14
