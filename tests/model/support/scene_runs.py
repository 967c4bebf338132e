"""Runs of a small random model over a scene, for everything that stands on a run."""

from functools import cache

import torch

from model.inputs.input import Input
from model.inputs.scenes import SceneTokenizer
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.small import small

SCENE = "ellipse red 0.3 0.4 0.2 0.3; triangle blue 0.7 0.6 0.3 0.25"
TOKENIZER = SceneTokenizer(image_side=16, patch_side=4, n_queries=5)
CHOICES = {
    "inputs": "patches",
    "image_side": 16,
    "patch_side": 4,
    "colours": 3,
    "n_queries": 5,
    "max_length": 16,
    "vocabulary_size": TOKENIZER.size,
    "placement": "pre",
    "positions": "learned",
    "scaled_embedding": False,
    "tied_unembedding": False,
    "unembedding_bias": True,
}


@cache
def scene_model(**choices) -> Model:
    """A random model of two and two layers with five queries that reads 16 x 16 pixels in patches
    of 4 x 4.
    """
    transformer = small("encoder-decoder", dtype=torch.float32, **{**CHOICES, **choices})
    limits = {"tokens": 16, "trained_tokens": 16, "shapes": 2}
    card = {
        "limits": limits,
        "examples": [{"id": "two", "input": {"image": SCENE}, "look_for": "-"}],
    }
    return Model("small", transformer.config, transformer, TOKENIZER, card, "random initialization")


@cache
def scene_run(**choices) -> Run:
    return run_model(scene_model(**choices), Input(image=SCENE))
