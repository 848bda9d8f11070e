# SPDX-License-Identifier: Apache-2.0
"""Lightning trains, counts, stops, saves and resumes with the meter."""

import warnings

import pytest

import hockeystick as hs
from rare_runs import DELTA, STEP, meter

MISSING = "the extra lightning is not installed"
with warnings.catch_warnings():  # theirs
    warnings.simplefilter("ignore")
    pl = pytest.importorskip("lightning.pytorch", reason=MISSING)
    torch = pytest.importorskip("torch", reason=MISSING)
    from hockeystick.callbacks.lightning import EpsilonCallback

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs


class Model(pl.LightningModule):
    """A linear model that counts the steps of its optimizer."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.taken = 0

    def training_step(self, batch):  # noqa: D102
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):  # noqa: D102
        optimizer = torch.optim.SGD(self.parameters(), lr=0.01)
        optimizer.register_step_post_hook(lambda *_: setattr(self, "taken", self.taken + 1))
        return optimizer


def fit(folder, callback, *, resume=None, **options):
    """Eight batches an epoch."""
    model = Model()
    data = torch.utils.data.TensorDataset(torch.ones(16, 2))
    trainer = pl.Trainer(
        accelerator="cpu",
        callbacks=[callback, pl.callbacks.ModelCheckpoint(folder, save_last=True)],
        default_root_dir=folder,
        enable_model_summary=False,
        enable_progress_bar=False,
        logger=False,
        **{"max_epochs": 2} | options,
    )
    trainer.fit(model, torch.utils.data.DataLoader(data, batch_size=2), ckpt_path=resume)
    return model, trainer


class PoissonBatches(torch.utils.data.Sampler):
    """Eight batches of 16 records, some of them empty."""

    def __init__(self, probability):
        self.probability = probability

    def __len__(self):
        return 8

    def __iter__(self):
        for _ in range(8):
            yield torch.nonzero(torch.rand(16) < self.probability).flatten().tolist()


def fit_loader(folder, callback, loader, **options):
    """Whatever its batches are."""

    class Lists(Model):
        def training_step(self, _):
            return self.layer(torch.ones(1, 2)).sum()

    trainer = pl.Trainer(
        accelerator="cpu",
        callbacks=[callback],
        default_root_dir=folder,
        enable_model_summary=False,
        enable_progress_bar=False,
        logger=False,
        **{"max_epochs": 2} | options,
    )
    trainer.fit(Lists(), loader)


def loader_of(**options):
    data = torch.utils.data.TensorDataset(torch.ones(16, 2))
    return torch.utils.data.DataLoader(data, collate_fn=list, **options)


NO_SAMPLE = "the loader draws batches by a"


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_loader_of_no_samples_is_warned_of(tmp_path, shuffle):
    name = "RandomSampler" if shuffle else "SequentialSampler"
    with pytest.warns(UserWarning, match=f"{NO_SAMPLE} {name}"):
        fit_loader(tmp_path, EpsilonCallback(meter()), loader_of(batch_size=2, shuffle=shuffle))
    cut = {"batch_size": 2, "shuffle": shuffle}
    with pytest.warns(UserWarning, match=f"{NO_SAMPLE} {name}"):
        fit_loader(tmp_path, EpsilonCallback(meter()), [loader_of(**cut)] * 2, max_epochs=1)
    kept = hs.DPSGD(1.0, sampling_probability=1 / 8, steps=16, sampling="shuffled")
    mine = hs.EpsilonMeter(kept, delta=DELTA, adjacency="replace-special")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fit_loader(tmp_path, EpsilonCallback(mine), loader_of(**cut))
    assert not [each for each in seen if NO_SAMPLE in str(each.message)]
    assert (mine.steps, mine.composition) == (16, kept)


@pytest.mark.parametrize("probability", [0.25, 0.02])
def test_poisson_batches_are_not_warned_of_and_may_be_empty(tmp_path, probability):
    run = hs.DPSGD(1.0, sampling_probability=probability, steps=16)
    mine = hs.EpsilonMeter(run, delta=DELTA)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        loader = loader_of(batch_sampler=PoissonBatches(probability))
        fit_loader(tmp_path, EpsilonCallback(mine), loader)
    assert not [each for each in seen if NO_SAMPLE in str(each.message)]
    assert (mine.steps, mine.composition) == (16, run)


def test_epochs_that_are_cut_short_are_charged_whole(tmp_path):
    run = hs.DPSGD(1.0, sampling_probability=1 / 8, steps=16, sampling="random_allocation")
    for step in (run, run.step):
        mine = hs.EpsilonMeter(step, delta=DELTA)
        cut = {"limit_train_batches": 3, "max_epochs": 4}
        fit_loader(tmp_path, EpsilonCallback(mine), loader_of(batch_size=2), **cut)
        assert mine.composition == 4 * run.step


def test_a_resumed_epoch_is_charged_again_only_if_it_was_begun(tmp_path):
    run = hs.DPSGD(1.0, sampling_probability=1 / 8, steps=16, sampling="random_allocation")
    fit(tmp_path, EpsilonCallback(hs.EpsilonMeter(run, delta=DELTA)), max_epochs=1)
    mine = hs.EpsilonMeter(run, delta=DELTA)
    fit(tmp_path, EpsilonCallback(mine), resume=str(tmp_path / "last.ckpt"))
    assert (mine.steps, mine.composition) == (16, 2 * run.step)


@pytest.mark.parametrize("accumulated", [1, 2])
def test_every_step_of_the_optimizer_is_counted(tmp_path, accumulated):
    mine = meter()
    model, trainer = fit(tmp_path, EpsilonCallback(mine), accumulate_grad_batches=accumulated)
    assert mine.steps == model.taken == 16 // accumulated
    logged = trainer.callback_metrics["epsilon"].item()
    assert logged == pytest.approx((mine.steps * STEP).epsilon(DELTA))  # kept as float32


def test_training_ends_where_the_budget_does(tmp_path):
    mine = meter(11)
    model, _ = fit(tmp_path, EpsilonCallback(mine))
    assert mine.steps == model.taken == 11
    assert mine.epsilon <= (11 * STEP).epsilon(DELTA)
    model, _ = fit(tmp_path, EpsilonCallback(mine))
    assert (mine.steps, model.taken) == (11, 0)


def test_a_trainer_that_has_to_go_on_is_stopped(tmp_path):
    mine = meter(3)
    with pytest.raises(RuntimeError, match="no room for 1 more after 3 steps"):
        fit(tmp_path, EpsilonCallback(mine), min_epochs=1)
    assert mine.steps == 3


def test_a_checkpoint_carries_what_was_spent(tmp_path):
    fit(tmp_path, EpsilonCallback(meter()), max_epochs=1)
    noisier = hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.25)
    mine = hs.EpsilonMeter(noisier, delta=DELTA)
    model, _ = fit(tmp_path, EpsilonCallback(mine), resume=str(tmp_path / "last.ckpt"))
    assert (model.taken, mine.steps) == (8, 16)
    assert mine.composition == 8 * STEP + 8 * noisier


def test_steps_before_the_callback_came_are_counted(tmp_path):
    fit(tmp_path, pl.Callback(), max_epochs=1)
    mine = meter()
    fit(tmp_path, EpsilonCallback(mine), resume=str(tmp_path / "last.ckpt"))
    assert mine.composition == 16 * STEP


def test_a_meter_is_wanted():
    with pytest.raises(TypeError, match="must be an EpsilonMeter"):
        EpsilonCallback(STEP)
