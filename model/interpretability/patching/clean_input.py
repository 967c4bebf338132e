"""The two inputs of a patching question: the corrupted one, and the clean one, either given or
found to match it.
"""

import json
from collections.abc import Iterator
from dataclasses import fields, replace

from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.patching.activations import answering
from model.runs.run import Run
from model.runs.run_model import Runs, reading
from model.zoo.models import Model

PAPER = "0" * 64
"""A blank image of 8 x 8 pixels, one character per pixel."""

BLACK_CAT = "I have a black cat."
PAIRS: dict[str, dict[str, str]] = {
    "translator": {
        "i am cold": "he is cold",
        BLACK_CAT: "I have a white cat.",
        "I don't speak French.": "I don't speak English.",
        "I'm not hungry.": "I'm not tired.",
        "I miss you.": "I love you.",
    },
    "translator-pre": {"i am cold": "he is cold", BLACK_CAT: "I have a white cat."},
    "prefix-translator": {"i am cold": "he is cold", BLACK_CAT: "I have a white cat."},
    "fill-in": {"I drink a cup of ___ every morning.": "I drink a cup of ___ every evening."},
    "pronouncer": {"telephone": "saxophone"},
    "speller": {"recieve": "relieve"},
    "induction-2": {"qvmtzkdbqvmtzkdbqvmt": "qvmtakdbqvmtakdbqvmt"},
    "induction-1": {"qvmtzkdbqvmtzkdbqvmt": "qvmtakdbqvmtakdbqvmt"},
    "shakespeare": {
        "ROMEO:\nBut soft, what light?\n\nJULIET:\nO Romeo, Romeo!\n\n": (
            "ROMEO:\nBut soft, what light?\n\nROMEO:\nO Romeo, Romeo!\n\n"
        )
    },
    "digits": {"three": PAPER},
}
"""By model, the inputs with a clean input of their own.

The first pair: of 250 sentences "I am …" from the sentence pairs, sampled with seed 0, the
translation begins as in "He is …" in 230 if only *I* is patched in the encoder's input, and in 1 if
only *am* is. In "i am cold", patching *i* turns "j' ai froid" into "il a froid", although the clean
run outputs "il est froid".

The 3 and the blank image: in each example of `digits`, every pair of patches was replaced with
blank ones, 136 pairs each. In the 3, exactly one pair makes the model predict 8.
"""


def corrupted_input(model: Model, input: Input, corrupted: str | None) -> Input:
    """`corrupted`, or the question's input. Raises InvalidInput if both are given."""
    if corrupted is None:
        return input
    if input != Input():
        field = next(name for name, value in vars(input).items() if value is not None)
        raise InvalidInput("corrupted-twice", field="corrupted", other=field)
    return read_input(model, "corrupted", corrupted)


def read_input(model: Model, name: str, raw: str) -> Input:
    """An input given as JSON, {"source": "i am cold"}, or as the text, image, or row that the model
    reads. Raises InvalidInput for the field `name`.
    """
    if not raw.lstrip().startswith("{"):
        return Input(**{main_field(model): raw})
    known = [field.name for field in fields(Input)]
    try:
        found = json.loads(raw)
        wrong = [key for key, text in found.items() if key not in known or type(text) is not str]
    except (ValueError, RecursionError):
        wrong = ["JSON"]
    if wrong:
        raise InvalidInput("input-not-read", field=name, why=wrong[0][:40], known=known)
    return Input(**found)


def main_field(model: Model) -> str:
    """The first field of an Input that a model reads: source, text, image, or row."""
    *_, last = reading(model).fields
    two = model.config.family in ("encoder-decoder", "prefix") and last == "text"
    return "source" if two else last


def held(clean: Input, corrupted: Run) -> Input:
    """The clean input, with the corrupted run's target if it has none of its own: with equal
    decoder inputs, a difference comes from the source.
    """
    if "target" not in corrupted.input or clean.target is not None:
        return clean
    return replace(clean, target=corrupted.input["target"])


def counterpart(model: Model, corrupted: Run, runs: Runs) -> Input:
    """The default clean input: the one in PAIRS; or the model's example with the same number of
    tokens, another prediction, and the fewest different tokens; or the first of the text's
    `variants`. Raises InvalidInput if there is none.
    """
    field = main_field(model)
    for first, second in PAIRS.get(model.id, {}).items():
        if runs(model, Input(**{field: first})).input[field] == corrupted.input[field]:
            return Input(**{field: second})
    for example in sorted(as_long(model, corrupted, runs), key=lambda run: others(run, corrupted)):
        if answer(example) != answer(corrupted):
            return Input(**{field: example.input[field]})
    typed = corrupted.input[field]
    texts = variants(typed, PAIRS.get(model.id, {})) if field in ("source", "text") else ()
    for text in texts:
        run = runs(model, held(Input(**{field: text}), corrupted))
        if length(run) == length(corrupted) and answer(run) != answer(corrupted):
            return Input(**{field: text})
    raise InvalidInput("no-clean-example", field="clean", model=model.id)


def variants(text: str, pairs: dict[str, str]) -> Iterator[str]:
    """Texts similar to `text`: with one word replaced by a word from the clean inputs of PAIRS, and
    with all words reversed. In a single word, letters are used as words.
    """
    gap = " " if len(text.split()) > 1 else ""
    words, others = (s.split() if gap else list(s) for s in (text, gap.join(pairs.values())))
    for new in list(dict.fromkeys(others))[:MAX_WORDS]:
        for i in range(min(len(words), MAX_WORDS)):
            yield gap.join([*words[:i], new, *words[i + 1 :]])
    yield gap.join(words[::-1])


MAX_WORDS = 6
"""The maximum number of words to replace, and of replacements: each pair takes a run."""


def length(run: Run) -> int:
    """The number of tokens in the first input."""
    return len(next(iter(run.tokens.values())))


def as_long(model: Model, corrupted: Run, runs: Runs) -> Iterator[Run]:
    """The runs of the model's examples with the same number of tokens as the corrupted run."""
    for example in model.card.get("examples", ()):
        run = runs(model, Input(**example["input"]))
        if length(run) == length(corrupted):
            yield run


def others(run: Run, corrupted: Run) -> int:
    """The number of tokens in a run's first input that differ from the corrupted run."""
    axis = next(iter(corrupted.tokens))
    return sum(
        here.id != there.id
        for here, there in zip(run.tokens[axis], corrupted.tokens[axis], strict=True)
    )


def answer(run: Run) -> list[int]:
    """The predictions of a run at every predicting position."""
    return run.logits.argmax(-1)[list(answering(run))].tolist()
