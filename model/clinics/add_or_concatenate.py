"""Add or concatenate: token and position vectors, added as in the paper or concatenated; the cost
of both, and how well token and position can be decoded afterwards.

The next layer multiplies by a matrix W. [x; p] [W_1; W_2] = x W_1 + p W_2, and (x + p) W is the
same with W_1 = W_2 = W: addition is concatenation with a shared matrix.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from model import progress
from model.answers.answer import Answer, Axis, Labelled, counted, numbered
from model.answers.laws import Law, by_name, each
from model.answers.measurements import Finding, analytic, exact, statistical
from model.checks import check_between, check_one_of
from model.measure.initialised_stacks import by_seed, generator, seed_axis
from model.measure.random_sentences import sentences
from model.zoo.models import Model, load_model

LAWS = by_name(
    Law(
        "identity",
        "Difference between queries from [x; p] and x + p",
        "[x; p] [W; W] = (x + p) W",
        (0, 1e-9),
    ),
    *each(
        {"token": "Tokens", "position": "Positions"},
        Law(
            "{}",
            "{} recovered from the sum",
            "nearly 100%: a linear map recovers them from the sum",
            (0.95, None),
            "of the examples",
        ),
    ),
    *each(
        {
            f"{way}.{part}": f"{title} recovered: {named}"
            for way, named in (("halves", "concatenated, d/2 each"), ("whole", "concatenated, 2d"))
            for part, title in (("token", "Tokens"), ("position", "Positions"))
        },
        Law(
            "{}",
            "{} − added",
            "concatenated − added, at noise 1",
            unit="of the examples",
        ),
    ),
    Law(
        "weights",
        "Weights in W: concatenated / added",
        "2: [x; p] is twice as long, so W has twice as many rows",
        unit="times",
    ),
    Law(
        "cosine",
        "|Cosine| of a token and its position",
        "0 would be orthogonal, 1 parallel",
    ),
)
MODELS = ("translator", "fill-in")
WAYS = ("added", "halves", "whole")
PARTS = ("token", "position")
POSITIONS, MIN_TOKENS, MAX_TOKENS, EACH = 12, 4, 48, 24
NOISE = (0.0, 0.25, 0.5, 1.0, 2.0)
LAW = r"[\,x;\, p\,] \begin{bmatrix} W \\ W \end{bmatrix} = (x + p)\, W"
SOURCE = "Vaswani et al. 2017, section 3.5"

Vectors = Float[Tensor, "place channel"]
Labels = Int[Tensor, " place"]


@torch.no_grad()
def add_or_concatenate(
    *, vectors: str = "translator", tokens: int = 32, seed: int = 0, seeds: int = 4
) -> Answer:
    """`right` [way, part, noise], the fraction of held-out places at which a linear map decodes the
    token or the position, averaged over the seeds. Token and position are added (d numbers), each
    compressed to half its numbers and concatenated (d numbers), or concatenated (2 d numbers). Then
    noise is added, in units of the root mean square of the token's channels.

    `tokens` tokens of sampled sentences are put at random positions among the first 12, each 24
    times to fit and 24 times held out. `query` [line, channel] is the first token's query in the
    first layer: x W, p W, their sum, and [x; p] [W; W].
    """
    check_one_of("vectors", vectors, MODELS)
    check_between("tokens", tokens, MIN_TOKENS, MAX_TOKENS)
    read = load_model(vectors)
    draws = [generator(seed, number) for number in range(seeds)]
    rights, cosines, errors = [], [], []
    lines = None
    for number in progress.trials(seeds):
        x, p, token, position = places(read, tokens, draws[number])
        parts = query_parts(read, x, p)
        lines = parts if lines is None else lines
        errors.append((parts[3] - parts[2]).abs().max().item())
        rights.append(readable(x, p, token, position, draws[number]))
        cosines.append(torch.cosine_similarity(x, p, dim=-1).abs().mean().item())
    assert lines is not None, "there is at least one seed"
    right, d = torch.stack(rights), read.config.d_model
    axes = {
        "way": Axis("step", len(WAYS), list(WAYS)),
        "part": Axis("step", len(PARTS), list(PARTS)),
        "noise": numbered("step", NOISE, "noise", "of a token’s channel"),
        "line": Axis("step", 4, ["x W", "p W", "x W + p W", "[x; p] [W; W]"]),
        "channel": counted("channel", d, "channel"),
        "seed": seed_axis(seeds),
    }
    tensors = {
        "right": Labelled(
            ("way", "part", "noise"), right.mean(0), "share of held-out places that are read right"
        ),
        "query": Labelled(("line", "channel"), lines[:, 0].float(), "of the first token"),
    }
    tensors |= by_seed(tensors, {"right": right})
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"Embeddings and positions of {vectors}, {d} channels; {tokens} tokens at positions"
            f" drawn from the first {POSITIONS}, new for each seed. For"
            " “concatenated, d/2 each”, the vectors are randomly projected to half their width"
        ),
        "d_model": d,
        "weights": {"added": d * d, "halves": d * d, "whole": 2 * d * d},
        "findings": findings(right, errors, cosines),
    }
    return Answer("trained", axes, tensors, fields)


def places(
    model: Model, tokens: int, draws: torch.Generator
) -> tuple[Vectors, Vectors, Labels, Labels]:
    """Token and position vectors with their labels at random places: the first half to fit, the
    second held out. Each token occurs equally often in both halves.
    """
    embedding, tokenizer = model.transformer.embedding, model.text_tokenizer
    known = {token.id for text in sentences(MAX_TOKENS, draws) for token in tokenizer.encode(text)}
    ids = torch.tensor(sorted(known))
    ids = ids[torch.randperm(len(ids), generator=draws)[:tokens]]
    tokens = len(ids)
    token = torch.arange(tokens).repeat(2 * EACH)
    position = torch.randint(POSITIONS, token.shape, generator=draws)
    x = (embedding.token * embedding.factor)[ids[token]].double()
    p = embedding.position(POSITIONS)[position].double()
    return x, p, token, position


def query_parts(model: Model, x: Vectors, p: Vectors) -> Float[Tensor, "line place channel"]:
    """x W, p W, x W + p W, and [x; p] [W; W] with the W_Q of the first layer."""
    w = model.transformer.stack("encoder")[0].attention.query.weight.double()
    side_by_side = torch.cat([x, p], -1) @ torch.cat([w, w], 0)
    return torch.stack([x @ w, p @ w, (x + p) @ w, side_by_side])


def readable(
    x: Vectors, p: Vectors, token: Labels, position: Labels, draws: torch.Generator
) -> Float[Tensor, "way part noise"]:
    """The fraction of held-out places at which least squares on the vectors of each way predicts
    the token and the position, for each amount of noise.
    """
    half = x.shape[-1] // 2
    press_x, press_p = (
        torch.randn(x.shape[-1], half, generator=draws).double() / half**0.5 for _ in range(2)
    )
    ways = {
        "added": x + p,
        "halves": torch.cat([x @ press_x, p @ press_p], -1),
        "whole": torch.cat([x, p], -1),
    }
    fit = torch.arange(len(x)) < len(x) // 2
    size = x.square().mean().sqrt()
    found = torch.zeros(len(WAYS), len(PARTS), len(NOISE))
    for i, way in enumerate(WAYS):
        noise = torch.randn(ways[way].shape, generator=draws).double() * size
        for j, labels in enumerate((token, position)):
            for n, level in enumerate(NOISE):
                found[i, j, n] = accuracy(ways[way] + level * noise, labels, fit)
    return found


def accuracy(x: Vectors, labels: Labels, fit: Tensor) -> float:
    """The fraction of held-out places at which argmax x W + b is correct, where W and b are the
    least-squares solution with the smallest W.
    """
    y, mean = one_hot(labels).double(), x[fit].mean(0)
    w = torch.linalg.lstsq(x[fit] - mean, y[fit] - y[fit].mean(0), driver="gelsd").solution
    predicted = ((x[~fit] - mean) @ w + y[fit].mean(0)).argmax(-1)
    return (predicted == labels[~fit]).double().mean().item()


def findings(
    right: Float[Tensor, "seed way part noise"], errors: list[float], cosines: list[float]
) -> list[Finding]:
    """The findings over all seeds."""
    added, halves, whole = right.unbind(1)
    loud = NOISE.index(1)
    return [
        exact(LAWS["identity"], max(errors)),
        *(statistical(LAWS[part], added[:, i, 0].tolist()) for i, part in enumerate(PARTS)),
        *(
            statistical(LAWS[f"{name}.{part}"], (way - added)[:, i, loud].tolist())
            for name, way in (("halves", halves), ("whole", whole))
            for i, part in enumerate(PARTS)
        ),
        analytic(LAWS["weights"], 2),
        statistical(LAWS["cosine"], cosines),
    ]
