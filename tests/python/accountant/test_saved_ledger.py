# SPDX-License-Identifier: Apache-2.0
"""A ledger on disk: whole at every moment, never older than what save has said it holds."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import time

import pytest

import hockeystick as hs
from hockeystick import Accountant, _files

STEP = hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.01)

WRITER = """
import sys
import hockeystick as hs
step = hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.01)
acct = hs.Accountant.load(sys.argv[1])
for k in range(100):
    acct.compose(hs.Gaussian(noise_multiplier=1.0 + k))
while True:
    acct.compose(step).save(sys.argv[1])
    print(sum(count for m, count in acct.ledger if m == step), flush=True)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.json"


def files(path):
    """What is beside the file, and itself, but for its locks, which stay."""
    names = sorted(each.name for each in path.parent.iterdir())
    return [name for name in names if name not in (f"{path.name}.lock", f"{path.name}.turn")]


def pickled(acct):
    return pickle.loads(pickle.dumps(acct))  # noqa: S301, its own


def lock(path):
    return Accountant.locked(path).__enter__()


def steps(acct):
    return sum(count for mechanism, count in acct.ledger if mechanism == STEP)


def test_what_is_saved_is_loaded(path):
    acct = Accountant(adjacency=hs.Adjacency.REMOVE_ONE, tolerance=1e-4).compose(STEP, count=7)
    assert acct.save(path) is None
    again = Accountant.load(str(path))
    assert again.to_json() == acct.to_json() == path.read_text()
    assert files(path) == [path.name]


def test_the_mode_and_a_link_stay(path):
    path.write_text("")
    path.chmod(0o640)
    link = path.with_name("link")
    link.symlink_to(path)
    Accountant().save(link, overwrite=True)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert Accountant.load(link).ledger == ()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_a_killed_writer_loses_nothing_acknowledged(path, samples):
    Accountant().save(path)
    acknowledged = 0
    for run in range(samples(3)):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            acknowledged = int(writer.stdout.readline())
            time.sleep(0.013 * (run + 1))  # somewhere in a save
            writer.send_signal(signal.SIGKILL)
            for line in writer.stdout:
                acknowledged = int(line) if line.endswith("\n") else acknowledged
        saved = steps(Accountant.load(path))
        assert acknowledged <= saved <= acknowledged + 1
    assert acknowledged >= samples(3)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failing_disk_leaves_the_file_as_it_was(path, monkeypatch, step):
    Accountant().compose(STEP).save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((_files.os, step) if step == "fsync" else (_files.Path, step)), fail)
    with pytest.raises(OSError, match="No space left"):
        Accountant().save(path, overwrite=True)
    assert path.read_bytes() == before
    assert files(path) == [path.name]


def test_interrupts_leave_no_file_beside_it(path, monkeypatch):
    """Not a second one either, which ends the removal of what the first left unfinished."""
    Accountant().save(path)
    before, interrupts = path.read_bytes(), []
    unlink = _files.Path.unlink

    def interrupt(*_):
        interrupts.append(1)
        raise KeyboardInterrupt

    def unlink_later(file, **how):
        if len(interrupts) < 2:
            interrupt()
        unlink(file, **how)

    monkeypatch.setattr(_files.os, "fsync", interrupt)
    monkeypatch.setattr(_files.Path, "unlink", unlink_later)
    with pytest.raises(KeyboardInterrupt):
        Accountant().compose(STEP).save(path, overwrite=True)
    assert len(interrupts) == 2
    assert path.read_bytes() == before
    assert files(path) == [path.name]


def test_it_is_on_the_disk_before_it_takes_the_place(path, monkeypatch):
    calls = []
    sync, replace = os.fsync, _files.Path.replace
    monkeypatch.setattr(_files.os, "fsync", lambda fd: (calls.append("fsync"), sync(fd)))
    monkeypatch.setattr(
        _files.Path, "replace", lambda old, new: (calls.append("replace"), replace(old, new))
    )
    Accountant().save(path)
    assert calls == (["fsync", "replace"] if os.name == "nt" else ["fsync", "replace", "fsync"])


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b'{"schema": "other"}'])
def test_other_files_are_refused_by_name(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"ledger\.json: "):
        Accountant.load(path)


def test_every_cut_and_every_changed_byte_is_noticed(path):
    Accountant().compose(STEP, count=1234).save(path)
    whole = path.read_text()
    for size in range(len(whole)):
        with pytest.raises(ValueError, match="text must be JSON"):
            Accountant.from_json(whole[:size])
    for at, character in enumerate(whole):
        changed = whole[:at] + chr(ord(character) ^ 1) + whole[at + 1 :]
        with pytest.raises(ValueError, match=r"text must be|\$"):
            Accountant.from_json(changed)


