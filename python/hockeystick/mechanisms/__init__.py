# SPDX-License-Identifier: Apache-2.0
"""The mechanisms: immutable values that know their dominating pairs, one file each."""

from hockeystick import _core
from hockeystick._terms import fields_by_argument
from hockeystick.mechanisms.additive_noise import AdditiveNoise
from hockeystick.mechanisms.approximate_dp import ApproximateDP
from hockeystick.mechanisms.best_of import BestOf
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussian
from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace
from hockeystick.mechanisms.discrete_pair import DiscretePair
from hockeystick.mechanisms.exponential_mechanism import ExponentialMechanism
from hockeystick.mechanisms.fixed_size_sampled import FixedSizeSampled
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.gaussian_between import GaussianBetween, SampledBetween
from hockeystick.mechanisms.gaussian_mixture import GaussianMixture
from hockeystick.mechanisms.grouped import Grouped, SampledGroup
from hockeystick.mechanisms.hockey_stick_curve import HockeyStickCurve, PoissonSampledCurve
from hockeystick.mechanisms.joint_gaussian import JointGaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.matrix_mechanism import MatrixMechanism
from hockeystick.mechanisms.matrix_strategies import (
    BufferedMechanism,
    ToeplitzMechanism,
    TreeMechanism,
)
from hockeystick.mechanisms.menu import AnyOf
from hockeystick.mechanisms.permute_and_flip import PermuteAndFlip
from hockeystick.mechanisms.poisson_sampled import PoissonSampled
from hockeystick.mechanisms.poisson_sampled_run import PoissonSampledRun
from hockeystick.mechanisms.random_allocation import RandomAllocation
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.mechanisms.renyi_dp import RenyiDP
from hockeystick.mechanisms.selected_steps import SelectedSteps
from hockeystick.mechanisms.shuffled import Shuffled
from hockeystick.mechanisms.shuffled_local import ShuffledLocal
from hockeystick.mechanisms.truncated_poisson_gaussian import TruncatedPoissonGaussian
from hockeystick.mechanisms.zero_concentrated import ZCDP

__all__ = [
    "ZCDP",
    "AdditiveNoise",
    "AnyOf",
    "ApproximateDP",
    "BestOf",
    "BufferedMechanism",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DiscretePair",
    "ExponentialMechanism",
    "FixedSizeSampled",
    "Gaussian",
    "GaussianBetween",
    "GaussianMixture",
    "Grouped",
    "HockeyStickCurve",
    "JointGaussian",
    "Laplace",
    "MatrixMechanism",
    "PermuteAndFlip",
    "PoissonSampled",
    "PoissonSampledCurve",
    "PoissonSampledRun",
    "RandomAllocation",
    "RandomizedResponse",
    "RenyiDP",
    "SampledBetween",
    "SampledGroup",
    "SelectedSteps",
    "Shuffled",
    "ShuffledLocal",
    "ToeplitzMechanism",
    "TreeMechanism",
    "TruncatedPoissonGaussian",
]

# Groups that are drawn too rarely for one pair have two: the class says so itself.
for _name in (_core.described_types() & set(__all__)) - {"SampledGroup"}:
    _kind = globals()[_name]
    _fields = fields_by_argument(_kind)
    if _kind is ShuffledLocal:  # its numbers encode the randomizer
        _fields = _fields | {"laplace": "laplace"}
    _core.list_mechanism(_kind, _name, list(_fields.items()))
for _kind in (MatrixMechanism, ToeplitzMechanism, BufferedMechanism, TreeMechanism):
    _core.list_mechanism(
        _kind, "GaussianBetween", [("least_noise", "least_noise"), ("most_noise", "most_noise")]
    )
