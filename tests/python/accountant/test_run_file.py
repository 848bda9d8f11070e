# SPDX-License-Identifier: Apache-2.0
"""Runs described in files: read as the schema says, and what is read is what was described."""

import copy
import json
import math
from dataclasses import MISSING, fields
from importlib.resources import files

import pytest

import hockeystick as hs
import random_runs
from hockeystick import Accountant
from mechanisms import test_enclosed_mechanisms

SCHEMA = json.loads((files(hs) / "run.schema.json").read_text(encoding="utf-8"))
G = hs.Gaussian(noise_multiplier=2.0)
CURVE = hs.HockeyStickCurve(alpha=[1.0, 2.0], lower=[0.1, 0.0], upper=[0.2, 0.1])
EXAMPLES = [  # with what may be left out, and of each other kind one that is listed elsewhere
    G.poisson_sampled(0.01),
    hs.DiscreteGaussian(sigma=2.0),
    hs.DiscreteGaussian(sigma=2.0, sensitivity=3, truncation=20).poisson_sampled(0.1),
    hs.DiscretePair(p=[0.25, 0.75], q=[0.5, 0.5]).random_allocation(steps=4),
    G.fixed_size_sampled(batch_size=10, dataset_size=100, replacement=True),
    G.random_allocation(steps=10, epochs=2),
    G.random_allocation(steps=10, selected=2),
    G.shuffled(batches=10),
    hs.ShuffledLocal(epsilon0=1.0, users=100, randomizer="k-ary", choices=5),
    CURVE,
    CURVE.poisson_sampled(0.1),
    G.poisson_sampled(0.01).group(3),
    hs.best_of(10 * G + hs.ZCDP(0.1), runs="poisson", mean=3),
    hs.best_of(G, runs="negative_binomial", mean=3, shape=0.5),
    hs.best_of(G, runs="binomial", mean=3, trials=5),
]
OTHERS_LISTED = [
    *(random_runs.mechanism(term) for term in random_runs.unsampled().values()),
    *test_enclosed_mechanisms.EXAMPLES,
]
EXAMPLES += {
    type(each).__name__: each
    for each in OTHERS_LISTED
    if type(each) not in {hs.AdditiveNoise, *map(type, EXAMPLES)}
}.values()
TOML = """
adjacency = "remove-one"

[[ledger]]
label = "training"
count = 1_000
mechanism = { type = "PoissonSampled", sampling_probability = 0.01, mechanism = { type = "Gaussian", noise_multiplier = 2 } }

[[ledger]]
mechanism = { type = "DiscreteGaussian", sigma = 10.0 }
"""  # noqa: E501


def saved(mechanism):
    """The document that `save` writes, without its seal."""
    acct = Accountant().compose(mechanism, 3, label="one")
    document = json.loads(acct.to_json())
    del document["sha256"]
    return document


def read(folder, text, name="run.json"):
    (folder / name).write_text(text, encoding="utf-8")
    return Accountant.read(folder / name)


def test_toml_is_read(tmp_path):
    acct = read(tmp_path, TOML, "run.TOML")
    assert acct.adjacency is hs.Adjacency.REMOVE_ONE
    assert acct.tolerance == 1e-3
    assert acct.entries == (
        (G.poisson_sampled(0.01), 1000, "training"),
        (hs.DiscreteGaussian(sigma=10.0), 1, ""),
    )
    assert read(tmp_path, "\ufeff" + TOML, "run.TOML").entries == acct.entries  # by an editor


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
def test_what_is_saved_is_read(tmp_path, mechanism):
    acct = Accountant(adjacency="add-one", tolerance=1e-4).compose(mechanism, 3, label="one")
    acct.save(tmp_path / "ledger.json")
    copied = Accountant.read(str(tmp_path / "ledger.json"))
    assert copied.to_json() == acct.to_json()


def test_what_is_usual_may_be_left_out(tmp_path):
    (kind,) = (saved(hs.DiscreteGaussian(sigma=2.0))["ledger"][0]["mechanism"],)
    short = {"ledger": [{"mechanism": {name: kind[name] for name in ("type", "sigma")}}]}
    acct = read(tmp_path, json.dumps(short))
    assert acct.entries == ((hs.DiscreteGaussian(sigma=2.0), 1, ""),)
    with pytest.raises(ValueError, match="must be there"):
        Accountant.from_json(json.dumps(short))


def test_errors_begin_with_the_name_of_the_file(tmp_path):
    with pytest.raises(ValueError, match=r"a\.json: \$\.ledger must be there"):
        read(tmp_path, "{}", "a.json")


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError):
        Accountant.read("nothing.toml")


WRITTEN = {name for name in hs.mechanisms.__all__ if name != "AdditiveNoise"}  # holds functions


def test_every_mechanism_has_a_schema_and_an_example():
    defined = SCHEMA["$defs"]
    assert {each["$ref"] for each in defined["mechanism"]["oneOf"]} == {
        f"#/$defs/{name}" for name in WRITTEN
    }
    assert {type(each).__name__ for each in EXAMPLES} == WRITTEN
    for name in WRITTEN:
        kind, schema = getattr(hs, name), defined[name]
        assert list(schema["properties"]) == ["type", *kind.argument_names()]
        defaults = {each.name: each.default for each in fields(kind) if each.default is not MISSING}
        named = {
            key: each["default"] for key, each in schema["properties"].items() if "default" in each
        }
        assert named == defaults
        assert set(schema["required"]) == set(schema["properties"]) - set(defaults)
    assert defined["entry"]["properties"]["label"]["maxLength"] == 1000
    assert SCHEMA["properties"]["adjacency"]["enum"] == [each.value for each in hs.Adjacency]


