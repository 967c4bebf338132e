"""Images: the attention of an image's tokens, the class predicted at [CLS] at each point of the
stream, and both at another resolution.
"""

import torch

from model.analytic.local_attention import local_attention
from model.answers.answer import Answer, Axis, Labelled, Section
from model.answers.measurements import Measurement, fact
from model.checks import check_between
from model.errors import InvalidInput
from model.inputs.images import image_text
from model.inputs.input import Input
from model.inputs.pictures import PictureTokenizer
from model.interpretability.stream.residual import read_out, steps
from model.runs.image import prepare_image
from model.runs.run import Run
from model.zoo.resize_position_embedding import LEARNED, model_for_grid, resample, resize_positions

MAX_GRID = 12  # patches per side, unless the model has more
COLOURS = ["red", "green", "blue"]
CLS = 0


def images(
    run: Run,
    *,
    query: int = CLS,
    grid: int | None = None,
    window: int | None = None,
    block: int = 1,
) -> Answer:
    """`pixels` [row, column]; `weights` [layer, head, image], the row of the token `query` in every
    pattern; and `says` [point, class], class probabilities.

    `says` applies the classifier to the stream of [CLS] at each point, as if the stack ended there
    (logit lens, nostalgebraist 2020); the last point is the model's output. With `grid`, the image
    has that many patches per side: the image is resampled, and the learned positions are
    interpolated (Dosovitskiy et al. 2021, section 3.2). `cost` has the number of tokens and of
    pairs of tokens by patch side. With `window`, attention is local: a patch attends to [CLS] and
    to that many rows and columns around its query block of `block` x `block` patches (Parmar et al.
    2018, section 3.3). Raises InvalidInput for a model that does not read patches after [CLS], a
    grid that is not from 1 to 12, a query that is not a token, reordered patches, and `grid` or
    `window` in an edited run, because edits do not reach these separate runs.
    """
    check_says_at_cls(run)
    run.check_places()
    for name, value in (("grid", grid), ("window", window)):
        if value is not None:
            run.check_unedited(name)
    variant = run_at(run, grid, window, block)
    check_between("query", query, 0, len(variant.tokens["image"]) - 1)
    whole = attention_maps(variant, query) | guesses(variant)
    fields = {
        "query": query,
        "grid": across(variant),
        "own_grid": across(run),
        "window": window,
        "block": block,
        "visible": int(variant.masks["encoder.attention"].sum()),
        **whole.fields,
        "cost": costs(variant.config.image.side),
        "facts": facts(run, variant.config.image.side),
    }
    if notes := notes_of(run, variant, window, block):
        fields["notes"] = notes
    return variant.answer(whole.tensors, fields, whole.axes)


def check_says_at_cls(run: Run) -> None:
    """Raises InvalidInput for a model that does not read patches after [CLS]."""
    if run.config.inputs != "patches" or run.config.family != "encoder-only":
        raise InvalidInput("says-no-image", field="model", given=run.model.id)


def across(run: Run) -> int:
    """The number of patches per side."""
    return run.config.image.side // run.config.image.patch_side


def run_at(run: Run, grid: int | None, window: int | None, block: int) -> Run:
    """The run of the same image at `grid` x `grid` patches and, with `window`, with local
    attention.
    """
    variant = run if grid is None or grid == across(run) else at_resolution(run, grid)
    check_between("block", block, 1, across(variant))
    if window is None:
        return variant
    check_between("window", window, 0, across(variant) - 1)
    allowed = local_attention(across(variant), window, block)
    return prepare_image(variant.model, Input(image=variant.input["image"]), allowed)()


def at_resolution(run: Run, grid: int) -> Run:
    """The run of the same image with the same weights at `grid` x `grid` patches."""
    check_between("grid", grid, 1, max(MAX_GRID, across(run)))
    model, image = model_for_grid(run.model, grid), run.input["image"]
    if not isinstance(model.tokenizer, PictureTokenizer):  # others don't scale
        grey = run.model.patch_tokenizer.numbers(image)[None]
        image = image_text(resample(grey, model.config.image.side)[0, 0].tolist())
    return prepare_image(model, Input(image=image))()


def attention_maps(run: Run, query: int) -> Section:
    """The image, and the weights of one query on its tokens in every pattern."""
    layers = range(run.config.n_encoder_layers)
    axes = {
        "layer": Axis("step", len(layers), [f"encoder.{layer}" for layer in layers]),
    }
    tensors = {
        "weights": Labelled(
            ("layer", "head", "image"),
            torch.stack(
                [run.trace[f"encoder.{layer}.attention.pattern"][:, query] for layer in layers]
            ),
            f"{run.activation('encoder.0.attention.pattern').formula}, the row of one query",
        ),
    }
    return pixels(run) | Section(axes, tensors)


