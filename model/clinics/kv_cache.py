"""KV cache: a trained decoder generates the same text with and without a cache of its keys and
values, to count what is recomputed without it, and how much memory it takes.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, analytic, exact
from model.checks import check_between
from model.config import Config
from model.generation.decoding import IncrementalDecoder
from model.generation.ties import best
from model.inputs.text import Token
from model.layers import masks
from model.layers.kv_cache import CacheBase
from model.measure.initialised_stacks import generator
from model.measure.random_sentences import sentences
from model.runs.text import read
from model.zoo.models import Model, load_model

LAWS = by_name(
    Law(
        "logits",
        "Logits with and without the cache: largest difference",
        "0 up to rounding: the logits are the same",
        (0, 1e-3),
        "logits",
    ),
    Law(
        "choices",
        "Texts with a different next token",
        "0: the next token is the same at every step",
        (0, 0),
        "texts differ",
    ),
    Law(
        "counted",
        "Multiplications: counted minus formula",
        "0: the formula counts projections, scores, weighted sums, feed-forward and unembedding",
        (0, 0),
        "multiplications",
    ),
    Law(
        "bytes",
        "Bytes: measured minus formula",
        "0: the formula is 2 × layers × d_model × tokens × 4 bytes",
        (0, 0),
        "bytes",
    ),
    Law(
        "saved",
        "Multiplications for the whole text: without / with the cache",
        "no prediction",
        unit="times",
    ),
    Law(
        "last_step",
        "Multiplications at the last step: without / with the cache",
        "no prediction",
        unit="times",
    ),
)
MODEL = "shakespeare"
WAYS = ("with", "without")
READ, COMPUTED = 1, 2
MIN_TOKENS, MAX_TOKENS = 4, 64
LAW = (
    r"k_{1 \ldots t} = [\,k_{1 \ldots t-1};\; x_t W_K\,],"
    r" \; v_{1 \ldots t} = [\,v_{1 \ldots t-1};\; x_t W_V\,]"
)
SOURCE = "Shazeer 2019, section 2.2; Pope et al. 2023"


@dataclass(frozen=True)
class Writing:
    """One text, generated both ways at once: the ids that were read, and for each step and way the
    logits, the positions whose keys and values were `computed`, the multiplications in all matrix
    products, and the bytes in the cache.
    """

    tokens: list[int]
    same_choice: bool
    difference: float
    computed: Float[Tensor, "way step"]
    multiplications: Float[Tensor, "way step"]
    held: Float[Tensor, " step"]


def kv_cache(*, tokens: int = 16, seed: int = 0, seeds: int = 4) -> Answer:
    """`keys.with` and `keys.without` [step, position]: whether, at each step, keys and values are
    computed (2), read from the cache (1), or do not exist yet (-inf). `multiplications` [way, step]
    are counted as the matrix products run, and `bytes` [step] are those of the cached tensors, for
    the first seed.

    At step t, the model has read t tokens and predicts the next one. It reads the first words of a
    sentence one by one, and then continues greedily.
    """
    check_between("tokens", tokens, MIN_TOKENS, MAX_TOKENS)
    model = load_model(MODEL)
    writings = [write_text(model, tokens, generator(seed, n)) for n in progress.trials(seeds)]
    first = writings[0]
    labels = [model.text_tokenizer.token(id).text for id in first.tokens]
    axes = {
        "way": Axis("step", len(WAYS), list(WAYS)),
        "step": numbered("step", range(1, tokens + 1), "tokens read"),
        "position": Axis("position", tokens, labels),
    }
    tensors = {
        f"keys.{way}": Labelled(
            ("step", "position"),
            states(first.computed[i], tokens),
            f"{COMPUTED} computed at this step, {READ} read from the cache",
            masked=True,
        )
        for i, way in enumerate(WAYS)
    }
    tensors |= {
        "multiplications": Labelled(
            ("way", "step"), first.multiplications, "sum over matrix products of m n k"
        ),
        "bytes": Labelled(("step",), first.held, "bytes of all keys and values that are kept"),
    }
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"The model {MODEL} has {model.config.n_decoder_layers} layers and"
            f" {model.config.d_model} channels; the first words are drawn at"
            " random for each seed; the model generates the rest greedily"
        ),
        "findings": findings(model.config, writings),
    }
    return Answer("trained", axes, tensors, fields)


def opening(model: Model, draws: torch.Generator) -> list[Token]:
    """The first tokens of a sampled sentence."""
    return read(model, "text", sentences(1, draws)[0])[:MIN_TOKENS]


@torch.no_grad()
def write_text(model: Model, tokens: int, draws: torch.Generator) -> Writing:
    """Generates a text of `tokens` tokens, computing each step with and without a cache."""
    prompt = [token.id for token in opening(model, draws)]
    decoder = IncrementalDecoder(model.transformer)
    ids, n_cached, differences, same = prompt[:1], 0, [], True
    computed, multiplications, held = [], [], []
    for step in progress.steps(range(1, tokens + 1)):
        with FlopCounterMode(display=False) as few:
            cached = decoder.read(torch.tensor([ids[-1:]]))[0]
        with FlopCounterMode(display=False) as many:
            again = from_the_start(model, ids)
        differences.append((cached - again).abs().max().item())
        same = same and bool(best(cached) == best(again))
        positions, size = cache_size(decoder)
        computed.append([positions - n_cached, len(ids)])
        multiplications.append([few.get_total_flops() / 2, many.get_total_flops() / 2])
        held.append(size)
        n_cached = positions
        ids = [*ids, prompt[step] if step < len(prompt) else int(best(cached))]
    return Writing(
        ids[:-1],
        same,
        max(differences),
        torch.tensor(computed).float().T,
        torch.tensor(multiplications).T,
        torch.tensor(held).float(),
    )


def from_the_start(model: Model, ids: list[int]) -> Float[Tensor, " vocabulary"]:
    """The logits after `ids`, computed without a cache. Only the last position is unembedded."""
    mask = masks.causal(len(ids))
    x = model.transformer.decode(torch.tensor([ids]), mask)
    return model.transformer.unembed(x[:, -1])[0]


def cache_size(decoder: IncrementalDecoder) -> tuple[int, int]:
    """The number of positions in every layer's cache, and the total bytes."""
    size, positions = 0, 0
    for block in decoder.cache:
        assert isinstance(block.attention, CacheBase), "new_cache makes it so"
        assert block.attention.past is not None, "a token has been read"
        size += sum(part.numel() * part.element_size() for part in block.attention.past)
        positions = block.attention.past[0].shape[-2]
    return positions, size


