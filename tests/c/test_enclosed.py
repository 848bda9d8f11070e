# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known from above and below, and others: the C library's bits are Python's."""

import re
from itertools import count

import pytest

import c_library as library
import hockeystick as hs
from c_library import NO_PAIR, OK, Refused, Run, lib
from mechanisms.test_enclosed_mechanisms import EXAMPLES

STEP = hs.Gaussian(3.0)


def in_c(mechanism):
    """The name of a mechanism in C, and its parameters with those of what it samples."""
    given = {name: value for name, value in mechanism.arguments.items() if value is not None}
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(mechanism).__name__).lower()
    if "mechanism" not in given:
        return name, given
    inner, parameters = in_c(given.pop("mechanism"))
    return f"{name}({inner})", parameters | given


NAMES = {name.decode() for name in iter(map(lib.hs_mechanism_name, count()).__next__, None)}
KNOWN = [
    *(
        one
        for one in EXAMPLES
        if set(re.findall(r"\w+", in_c(one)[0])) <= NAMES and not isinstance(one, hs.ShuffledLocal)
    ),
    STEP.poisson_sampled(0.01),
    hs.Gaussian(0.1).random_allocation(steps=50),
    STEP.shuffled(batches=50, epochs=3),
    hs.TruncatedPoissonGaussian(
        1.0, sampling_probability=0.01, truncated_batch_size=12, dataset_size=1000
    ),
]


def ends(bounds):
    return list(zip(bounds.lower, bounds.upper, strict=True))


@pytest.mark.parametrize("mechanism", KNOWN, ids=lambda mechanism: repr(mechanism)[:60])
def test_a_run_is_that_of_python(mechanism):
    """Said by name, and in a ledger; refused where Python refuses it."""
    name, given = in_c(mechanism)
    by_name = Run().add(name, 3, **given)
    for number, adjacency in enumerate(library.ADJACENCIES, 1):
        account = hs.Accountant(adjacency=adjacency).compose(mechanism, 3)
        try:
            known = OK, ends(account.epsilon_bounds([1e-5, 1e-6]))
        except ValueError:
            with pytest.raises(Refused) as refusal:
                by_name.ask("epsilon", [1e-5], adjacency=number)
            assert refusal.value.status == NO_PAIR
            continue
        assert by_name.ask("epsilon", [1e-5, 1e-6], adjacency=number) == known
        assert Run().add_json(account.to_json()).ask("epsilon", [1e-5, 1e-6]) == known
        known = OK, ends(account.delta_bounds([0.05]))
        assert by_name.ask("delta", [0.05], adjacency=number) == known


def test_the_order_of_a_groups_records_does_not_matter():
    def found(*rates):
        run = Run().add(
            "sampled_group(gaussian)", noise_multiplier=3.0, sampling_probabilities=rates
        )
        return run.ask("epsilon", [1e-5])

    assert found(0.1, 0.3, 0.1) == found(0.1, 0.1, 0.3)


def test_why_an_interval_is_wide_is_said():
    answers = (library.Answer * 1)()
    run = Run().add("shuffled(gaussian)", noise_multiplier=1.0, batches=100)
    opts = library.options(adjacency=5)
    at = library.doubles([1e-6])
    status = lib.hs_epsilon(run.handle, at, 1, library.byref(opts), answers)
    theory = 4
    assert (status, answers[0].limited_by) == (OK, theory)
    assert answers[0].lower < 0.99 * answers[0].upper


@pytest.mark.parametrize("view", ["loss_tail", "loss_quantile"])
def test_the_loss_itself_is_enclosed(view):
    status, ((lower, upper),) = Run().add("zcdp", rho=0.1).ask(view, [0.5])
    assert status == OK
    assert -1 < lower < upper < 2
