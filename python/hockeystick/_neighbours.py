# SPDX-License-Identifier: Apache-2.0
"""The words that others have for what is here, and which of some names was meant by one."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

NEIGHBOURS: Mapping[str, tuple[str, ...]] = {
    neighbour: own
    for own, neighbours in {
        ("sampling_probability",): "sample_rate sampling_rate sampling_prob q rate",
        ("steps", "batches"): "num_steps n_steps iterations num_iterations compositions steps t",
        ("batches", "steps"): "num_batches n_batches",
        ("count",): "num_compositions num_times times",
        ("count", "dataset_size", "users", "records"): "n population num_records",
        ("size", "choices", "num_buckets", "selected", "trials"): "k",
        ("noise_parameter",): "p",
        ("epsilon", "budget"): "target_epsilon eps max_epsilon epsilon",
        ("delta",): "target_delta max_delta get_delta get_delta_for_epsilon compute_delta"
        " privacy_profile hockey_stick_divergence hockeystick delta_curve",
        ("mu",): "gdp_mu",
        ("rho",): "target_rho zcdp",
        ("mechanism", "run"): "mechanism mechanisms pipeline",
        ("tolerance", "deviations"): "tol eps_error epsilon_tolerance rtol tolerance",
        ("noise_multiplier",): "noise sigma std sd stddev",
        ("scale",): "b",
        ("adjacency",): "neighbors neighbouring_relation neighboring_relation relation",
        ("dataset_size",): "num_examples num_samples sample_size n_samples",
        ("epochs",): "num_epochs n_epochs",
        ('sampling="shuffled"', "shuffled"): "shuffle shuffled",
        ("order",): "alpha alphas orders",
        ("epsilon",): "get_epsilon get_eps get_epsilon_for_delta compute_epsilon get_privacy_spent",
        ("renyi_divergence",): "rdp get_rdp renyi compute_rdp",
        ("zcdp",): "get_rho zcdp_rho",
        ("gdp_mu",): "get_mu mu gdp",
        ("tradeoff",): "beta get_beta trade_off tradeoff_curve fnr type_2_error roc",
        ("true_positive_rate",): "tpr power recall",
        ("advantage",): "tv tv_distance total_variation membership_advantage attack_accuracy",
        ("bayes_risk",): "bayes_error",
        ("probabilistic_delta",): "pdelta tail loss_tail",
        ("loss_mean",): "mean kl kl_divergence expected_loss",
        ("loss_variance",): "variance var",
        ("loss_quantile",): "quantile median percentile",
        ("poisson_sampled",): "subsample subsampled sample sampled amplify amplified poisson",
        ("fixed_size_sampled", "fixed_size"): "without_replacement sampled_without_replacement"
        " sample_without_replacement subsampled_without_replacement fixed_size",
        ("left_out",): "drop_last",
        ("cyclic",): "sequential deterministic fixed_order fixed none in_order",
        ("replace-one", "replace_one"): "swap_one change_one modify_one",
        ("random_allocation",): "balls_in_bins balls_and_bins allocate random_allocations",
        ("group", "size"): "group_size per_user user_level",
        ("above_threshold",): "sparse_vector svt sparse_vector_technique",
        ("report_noisy_max",): "noisy_max noisy_argmax exponential_noisy_max",
        ("latex",): "to_latex",
        ("markdown",): "to_markdown tabulate",
        ("html",): "to_html to_pandas to_frame to_dataframe dataframe frame df",
        ("to_json", "page"): "save to_dict as_dict dump",
        ("estimate",): "mid midpoint middle center centre",
        ("sentence",): "summary describe",
        ("compose", "admit"): "add append spend charge",
        ("run",): "charge_step enter admit",
        ("runs_left",): "steps_left how_often remaining_steps",
        ("may_run",): "would_exceed fits can_run allows is_allowed",
        ("remaining",): "remaining_budget left budget_left",
        ("entries", "report"): "history log mechanisms_run",
    }.items()
    for neighbour in neighbours.split()
}
"""The words that others have for arguments and questions, and what they are called here."""
_ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(("repeat", "times", "self_compose"), "count * run"),
    **dict.fromkeys(("compose", "then", "and_then"), "one + another, or count * run"),
    **dict.fromkeys(("pure_epsilon", "largest_loss", "max_loss"), "epsilon(0)"),
    **dict.fromkeys(("verify", "check"), "hs.verify"),
    **{name: f"hs.{name}" for name in ("calibrate", "plot")},
}
"""What people look for in a run, and where it is."""
_SCHEMES: Mapping[str, str] = {
    "poisson_sampled": "; write hs.joint(run).poisson_sampled(q) to draw one sample for all of it",
    "random_allocation": "; random_allocation is of a single mechanism with noise, as of Gaussian",
    **{name: f"; {name} is of a single Gaussian" for name in ("shuffled", "fixed_size_sampled")},
}
"""Ways to draw batches, and what to write where they are not known."""


def likely(key: object, names: Iterable[str]) -> str:
    """Which of the names was meant, as the end of an error: "; did you mean steps?", or nothing."""
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


def no_attribute(value: Any, name: str) -> AttributeError:  # noqa: ANN401
    """The error of a name that a value does not have; of a public one it guesses the word."""
    hint = ""
    if not name.startswith("_"):  # a run asks for what it keeps, and is asked often
        hint = likely(name, [own for own in dir(type(value)) if not own.startswith("_")])
        if not hint and name in _ELSEWHERE:
            hint = f"; did you mean {_ELSEWHERE[name]}?"
        if not hint and hasattr(type(value), "mechanism") and hasattr(value.mechanism, name):
            hint = f"; did you mean mechanism.{name}?"
        scheme = [own for own in (name, *NEIGHBOURS.get(name, ())) if own in _SCHEMES]
        if scheme and hasattr(type(value), "compose"):
            hint = f"; write {scheme[0]} of the mechanism, before it is entered"
        elif scheme and not hasattr(type(value), scheme[0]):
            hint = _SCHEMES[scheme[0]]
    return AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}{hint}")
