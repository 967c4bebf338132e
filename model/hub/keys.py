"""The meaning of config.json keys: fields of our Config, or no effect on computation.

A key that is not in a family's table is rejected by name, because it may change what the model
computes; so is an unsupported value. A missing key has the default of `transformers`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from model.errors import NotRead

Keys = Mapping[str, Any]
Fields = dict[str, Any]
MISSING = object()


@dataclass(frozen=True)
class Key:
    """One key: what it `says` in fields of Config, computed from its value and all keys of the
    file, and its `default`; MISSING if it is required.
    """

    says: Callable[[Any, Keys], Fields]
    default: Any = MISSING


def size(ours: str, default: Any = MISSING) -> Key:
    """The key is our field `ours` under another name."""
    return Key(lambda value, keys: {ours: value}, default)


def only(*values: Any) -> Key:
    """A key with only these supported values; the first is the default."""

    def says(value: Any, keys: Keys) -> Fields:
        if value not in values:
            raise Unread("only-one-value", value=repr(value), only=repr(values[0]))
        return {}

    return Key(says, values[0])


SILENT = Key(lambda value, keys: {}, None)
"""A key about training, generation, or a tokenizer, which does not affect activations."""


def silent(names: str) -> dict[str, Key]:
    """The space-separated keys `names`, which do not affect activations."""
    return dict.fromkeys(names.split(), SILENT)


ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
"""Our name of each activation function, by theirs."""


def activation(default: str) -> Key:
    """The activation function of the feed-forward network."""

    def says(value: Any, keys: Keys) -> Fields:
        if value not in ACTIVATIONS:
            raise Unread("activation-not-read", value=repr(value), known=ACTIVATIONS)
        return {"activation": ACTIVATIONS[value]}

    return Key(says, default)


def unbiased(*parts: str, default: bool) -> Key:
    """Whether these parts of a block have biases."""
    return Key(lambda value, keys: {} if value else {"unbiased": parts}, default)


COMMON: dict[str, Key] = {
    **silent(
        "architectures model_type transformers_version torch_dtype dtype name_or_path"
        " use_cache id2label label2id num_labels problem_type finetuning_task task_specific_params"
        " bad_words_ids suppress_tokens begin_suppress_tokens max_length min_length do_sample"
        " early_stopping"
        " num_beams num_beam_groups diversity_penalty temperature top_k top_p typical_p"
        " repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size"
        " num_return_sequences prefix output_past output_attentions output_hidden_states"
        " output_scores return_dict return_dict_in_generate remove_invalid_values"
        " exponential_decay_length_penalty tokenizer_class gradient_checkpointing"
        " initializer_range initializer_factor attn_implementation transformers.js_config"
        " torchscript chunk_size_feed_forward use_bfloat16 tf_legacy_loss license"
    ),
    "is_decoder": only(False, None),
    "add_cross_attention": only(False, None),
    "cross_attention_hidden_size": only(None),
    "tie_encoder_decoder": only(False, None),
    "pruned_heads": only(None, {}),
    "position_embedding_type": only("absolute", None),
}
"""Keys shared by all families."""

NOTE = re.compile("^_|_token_id$")
"""Names of keys about the program that wrote the file, or about the tokenizer."""

QUANTISED = ("quantization_config", "compression_config")
REFUSED = ("auto_map", *QUANTISED)
"""Keys that no family supports."""


class Unread(NotRead):
    """An unsupported value; `fields_of` adds its `key`."""

    def for_key(self, key: str) -> NotRead:
        return NotRead(self.sentence.message, key=key, **self.sentence.values)


def read_keys(keys: Keys, table: Mapping[str, Key]) -> Fields:
    """The fields of Config for `keys`, by the family's `table`. Raises NotRead."""
    if keys.get("auto_map"):
        raise NotRead("code-not-run")
    for name in QUANTISED:
        if keys.get(name):
            raise NotRead("quantised-not-read", key=name)
    known = {name: value for name, value in keys.items() if name not in REFUSED}
    return fields_of(known, COMMON | dict(table), "config.json")


def fields_of(keys: Keys, table: Mapping[str, Key], file: str) -> Fields:
    """The fields for the `keys` of a file, by a table that has all of them. Raises NotRead."""
    for name in keys:
        if name not in table and not NOTE.search(name):
            raise NotRead("unknown-key", file=file, name=name[:80])
    fields: Fields = {}
    for name, key in table.items():
        value = keys.get(name, key.default)
        if value is MISSING:
            raise NotRead("key-missing", file=file, name=name)
        try:
            entries = key.says(value, keys)
        except Unread as refused:
            raise refused.for_key(name) from refused
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise NotRead("makes-no-sense", name=name, value=repr(value), file=file) from error
        for ours, entry in entries.items():
            fields[ours] = fields.get(ours, ()) + entry if ours == "unbiased" else entry
    return fields
