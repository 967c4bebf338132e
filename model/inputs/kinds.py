"""Kinds of tokens: one row for each kind, with what every room of the house has for it.

The rooms stand above this table, so a row names their functions by path, "module:name", and a room
looks its function up with `pkgutil.resolve_name` when it first needs it. A new kind of input is one
row here, and its files may lie in a folder of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reading:
    """How the models of one family read an input: its `name` in a sentence, the `fields` of Input
    that such a model takes, and the path of the function that makes a `run`. Where the input is
    text, `over` is the path of the function that makes a run over its tokens.
    """

    name: str
    fields: tuple[str, ...]
    run: str
    over: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of tokens: the `axis` on which its positions lie in a model of one input, and the
    sentence `suggests`, which says what the logits are. `inputs/sizes.py` has its sizes.

    `embedding` is the path of a function from a Config to the table or the module that makes the
    vectors, `activation` that of their entry in the catalogue, from (config, name, axis).
    `tokenizers` are paths of classes. `readings` has a Reading for each family of models; a model
    with segment recurrence has the one named "segments".
    """

    axis: str
    suggests: str
    embedding: str
    activation: str
    tokenizers: tuple[str, ...] = ()
    readings: Mapping[str, Reading] = field(default_factory=dict)


TEXT = ("source", "target", "text")


def read_by(module: str, name: str) -> Reading:
    """A reading of text by two functions of a module of `model/runs`."""
    path = f"model.runs.{module}"
    return Reading("text", TEXT, f"{path}:run_{name}", f"{path}:over_{name}")


KINDS = {
    "tokens": Kind(
        axis="text",
        suggests="How strongly each piece of the vocabulary is suggested as the next.",
        embedding="model.layers.embedding:make_vocabulary",
        activation="model.activations.embedding:piece_activation",
        tokenizers=(
            "model.inputs.text:TextTokenizer",
            "model.inputs.cased_text:CasedTextTokenizer",
            "model.inputs.masked_text:MaskedTextTokenizer",
            "model.inputs.letters:LetterTokenizer",
            "model.inputs.letters:WordTokenizer",
            "model.inputs.phonemes:PronunciationTokenizer",
        ),
        readings={
            "encoder-decoder": read_by("text", "encoder_decoder"),
            "encoder-only": read_by("text", "one_stack"),
            "decoder-only": read_by("text", "one_stack"),
            "segments": read_by("segments", "segments"),
            "prefix": read_by("prefix", "prefix"),
        },
    ),
    "patches": Kind(
        axis="image",
        suggests="How strongly each class is suggested; the model's answer is what [CLS] says.",
        embedding="model.layers.patch_embedding:make_patches",
        activation="model.activations.patch_embedding:patch_activation",
        tokenizers=("model.inputs.images:PatchTokenizer", "model.inputs.scenes:SceneTokenizer"),
        readings={
            "encoder-only": Reading("an image", ("image",), "model.runs.image:run_image"),
            "encoder-decoder": Reading("a picture", ("image",), "model.runs.scene:run_scene"),
        },
    ),
    "columns": Kind(
        axis="row",
        suggests=(
            "How strongly each class is suggested; the model's answer is what [CLS] says, or what"
            " is said of the row at once."
        ),
        embedding="model.layers.tabular_embedding:make_columns",
        activation="model.activations.tabular_embedding:column_activation",
        tokenizers=("model.inputs.table_rows:RowTokenizer",),
        readings={
            "encoder-only": Reading("a row of a table", ("row",), "model.runs.table_row:run_row")
        },
    ),
    "queries": Kind(
        axis="queries",
        suggests=(
            "How strongly each query suggests each class; the last class is that there is nothing."
        ),
        embedding="model.layers.embedding:make_queries",
        activation="model.activations.embedding:query_activation",
    ),
}
"""The kinds by name. Object queries are no input: a decoder reads them in place of a target."""
