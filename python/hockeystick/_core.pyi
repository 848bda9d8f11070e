from typing import Any
import numpy as np
import numpy.typing as npt
A = npt.NDArray[np.float64]
class DominatingPair: ...
class Answer:
    lower: float
    upper: float
    met: bool
    obstacle: str
    required_bytes: int
    discretization: float
    truncation: float
    wraparound: float
    rounding: float
    interval: float
    size: int
    tilt: float
class LossPmf:
    interval: float
    first: int
    mass: A
    infinity_mass: float
    reverse_infinity_mass: float
    slack: float
    loss_error: float
    side: str
    def delta(self, epsilons: A) -> A: ...
    def epsilon(self, deltas: A) -> A: ...
    def reflected(self) -> LossPmf: ...
def gaussian(*, noise_multiplier: float) -> DominatingPair: ...
def poisson_gaussian_remove(*, noise_multiplier: float, sampling_probability: float) -> DominatingPair: ...
def poisson_gaussian_add(*, noise_multiplier: float, sampling_probability: float) -> DominatingPair: ...
def poisson_gaussian_replace(*, noise_multiplier: float, sampling_probability: float) -> DominatingPair: ...
def epsilon_bounds(directions: list[list[tuple[DominatingPair, int]]], deltas: A, *, tolerance: float, memory_limit: int) -> list[Answer]: ...
def delta_bounds(directions: list[list[tuple[DominatingPair, int]]], epsilons: A, *, tolerance: float, memory_limit: int) -> list[Answer]: ...
def loss_pmf(terms: list[tuple[DominatingPair, int]], *, interval: float, side: str, estimator: str, tail_mass: float, memory_limit: int) -> LossPmf: ...
