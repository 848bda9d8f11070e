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
    "chained_moments",
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
    "noise_of_covariance",
    "noise_of_sensitivity",
    "one_run_epsilon",
    "one_run_p_value",
    "one_run_refutes",
    "outward_exp",
    "outward_expm1",
    "outward_log",
    "outward_product",
    "outward_quotient",
    "outward_root",
    "outward_sum",
    "outward_total",
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

class NoPairError(ValueError): ...

class DominatingPair:
    def delta_above(
        self, epsilons: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def deltas_above(
        self, epsilons: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def loss_nodes(self) -> numpy.typing.NDArray[numpy.float64]: ...
    def reverse(self) -> DominatingPair | None: ...
    @property
    def loss_supremum(self) -> float: ...

class Terms:
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(self, pairs: collections.abc.Sequence[tuple[DominatingPair, int]]) -> None: ...

class LossPmf:
    def __len__(self) -> int: ...
    def delta(self, epsilons: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]: ...
    def epsilon(self, deltas: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]: ...
    def power(
        self, false_positive_rates: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def reflected(self) -> LossPmf: ...
    def tradeoff(
        self, false_positive_rates: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]: ...
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

class InternalError(RuntimeError): ...

class Answer:
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
    def __getitem__(self, index: int) -> Answer: ...
    def __len__(self) -> int: ...
    def end(self, lower: bool) -> float | None: ...
    def row(self, index: int) -> typing.Annotated[list[float], "FixedSize(6)"]: ...
    def table(self) -> numpy.typing.NDArray[numpy.float64]: ...
    def theory(self) -> str: ...
    def unmet(self) -> int | None: ...

class KeptRun:
    @staticmethod
    def of(
        directions: collections.abc.Sequence[Terms],
        quantity: str,
        at: float,
        *,
        tolerance: float,
        memory_limit: int,
    ) -> KeptRun | None: ...
    def answers(
        self, quantity: str, at: float, *, tolerance: float, memory_limit: int
    ) -> Answers | None: ...
    def grown(self, more: collections.abc.Sequence[Terms]) -> KeptRun | None: ...
    @property
    def directions(self) -> int: ...

class Run:
    @staticmethod
    def worst_of(parts: collections.abc.Sequence[Run]) -> Run: ...
    def __init__(self, terms: collections.abc.Iterable[tuple[typing.Any, int]]) -> None: ...
    def ask(
        self,
        view: str,
        at: float | numpy.typing.ArrayLike,
        adjacency: int,
        tolerance: float,
        memory_limit: int,
        smallest: float,
    ) -> Answers: ...
    def directions(self, adjacency: int) -> list[Terms]: ...
    def pairs(self, comparison: int) -> Terms: ...
    def sides(
        self, comparison: int, cells: float, tail: float, *, above: bool, moments: bool = False
    ) -> list[Terms]: ...
    @property
    def groups_by_part(self) -> bool: ...
    @property
    def is_exact(self) -> bool: ...

class Search:
    def __init__(
        self,
        family: typing.Any,
        goal: typing.Any,
        before: Search | None = None,
        *,
        alike: bool = False,
    ) -> None: ...
    def run(self) -> typing.Any: ...

class NumberOfRuns:
    def __init__(self, kind: str, mean: float, extra: float) -> None: ...
    def between(self, x: float, rest: float, part: float) -> float: ...
    def log_share(self, x: float) -> float: ...
    def rate(self, x: float) -> float: ...
    def rate_slope(self, x: float) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def none(self) -> float: ...

def additive_noise_pair(
    log_density: collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], typing.Any],
    distribution: collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], typing.Any],
    accuracy: float,
    shift: float,
    steepest: float | None = None,
) -> DominatingPair: ...
def attack_rates(
    true_positives: float,
    false_negatives: float,
    false_positives: float,
    true_negatives: float,
    alpha: float,
) -> tuple[float, float, float]: ...
def audited_epsilon(false_positives: float, false_negatives: float, delta: float) -> float: ...
def audited_mu(false_positives: float, false_negatives: float) -> float: ...
def bayes_risk_bounds(
    directions: collections.abc.Sequence[Terms],
    priors: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: float = 0.0,
) -> Answers: ...
def best_of_largest(forth: Terms, back: Terms, runs: NumberOfRuns) -> float: ...
def best_of_moments(
    forth: Terms,
    back: Terms | None,
    runs: NumberOfRuns,
    cells: float,
    tail: float,
    *,
    attained: bool,
) -> DominatingPair: ...
def best_of_pair(
    forth: Terms,
    back: Terms | None,
    runs: NumberOfRuns,
    cells: float,
    tail: float,
    *,
    goal: float | None = None,
) -> DominatingPair: ...
def buffered_sensitivity(
    scales: numpy.typing.ArrayLike,
    decays: numpy.typing.ArrayLike,
    steps: float,
    min_separation: float,
    max_participations: float,
) -> tuple[float, float]: ...
def chained_moments(
    one: Terms, records: int, other: DominatingPair | None = None
) -> DominatingPair: ...
def chained_pair(
    chains: collections.abc.Sequence[collections.abc.Sequence[tuple[Terms, Terms | None, int]]],
    cells: float,
    tail: float,
    *,
    sampling_probability: float | None = None,
    back_again: bool = False,
) -> DominatingPair: ...
def clock() -> float: ...
def column_norms(strategy: numpy.typing.ArrayLike) -> list[tuple[float, float]]: ...
def composed_delta(
    first: LossPmf, second: LossPmf, epsilons: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def composed_directly(first: LossPmf, second: LossPmf, *, cut: float) -> LossPmf: ...
def delta_bounds(
    directions: collections.abc.Sequence[Terms],
    epsilons: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    method: str = "",
    smallest: float = 0.0,
) -> Answers: ...
def described_pair(mechanism: typing.Any, comparison: int) -> DominatingPair: ...
def described_types() -> set[str]: ...
def dominating_pair(name: str, parameters: collections.abc.Sequence[float]) -> DominatingPair: ...
def dpsgd_epsilon_bounds(
    noise_multipliers: numpy.typing.ArrayLike,
    sampling_probabilities: numpy.typing.ArrayLike,
    steps: numpy.typing.ArrayLike,
    deltas: numpy.typing.ArrayLike,
    *,
    adjacency: int,
    tolerance: float,
    memory_limit: int,
    threads: int = 1,
) -> Answers: ...
def enclosing_pairs(
    mechanism: typing.Any, comparison: int, cells: float, tail: float, *, above: bool
) -> list[DominatingPair]: ...
def end_work_at(seconds: float) -> float: ...
def epsilon_bounds(
    directions: collections.abc.Sequence[Terms],
    deltas: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    method: str = "",
) -> Answers: ...
def explain(
    directions: collections.abc.Sequence[Terms],
    quantity: str,
    at: float,
    *,
    tolerance: float,
    memory_limit: int,
    method: str = "",
    smallest: float = 0.0,
) -> list[list[tuple[str, float, float, float, str, int, float]]]: ...
def forget_transforms() -> None: ...
def gaussians_about(
    sigma: float, moved: float
) -> typing.Annotated[list[float], "FixedSize(2)"]: ...
def gdp_bounds(
    directions: collections.abc.Sequence[Terms],
    smallest_rates: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: float = 0.0,
) -> Answers: ...
def is_group_cut(rates: collections.abc.Sequence[float]) -> bool: ...
def kernel() -> str: ...
def list_mechanism(
    type: type, name: str, kept_as: collections.abc.Sequence[tuple[str, str]]
) -> None: ...
def loss_pmf(
    terms: Terms,
    *,
    interval: float,
    side: str,
    estimator: str,
    tail_mass: float,
    memory_limit: int,
    support: collections.abc.Sequence[int] = [],
    merge_gaussians: bool = True,
) -> LossPmf: ...
def loss_quantile_bounds(
    directions: collections.abc.Sequence[Terms],
    levels: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: float = 0.0,
) -> Answers: ...
def loss_tail_bounds(
    directions: collections.abc.Sequence[Terms],
    epsilons: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    smallest: float = 0.0,
) -> Answers: ...
def loss_variance_bounds(
    directions: collections.abc.Sequence[Terms],
    unused: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    smallest: float = 0.0,
) -> Answers: ...
def matrix_sensitivity(
    strategy: numpy.typing.ArrayLike, min_separation: float, max_participations: float
) -> tuple[float, float]: ...
def menu_pair(
    pairs: collections.abc.Sequence[DominatingPair], losses: numpy.typing.ArrayLike
) -> DominatingPair: ...
def methods() -> list[str]: ...
def noise_of_covariance(covariance: numpy.typing.ArrayLike) -> tuple[float, float]: ...
def noise_of_sensitivity(
    noise_multiplier: float, lower: float, upper: float
) -> tuple[float, float]: ...
def one_run_epsilon(
    canaries: float, guesses: float, correct: float, delta: float, alpha: float
) -> float: ...
def one_run_p_value(
    canaries: float, guesses: float, correct: float, epsilon: float, delta: float
) -> float: ...
def one_run_refutes(
    canaries: float,
    guesses: float,
    correct: float,
    epsilon: numpy.typing.ArrayLike,
    delta: numpy.typing.ArrayLike,
    alpha: float,
) -> bool: ...
def outward_exp(
    x: numpy.typing.ArrayLike, above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool]
) -> typing.Any: ...
def outward_expm1(
    x: numpy.typing.ArrayLike, above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool]
) -> typing.Any: ...
def outward_log(
    x: numpy.typing.ArrayLike, above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool]
) -> typing.Any: ...
def outward_product(
    a: numpy.typing.ArrayLike,
    b: numpy.typing.ArrayLike,
    above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool],
) -> typing.Any: ...
def outward_quotient(
    a: numpy.typing.ArrayLike,
    b: numpy.typing.ArrayLike,
    above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool],
) -> typing.Any: ...
def outward_root(
    x: numpy.typing.ArrayLike, above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool]
) -> typing.Any: ...
def outward_sum(
    a: numpy.typing.ArrayLike,
    b: numpy.typing.ArrayLike,
    above: typing.Annotated[numpy.typing.ArrayLike, numpy.bool],
) -> typing.Any: ...
def outward_total(terms: numpy.typing.ArrayLike, above: bool) -> float: ...
def pld_bayes_risk(
    pmf: LossPmf, reverse: LossPmf, priors: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def pld_gdp_mu(
    pmf: LossPmf, smallest_rates: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def pld_quantile(
    pmf: LossPmf, levels: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def pld_renyi(
    pmf: LossPmf, orders: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def pld_tail(
    pmf: LossPmf, epsilons: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def pld_variance(pmf: LossPmf) -> float: ...
def pld_zcdp(
    pmf: LossPmf, largest_orders: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]: ...
def poisson_sampled(
    pmf: LossPmf, probability: float, *, backward: bool, memory_limit: int
) -> LossPmf: ...
def power_bounds(
    directions: collections.abc.Sequence[Terms],
    false_positive_rates: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    reverses: collections.abc.Sequence[Terms] = [],
    smallest: float = 0.0,
) -> Answers: ...
def pure_gdp_mu(epsilon: float) -> float: ...
def ranges() -> dict[str, tuple[float, float]]: ...
def rate_limits(successes: float, trials: float, alpha: float) -> tuple[float, float]: ...
def renyi_bounds(
    directions: collections.abc.Sequence[Terms],
    orders: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    smallest: float = 0.0,
) -> Answers: ...
def root_bounds(square: float) -> tuple[float, float]: ...
def run_moments(
    runs: collections.abc.Sequence[Terms],
    *,
    sampling_probability: float = 1.0,
    attained: bool = False,
) -> DominatingPair: ...
def run_pair(
    forth: Terms,
    back: Terms | None,
    cells: float,
    tail: float,
    *,
    above: bool,
    sampling_probability: float | None = None,
    back_again: bool = False,
) -> DominatingPair: ...
def sum_above(a: float, b: float) -> float: ...
def toeplitz_sensitivity(
    coefficients: numpy.typing.ArrayLike,
    steps: float,
    min_separation: float,
    max_participations: float,
) -> tuple[float, float]: ...
def zcdp_bounds(
    directions: collections.abc.Sequence[Terms],
    largest_orders: numpy.typing.ArrayLike,
    *,
    tolerance: float,
    memory_limit: int,
    smallest: float = 0.0,
) -> Answers: ...

largest_loss_rounding: float = 2.842170943040401e-14