def states(computed: Float[Tensor, " step"], tokens: int) -> Float[Tensor, "step position"]:
    """The state of each position at each step: the last `computed` of the positions read so far are
    computed, and those before them are read from the cache.
    """
    at, read_so_far = torch.arange(tokens), torch.arange(1, tokens + 1)[:, None]
    state = torch.where(at < read_so_far - computed[:, None], READ, COMPUTED).float()
    return state.masked_fill(at >= read_so_far, -torch.inf)


def law(config: Config, new: int, keys: int) -> int:
    """The multiplications in one step that computes `new` positions and attends to `keys`: four
    projections, scores and weighted sums, the feed-forward network, and the unembedding of the last
    position.
    """
    d, d_ff = config.d_model, config.d_ff
    layer = new * (4 * d * d + 2 * keys * d + 2 * d * d_ff)
    return config.n_decoder_layers * layer + d * config.vocabulary_size


def findings(config: Config, writings: list[Writing]) -> list[Finding]:
    """The findings over all texts."""
    tokens = len(writings[0].tokens)
    steps = range(1, tokens + 1)
    expected = torch.tensor(
        [[law(config, 1, t) for t in steps], [law(config, t, t) for t in steps]]
    ).float()
    counts = torch.stack([writing.multiplications for writing in writings])
    numbers = 2 * config.n_decoder_layers * config.kv_heads * config.d_head
    size = torch.tensor([4.0 * numbers * t for t in steps])
    total = counts[0].sum(-1)
    return [
        exact(LAWS["logits"], max(writing.difference for writing in writings)),
        exact(LAWS["choices"], sum(not writing.same_choice for writing in writings)),
        exact(LAWS["counted"], (counts - expected).abs().max()),
        exact(LAWS["bytes"], torch.stack([w.held for w in writings]).sub(size).abs().max()),
        analytic(LAWS["saved"], total[1] / total[0]),
        analytic(LAWS["last_step"], counts[0, 1, -1] / counts[0, 0, -1]),
    ]
