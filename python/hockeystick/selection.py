# SPDX-License-Identifier: Apache-2.0
"""Choosing with privacy: the best of several runs, thresholds, noisy maxima, tests first."""

from typing import Literal

from hockeystick import _checks, outward
from hockeystick._words import spoken
from hockeystick.composition import Composable
from hockeystick.mechanisms.approximate_dp import ApproximateDP
from hockeystick.mechanisms.best_of import BestOf

Runs = Literal["poisson", "geometric", "logarithmic", "negative_binomial", "binomial", "fixed"]


@spoken
def best_of(
    run: Composable,
    *,
    runs: Runs | None = None,
    mean: float,
    shape: float | None = None,
    trials: int | None = None,
) -> BestOf:
    """The best of a random number of independent runs: hyperparameters tuned on the same records.

    K is drawn, then K runs are made, all of the same mechanism, and the output with the best score
    is released; nothing if K = 0, which is an outcome too. It holds if

    - K is drawn from its law independently of the data, and K is not released;
    - runs are independent and alike. Which candidate a run tries is part of it: drawn with fixed
      probabilities, anew in each run. Trying every candidate of a list once is another procedure,
      and so are proposals that depend on earlier results;
    - the score is part of what a run outputs: computed on the private records, it is paid for in
      `run`; computed on public ones, it costs nothing.

    Of candidates that cost differently `run` must dominate each.

    Above is the theorem on ranks of cpp/proofs/best-of-runs.md, a whole curve, and for a Poisson
    number the smaller of that and of the bound by Renyi divergences with the atom of K = 0; below,
    what a ranking attains. Renyi divergences and zero-concentrated DP are bounded by those of a run
    and the largest ratio of ranks, which is finite where theirs are. So it composes, is sampled and
    grouped as any mechanism. Between them bounds are ``limited_by == "theory"``.

    Args:
        run: A mechanism or a composition: what each run releases.
        runs: The law of K, which must be said: "poisson"; "geometric", K = k with probability
            (1 / mean) (1 - 1 / mean)^(k - 1); "logarithmic"; "negative_binomial", truncated, of a
            shape; "binomial", of a number of trials; "fixed", always the mean.
        mean: Of K; in [1e-6, 1e6], at least 1 for laws of K >= 1, whole if fixed.
        shape: Of a truncated negative binomial number, in (-1, 100]; 0 is logarithmic, 1 geometric.
            Next to -1 large means are refused: a mean of 2 below a shape of -0.9989.
        trials: Of a binomial number, in [1, 1e6], at least the mean.

    Returns:
        A mechanism.

    Raises:
        ValueError: An argument is out of its range, missing, or of another law.
        TypeError: `run` is nothing that runs, or `runs` is not given.

    Cost: several hundred deltas of the run in each direction, and of a Poisson number some Renyi
    divergences; 0.1 s for DP-SGD.

    Source: cpp/proofs/best-of-runs.md. Liu & Talwar (2019), Papernot & Steinke (2022) and
    Koskela, Redberg & Wang (2024) have the bounds that it contains.

    >>> import hockeystick as hs
    >>> training = 1000 * hs.Gaussian(1.0).poisson_sampled(0.01)
    >>> tuned = hs.best_of(training, runs="geometric", mean=10)
    >>> bounds = tuned.epsilon_bounds(delta=1e-6)
    >>> 2.94 < bounds.lower < bounds.upper < 2.97
    True
    """
    return BestOf(
        run=run,  # type: ignore[arg-type]  # which it makes a composition
        runs=runs,  # type: ignore[arg-type]  # which it checks
        mean=mean,
        shape=shape,
        trials=trials,
    )


@spoken
def above_threshold(*, threshold_epsilon: float, query_epsilon: float) -> ApproximateDP:
    """The index of the first query above a threshold: the sparse vector technique.

    With D the most by which a record changes a query: the threshold has Laplace noise of scale
    D / threshold_epsilon, drawn once, and each query Laplace noise of scale
    2 c D / query_epsilon; which queries were above is all that is released, and it stops after c of
    them. If all queries change in the same direction, c D / query_epsilon is enough. Queries may be
    chosen by the answers before. Then it is (threshold_epsilon + query_epsilon)-differentially
    private, however many queries there are; that guarantee is what is returned.

    It does not hold if the threshold's noise is drawn anew for each query, if the noise of queries
    does not grow with c, or if the noisy values of queries are released as well.

    Args:
        threshold_epsilon: Of the threshold, in [0, 1e4] nats.
        query_epsilon: Of all queries together, as far.

    Returns:
        The guarantee, as a mechanism: it composes, and is sampled.

    Raises:
        ValueError: One of them, or the sum, is out of range.

    Source: Lyu, Su & Li (2017), Theorems 2 and 4.

    >>> import hockeystick as hs
    >>> round(hs.above_threshold(threshold_epsilon=0.1, query_epsilon=0.4).epsilon(0), 12)
    0.5
    """
    first = _epsilon("threshold_epsilon", threshold_epsilon)
    return _sum(
        "threshold_epsilon + query_epsilon", first, _epsilon("query_epsilon", query_epsilon)
    )