@pytest.mark.parametrize(
    "work", [Accountant().save, Accountant.load, lock], ids=["save", "load", "locked"]
)
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", FileNotFoundError),
        (".", OSError),
        ("no/ledger.json", FileNotFoundError),
        ("file/ledger.json", OSError),
        (300 * "x", OSError),
    ],
)
def test_errors_name_the_path_asked_for(tmp_path, monkeypatch, work, name, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(error) as caught:
        work(name)
    assert (caught.value.filename, caught.value.filename2) == (name, None)
    assert str(caught.value).endswith(f": {name!r}")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("bad", [None, 1.5, {}, b"ledger.json", "a\0b"], ids=repr)
@pytest.mark.parametrize(
    "work",
    [Accountant().save, Accountant.load, Accountant.read, lock],
    ids=["save", "load", "read", "locked"],
)
def test_a_path_is_a_path(bad, work):
    with pytest.raises(ValueError if isinstance(bad, str) else TypeError) as caught:
        work(bad)
    assert str(caught.value).startswith("path must ")
    assert str(caught.value).endswith(f", got {bad!r}")


@pytest.mark.skipif(sys.platform == "win32", reason="makes links the POSIX way")
def test_links_in_a_circle_are_refused_and_stay(path):
    path.symlink_to(path.name)
    for work in (Accountant().save, Accountant.load, lock):
        with pytest.raises(OSError, match="Too many levels"):
            work(path)
    assert path.is_symlink()


def test_a_file_that_may_not_be_written_is_refused(path, monkeypatch):
    Accountant().compose(STEP).save(path)
    path.chmod(0o444)
    before = path.read_bytes()
    if os.access(path, os.W_OK):  # as root may
        monkeypatch.setattr(os, "access", lambda file, *_, **__: file.stat().st_mode & 0o222)
    with pytest.raises(PermissionError, match="ledger.json"):
        Accountant().save(path, overwrite=True)
    assert path.read_bytes() == before
    assert files(path) == [path.name]


@pytest.mark.skipif(not hasattr(os, "chown"), reason="this platform has no owners")
def test_the_owner_stays(path):
    Accountant().save(path)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    before = path.stat()
    Accountant().compose(STEP).save(path, overwrite=True)
    assert (path.stat().st_uid, path.stat().st_gid) == (before.st_uid, before.st_gid)


def test_a_private_file_is_private_while_it_is_written(path, monkeypatch):
    Accountant().save(path)
    path.chmod(0o600)
    modes = []
    monkeypatch.setattr(os, "fsync", lambda file: modes.append(os.fstat(file).st_mode & 0o777))
    Accountant().compose(STEP).save(path, overwrite=True)
    assert modes[0] == path.stat().st_mode & 0o777


LEDGER = Accountant().compose(STEP, 1000, label="ten years of releases").to_json().encode()


@pytest.mark.parametrize("content", [LEDGER, b"", b"{", b"\xff\xfe", b"no ledger"])
def test_a_file_that_was_never_read_is_not_erased(path, content):
    """A ledger, say, when a notebook is run again."""
    path.write_bytes(content)
    with pytest.raises(
        hs.StaleLedgerError, match=r"ledger\.json exists.*; load it.*overwrite=True"
    ):
        Accountant().compose(hs.Laplace(10.0)).save(path)
    assert path.read_bytes() == content


def test_a_link_is_the_file_it_leads_to(path):
    Accountant().compose(STEP).save(path)
    link = path.with_name("link")
    link.symlink_to(path)
    with pytest.raises(hs.StaleLedgerError, match="link exists"):
        Accountant().save(link)
    Accountant.load(link).compose(STEP).save(path)
    assert steps(Accountant.load(link)) == 2


def test_overwrite_erases_and_says_so(path):
    Accountant().compose(STEP, 5).save(path)
    new = Accountant().compose(STEP)
    new.save(path, overwrite=True)
    new.compose(STEP).save(path)  # which it now knows
    assert steps(Accountant.load(path)) == 2
    path.write_text("damaged")
    new.save(path, overwrite=True)
    assert steps(Accountant.load(path)) == 2
    with pytest.raises(TypeError, match="^overwrite must be a bool, got 1$"):
        new.save(path, overwrite=1)
    with pytest.raises(TypeError, match="positional"):
        new.save(path, True)


def test_every_file_that_was_read_or_written_is_known(path):
    """And not only the last of them."""
    acct, second = Accountant().compose(STEP), path.with_name("second.json")
    acct.save(path)
    acct.save(second)
    acct.compose(STEP).save(path)
    acct.compose(STEP).save(second)
    assert (steps(Accountant.load(path)), steps(Accountant.load(second))) == (2, 3)
    Accountant.load(second).compose(STEP).save(second)
    with pytest.raises(hs.StaleLedgerError, match="was changed since"):
        acct.save(second)
    acct.save(path)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled], ids=lambda x: x.__name__)
def test_a_copy_is_another_accountant(path, duplicate):
    """It knows the file as it was when the copy was made."""
    acct = Accountant().compose(STEP)
    acct.save(path)
    other = duplicate(acct)
    other.compose(STEP).save(path)
    with pytest.raises(hs.StaleLedgerError, match="was changed since"):
        acct.compose(STEP).save(path)
    assert steps(Accountant.load(path)) == 2


CONTENDER = """
import sys
import hockeystick as hs
acct = hs.Accountant().compose(hs.Laplace(float(sys.argv[2])), int(sys.argv[3]))
print("ready", flush=True)
sys.stdin.readline()
try:
    acct.save(sys.argv[1])
except hs.StaleLedgerError:
    print("refused", flush=True)
else:
    print("saved", flush=True)
"""


def test_of_four_processes_one_wins_and_nothing_is_lost_silently(path):
    """All of them begin with a ledger of their own; half of these are equal."""
    given = [("10.0", "1"), ("10.0", "1"), ("20.0", "2"), ("30.0", "3")]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", CONTENDER, str(path), *each],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for each in given
    ]
    assert [process.stdout.readline() for process in started] == ["ready\n"] * 4
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate()[0].strip() for process in started]
    assert sorted(said) == ["refused"] * 3 + ["saved"]
    noise, count = given[said.index("saved")]
    assert Accountant.load(path).ledger == ((hs.Laplace(float(noise)), int(count)),)
