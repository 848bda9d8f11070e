# SPDX-License-Identifier: Apache-2.0
"""The Trainer of Hugging Face trains, counts, stops and resumes with the meter."""

import warnings

import pytest

import hockeystick as hs
from rare_runs import DELTA, STEP, meter

MISSING = "the extra transformers is not installed"
with warnings.catch_warnings():  # theirs
    warnings.simplefilter("ignore")
    transformers = pytest.importorskip("transformers", reason=MISSING)
    torch = pytest.importorskip("torch", reason=MISSING)
    pytest.importorskip("accelerate", reason=MISSING)
    from transformers import Trainer, TrainerCallback, TrainingArguments

    from hockeystick.callbacks.transformers import EpsilonCallback

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs


class Model(torch.nn.Module):
    """A linear model."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, x, labels=None):  # noqa: D102
        outputs = self.layer(x)
        return {"loss": (outputs - labels).square().mean(), "logits": outputs}


class Reporter(TrainerCallback):
    """Keeps what is logged, as those of MLflow and W&B send it."""

    def __init__(self):
        self.logged = []

    def on_log(self, args, state, control, logs=None, **_):  # noqa: ARG002, D102
        self.logged.append(dict(logs))


class PoissonBatches(torch.utils.data.Sampler):
    """Four batches, each of which a record joins with probability 1/4."""

    def __len__(self):
        return 4

    def __iter__(self):
        for _ in range(4):
            yield torch.nonzero(torch.rand(16) < 1 / 4).flatten().tolist() or [0]


class Sampling(Trainer):
    """With batches drawn so."""

    def get_train_dataloader(self):  # noqa: D102
        return torch.utils.data.DataLoader(
            self.train_dataset, batch_sampler=PoissonBatches(), collate_fn=self.data_collator
        )


def train(folder, callback, *, reporter=None, resume=None, kind=Trainer, **options):
    """Four batches an epoch: the optimizer's steps."""
    taken = []
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    optimizer.register_step_post_hook(lambda *_: taken.append(1))
    arguments = {
        "disable_tqdm": True,
        "logging_steps": 2,
        "num_train_epochs": 2,
        "per_device_train_batch_size": 4,
        "report_to": "none",
        "save_strategy": "epoch",
        "use_cpu": True,
    }
    data = [{"x": torch.ones(2), "labels": torch.zeros(1)}] * 16
    trainer = kind(
        model,
        TrainingArguments(str(folder), **arguments | options),
        train_dataset=data,
        callbacks=[] if reporter is None else [reporter],
        optimizers=(optimizer, None),
    )
    trainer.callback_handler.callbacks.insert(0, callback)
    trainer.train(resume_from_checkpoint=resume)
    return len(taken), trainer


@pytest.mark.parametrize("accumulated", [1, 2])
def test_every_step_of_the_optimizer_is_counted(tmp_path, accumulated):
    mine, reporter = meter(), Reporter()
    options = {"gradient_accumulation_steps": accumulated}
    taken, trainer = train(tmp_path, EpsilonCallback(mine), reporter=reporter, **options)
    assert mine.steps == taken == 8 // accumulated
    expected = [(n * STEP).epsilon(DELTA) for n in range(2, taken + 1, 2)]
    for logs in (trainer.state.log_history, reporter.logged):
        assert [each["epsilon"] for each in logs if "loss" in each] == expected


def test_training_ends_where_the_budget_does(tmp_path):
    mine = meter(6)
    taken, _ = train(tmp_path, EpsilonCallback(mine))
    assert mine.steps == taken == 6
    with pytest.raises(RuntimeError, match="no room for 1 more after 6 steps"):
        train(tmp_path, EpsilonCallback(mine))
    assert mine.steps == 6


def test_a_resumed_run_counts_what_it_did_before(tmp_path):
    train(tmp_path, EpsilonCallback(meter()), num_train_epochs=1)
    mine = meter()
    taken, _ = train(tmp_path, EpsilonCallback(mine), resume=str(tmp_path / "checkpoint-4"))
    assert (taken, mine.steps) == (4, 8)


@pytest.mark.parametrize(
    ("kind", "sampling", "warned"),
    [
        (Trainer, "poisson", True),
        (Sampling, "poisson", False),
        (Trainer, "random_allocation", True),
        (Trainer, "shuffled", False),
    ],
)
def test_a_loader_of_no_samples_is_warned_of(tmp_path, kind, sampling, warned):
    run = hs.DPSGD(1.0, sampling_probability=0.25, steps=8, sampling=sampling)
    known = {"adjacency": "replace-special"} if sampling == "shuffled" else {}
    mine = hs.EpsilonMeter(run, delta=DELTA, **known)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        taken, _ = train(tmp_path, EpsilonCallback(mine), kind=kind)
    found = [each for each in seen if "the loader draws batches by a" in str(each.message)]
    assert len(found) == warned
    assert (mine.steps, mine.composition) == (taken, run)
