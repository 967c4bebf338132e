"""`norm-placement`: small translators with 6 + 6 layers, Post-LN and Pre-LN, each with and without
warm-up, trained on the same sentence pairs in the same order for the same number of steps (Liu et
al. 2020, section 3; Xiong et al. 2020, section 4).
"""

from dataclasses import replace
from functools import partial

from model.config import Config
from model.training.experiments.experiment import Experiment
from model.training.experiments.small_translators import VOCABULARY, SmallTranslators
from model.training.schedule import Cycle, Dropout

BATCH = 32
STEPS = (0, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500)
"""The steps after which the held-out loss is measured."""
WARMED = Cycle(peak=2e-3, warmup=100, steps=STEPS[-1], dropout=Dropout(numbers=0.0))
AT_ONCE = replace(WARMED, warmup=0)
BASE = Config(
    family="encoder-decoder",
    vocabulary_size=VOCABULARY,
    d_model=64,
    n_heads=4,
    d_ff=256,
    n_encoder_layers=6,
    n_decoder_layers=6,
    max_length=64,
    placement="post",
)
MEMBERS = {
    "post": (BASE, AT_ONCE),
    "post_warmup": (BASE, WARMED),
    "pre": (replace(BASE, placement="pre"), AT_ONCE),
    "pre_warmup": (replace(BASE, placement="pre"), WARMED),
}
EXPERIMENT = Experiment(
    id="norm-placement",
    members=tuple(MEMBERS),
    seeds=3,
    axis="steps",
    points=STEPS,
    prepare=partial(SmallTranslators, MEMBERS, BATCH, STEPS),
)
