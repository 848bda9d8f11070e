# SPDX-License-Identifier: Apache-2.0
"""A second accountant: independent, exact, slow. It checks what the fast one, or anyone, says."""

from hockeystick import _checks
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable
from hockeystick.disjoint import AnyRun, DisjointParts, check_adjacency
from hockeystick.errors import of_extra
from hockeystick.verify.result import Verified

__all__ = ["Verified", "verify"]

MOST_DIGITS = 1000


@spoken
def verify(  # noqa: PLR0913
    run: Composable | DisjointParts | Accountant,
    delta: float | None = None,
    *,
    epsilon: float | None = None,
    false_positive_rate: float | None = None,
    prior: float | None = None,
    order: float | None = None,
    adjacency: AdjacencyLike | None = None,
    digits: int = 30,
    fast: bool | Bounds[float] = True,
) -> Verified:
    """One quantity of a composition, computed once more in ball arithmetic, and the fast interval.

    Nothing is shared with the core but the mechanisms' parameters: closed forms, exact sums,
    residues, and contour integrals whose every error is proved. Give one of the questions:

    Args:
        run: A mechanism, a composition, what `parallel` returned, or an accountant.
        delta: In [0, 1): asks for the smallest epsilon; at 0 for the largest privacy loss.
        epsilon: In [0, 1e4] nats: asks for the smallest delta.
        false_positive_rate: In [0, 1]: asks for the largest true positive rate of a test.
        prior: In (0, 1): asks for the Bayes risk.
        order: In [1, 1e4]: asks for the Renyi divergence.
        adjacency: Which datasets are neighbours, by default those of an accountant; the worst
            direction counts.
        digits: Decimal digits asked for, in [1, 1000]. The result says how many are known.
        fast: Whether to ask the fast accountant too, and compare; or bounds of any origin, say of a
            paper, to compare with.

    Returns:
        A `Verified`. Where no rigorous value is known or affordable, ``known`` is False and
        ``reason`` says why.

    Raises:
        ValueError: An argument is out of range, not one question is asked, or a mechanism has no
            dominating pair for `adjacency`.
        TypeError: An argument has the wrong type.
        ImportError: python-flint, the extra ``verify``, is not installed.

    Cost: a fraction of a second for most questions; see the manual.

    >>> import hockeystick as hs
    >>> result = verify(100 * hs.Gaussian(noise_multiplier=10.0), delta=1e-5, digits=20)
    >>> result.middle, result.enclosed
    ('4.37717809568122460855', True)
    """
    composition, worst = _asked(run, adjacency)
    _checks.whole("digits", digits, 1, MOST_DIGITS)
    questions = {
        "delta": delta,
        "epsilon": epsilon,
        "false_positive_rate": false_positive_rate,
        "prior": prior,
        "order": order,
    }
    asked = {name: value for name, value in questions.items() if value is not None}
    if len(asked) != 1:
        raise ValueError(f"one of {', '.join(questions)} must be given, got {len(asked)} of them")
    with of_extra("verify"):
        from hockeystick.verify.answer import answer  # noqa: PLC0415, which needs python-flint

    ((name, value),) = asked.items()
    return answer(composition, name, value, worst, digits, fast)


def _asked(run: AnyRun | Accountant, adjacency: AdjacencyLike | None) -> tuple[AnyRun, Adjacency]:
    if not isinstance(run, DisjointParts):
        return run_and_adjacency("run", run, adjacency)
    under = Adjacency.ADD_OR_REMOVE_ONE if adjacency is None else adjacency_of(adjacency)
    check_adjacency(under)
    return run, under
