"""Decoding against definitions: reading with a cache, greedy, sampling, beam search."""

import itertools
import math

import pytest
import torch

from model.generation.beam_search import beam_search
from model.generation.decoding import (
    IncrementalDecoder,
    forced,
    generate_tokens,
    greedy,
    greedy_decode_source,
    greedy_decode_sources,
    sampling,
)
from model.inputs.text import TextTokenizer
from model.trace import Recorder
from tests.model.support.small import continue_text, small, translate
from tests.rounding import SINGLE, same

START, END = 1, 2
FRAME = TextTokenizer.frame

SOURCES = [[1, 9, 4, 7, 5, 11, 2], [1, 3, 2], [1, 12, 12, 6, 2], [1, 4, 8, 10, 3, 5, 7, 9, 2]]


def opinionated(family: str = "encoder-decoder", *, sharpness: float = 2.0, **choices):
    """A random model that is surer of itself: a flat distribution would hide what a strategy
    does.
    """
    model = small(family, tied_unembedding=False, **choices)
    model.untied.data.mul_(sharpness)
    return model


def decoder(model, source=SOURCES[0]) -> IncrementalDecoder:
    return IncrementalDecoder(model, [source] if model.config.cross else None)


def texts(model, choose, source=SOURCES[0], limit: int = 12) -> list[int]:
    return [
        step.choice.id
        for step in generate_tokens(decoder(model, source), [START], choose, limit, FRAME)
    ]


def scored(model, source: list[int], texts: list[list[int]]) -> list[float]:
    """The log probabilities of texts, those of equal length in one parallel pass, without any of
    decoding's own code.
    """
    scores = {}
    for length in {len(text) for text in texts}:
        alike = torch.tensor([text for text in texts if len(text) == length])
        read = torch.cat([torch.full((len(alike), 1), START), alike[:, :-1]], dim=1)
        logits = translate(model, torch.tensor(source).expand(len(alike), -1), read)
        sums = logits.log_softmax(-1).gather(-1, alike[..., None]).sum((1, 2))
        scores |= zip(map(tuple, alike.tolist()), sums.tolist(), strict=True)
    return [scores[tuple(text)] for text in texts]


