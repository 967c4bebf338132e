"""Decoding: greedy decoding, beam search, and sampling on a model so small that all texts can be
enumerated, and the effect of sampling filters on a trained model's next-token distribution.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled
from model.answers.laws import DIFFERENCE, Law, by_name
from model.answers.measurements import Finding, analytic, exact, statistical
from model.checks import check_between, check_one_of
from model.generation.beam_search import beam_search
from model.generation.decoding import Chooser, IncrementalDecoder, generate_tokens, greedy, sampling
from model.generation.sampling_filters import ranking, sampling_distribution
from model.inputs.input import Input
from model.inputs.letters import LetterTokenizer
from model.measure.initialised_stacks import by_seed, generator, seed_axis
from model.runs.strategies import RANGES, prompt_of
from model.trace import OFF, Trace
from model.zoo.models import Model, load_model

LETTERS, FRAME = "abcd", LetterTokenizer.frame


class Chain(IncrementalDecoder):
    """A Markov chain: the next letter depends only on the last one. `table` [state, letter] holds
    the probabilities at the start, and then after each letter.
    """

    def __init__(self, table: Float[Tensor, "state letter"]):
        n = table.shape[1]
        self.table, self.letters, self.n_read = table, LETTERS[:n], 0
        rows = [table[0]] * len(FRAME.special) + list(table[1:])
        self.logits = torch.cat(
            [
                torch.full((len(rows), len(FRAME.special)), -torch.inf, dtype=table.dtype),
                torch.stack(rows).log(),
            ],
            1,
        )

    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        self.n_read += ids.shape[1]
        return self.logits[ids[:, -1]]

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Does nothing: a chain's state is its last letter, which is passed to `read`."""

    def text(self, ids: list[int]) -> str:
        return "".join(self.letters[id - len(FRAME.special)] for id in ids)

    def every_text(self, length: int) -> dict[str, float]:
        """The probability of each of the V^T texts of `length` letters, for an exhaustive
        search.
        """
        p = self.table[0]
        for _ in range(length - 1):
            p = p[..., None] * self.table[1:]
        return dict(
            zip(
                map("".join, product(self.letters, repeat=length)),
                p.flatten().tolist(),
                strict=True,
            )
        )

    def write_text(self, choose: Chooser, length: int) -> str:
        self.n_read = 0  # a new text begins
        steps = generate_tokens(self, [FRAME.start], choose, length, FRAME)
        return self.text([step.choice.id for step in steps])

    def searched(self, beams: int, length: int) -> list[list[str]]:
        """The texts in the beam after each step, most probable first."""
        self.n_read = 0  # a new search begins
        tree = beam_search(self, [FRAME.start], beams, length, FRAME)
        possible = [
            [node for node in map(tree.nodes.__getitem__, beam) if node.score > -torch.inf]
            for beam in tree.beams
        ]
        return [[self.text(tree.text(node)) for node in beam] for beam in possible]


LAWS = by_name(
    Law(
        "greedy_over_best",
        "Probability: greedy sequence / most probable sequence",
        "1 if greedy finds the most probable sequence",
    ),
    Law(
        "beam_over_best",
        "Probability: beam-search sequence / most probable sequence",
        "1 if beam search finds the most probable sequence",
    ),
    Law(
        "beam_1_is_greedy",
        "Chains on which beam search with one beam differs from greedy search",
        "0: one beam is greedy decoding",
        (0, 0),
        "chains",
    ),
    Law(
        "all_beams_are_exhaustive",
        "Chains on which beam search with one beam per sequence differs from exhaustive search",
        "0: with as many beams as sequences, beam search is exhaustive",
        (0, 0),
        "chains",
    ),
    Law(
        "greedy_misses",
        "Chains on which greedy search misses the best sequence",
        "greedy search misses the best sequence on some chains",
        (1 / 512, None),  # one chain of 16 seeds
        "of the chains",
    ),
    Law(
        "beam_misses",
        "Chains on which beam search misses the best sequence",
        "beam search may miss the best sequence on some chains",
        unit="of the chains",
    ),
    Law(
        "misses_saved",
        "Chains solved only by beam search minus chains solved only by greedy search",
        "at least 0: we expect beam search to solve no fewer chains than greedy search",
        (0, None),
        f"of the chains{DIFFERENCE}",
    ),
    Law(
        "sampling",
        "Distance of sample frequencies from true probabilities / distance expected by chance",
        "1: only sampling noise separates them",
        (0.5, 1.5),
    ),
    Law(
        "renormalised",
        "Sum of the filtered probabilities",
        "the kept probabilities sum to 1",
        (1 - 1e-9, 1 + 1e-9),
    ),
    Law(
        "kept",
        "Tokens left to sample from",
        "at least one token remains",
        (1, None),
        "tokens",
    ),
)