OTHERS = [None, True, "x", -1, 0, 1, 2, 0.5, 1e13, [], {}, [0.5], "1"]


def edited(document, *, within=False):
    """The document with one thing changed, in every place, or in every one of the mechanism."""
    yield document

    def inside(value, put):
        yield from map(put, OTHERS)
        if isinstance(value, dict):
            yield put(value | {"other": 1})
            for name in value:
                yield put({key: each for key, each in value.items() if key != name})
                yield from inside(value[name], lambda new, name=name: put(value | {name: new}))
        elif isinstance(value, list):
            yield put([*value, 1])
            for at in range(len(value)):
                changed = copy.copy(value)

                def place(new, at=at, changed=changed):
                    return put([*changed[:at], new, *changed[at + 1 :]])

                yield from inside(value[at], place)
        elif isinstance(value, float):
            for near in (math.nextafter(value, -math.inf), math.nextafter(value, math.inf)):
                yield put(near)

    if not within:
        yield from inside(document, lambda new: new)
        return
    (entry,) = document["ledger"]
    yield from inside(
        entry["mechanism"], lambda new: document | {"ledger": [entry | {"mechanism": new}]}
    )


def ends(document):
    """The document with each number at, and just beyond, the ends that the schema names."""
    for entry_at, entry in enumerate(document["ledger"]):
        kind = entry["mechanism"]
        for name, said in SCHEMA["$defs"][kind["type"]]["properties"].items():
            for key in ("minimum", "maximum"):
                if key in said:
                    end, away = said[key], -math.inf if key == "minimum" else math.inf
                    step = -1 if key == "minimum" else 1
                    beyond = end + step if said["type"] != "number" else math.nextafter(end, away)
                    for value in (end, beyond):
                        changed = copy.deepcopy(document)
                        changed["ledger"][entry_at]["mechanism"][name] = value
                        yield changed


# What a schema cannot say, by what the reader says of it.
BEYOND_A_SCHEMA = (
    ", one for each",
    "must have the length of",
    "must sum to 1",
    "probabilities that sum to 1",
    "within [1e-12, 1000] standard deviations",
    "must have the same length",
    "alpha must be increasing",
    "upper >= 1 - alpha must hold",
    "selected must be a whole number in [2, 9]",
    "batch_size must be a whole number in [1, 10000]",
    "epochs must be 1 unless mechanism is a Gaussian",
    "noise_multiplier / sqrt(epochs)",
    "steps must be at least 2 if epochs > 1",
    "where truncation is None",
    "must be a rectangular array",
    "most_noise must be in [",
    "given with runs =",
    "given with randomizer =",
    "must be False with randomizer =",
    "must be given with batch_size",
    "run must hold a mechanism",
    "mechanism: mean must be",
    "size must be at most noise /",
    "mechanism must not be a group",
)


@pytest.mark.every(3)
@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
def test_the_schema_is_that_of_the_reader(tmp_path, mechanism):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA)
    document = saved(mechanism)
    differ = []
    counts = {True: 0, False: 0}
    for each in [*edited(document, within=mechanism != G), *ends(document)]:
        valid = validator.is_valid(each)
        try:
            read(tmp_path, json.dumps(each))
            error = None
        except ValueError as raised:
            error = str(raised)
        counts[valid] += 1
        if valid != (error is None) and not (valid and any(a in error for a in BEYOND_A_SCHEMA)):
            differ.append((each, valid, error))
    assert differ == []
    assert min(counts.values()) > 1


def test_the_schema_is_one():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_text_is_read_as_a_file_is(tmp_path):
    text = json.dumps(saved(G))
    assert hs.Accountant.read_text(text).entries == read(tmp_path, text).entries
    toml = '[[ledger]]\nmechanism = { type = "Laplace", noise_multiplier = 1 }'
    assert hs.Accountant.read_text(toml, toml=True).ledger == ((hs.Laplace(1.0), 1),)
    with pytest.raises(ValueError, match="^text must be JSON: "):
        hs.Accountant.read_text(toml)
    with pytest.raises(TypeError, match="^text must be a str"):
        hs.Accountant.read_text(text.encode())


IN_OTHER_WORDS = """
[[ledger]]
label = "training"
count = 2
mechanism = { type = "DPSGD", noise_multiplier = 1.1, batch_size = 256, dataset_size = 60_000, epochs = 10 }

[[ledger]]
mechanism = { type = "Laplace", scale = 20, sensitivity = 2 }

[[ledger]]
mechanism = { type = "PoissonSampled", sampling_probability = 0.1, mechanism = { type = "Gaussian", sigma = 3 } }
"""  # noqa: E501


def test_a_run_may_be_said_in_all_the_words_that_python_takes():
    training = hs.DPSGD(1.1, batch_size=256, dataset_size=60_000, epochs=10)
    ((step, count),) = training.terms
    assert Accountant.read_text(IN_OTHER_WORDS, toml=True).entries == (
        (step, 2 * count, "training"),
        (hs.Laplace(scale=20, sensitivity=2), 1, ""),
        (hs.Gaussian(3.0).poisson_sampled(0.1), 1, ""),
    )


@pytest.mark.parametrize("kind", ["DPSGD", "Laplace"])
def test_the_schema_knows_other_words(kind):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA)
    numbers = {"noise_multiplier": 1.0, "steps": 3}
    said = {"DPSGD": numbers, "Laplace": {"scale": 20, "sensitivity": 2}}
    document = {"ledger": [{"mechanism": {"type": kind, **said[kind]}}]}
    assert validator.is_valid(document)
    assert not validator.is_valid({"ledger": [{"mechanism": {"type": kind, "scales": 1}}]})
