# SPDX-License-Identifier: Apache-2.0
"""What the core's classes have in common."""

import copy
import pickle

import pytest

import hockeystick as hs

PAIR = hs.Gaussian(1.0).dominating_pair(next(iter(hs.Direction)))
RUN = (2 * hs.Laplace(10.0)).pld(discretization_interval=0.1)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_no_protocol_pickles_what_the_core_holds(protocol):
    """With 0 and 1 pybind11 ended the process."""
    with pytest.raises(TypeError, match="^cannot pickle 'DominatingPair' object$"):
        pickle.dumps(PAIR, protocol)
    copied = pickle.loads(pickle.dumps(RUN, protocol))  # noqa: S301
    assert copied.delta(0.1) == RUN.delta(0.1)


def test_no_copy_is_made_of_what_the_core_holds():
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="^cannot pickle 'DominatingPair' object$"):
            copied(PAIR)
