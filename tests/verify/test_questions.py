# SPDX-License-Identifier: Apache-2.0
"""What is asked of curves costs few of them."""

import hockeystick as hs
from hockeystick.verify.contour import Points


def test_a_rate_takes_few_contours(monkeypatch):
    made, original = [], Points.__init__

    def counted(self, *arguments):
        made.append(self)
        original(self, *arguments)

    monkeypatch.setattr(Points, "__init__", counted)
    run = 2 * hs.Gaussian(26.43827849399557).poisson_sampled(0.0407875893808759)
    rate = 0.011806224551758433
    found = hs.verify(run, false_positive_rate=rate, adjacency="remove-one", digits=10)
    assert found.known
    assert found.enclosed
    assert len(made) <= 4
