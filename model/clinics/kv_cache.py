"""KV cache: a trained decoder writes the same text with a cache of its keys and values and without
one, to count what is computed again without it, and what the cache costs in memory.
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
from model.runs.framing import read
from model.zoo.models import Model, load_model

LAWS = by_name(
    Law(
        "logits",
        "Logits with and without, largest difference",
        "the same logits with the cache and without it, up to rounding",
        (0, 1e-3),
        "logits",
    ),
    Law(
        "choices",
        "Texts with another next token",
        "the same next token at every step",
        (0, 0),
        "texts differ",
    ),
    Law(
        "counted",
        "Multiplications: counted minus formula",
        "projections, scores, sums, feed-forward and unembedding are all that is multiplied",
        (0, 0),
        "multiplications",
    ),
    Law(
        "bytes",
        "Bytes: measured minus formula",
        "2 × layers × d_model × tokens × 4 bytes",
        (0, 0),
        "bytes",
    ),
    Law(
        "saved",
        "Multiplications of the whole text: without the cache divided by with it",
        "without the cache over with it",
        unit="times",
    ),
    Law(
        "last_step",
        "Multiplications of the last step: without the cache divided by with it",
        "at the last step",
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
    """One text, written in both ways at once: the ids that were read, and for each step and way the
    logits, the positions whose keys and values were `computed`, the multiplications of all matrix
    products, and the bytes that the cache held.
    """

    tokens: list[int]
    same_choice: bool
    difference: float
    computed: Float[Tensor, "way step"]
    multiplications: Float[Tensor, "way step"]
    held: Float[Tensor, " step"]


def kv_cache(*, tokens: int = 16, seed: int = 0, seeds: int = 4) -> Answer:
    """Answers with `keys.with` and `keys.without` [step, position]: at each step, which keys and
    values are computed (2), read from the cache (1), or do not exist yet (-inf). `multiplications`
    [way, step] are counted as the matrix products run, and `bytes` [step] are those of the tensors
    that the cache holds, for the first seed.

    At step t the model has read t tokens and predicts the next one. It begins with the first words
    of a sentence, which are read one by one, and goes on with the most probable token.
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
            f"{MODEL}, {model.config.n_decoder_layers} layers of {model.config.d_model} channels;"
            " the first words are drawn for each seed, the others are its own, the most probable"
            " one each time"
        ),
        "findings": findings(model.config, writings),
    }
    return Answer("trained", axes, tensors, fields)


def opening(model: Model, draws: torch.Generator) -> list[Token]:
    """The first tokens of a drawn sentence."""
    return read(model, "text", sentences(1, draws)[0])[:MIN_TOKENS]


@torch.no_grad()
def write_text(model: Model, tokens: int, draws: torch.Generator) -> Writing:
    """Writes a text of `tokens` tokens, computing each step with a cache and without."""
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
    """The logits after `ids`, computed without a cache. Only the last stream is unembedded."""
    mask = masks.causal(len(ids))
    x = model.transformer.decode(torch.tensor([ids]), mask)
    return model.transformer.unembed(x[:, -1])[0]


def cache_size(decoder: IncrementalDecoder) -> tuple[int, int]:
    """The positions that every layer of the cache holds, and the bytes of all its tensors."""
    size, positions = 0, 0
    for block in decoder.cache:
        assert isinstance(block.attention, CacheBase), "new_cache makes it so"
        assert block.attention.past is not None, "a token has been read"
        size += sum(part.numel() * part.element_size() for part in block.attention.past)
        positions = block.attention.past[0].shape[-2]
    return positions, size


def states(computed: Float[Tensor, " step"], tokens: int) -> Float[Tensor, "step position"]:
    """What is done for each position at each step: the last `computed` of the positions read so far
    are computed, those before them are read from the cache.
    """
    at, read_so_far = torch.arange(tokens), torch.arange(1, tokens + 1)[:, None]
    state = torch.where(at < read_so_far - computed[:, None], READ, COMPUTED).float()
    return state.masked_fill(at >= read_so_far, -torch.inf)


def law(config: Config, new: int, keys: int) -> int:
    """The multiplications of one step that computes `new` positions and attends to `keys`: four
    projections, scores and weighted sums, the feed-forward, and the unembedding of the last.
    """
    d, d_ff = config.d_model, config.d_ff
    layer = new * (4 * d * d + 2 * keys * d + 2 * d * d_ff)
    return config.n_decoder_layers * layer + d * config.vocabulary_size


def findings(config: Config, writings: list[Writing]) -> list[Finding]:
    """The findings of all texts."""
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
