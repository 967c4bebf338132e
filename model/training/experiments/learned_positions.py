"""`learned-positions`: two small translators that differ only in their absolute positions,
sinusoidal and learned, trained on the same sentence pairs in the same order (Vaswani et al. 2017,
section 3.5 and table 3, row E).
"""

from dataclasses import replace
from functools import partial

from model.config import Config, PositionChoices
from model.training.experiments.experiment import Experiment
from model.training.experiments.small_translators import VOCABULARY, SmallTranslators
from model.training.schedule import Cycle, Dropout

BATCH = 64
STEPS = (0, 50, 100, 200, 300, 400, 500, 600)
"""The steps after which the held-out loss is measured."""
CYCLE = Cycle(peak=4e-3, warmup=100, steps=STEPS[-1], dropout=Dropout(numbers=0.0))
BASE = Config(
    family="encoder-decoder",
    vocabulary_size=VOCABULARY,
    d_model=64,
    n_heads=4,
    d_ff=256,
    n_encoder_layers=2,
    n_decoder_layers=2,
    max_length=64,
    placement="pre",
)
MEMBERS = {
    name: (replace(BASE, positions=PositionChoices(absolute=name)), CYCLE)
    for name in ("sinusoidal", "learned")
}
EXPERIMENT = Experiment(
    id="learned-positions",
    members=tuple(MEMBERS),
    seeds=4,
    axis="steps",
    points=STEPS,
    prepare=partial(SmallTranslators, MEMBERS, BATCH, STEPS),
)