STATED = torch.tensor(
    [[0.5, 0.4, 0.1], [0.4, 0.3, 0.3], [0.05, 0.05, 0.9], [0.3, 0.3, 0.4]], dtype=torch.float64
)
LENGTHS, MAX_BEAMS = (2, 4), 8
CHAINS, WHOLE, SAMPLES = 32, 2, 200
SHARPNESS = 1.5
MAX_TRIED = 100
MODEL, EXAMPLE, TOP = "translator", "beam", 16
LAW = r"\max_{y} \prod_t p(y_t \mid y_{t-1}) \ge \prod_t \max_{y_t} p(y_t \mid \hat y_{t-1})"
"""The most probable text is at least as probable as the greedy text. On the right, y_t is the most
probable letter after y_{t-1}. One beam attains the right-hand side, V^T beams the left-hand side.
"""
SOURCE = (
    "Beam search: Sutskever et al. 2014; top-k: Fan et al. 2018; top-p: Holtzman et al. 2020;"
    " min-p: Nguyen et al. 2024"
)


def misleading(vocabulary: int, length: int, seed: int) -> tuple[Chain, int]:
    """The first random chain on which greedy decoding misses the most probable text, and the number
    of chains sampled. After `MAX_TRIED` chains it is the last one, whatever greedy finds there.
    """
    draws = generator(seed, 0)
    for number in range(1, MAX_TRIED + 1):
        chain = draw_chain(vocabulary, draws)
        texts = chain.every_text(length)
        if number == MAX_TRIED or texts[chain.write_text(greedy, length)] < max(texts.values()):
            return chain, number
    raise AssertionError("the last chain is returned")