@spoken
def report_noisy_max(epsilon: float) -> ApproximateDP:
    """The index of the largest of several counts, after Laplace noise on each.

    With D the most by which a record changes a count, the noise is of scale 2 D / epsilon, or
    D / epsilon if all counts change in the same direction; with exponential noise it is
    `PermuteAndFlip`, with Gumbel noise the `ExponentialMechanism`, which say more. The noisy value
    of the winner must not be released.

    Args:
        epsilon: In [0, 1e4] nats.

    Returns:
        The guarantee of epsilon-differential privacy, as a mechanism.

    Raises:
        ValueError: `epsilon` is out of range.

    Source: Dwork & Roth (2014), Claim 3.9; McKenna & Sheldon (2020).

    >>> import hockeystick as hs
    >>> round((20 * hs.report_noisy_max(epsilon=0.1)).epsilon(0), 9)
    2.0
    """
    return ApproximateDP(_epsilon("epsilon", epsilon), 0.0)


@spoken
def first_above(*, epsilon: float) -> ApproximateDP:
    """A candidate whose score is above a threshold, of as many runs as it takes.

    Runs of one epsilon-differentially private mechanism, which outputs a candidate and its score,
    are made until a score is at least the threshold, which is fixed in advance; then that output is
    released. Before each run it ends with a fixed probability > 0, and releases nothing. Then it is
    2 epsilon-differentially private, however small that probability.

    Args:
        epsilon: Of one run, in [0, 5000] nats.

    Returns:
        The guarantee, as a mechanism.

    Raises:
        ValueError: `epsilon` is out of range.

    Source: Liu & Talwar (2019), Theorem 3.1, for pure differential privacy.

    >>> import hockeystick as hs
    >>> round(hs.first_above(epsilon=0.3).epsilon(0), 12)
    0.6
    """
    once = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON / 2)
    return ApproximateDP(2 * once, 0.0)


@spoken
def propose_test_release(
    *, test_epsilon: float, release_epsilon: float, test_delta: float, release_delta: float = 0.0
) -> ApproximateDP:
    """A release that is made only if a private test finds that it is safe.

    The test, which is test_epsilon-differentially private, lets data pass on which the release is
    not (release_epsilon, release_delta)-differentially private with a probability of at most
    test_delta; on all data that pass it, the release is. Then both together are
    (test_epsilon + release_epsilon, test_delta + release_delta)-differentially private.

    Args:
        test_epsilon: In [0, 1e4] nats.
        release_epsilon: As far.
        test_delta: In [0, 1].
        release_delta: As far.

    Returns:
        The guarantee, as a mechanism.

    Raises:
        ValueError: One of them, or a sum, is out of range.

    Source: Dwork & Lei (2009).

    >>> import hockeystick as hs
    >>> mean = hs.propose_test_release(test_epsilon=0.1, release_epsilon=0.4, test_delta=1e-6)
    >>> round(mean.epsilon(1e-6), 12)
    0.5
    """
    epsilons = (
        _epsilon("test_epsilon", test_epsilon),
        _epsilon("release_epsilon", release_epsilon),
    )
    missed = _checks.probability("test_delta", test_delta)
    delta = outward.sum_of(missed, _checks.probability("release_delta", release_delta), above=True)
    total = _sum("test_epsilon + release_epsilon", *epsilons).guaranteed_epsilon
    return ApproximateDP(total, _checks.within("test_delta + release_delta", delta, 0, 1))


def _epsilon(name: str, value: float) -> float:
    return _checks.within(name, value, 0, _checks.MAX_EPSILON)


def _sum(name: str, first: float, second: float) -> ApproximateDP:
    """The guarantee of two epsilons that add up, not less than they do."""
    total = _checks.within(name, outward.sum_of(first, second, above=True), 0, _checks.MAX_EPSILON)
    return ApproximateDP(total, 0.0)
