# SPDX-License-Identifier: Apache-2.0
"""Ours in the place of ``dp_accounting.pld``, in modules of any age, and back."""

import importlib
import subprocess
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import pytest

dp_accounting = pytest.importorskip(
    "dp_accounting", reason="the extra dp-accounting is not installed"
)

from hockeystick.compat.dp_accounting import patch, patched, unpatch  # noqa: E402

OURS, THEIRS = "hockeystick.compat.dp_accounting.pld", "dp_accounting.pld"

SOURCE = """
import dp_accounting
import dp_accounting as package
from dp_accounting import pld
from dp_accounting.pld import privacy_loss_distribution, common as c
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism as make
from dp_accounting.pld import PLDAccountant

def places():
    return [
        package.pld.PLDAccountant.__module__, pld.PLDAccountant.__module__,
        privacy_loss_distribution.__name__, c.__name__, make.__module__, PLDAccountant.__module__,
    ]

def late():
    import dp_accounting.pld.pld_pmf as late_pmf
    return late_pmf.__name__
"""


@pytest.fixture
def user():
    """A module that imported everything before."""
    module = types.ModuleType("user_of_dp_accounting")
    exec(compile(SOURCE, "user", "exec"), vars(module))  # noqa: S102
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


def state():
    """What every module calls by which name; not values, of which others keep count."""
    kinds = (types.ModuleType, types.FunctionType, type)
    modules = [m for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)]
    names = {
        (id(m), k): id(v)
        for m in modules
        for k, v in list(vars(m).items())
        if issubclass(type(v), kinds)  # some objects warn when asked for their class
    }
    return names, {k: id(v) for k, v in sys.modules.items()}


def is_ours(user):
    return all(place.startswith(OURS) for place in [*user.places(), user.late()])


def is_theirs(user):
    return all(place.startswith(THEIRS) for place in [*user.places(), user.late()])


def test_within_the_block_and_exactly_not_after(user):
    with patched():  # loads what is loaded late
        pass
    before = state()
    assert is_theirs(user)
    with patched():
        assert is_ours(user)
    assert is_theirs(user)
    assert state() == before


def test_exceptions_undo_it(user):
    with pytest.raises(RuntimeError, match="of the block"), patched():
        raise RuntimeError("of the block")
    assert is_theirs(user)


def test_blocks_nest(user):
    with patched():
        with patched():
            assert is_ours(user)
        assert is_ours(user)
    assert is_theirs(user)


def test_patch_is_idempotent(user):
    patch()
    patch()
    assert is_ours(user)
    with patched():
        assert is_ours(user)
    assert is_ours(user)
    unpatch()
    assert is_theirs(user)
    unpatch()
    assert is_theirs(user)


def test_unpatch_waits_for_blocks(user):
    with patched():
        patch()
        unpatch()
        assert is_ours(user)
    assert is_theirs(user)


def test_blocks_of_threads_overlap(user):
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with patched():
            inside.set()
            assert leave.wait(10)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        assert inside.wait(10)
        with patched():
            pass
        assert is_ours(user)
        leave.set()
        held.result()
    assert is_theirs(user)


def test_many_threads_leave_nothing_behind(user):
    def once(_):
        with patched():
            return is_ours(user)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(once, range(40)))
    assert is_theirs(user)


def test_what_others_set_meanwhile_stays(user):
    with patched():
        user.make = print
    assert user.make is print
    user.make = None


LATE = """
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution as theirs
def later():
    from dp_accounting.pld import common
    return common
"""
OURS_BY_NAME = """
def import_ours():
    global ours
    from hockeystick.compat.dp_accounting.pld import privacy_loss_distribution as ours
import_ours()
"""


@pytest.fixture
def loads(tmp_path, monkeypatch):
    """Loads a new module with the source given."""
    monkeypatch.syspath_prepend(tmp_path)
    loaded = []

    def load(name, source):
        (tmp_path / f"{name}.py").write_text(source)
        loaded.append(name)
        return importlib.import_module(name)

    yield load
    for name in loaded:
        del sys.modules[name]


@pytest.mark.parametrize("permanent", [False, True])
def test_modules_loaded_meanwhile_are_as_if_loaded_after(loads, permanent):
    if permanent:
        patch()
        late = loads("late_user_of_dp_accounting", LATE)
        patch()  # changes nothing for it
        unpatch()
    else:
        with patched():
            with patched():
                late = loads("late_user_of_dp_accounting", LATE)
            assert late.theirs.__name__.startswith(OURS)
            assert late.PLDAccountant.__module__.startswith(OURS)
    assert late.theirs is dp_accounting.pld.privacy_loss_distribution
    assert late.PLDAccountant is dp_accounting.pld.PLDAccountant
    assert late.PLDAccountant.__module__.startswith(THEIRS)
    with patched():  # and are patched like others
        assert late.theirs.__name__.startswith(OURS)
    assert late.theirs.__name__.startswith(THEIRS)


def test_who_imports_ours_keeps_ours(loads):
    from hockeystick.compat.dp_accounting.pld import privacy_loss_distribution  # noqa: PLC0415

    with patched():
        late = loads("late_user_of_ours", OURS_BY_NAME)
    assert late.ours is privacy_loss_distribution
    with patched():
        pass
    assert late.ours is privacy_loss_distribution


@pytest.mark.parametrize(
    "begin", ["patch()", "kept = patched(); kept.__enter__()", "patch(); patched().__enter__()"]
)
def test_a_patch_that_is_never_undone_ends_quietly(begin):
    code = f"from hockeystick.compat.dp_accounting import patch, patched; {begin}\n"
    code += "from dp_accounting import pld; print(pld.PLDAccountant.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(OURS)
    assert done.stderr == ""