@dataclass(frozen=True)
class Searches:
    """The results of the searches on one chain: the probabilities of all texts, the most probable
    one, the greedy text, and the texts in the beam after each step.
    """

    texts: dict[str, float]
    best: str
    greedy: str
    beam: list[list[str]]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed on random chains: the number of chains on which one beam differs
    from greedy decoding, the number on which V^T beams differ from exhaustive search, and the
    fractions of chains on which greedy decoding and beam search miss the most probable text.
    """

    not_greedy: int
    not_exhaustive: int
    greedy_misses: float
    beam_misses: float


@dataclass(frozen=True)
class NextToken:
    """A trained model's distribution of the first token for `source`, before and after the filters,
    and the ids of the most probable tokens before them.
    """

    source: str
    before: Float[Tensor, " vocabulary"]
    after: Float[Tensor, " vocabulary"]
    likeliest: Int[Tensor, " token"]


@torch.no_grad()
def decoding(
    *,
    chain: str = "stated",
    vocabulary: int = 3,
    length: int = 3,
    beams: int = 1,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """`probability` and `sampled` [text], the probabilities of all texts and their frequencies
    among sampled texts; and `before` and `after` [token], a trained model's next-token distribution
    before and after the filters.

    `chain` is "stated", a chain on which greedy decoding misses the most probable text, or "drawn",
    the first random chain of this seed on which it does; `tried` is the number of chains sampled to
    find it. The findings that count search errors use random chains.
    """
    check_one_of("chain", chain, ("stated", "drawn"))
    check_between("vocabulary", vocabulary, 2, len(LETTERS))
    check_between("length", length, *LENGTHS)
    check_between("beams", beams, 1, MAX_BEAMS)
    filters = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}
    for name, value in filters.items():
        if value is not None:
            check_between(name, value, *RANGES[name])
    case, tried = (Chain(STATED), 1) if chain == "stated" else misleading(vocabulary, length, seed)
    sampled, trials = [], []
    for number in progress.trials(seeds):
        sampled.append(sample(case, length, seed, number))
        trials.append(trial(vocabulary, length, beams, seed, number))
    model = load_model(MODEL)
    token = filtered(model, filters)
    search = searches(case, length, beams)
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"Random chains: softmax of logits drawn from N(0, {SHARPNESS:g}²). The sampling view"
            " shows the distribution of the first token"
            f" that the model “{MODEL}” generates for the sentence “{token.source}”"
        ),
        "findings": findings(search, trials, sampled, token),
        "best": search.best,
        "tried": tried,
        "greedy": search.greedy,
        "beam": search.beam,
    }
    return Answer(
        "analytic",
        axes_of(model, search.texts, token, seeds),
        tensors_of(search.texts, sampled, token),
        fields,
    )


def searches(chain: Chain, length: int, beams: int) -> Searches:
    """Exhaustive search, greedy decoding, and beam search on `chain`."""
    texts = chain.every_text(length)
    best = max(texts, key=texts.__getitem__)
    return Searches(texts, best, chain.write_text(greedy, length), chain.searched(beams, length))


def filtered(model: Model, filters: dict[str, Any]) -> NextToken:
    """The next-token distribution for the model's example, and the result of `filters`."""
    source = next(
        example["input"]["source"] for example in model.card["examples"] if example["id"] == EXAMPLE
    )
    logits = next_token(model, source)
    before, after = sampling_distribution(logits), sampling_distribution(logits, **filters)
    return NextToken(source, before, after, ranking(before)[:TOP])


def axes_of(model: Model, texts: dict[str, float], token: NextToken, seeds: int) -> dict[str, Axis]:
    """The chain's texts, and the model's most probable tokens."""
    ids = token.likeliest.tolist()
    return {
        "text": Axis("step", len(texts), list(texts)),
        "token": Axis("vocabulary", TOP, [model.tokenizer.label(id) for id in ids], ids),
        "seed": seed_axis(seeds),
    }


def tensors_of(
    texts: dict[str, float], sampled: list[Counter[str]], token: NextToken
) -> dict[str, Labelled]:
    """The probabilities of the texts and their frequencies in `sampled`, and the next-token
    distributions.
    """
    n_samples = len(sampled) * SAMPLES
    frequency = [sum(counts[text] for counts in sampled) / n_samples for text in texts]
    pooled = {
        "probability": Labelled(
            ("text",), torch.tensor(list(texts.values())), "product of p(y_t | y_{t-1})"
        ),
        "sampled": Labelled(
            ("text",),
            torch.tensor(frequency),
            f"share of {n_samples} texts drawn at temperature 1",
        ),
        "before": Labelled(("token",), token.before[token.likeliest], "softmax(logits)"),
        "after": Labelled(
            ("token",),
            token.after[token.likeliest],
            "softmax(logits / temperature), filtered, divided by its sum",
        ),
    }
    shares = torch.tensor([[counts[text] / SAMPLES for text in texts] for counts in sampled])
    return pooled | by_seed(pooled, {"sampled": shares})


