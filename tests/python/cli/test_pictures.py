# SPDX-License-Identifier: Apache-2.0
"""`hockeystick plot` writes the pictures, and says in one line why not."""

import re
import sys

import matplotlib.pyplot as plt
import pytest

import hockeystick as hs
from hockeystick import cli, plot
from hockeystick.cli import pictures
from hockeystick.plot._by_name import PICTURES

plt.switch_backend("Agg")

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)
QUESTION = ["--noise-multiplier", "1.0", "--sampling-probability", "0.05", "--steps", "40"]


def command_line(capsys, *arguments):
    """Exit code, stdout and stderr of ``hockeystick plot``."""
    with pytest.raises(SystemExit) as exited:
        cli.main(["plot", *map(str, arguments)])
    return exited.value.code, *capsys.readouterr()


@pytest.mark.parametrize("picture", PICTURES)
def test_the_command_line_writes_a_file(picture, tmp_path, capsys):
    path = tmp_path / "picture.png"
    code, out, err = command_line(capsys, picture, *QUESTION, "--output", path)
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"{picture} in {re.escape(str(path))}, [0-9.e+]+ ms\n", out)
    height, width, _ = plt.imread(path).shape
    assert (width, height) == (1280, 960)
    assert plt.get_fignums() == []


def test_the_help_lists_the_pictures_one_a_line(capsys):
    out = command_line(capsys, "--help")[1]
    listed = re.findall(r"^  ([a-z-]+)  +[a-z].*$", out.split("Options:")[0], re.MULTILINE)
    assert listed == list(PICTURES)


def test_the_command_line_compares(monkeypatch, tmp_path, capsys):
    drawn = []
    monkeypatch.setattr(pictures, "detached", lambda: drawn.append(plot.detached()) or drawn[0])
    options = [
        *("--baseline", "rdp", "--baseline", "optimal", "--estimator", "privacy_buckets"),
        *("--scale", "log", "--discretization-interval", "0.01", "--delta", "1e-6"),
    ]
    path = tmp_path / "picture.png"
    arguments = ["epsilon-by-count", *QUESTION, *options, "--output", path]
    assert command_line(capsys, *arguments)[0] == 0
    legend = [text.get_text() for text in drawn[0].get_legend().get_texts()]
    assert legend == ["certified", "privacy buckets", "Renyi DP", "optimal composition"]
    assert drawn[0].get_yscale() == "log"
    title = drawn[0].get_title().replace("\n", " ")
    assert title.endswith("delta = 1e-06, grid of 0.01 nats")
    (certified,) = (each for each in drawn[0].get_lines() if each.get_label() == "certified")
    counts, epsilons = certified.get_data()
    assert (counts[0], counts[-1]) == (1, 40)
    assert epsilons[-1] == pytest.approx((40 * STEP).epsilon(1e-6), rel=2e-3)


def test_the_command_line_without_matplotlib(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    code, _, err = command_line(capsys, "hockey-stick", *QUESTION, "--output", "x.png")
    assert code == 2
    assert err.endswith("; it comes with the extra hockeystick[plot]\n")
