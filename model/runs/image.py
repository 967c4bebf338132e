"""Runs of images: an image is split into patches, preceded by [CLS]."""

from model.answers.answer import Axis
from model.errors import InvalidInput, UnknownName
from model.inputs.images import Patch
from model.inputs.input import Input
from model.layers import masks
from model.layers.masks import Allowed
from model.layers.patch_embedding import unfold
from model.runs.run import Prepared, Run
from model.zoo.models import Model


def prepare_image(model: Model, input: Input, allowed: Allowed | None = None) -> Prepared:
    """[CLS] and all patches of an image attend to one another, or as `allowed` says, and the class
    is predicted at [CLS].
    """
    if input.image is None:
        raise InvalidInput("needs-an-image", field="image", model=model.id)
    tokenizer = model.patch_tokenizer
    text = tokenizer.rewritten(
        example(model, "image", input.image, tokenizer.is_image(input.image))
    )
    image, tokens = tokenizer.numbers(text).to(model.transformer.device), tokenizer.encode()
    visible = {"encoder.attention": masks.full(len(tokens)) if allowed is None else allowed}
    run = Run(
        model,
        {"image": text},
        {"image": image_axis(tokens)},
        {"image": tokens},
        {},
        visible,
        constants={"patches": unfold(image, model.config.image.patch_side)},
    )
    return Prepared(run, image, None, visible)


def example(model: Model, name: str, text: str, is_input: bool = False) -> str:
    """The input `name` of the example with the id `text`, or `text` itself if it is an input, as
    `is_input` decides for images; a table row contains commas or equals signs.

    Raises UnknownName for an id that is not among the model's examples.
    """
    examples = {
        example["id"]: example["input"][name]
        for example in model.card.get("examples", ())
        if name in example["input"]
    }
    whole = "," in text or "=" in text or is_input
    if text.strip() and not whole and text not in examples:
        raise UnknownName("unknown-example", text, examples)
    return examples.get(text, text)


def image_axis(patches: list[Patch]) -> Axis:
    """The axis of `patches`, the first of which may be [CLS]; its grid is the number of rows and
    columns of patches.
    """
    last = patches[-1]
    assert last.row is not None, "[CLS] stands in front"
    assert last.column is not None, "[CLS] stands in front"
    grid = [last.row, last.column]
    return Axis(
        "patch",
        len(patches),
        [patch.text for patch in patches],
        [patch.id for patch in patches],
        grid,
    )