@pytest.mark.parametrize("placement", ["post", "pre"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("family", ["encoder-decoder", "decoder-only"])
def test_reading_token_by_token_from_the_cache_is_reading_all_at_once(family, dtype, placement):
    model = small(family, dtype=dtype, placement=placement)
    target = [1, 6, 8, 3, 10, 4]
    stepwise = decoder(model)
    cached = torch.stack([stepwise.read(torch.tensor([[id]]))[0] for id in target])
    whole = (
        translate(model, torch.tensor(SOURCES[0]), torch.tensor(target))
        if model.config.cross
        else continue_text(model, torch.tensor(target))
    )
    same(cached, whole, scale=1)


@pytest.mark.parametrize("family", ["encoder-decoder", "decoder-only"])
def test_a_prompt_may_be_read_in_pieces_of_any_length(family):
    model = small(family)
    in_pieces, at_once = decoder(model), decoder(model)
    in_pieces.read(torch.tensor([[1, 6]]))
    in_pieces.read(torch.tensor([[8]]))
    last = in_pieces.read(torch.tensor([[3, 10, 4]]))
    same(last, at_once.read(torch.tensor([[1, 6, 8, 3, 10, 4]])), scale=1)


def test_the_cached_cross_attention_is_that_of_the_parallel_pass():
    model = small()
    recorder = Recorder()
    text = [6, 8, 3, 10]
    translate(model, torch.tensor(SOURCES[0]), torch.tensor([START, *text[:-1]]), recorder)
    steps = list(generate_tokens(decoder(model), [START], forced(text), len(text), FRAME))
    for layer in range(model.config.n_decoder_layers):
        name = f"decoder.{layer}.cross_attention.pattern"
        stepwise = torch.cat([step.trace[name][0] for step in steps], dim=1)
        same(stepwise, recorder.values[name], scale=1)


def test_rows_may_be_reordered_repeated_and_dropped_between_two_readings():
    model = small()
    together = IncrementalDecoder(model, SOURCES[:3])
    together.read(torch.tensor([[1], [1], [1]]))
    together.select(torch.tensor([2, 0, 2]))
    after = together.read(torch.tensor([[6], [8], [10]]))
    for row, (source, token) in enumerate([(2, 6), (0, 8), (2, 10)]):
        separate = decoder(model, SOURCES[source])
        separate.read(torch.tensor([[1]]))
        same(after[row], separate.read(torch.tensor([[token]]))[0], scale=1)


def test_a_batch_of_sources_of_many_lengths_is_written_as_each_one_alone():
    model = opinionated(seed=37)
    batch = greedy_decode_sources(model, SOURCES, 12, FRAME)
    assert batch == [greedy_decode_source(model, source, 12, FRAME) for source in SOURCES]
    assert len({len(text) for text in batch}) > 1, "texts must leave the batch at different times"


def test_padding_in_the_batch_does_not_touch_the_logits():
    model = small()
    padded = IncrementalDecoder(model, SOURCES).read(torch.full((len(SOURCES), 1), START))
    for row, source in enumerate(SOURCES):
        same(padded[row], decoder(model, source).read(torch.tensor([[START]]))[0], scale=1)


@pytest.mark.parametrize("seed", [0, 18, 37])
def test_greedy_takes_the_most_probable_token_of_the_text_so_far(seed):
    model = opinionated(seed=seed)
    text = texts(model, greedy)
    logits = translate(model, torch.tensor(SOURCES[0]), torch.tensor([START, *text[:-1]]))
    assert text == logits.argmax(-1).tolist()
    assert END not in text[:-1]
    assert len(text) == 12 or text[-1] == END


def test_the_greedy_target_leaves_out_the_end():
    model = opinionated(seed=54)
    text = texts(model, greedy)
    assert text[-1] == END
    assert greedy_decode_source(model, SOURCES[0], 12, FRAME) == text[:-1]
    assert greedy_decode_source(model, SOURCES[0], 3, FRAME) == text[:3]


@pytest.mark.parametrize("seed", range(4))
def test_one_beam_is_greedy(seed):
    model = opinionated(seed=seed)
    tree = beam_search(decoder(model), [START], 1, 12, FRAME)
    assert tree.text(tree.best) == texts(model, greedy)


def every_text(n_tokens: int, length: int) -> list[list[int]]:
    """Every text that ends with END, or is `length` tokens long."""
    open_tokens = [id for id in range(n_tokens) if id != END]
    ended = [
        [*words, END] for n in range(length) for words in itertools.product(open_tokens, repeat=n)
    ]
    return ended + [list(words) for words in itertools.product(open_tokens, repeat=length)]


@pytest.mark.parametrize("seed", range(3))
def test_as_many_beams_as_there_are_texts_find_the_best_of_all_texts(seed):
    n_tokens, length = 5, 4
    model = opinionated(vocabulary_size=n_tokens, seed=seed)
    source = [1, 3, 4, 2]
    candidates = every_text(n_tokens, length)
    scores = dict(zip(map(tuple, candidates), scored(model, source, candidates), strict=True))
    same(sum(map(math.exp, scores.values())), 1, SINGLE)
    tree = beam_search(decoder(model, source), [START], n_tokens**length, length, FRAME)
    assert tuple(tree.text(tree.best)) == max(scores, key=scores.get)
    same(tree.best.score, max(scores.values()), scale=1)


def test_greedy_is_not_always_the_best_text_and_more_beams_may_find_a_better_one():
    better = 0
    for seed in range(6):
        model = opinionated(seed=seed)
        single, many = (
            beam_search(decoder(model), [START], beams, 8, FRAME).best.score for beams in (1, 16)
        )
        better += many > single + 1e-9
    assert better > 0


@pytest.mark.parametrize("beams", [2, 3, 5])
def test_every_hypothesis_scores_the_sum_of_its_log_probabilities(beams):
    model = opinionated(seed=3)
    tree = beam_search(decoder(model), [START], beams, 6, FRAME)
    texts = [tree.text(node) for node in tree.nodes[1:]]
    same([node.score for node in tree.nodes[1:]], scored(model, SOURCES[0], texts), scale=1)


def test_the_tree_holds_the_best_continuations_of_what_grew_and_keeps_the_best_of_all():
    beams = 3
    model = opinionated(seed=3)
    tree = beam_search(decoder(model), [START], beams, 6, FRAME)
    standing = [0]
    for step, beam in enumerate(tree.beams):
        new = [node for node in tree.nodes if node.step == step]
        growing = [number for number in standing if not tree.nodes[number].finished]
        assert [node.parent for node in new] == [number for number in growing for _ in range(beams)]
        rivals = new + [tree.nodes[number] for number in standing if tree.nodes[number].finished]
        scores = sorted((node.score for node in rivals), reverse=True)
        assert [tree.nodes[number].score for number in beam] == scores[:beams]
        standing = beam


def test_the_search_stops_when_its_best_has_ended_which_nothing_can_overtake():
    ended = 0
    for seed in range(5, 16):
        model = opinionated(seed=seed)
        short = beam_search(decoder(model), [START], 4, 6, FRAME)
        if not short.best.finished:
            continue
        ended += 1
        assert short.best.score == beam_search(decoder(model), [START], 4, 12, FRAME).best.score
        assert not any(short.nodes[beam[0]].finished for beam in short.beams[:-1])
    assert ended > 0


def test_the_same_seed_writes_the_same_text_and_the_global_seed_plays_no_part():
    model = small()
    torch.manual_seed(1)
    first = texts(model, sampling(7))
    torch.manual_seed(2)
    torch.rand(1000)
    before = torch.get_rng_state()
    assert texts(model, sampling(7)) == first
    assert torch.equal(torch.get_rng_state(), before)
    assert len({tuple(texts(model, sampling(seed))) for seed in range(4)}) > 1


def test_two_who_sample_at_the_same_time_do_not_disturb_each_other():
    model = small()
    separate = [texts(model, sampling(seed)) for seed in (1, 2)]
    writers = [
        generate_tokens(decoder(model), [START], sampling(seed), 12, FRAME) for seed in (1, 2)
    ]
    together = [[], []]
    for pair in itertools.zip_longest(*writers):
        for text, step in zip(together, pair, strict=True):
            text.extend([step.choice.id] if step else [])
    assert together == separate


@pytest.mark.parametrize("temperature", [0.0, 1e-6, 5e-324])
def test_sampling_at_a_temperature_towards_zero_is_greedy(temperature):
    for seed in (18, 37):
        model = opinionated(seed=seed)
        assert texts(model, sampling(seed, temperature=temperature)) == texts(model, greedy)


def test_a_text_stops_at_its_end_or_at_the_limit():
    assert texts(small(), forced([5, 6, END, 7]), limit=4) == [5, 6, END]
    assert texts(small(), forced([5, 6, 7, END]), limit=3) == [5, 6, 7]
