"""A corpus of a trained model's examples and sampled sentences, as one of its stacks reads them,
with the activations of one layer.
"""

from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor

from model import progress
from model.generation.decoding import greedy_decode_sources
from model.inputs.text import pad_ids
from model.layers import masks
from model.measure.initialised_stacks import generator
from model.measure.random_sentences import sentences
from model.trace import Trace
from model.zoo.models import Model

RANDOM, LONGEST = 24, 24

Tokens = Float[Tensor, "position channel"]


@dataclass(frozen=True)
class Corpus:
    """Sentences as one stack reads them, and the activations of one layer. `real` is False for
    padding; `fitting` is the token that a value should promote; `x` is the block's input and
    `middle` that of its feed-forward network; `m` holds the activation of every key at every token.
    """

    ids: Int[Tensor, "sentence position"]
    real: Bool[Tensor, "sentence position"]
    fitting: Int[Tensor, "sentence position"]
    x: Float[Tensor, "sentence position channel"]
    middle: Float[Tensor, "sentence position channel"]
    m: Float[Tensor, "sentence position hidden"]

    def tokens(self, sentence: int) -> list[int]:
        return self.ids[sentence][self.real[sentence]].tolist()

    def longest(self, first: int) -> "Sentence":
        """The sentence with the most tokens among the `first` ones."""
        sentence = max(range(first), key=lambda sentence: len(self.tokens(sentence)))
        ids = self.tokens(sentence)
        return Sentence(ids, self.x[sentence, : len(ids)], self.middle[sentence, : len(ids)])


@dataclass(frozen=True)
class Sentence:
    """The tokens of one sentence of a corpus, with the inputs `x` of the block and `middle` of its
    feed-forward network.
    """

    ids: list[int]
    x: Tokens
    middle: Tokens


def texts(model: Model, seed: int, seeds: int) -> list[str]:
    """The sentences of the corpus: the model's examples, then those sampled for each seed."""
    found = [example["input"]["source"] for example in model.card["examples"]]
    for number in range(seeds):
        found += sentences(RANDOM, generator(seed, number))
    return found


def places_of_seeds(model: Model, seeds: int) -> list[slice]:
    """Where each seed's sentences are in the corpus, after the model's examples."""
    n_examples = len(model.card["examples"])
    return [
        slice(n_examples + RANDOM * number, n_examples + RANDOM * (number + 1))
        for number in range(seeds)
    ]


def read(model: Model, stack: str, layer: int, texts: list[str]) -> Corpus:
    """The run of `texts` through `model`; the decoder reads the model's own translations."""
    transformer, frame, values = model.transformer, model.text_tokenizer.frame, {}
    last = "cross_attention" if stack == "decoder" else "attention"
    names = ("residual.in", f"residual.after_{last}", "feed_forward.post")
    read = [f"{stack}.{layer}.{name}" for name in names]

    def keep(name: str, value: Tensor) -> Tensor:
        progress.checkpoint()
        if name in read:
            values[name] = value
        return value

    trace = Trace(keep)
    framed = [
        [token.id for token in model.text_tokenizer.encode(text, start=True, end=True)]
        for text in texts
    ]
    ids = fitting = pad_ids(framed, frame.pad)
    words = (ids != frame.pad)[:, None, :]
    stream = transformer.encode(ids, words, trace)
    if stack == "decoder":
        with progress.part(0.1, 0.5):
            outputs = greedy_decode_sources(transformer, framed, LONGEST, frame)
            ids = pad_ids([[frame.start, *text] for text in outputs], frame.pad)
        stream = transformer.decode(ids, masks.causal(ids.shape[1]), stream, words, trace)
        logits = transformer.unembed(stream)
        progress.checkpoint()
        fitting = logits.argmax(-1)
    x, middle, m = (values[name] for name in read)
    real = ids != frame.pad
    return Corpus(ids, real, fitting, x, middle, m.masked_fill(~real[..., None], 0))
