"""Runs of scenes: a scene is rendered as a picture and split into patches, and a decoder predicts a
class and a box for each object query.
"""

import torch

from model.answers.answer import Axis
from model.errors import InvalidInput, UnknownName
from model.inputs.images import Patch
from model.inputs.input import Input
from model.inputs.scene_rendering import render
from model.inputs.scenes import Scene, read_scene, scene_text
from model.inputs.text import Token
from model.layers import masks
from model.layers.embedding import ModelInput
from model.layers.patch_embedding import unfold
from model.runs.image import image_axis
from model.runs.run import Masks, Prepared, Run
from model.trace import Trace
from model.transformer import Target, Transformer
from model.zoo.models import Model


def prepare_scene(model: Model, input: Input) -> Prepared:
    """The picture of a scene, without masks: every patch attends to all patches, and every query
    attends to all queries and all patches.
    """
    scene = scene_of(model, input.image)
    picture = render(scene, model.config.image.side).to(model.transformer.device)
    patches = model.scene_tokenizer.encode()
    queries = [query(id) for id in range(model.config.n_queries)]
    allowed = {
        "encoder.attention": masks.full(len(patches)),
        "decoder.attention": masks.full(len(queries)),
        "decoder.cross_attention": torch.ones(len(queries), len(patches), dtype=torch.bool),
    }
    ids = torch.arange(len(queries))
    axes = {
        "image": image_axis(patches),
        "queries": Axis("slot", len(queries), [query.text for query in queries], ids.tolist()),
    }
    tokens: dict[str, list[Token] | list[Patch]] = {"image": patches, "queries": queries}
    run = Run(
        model,
        {"image": scene_text(scene)},
        axes,
        tokens,
        {},
        allowed,
        notes=extrapolation(model, scene),
        constants={
            "patches": unfold(picture, model.config.image.patch_side),
            "picture": picture,
        },
    )
    return Prepared(run, picture, ids, allowed, detect)


def detect(
    transformer: Transformer,
    picture: ModelInput | None,
    queries: Target | None,
    masks: Masks,
    trace: Trace,
) -> None:
    """The forward pass: a class and a box for each query."""
    assert picture is not None, "a detector reads a picture"
    assert queries is not None, "a detector has object queries"
    memory = transformer.encode(picture, masks["encoder.attention"], trace)
    x = transformer.decode(
        queries, masks["decoder.attention"], memory, masks["decoder.cross_attention"], trace
    )
    transformer.unembed(x, trace)
    transformer.predict_boxes(x, trace)


def query(id: int) -> Token:
    """The token of an object query. Its label is its number, and it has no position in the
    input.
    """
    return Token(f"q{id}", id, 0, 0, True, None)


def extrapolation(model: Model, scene: Scene) -> list[str]:
    """A sentence for a picture with more shapes than any picture in training."""
    most = model.card["limits"]["shapes"]
    few = len(scene) <= most
    return (
        []
        if few
        else [
            f"The image has {len(scene)} shapes; the model was trained on at most {most}: this is"
            " extrapolation."
        ]
    )


def scene_of(model: Model, description: str | None) -> Scene:
    """The scene in the words of `description`, or of the example with this id."""
    if description is None:
        raise InvalidInput("needs-an-image", field="image", model=model.id)
    examples = {
        example["id"]: example["input"]["image"] for example in model.card.get("examples", ())
    }
    text = description.strip()
    if text and len(text.split()) == 1 and text not in examples:
        raise UnknownName("unknown-example", text, examples)
    return read_scene(examples.get(text, text))