def findings(
    search: Searches, trials: list[Trial], sampled: list[Counter[str]], token: NextToken
) -> list[Finding]:
    """The findings about the chain shown, random chains, the texts in `sampled`, and the
    filters.
    """
    texts, after = search.texts, token.after
    return [
        analytic(LAWS["greedy_over_best"], texts[search.greedy] / texts[search.best]),
        analytic(LAWS["beam_over_best"], texts[search.beam[-1][0]] / texts[search.best]),
        *search_findings(trials),
        statistical(LAWS["sampling"], [over_chance(texts, counts) for counts in sampled]),
        exact(LAWS["renormalised"], after.sum()),
        analytic(LAWS["kept"], (after > 0).sum()),
    ]


def search_findings(trials: list[Trial]) -> list[Finding]:
    """The findings about the errors of each search on random chains."""
    greedy_misses = [trial.greedy_misses for trial in trials]
    beam_misses = [trial.beam_misses for trial in trials]
    return [
        exact(LAWS["beam_1_is_greedy"], sum(trial.not_greedy for trial in trials)),
        exact(LAWS["all_beams_are_exhaustive"], sum(trial.not_exhaustive for trial in trials)),
        statistical(LAWS["greedy_misses"], greedy_misses),
        statistical(LAWS["beam_misses"], beam_misses),
        statistical(
            LAWS["misses_saved"],
            [greedy - few for greedy, few in zip(greedy_misses, beam_misses, strict=True)],
        ),
    ]


def draw_chain(n: int, draws: torch.Generator) -> Chain:
    return Chain(
        (SHARPNESS * torch.randn(n + 1, n, generator=draws, dtype=torch.float64)).softmax(-1)
    )


def trial(n: int, length: int, beams: int, seed: int, number: int) -> Trial:
    """Measures random chains of `n` letters; `beams` is the width of beam search."""
    draws = generator(seed, number)
    chains = [draw_chain(n, draws) for _ in range(CHAINS)]
    texts = [chain.every_text(length) for chain in chains]
    greedily = [chain.write_text(greedy, length) for chain in chains]
    beam = {
        width: [chain.searched(width, length)[-1][0] for chain in chains] for width in {1, beams}
    }
    progress.checkpoint()
    every = [chain.searched(n**length, length)[-1][0] for chain in chains[:WHOLE]]
    differing = sum(a != b for a, b in zip(beam[1], greedily, strict=True))
    return Trial(
        differing,
        missed(every, texts),
        missed(greedily, texts) / CHAINS,
        missed(beam[beams], texts) / CHAINS,
    )


def missed(found: list[str], texts: list[dict[str, float]]) -> int:
    """The number of texts in `found` that are not the most probable of their chain. A relative
    tolerance of 1e-9 covers products of the same factors in another order.
    """
    return sum(
        those[text] < max(those.values()) * (1 - 1e-9)
        for text, those in zip(found, texts, strict=False)
    )


def sample(chain: Chain, length: int, seed: int, number: int) -> Counter[str]:
    choose = sampling(generator(seed, number).initial_seed())
    return Counter(chain.write_text(choose, length) for _ in range(SAMPLES))


def over_chance(texts: dict[str, float], counts: Counter[str]) -> float:
    """The sum of |count - N p| over all texts, divided by its expected value for binomial
    counts.
    """
    return sum(abs(counts[text] - SAMPLES * p) for text, p in texts.items()) / sum(
        mean_deviation(SAMPLES, p) for p in texts.values()
    )


def mean_deviation(n: int, p: float) -> float:
    """The mean absolute deviation E|X - n p| of a binomial count: 2 v C(n, v) p^v (1 - p)^(n - v +
    1) with v = floor(n p) + 1 (De Moivre 1730).
    """
    v = math.floor(n * p) + 1
    return 2 * v * math.comb(n, v) * p**v * (1 - p) ** (n - v + 1)


def next_token(model: Model, source: str) -> Float[Tensor, " vocabulary"]:
    """The logits of the first target token that `model` predicts for `source`."""
    prompt = prompt_of(model, Input(source=source))
    return prompt.decoder().read(torch.tensor([prompt.ids]))[0]
