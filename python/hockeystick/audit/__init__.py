# SPDX-License-Identifier: Apache-2.0
"""Audits: lower bounds of epsilon and mu from attacks, and claims that they refute.

**The canaries of one training run are not independent trials.** ``epsilon_lower``, ``mu_lower`` and
``refutes`` take the outcomes of *independent* runs of the mechanism: one guess from each run, the
record in half of the runs, say. A thousand canaries in one model give a thousand guesses that share
one noise; for these are ``one_run_epsilon_lower`` and ``one_run_refutes``. Nor are the scores of
one run at several thresholds independent, or those of the threshold that turned out best: fix the
threshold and which side of it counts as "in" before the scores are seen, or name a list of
thresholds in advance, which ``epsilon_lower_of_scores`` pays for.

All answers are certified: binomial tails are enclosed, and every end is rounded to the safe side.
They fail with probability 1 - confidence at most. Attacks that tell nothing give 0.

    import hockeystick as hs

    hs.audit.epsilon_lower(
        true_positives=900, false_negatives=100, false_positives=50, true_negatives=950, delta=1e-5
    )
"""

from hockeystick.audit.independent import (
    counts,
    epsilon_lower,
    epsilon_lower_of_scores,
    mu_lower,
    rate_bounds,
    reconstruction_risk,
    refutes,
)
from hockeystick.audit.one_run import one_run_epsilon_lower, one_run_p_value, one_run_refutes

__all__ = [
    "counts",
    "epsilon_lower",
    "epsilon_lower_of_scores",
    "mu_lower",
    "one_run_epsilon_lower",
    "one_run_p_value",
    "one_run_refutes",
    "rate_bounds",
    "reconstruction_risk",
    "refutes",
]