def pixels(run: Run) -> Section:
    """The pixels that the model reads: gray values, or the bytes of each color channel."""
    side, tokenizer, image = run.config.image.side, run.model.patch_tokenizer, run.input["image"]
    places = {"row": Axis("position", side), "column": Axis("position", side)}
    if not isinstance(tokenizer, PictureTokenizer):
        grey = tokenizer.numbers(image)[0]
        return Section(
            places, {"pixels": Labelled(("row", "column"), grey, "0 is paper, 1 is ink")}
        )
    names = COLOURS if tokenizer.colours == len(COLOURS) else ["grey"]
    colours = {"colour": Axis("colour", len(names), names)}
    values = tokenizer.pixels(image).permute(1, 2, 0)
    formula = "0 is black, 255 is the full colour"
    tensors = {"pixels": Labelled(("row", "column", "colour"), values, formula)}
    return Section(places | colours, tensors)


def guesses(run: Run) -> Section:
    """The class probabilities at [CLS] at each point of the stream, and the predicted class."""
    points = [step for step in steps(run.config, "encoder") if step.wrote is not None]
    says = torch.stack([read_out(run, "encoder", point)[CLS] for point in points]).softmax(-1)
    best = int(says[-1].argmax())
    axes = {
        "point": Axis("step", len(points), [point.name for point in points]),
        "class": Axis("vocabulary", run.config.head.classes, list(run.model.classes)),
    }
    formula = f"softmax({run.activation('logits').formula}) at [CLS], as at the end of the stack"
    fields = {
        "points": [{"name": point.name, "wrote": point.wrote} for point in points],
        "says": {"class": run.model.tokenizer.label(best), "probability": float(says[-1, best])},
    }
    return Section(axes, {"says": Labelled(("point", "class"), says, formula)}, fields)


def notes_of(run: Run, variant: Run, window: int | None, block: int) -> list[str]:
    """Sentences about how the displayed run differs from training."""
    trained, grid = across(run), across(variant)
    local = [] if window is None else [local_note(run, trained == grid, window, block)]
    if grid == trained:
        return local
    has = "Has positions for" if run.kind == "yours" else "Trained on"
    return [
        *local,
        (
            f"{has} {trained} x {trained} patches; here the image is resampled and the positions"
            " are interpolated."
        ),
        *held_out(run, trained, grid),
    ]


def held_out(run: Run, trained: int, grid: int) -> list[str]:
    """A sentence with the accuracy on held-out images at `grid` x `grid` patches, if the card has
    it.
    """
    measured = run.model.card.get("quality", {}).get("interpolated", {"sides": [], "accuracy": []})
    read_right = dict(zip(measured["sides"], measured["accuracy"], strict=True))
    if grid not in read_right:
        return []
    return [
        f"Of held-out images {100 * read_right[grid]:.0f}% are read right at {grid} x {grid}"
        f" patches, and {100 * read_right[trained]:.0f}% at {trained} x {trained}."
    ]


def local_note(run: Run, measured: bool, window: int, block: int) -> str:
    """A sentence about local attention, with the accuracy on held-out images if the card has it."""
    note = (
        f"Local attention: each patch sees [CLS] and the patches within a distance of {window} from"
        f" its block of {block} x {block}."
    )
    if run.kind == "yours":
        return note
    note += " The model was trained to see all."
    known = run.model.card.get("quality", {})
    name = {1: "accuracy", 2: "accuracy_in_blocks"}.get(block)
    if not measured or name is None or "local_attention" not in known:
        return note
    local = known["local_attention"]
    share = local[name][local["windows"].index(window)]
    return (
        f"{note} Of held-out images {100 * share:.0f}% are read right so, and"
        f" {100 * known['accuracy']['value']:.0f}% when it sees all."
    )


def costs(side: int) -> list[dict]:
    """The number of tokens, without [CLS], of an image of `side` x `side` pixels, and of pairs of
    tokens, for each patch side that divides `side`.
    """
    cuts = [cut for cut in range(1, side + 1) if side % cut == 0]
    return [
        {"patch_side": cut, "tokens": (side // cut) ** 2, "pairs": (side // cut) ** 4}
        for cut in cuts
    ]


def facts(run: Run, side: int) -> list[Measurement]:
    """Two facts: an image has P^4 times as many pairs of pixels as pairs of patches of P x P
    pixels, and interpolating a table of positions to its own grid does not change it.
    """
    patch, table = run.config.image.patch_side, run.model.transformer.state_dict().get(LEARNED)
    pairs = {row["patch_side"]: row["pairs"] for row in costs(side)}
    ratio = pairs[1] / pairs[patch]
    found = [
        fact("fewer_pairs", ratio, f"P^4 = {patch}^4 = {patch**4}", ratio == patch**4, "times")
    ]
    if table is None:
        return found
    change = (resize_positions(table, run.config.image.side // patch) - table).abs().max()
    return [
        *found,
        fact(
            "same_size_change",
            change,
            "0: interpolated to its own grid, the table is itself",
            change == 0,
        ),
    ]
