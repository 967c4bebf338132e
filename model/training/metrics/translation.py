"""Measures of a translator on held-out sentences: token accuracy, exact match, chrF, and the
agreement of cross-attention with word alignment. `translation_baselines` has the baselines.
"""

from collections import Counter
from collections.abc import Iterable

import torch
from sacrebleu.metrics import CHRF

from model.inputs.text import TextTokenizer, Token, tidy
from model.trace import Recorder
from model.training.data.sentence_pairs import Pair
from model.training.losses.seq2seq_forward import forward_passes
from model.training.metrics.ibm_model1 import confident
from model.training.metrics.translation_baselines import WordTranslations, words_of
from model.transformer import Transformer

CONFIDENT = 0.5
MAX_TOKENS = 32


@torch.inference_mode()
def token_accuracy(model: Transformer, tokenizer: TextTokenizer, pairs: Iterable[Pair]) -> float:
    """The fraction of target tokens, including </s>, that are the most probable token given the
    previous target tokens.
    """
    right = total = 0
    for source, target in pairs:
        expected = [token.id for token in tokenizer.encode(target, end=True)]
        logits = forward(
            model,
            [token.id for token in tokenizer.encode(source, start=True, end=True)],
            [tokenizer.frame.start, *expected[:-1]],
        )
        right += int((logits.argmax(-1) == torch.tensor(expected)).sum())
        total += len(expected)
    return right / total


def forward(
    model: Transformer, source: list[int], target: list[int], trace: Recorder | None = None
) -> torch.Tensor:
    """The logits [target, vocabulary] of one pair, without padding."""
    return forward_passes(model).logits(model, source, target, trace or Recorder())


def translate(model: Transformer, tokenizer: TextTokenizer, sentences: list[str]) -> list[str]:
    """Greedy translations of `sentences`, with spaces between the words and marks that the
    tokenizer splits.
    """
    ids = [
        [token.id for token in tokenizer.encode(sentence, start=True, end=True)]
        for sentence in sentences
    ]
    rows = forward_passes(model).greedy(model, ids, MAX_TOKENS, tokenizer.frame)
    return [tokenizer.decode(row) for row in rows]


def exact_matches(
    tokenizer: TextTokenizer, translations: list[str], references: list[list[str]]
) -> list[bool]:
    """Whether each translation equals one of its references in the tokenizer's normalized form
    (lower case, words separated).
    """
    spelled = [
        {tokenizer.decode([token.id for token in tokenizer.encode(text)]) for text in several}
        for several in references
    ]
    return [ours in theirs for ours, theirs in zip(translations, spelled, strict=True)]


def chrf(translations: list[str], references: list[list[str]]) -> float:
    """chrF from sacrebleu (Popović 2015) on lowercase text with normal spacing, with all references
    of a sentence.
    """
    most = max(map(len, references))
    streams = [
        [(several[i] if i < len(several) else several[0]).lower() for several in references]
        for i in range(most)
    ]
    return CHRF().corpus_score([tidy(text) for text in translations], streams).score


def alignment_agreement(
    model: Transformer,
    tokenizer: TextTokenizer,
    baseline: WordTranslations,
    held_out: list[Pair],
) -> dict[str, float]:
    """The fraction of confident target words whose most attended source word is the one aligned by
    IBM Model 1, by head and by layer mean.

    Attention is taken from the rows that predict a word's pieces, averaged over them and summed
    over the pieces of each source word. `diagonal` is the baseline: target word j of m is aligned
    with source word floor(j n / m) of n. `words` counts the confident words.
    """
    hits: Counter[str] = Counter()
    for source, target in held_out:
        a, b = words_of(tokenizer, source), words_of(tokenizer, target)
        links = confident(baseline.posterior(a, b), CONFIDENT)
        maps = word_maps(
            model,
            tokenizer.encode(source, start=True, end=True),
            tokenizer.encode(target, end=True),
            tokenizer.frame.start,
        )
        hits["words"] += len(links)
        for j, i in links:
            hits["diagonal"] += i == j * len(a) // len(b)
            for name, map in maps.items():
                hits[name] += int(map[j].argmax() == i)
    return {name: n if name == "words" else n / hits["words"] for name, n in hits.items()}


@torch.inference_mode()
def word_maps(
    model: Transformer, source: list[Token], target: list[Token], start: int
) -> dict[str, torch.Tensor]:
    """The attention from each target word to each source word, [target word, source word], by
    `layer.head` and `layer.mean`. The decoder reads `start` and then the target.
    """
    trace = Recorder()
    forward(
        model, [token.id for token in source], [start, *(token.id for token in target[:-1])], trace
    )
    columns, rows = word_matrix(source), word_matrix(target)
    rows = rows / rows.sum(1, keepdim=True)
    maps = {}
    for layer in range(model.config.n_decoder_layers):
        by_head = (
            rows
            @ forward_passes(model).cross_attention(trace.values, layer, len(source))
            @ columns.mT
        )
        maps |= {f"{layer}.{head}": map for head, map in enumerate(by_head)} | {
            f"{layer}.mean": by_head.mean(0)
        }
    return maps


def word_matrix(tokens: list[Token]) -> torch.Tensor:
    """A matrix [word, token] with 1 where the token is a piece of the word; <s> and </s> belong to
    no word.
    """
    n = 1 + max(token.word for token in tokens if token.word is not None)
    return torch.tensor([[float(token.word == word) for token in tokens] for word in range(n)])
