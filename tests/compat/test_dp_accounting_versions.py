# SPDX-License-Identifier: Apache-2.0
"""Ours beside each minor version of dp_accounting that the extra allows."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from compat import versions

pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")

BEGINNING = (
    "NoOpDpEvent",
    "NonPrivateDpEvent",
    "SelfComposedDpEvent",
    "ComposedDpEvent",
    "GaussianDpEvent",
    "LaplaceDpEvent",
    "PoissonSampledDpEvent",
    "SampledWithoutReplacementDpEvent",
    "SampledWithReplacementDpEvent",
    "SingleEpochTreeAggregationDpEvent",
)
SINCE_0_5 = (
    "DiscreteLaplaceDpEvent",
    "RandomizedResponseDpEvent",
    "MixtureOfGaussiansDpEvent",
    "ZCDpEvent",
    "TruncatedSubsampledGaussianDpEvent",
)
EVENTS = {
    "0.4.3": {*BEGINNING},
    "0.5.1": {*BEGINNING, *SINCE_0_5},
    "0.6.0": {*BEGINNING, *SINCE_0_5},
}
COMPOSED_ONCE = "RandomizedResponseDpEvent"  # by their PLDAccountant, whatever the count

INSTALLED = metadata.version("dp-accounting")


@pytest.mark.parametrize(
    "version",
    [v if v == INSTALLED else pytest.param(v, marks=pytest.mark.deep) for v in versions.VERSIONS],
)
def test_every_event_of_the_version_is_accounted_for(version):
    done = json.loads(versions.run(version, str(Path(__file__).with_name("beside.py"))))
    assert done["version"] == version
    assert set(done["events"]) == EVENTS[version]
    assert all(0.1 < epsilon < 1.5 for epsilon in done["compared"])
    for name, found in done["events"].items():
        ours, theirs, renyi = found["ours"], found["theirs"], found["renyi"]
        assert renyi is None or ours <= renyi
        if theirs is not None and name != COMPOSED_ONCE:
            assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.every(3)
@pytest.mark.parametrize("missing", [SINCE_0_5, ("MixtureOfGaussiansDpEvent",), ("ZCDpEvent",)])
def test_patch_needs_no_event_that_a_version_lacks(missing):
    code = f"""
from dp_accounting import dp_event
for name in {missing!r}:
    delattr(dp_event, name)
from hockeystick.compat.dp_accounting import patch
patch()
from dp_accounting.pld import PLDAccountant
print(PLDAccountant().compose(dp_event.GaussianDpEvent(1.0), 4).get_epsilon(1e-5))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 9.99 < float(done.stdout) < 10.0
