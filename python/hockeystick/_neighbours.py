# SPDX-License-Identifier: Apache-2.0
"""The words that others have for what is here, and which of some names was meant by one."""

import sys
from abc import ABCMeta
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn


def _by_neighbour(words: Mapping[tuple[str, ...], str]) -> Mapping[str, tuple[str, ...]]:
    """The names in this library for each word of others, the likeliest first."""
    found: dict[str, tuple[str, ...]] = {}
    for own, neighbours in words.items():
        for neighbour in neighbours.split():
            found[neighbour] = (*found.get(neighbour, ()), *own)
    return found


NEIGHBOURS = _by_neighbour(
    {
        ("sampling_probability",): "batch_size sample_rate sampling_rate sampling_prob q rate",
        ("steps", "batches"): "num_steps n_steps iterations num_iterations compositions steps t",
        ("batches", "steps"): "num_batches n_batches",
        ("count",): "num_compositions num_times times",
        ("count", "dataset_size", "users", "records", "steps"): "n population num_records",
        ("size", "choices", "num_buckets", "selected", "trials"): "k",
        ("noise_parameter",): "p keep flip flip_probability",
        ("epsilon", "budget"): "target_epsilon eps max_epsilon epsilon",
        ("delta",): "target_delta max_delta get_delta get_delta_for_epsilon compute_delta"
        " privacy_profile hockey_stick_divergence hockeystick hockey_stick delta_curve",
        ("mu",): "gdp_mu",
        ("rho",): "target_rho zcdp",
        ("mechanism", "run"): "mechanism mechanisms pipeline",
        ("tolerance", "deviations"): "tol eps_error epsilon_tolerance rtol tolerance precision",
        ("noise_multiplier",): "noise sigma std sd stddev",
        ("scale",): "b lam lambd lambda_ diversity",
        (
            "adjacency",
        ): "neighbors neighbours neighbouring neighboring neighbour neighbor neighbouring_relation"
        " neighboring_relation relation a",
        ("dataset_size",): "dataset_size num_examples num_samples sample_size n_samples",
        ("epochs",): "num_epochs n_epochs",
        ('sampling="shuffled"', "shuffled"): "shuffle shuffled",
        ("order",): "alpha alphas orders",
        ("epsilon",): "cost privacy_cost total spent current value get_epsilon get_eps"
        " get_epsilon_for_delta compute_epsilon get_privacy_spent",
        ("renyi_divergence",): "rdp get_rdp renyi compute_rdp",
        ("zcdp",): "get_rho zcdp_rho rho",
        ("gdp_mu",): "get_mu mu gdp",
        ("tradeoff",): "beta get_beta trade_off tradeoff_curve fnr type_2_error roc",
        ("true_positive_rate",): "tpr power recall",
        ("tpr",): "true_positive_rate power recall",
        ("fpr",): "false_positive_rate alpha",
        ("advantage",): "tv tv_distance total_variation membership_advantage attack_accuracy",
        ("bayes_risk",): "bayes_error risk",
        ("probabilistic_delta",): "pdelta tail loss_tail",
        ("loss_mean",): "mean kl kl_divergence expected_loss",
        ("loss_variance",): "variance var",
        ("loss_quantile",): "quantile median percentile",
        ("poisson_sampled",): "subsample subsampled sample sampled amplify amplified poisson",
        ("fixed_size_sampled", "fixed_size"): "without_replacement sampled_without_replacement"
        " sample_without_replacement subsampled_without_replacement fixed_size"
        " with_replacement sampled_with_replacement",
        ("left_out",): "drop_last",
        ("cyclic",): "sequential deterministic fixed_order fixed none in_order",
        ("replace-one", "replace_one"): "swap_one change_one modify_one",
        ("random_allocation",): "balls_in_bins balls_and_bins allocate random_allocations",
        ("group", "size"): "group_size group_privacy per_user user_level",
        ("above_threshold",): "sparsevector sparse_vector svt sparse_vector_technique",
        ("report_noisy_max",): "noisy_max noisy_argmax exponential_noisy_max",
        ("latex",): "to_latex",
        ("markdown",): "to_markdown tabulate table",
        ("frame", "rows"): "to_csv csv to_excel to_pandas to_frame to_dataframe dataframe df",
        ("html",): "to_html",
        ("to_json", "page"): "save to_dict as_dict dump",
        ("estimate",): "mid midpoint middle center centre",
        ("sentence",): "summary describe",
        ("run", "compose", "admit"): "add append spend charge charge_step step enter admit",
        ("update",): "record advance increment tick on_step",
        ("should_stop",): "exceeded over_budget exhausted done stop",
        ("runs_left",): "steps_left how_often remaining_steps",
        ("may_run",): "would_exceed fits can_run allows is_allowed",
        ("remaining",): "remaining_budget left budget_left",
        ("entries", "report"): "history log mechanisms_run",
        ("steps",): "count num_updates",
        ("terms",): "steps count counts mechanisms noise_multiplier sampling_probability parts",
        ("label",): "name description tag",
        ("upper",): "max maximum high hi ub upper_bound value certified epsilon eps delta",
        ("enclosed",): "ok holds correct is_correct valid is_valid passed matches",
        ("lower",): "min minimum low lo lb lower_bound",
        ("width",): "error relative_width uncertainty slack size",
        ("hockey_stick",): "curve privacy_curve delta_curve delta delta_epsilon epsilon_delta"
        " privacy_profile profile",
        ("epsilon_by_count",): "epsilon epsilons epsilon_by_steps epsilon_curve count steps",
        ("ledger",): "report account accountant",
        ("calibrate",): "noise solve search",
        ("plot",): "draw curve picture",
        ("verify",): "check",
        ("roc",): "roc_curve tpr receiver_operating_characteristic",
        ("loss_distribution",): "pld loss losses plrv privacy_loss density histogram",
        ("yscale", "scale"): "log logy log_scale logscale",
        ("dpsgd_epsilon",): "compute_dp_sgd_privacy compute_epsilon dp_sgd_epsilon epsilon_dpsgd",
        ("rdp",): "renyi",
        ("epsilon0",): "epsilon eps local_epsilon eps0 epsilon_0 epsilon_local",
        ("k-ary",): "rr krr kary grr randomized_response binary",
        ("alpha",): "epsilons epsilon alphas",
        ("scales",): "omega omegas",
        ("decays",): "theta thetas",
        ("leaves",): "n num_leaves num_steps steps",
        ("restarts",): "epochs num_epochs trees",
        ("coefficients",): "coefs coeffs coef column",
        ("mean",): "n k expected average expected_runs",
        ("threshold_epsilon", "test_epsilon"): "epsilon eps",
        ("bounds",): "initial_guess bracket range interval search_range",
        ("admit",): "budget",
        ("budget",): "divergence",
        ("confidence",): "alpha significance level confidence_level",
        ("true_positives",): "tp tpr",
        ("false_negatives",): "fn fnr",
        ("false_positives",): "fp fpr",
        ("true_negatives",): "tn tnr",
        ("canaries",): "m",
        ("guesses",): "r",
        ("correct",): "v",
        ("rate_bounds",): "clopper_pearson confidence_interval binomial_interval",
        ("epsilon_lower",): "audit epsilon empirical_epsilon eps_lower",
        ("DiscreteLaplace",): "geometric",
        ("PoissonSampled",): "subsampled poisson",
        ("ZCDP",): "zcdp concentrated cdp",
        ("EpsilonMeter",): "meter",
        ("dpsgd_noise_multiplier",): "noise_multiplier get_noise_multiplier",
        ("GaussianFilter",): "odometer privacyfilter privacyodometer gdpfilter filter",
        ("ShuffledLocal",): "shuffle_model shuffler local shufflemodel",
        ("any_of",): "menu choice either max",
        ("best_of",): "private_selection select best tune",
        ("TreeMechanism",): "treeaggregation tree binarytree",
        ("MatrixMechanism",): "dpftrl ftrl matrixfactorization bandmf dp_ftrl",
        ("clt",): "gdp gaussian central_limit",
    }
)
"""The words that others have for arguments and questions, and what they are called here."""
_ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(("repeat", "times", "self_compose"), "count * run"),
    **dict.fromkeys(("compose", "then", "and_then"), "one + another, or count * run"),
    **dict.fromkeys(("pure_epsilon", "largest_loss", "max_loss"), "epsilon(0)"),
    **dict.fromkeys(("verify", "check"), "hs.verify"),
    **{name: f"hs.{name}" for name in ("calibrate", "plot")},
    **dict.fromkeys(
        ("report", "latex", "html", "markdown", "table"), "hs.Accountant().compose(run).report"
    ),
    "adjacency": "epsilon(delta, adjacency=...)",
}
"""Names that people look for in a run, and where to find them."""
MADE_BY: Mapping[str, str] = {
    **dict.fromkeys(("gdp", "gaussiandp", "mugdp"), "hs.Gaussian(1 / mu)"),
    **dict.fromkeys(("puredp", "pure", "epsilondp"), "hs.ApproximateDP(epsilon, 0)"),
    **dict.fromkeys(("selfcomposed", "composed", "repeat"), "count * mechanism"),
    **dict.fromkeys(("rdp", "renyi", "renyidp"), "hs.ZCDP(rho), or hs.RenyiFilter"),
    **dict.fromkeys(
        ("subsampledgaussian", "poissonsampledgaussian", "sampledgaussian"),
        "hs.Gaussian(sigma).poisson_sampled(q)",
    ),
    **dict.fromkeys(("pld", "privacylossdistribution"), "run.pld()"),
    **dict.fromkeys(("get_epsilon", "get_eps"), "(10 * hs.Gaussian(1.0)).epsilon(...)"),
}
"""Names that people look for among mechanisms, and how to write them."""
_OUTSIDE: Mapping[str, str] = {
    **dict.fromkeys(
        ("release", "add_noise", "perturb", "randomise", "randomize", "privatize", "draw"),
        "; hockeystick accounts for noise, and adds none",
    ),
    "sensitivity": "; noise_multiplier is the noise over it",
}
"""Names of features that no accountant has."""
_TAKEN_BACK = ("reset", "undo", "remove", "clear", "pop", "delete", "discard", "refund")
_SCHEMES: Mapping[str, str] = {
    "poisson_sampled": "; write hs.joint(run).poisson_sampled(q) to draw one sample for all of it",
    "random_allocation": "; random_allocation is of a single mechanism with noise, as of Gaussian",
    **{name: f"; {name} is of a single Gaussian" for name in ("shuffled", "fixed_size_sampled")},
}
"""Ways to draw batches, and what to write where they are not known."""


