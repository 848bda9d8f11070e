# SPDX-License-Identifier: Apache-2.0
"""Mixed questions from eight threads: the answers of a single thread, in memory that stays flat.

python tests/soak.py [questions, by default a million]
"""

import random
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

import hockeystick as hs

THREADS = 8
PARTS = 20  # of the questions, between two looks at the memory


SLOW = {1, 3, 5, 6}  # kinds that take milliseconds, and are asked less often


def _asked(question):
    """The answer, also where it is wider than asked for."""
    try:
        return question()
    except hs.CertificationError as error:
        return tuple(error.bounds)


def _kinds(rng):
    """One question of each kind, with parameters of its own."""
    sigma, q, delta = rng.uniform(0.7, 3), rng.uniform(0.001, 0.1), 10 ** rng.uniform(-9, -3)
    step = hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q)
    laplace = hs.Laplace(noise_multiplier=10 * sigma)
    coarse = hs.DiscreteLaplace(parameter=sigma, sensitivity=1).poisson_sampled(q)
    pair = hs.DiscretePair(p=(0.5, 0.3, 0.2), q=(0.4, 0.3, 0.3))
    count = rng.randrange(1, 3000)
    return (
        lambda: tuple((count * step).epsilon_bounds(delta)),
        lambda: tuple((count * step).delta_bounds(1.0)),
        lambda: tuple((count * step + 3 * laplace).epsilon_bounds(delta, tolerance=1e-2)),
        lambda: tuple((5 * laplace).epsilon_bounds(delta)),
        lambda: tuple((7 * coarse).delta_bounds(0.2)),
        lambda: tuple((9 * pair).advantage_bounds()),
        lambda: tuple((4 * step).true_positive_rate_bounds(0.01, tolerance=1e-2)),
        lambda: (
            hs.Accountant().compose(step, count).would_exceed(step, 10, epsilon=1.0, delta=delta)
        ),
        lambda: hs.Accountant.from_json(hs.Accountant().compose(laplace, 3).to_json()).ledger,
        lambda: tuple(
            hs.dpsgd_epsilon(
                noise_multiplier=np.array([sigma, sigma + 1]),
                sampling_probability=q,
                steps=count,
                delta=delta,
            )
        ),
    )


def _size():
    """Bytes of memory that the process holds."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True, kw_only=True)
class Report:
    """What came of it; sizes in bytes, one after each part."""

    questions: int
    wrong: int
    sizes: tuple[int, ...]
    seconds: float

    @property
    def growth(self):
        """Bytes by which the last quarter of the sizes is above the second one, in the median."""
        quarter = len(self.sizes) // 4
        return median(self.sizes[-quarter:]) - median(self.sizes[quarter : 2 * quarter])


def soak(number, *, distinct=400, threads=THREADS):
    """Ask `number` questions, of `distinct` different ones, in an order of each thread's own."""
    rng = random.Random(1)
    questions = [question for _ in range(distinct // 10) for question in _kinds(rng)]
    expected = [_asked(question) for question in questions]

    weights = [1 if k % 10 in SLOW else 20 for k in range(len(questions))]

    def work(seed, times):
        order = random.Random(seed)
        picks = order.choices(range(len(questions)), weights, k=times)
        return sum(_asked(questions[k]) != expected[k] for k in picks)

    start, wrong, sizes, asked = time.perf_counter(), 0, [], 0
    each = -(-number // (PARTS * threads))
    with ThreadPoolExecutor(threads) as pool:
        for part in range(PARTS):
            seeds = range(part * threads, (part + 1) * threads)
            wrong += sum(pool.map(work, seeds, [each] * threads))
            asked += each * threads
            sizes.append(_size())
    seconds = time.perf_counter() - start
    return Report(questions=asked, wrong=wrong, sizes=tuple(sizes), seconds=seconds)


def main():
    """Soak, and print what came of it."""
    report = soak(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**6)
    sizes = ", ".join(f"{size / 2**20:.1f}" for size in report.sizes)
    print(  # noqa: T201
        f"{report.questions} questions from {THREADS} threads in {report.seconds:.0f} s, "
        f"{report.wrong} answered otherwise than by one; growth {report.growth / 2**20:.1f} MiB, "
        f"MiB after each part: {sizes}"
    )
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