def likely(key: object, names: Iterable[str]) -> str:
    """The name that was meant, as the end of an error: "; did you mean steps?", or nothing."""
    names, stem = list(names), str(key).lower().removesuffix("_bounds")
    ending = str(key)[len(stem) :]
    words = [own + ending for own in NEIGHBOURS.get(stem.replace("-", "_"), ())]
    near = [own for own in words if own.partition("=")[0] in names]
    plain = str(key).removesuffix("DpEvent").removesuffix("Mechanism").replace("_", "").lower()
    near = near or [own for own in names if own.replace("_", "").lower() == plain]
    if not near and not words:  # a word with a meaning is no misspelling
        stems = [own.removesuffix(ending) for own in names if own.endswith(ending)]
        near = [own + ending for own in get_close_matches(stem, stems, n=1)]
    return f"; did you mean {near[0]}?" if near else ""


class Hinting:
    """A class whose errors name the attribute that a word of others meant."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name)


class Kinds(ABCMeta):
    """Classes of mechanisms, which nothing multiplies or adds up: what they make is meant."""

    def __mul__(cls, _: object) -> NoReturn:
        """Refuse it."""
        raise TypeError(f"{cls.__name__} makes mechanisms; write 10 * {cls.__name__}(...)")

    __rmul__ = __mul__

    def __add__(cls, _: object) -> NoReturn:
        """Refuse it."""
        raise TypeError(f"{cls.__name__} makes mechanisms; write {cls.__name__}(...) + another")

    __radd__ = __add__


class Uncalled(ModuleType):
    """A module that says what to call in it, and which of its names was meant."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            names = vars(self).get("__all__", [])
            hint = likely(name, names) or (f"; it has {', '.join(names)}" if names else "")
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{hint}")

    def _public(self) -> list[str]:
        """Its names, or those of what is made in it."""
        own = [
            name
            for name, value in vars(self).items()
            if name[0] != "_" and getattr(value, "__module__", "") == self.__name__
        ]
        return list(vars(self).get("__all__", own))

    def __call__(self, *_run: Any, **_options: Any) -> Any:  # noqa: ANN401, one of them is called
        """Refuse the call."""
        package, _, name = self.__name__.partition(".")
        same = [own for own in dir(sys.modules[package]) if own.lower() == name and own != name]
        made = [own for own in self._public() if callable(getattr(self, own))]
        what = f"write hs.{same[0]}(...)" if same else f"it has {', '.join(made)}"
        raise TypeError(f"{self.__name__} is a module; {what}")


def no_attribute(value: Any, name: str) -> AttributeError:  # noqa: ANN401
    """The error of a name that a value does not have; of a public one it guesses the word."""
    hint = ""
    if not name.startswith("_"):  # a run asks for what it keeps, and is asked often
        if hasattr(type(value), "mechanism") and hasattr(value.mechanism, name):
            hint = f"; did you mean mechanism.{name}?"
        names = [own for own in dir(type(value)) if not own.startswith("_")]
        hint = hint or likely(name, names)
        if not hint and name in _ELSEWHERE:
            hint = f"; did you mean {_ELSEWHERE[name]}?"
        hint = hint or (_OUTSIDE.get(name, "") if hasattr(type(value), "dominating_pair") else "")
        if name in _TAKEN_BACK and hasattr(type(value), "compose"):
            hint = "; what was released stays spent: begin with a new one"
        scheme = [own for own in (name, *NEIGHBOURS.get(name, ())) if own in _SCHEMES]
        if scheme and hasattr(type(value), "compose"):
            hint = f"; write {scheme[0]} of the mechanism, before it is entered"
        elif scheme and not hasattr(type(value), scheme[0]):
            hint = _SCHEMES[scheme[0]]
    return AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}{hint}")
