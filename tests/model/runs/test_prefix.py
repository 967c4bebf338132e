"""A prefix model: one stack reads source and target as one text, the source open to all, the target
causal (Raffel et al. 2020, 3.2).
"""

import numpy as np
import pytest
import torch
from torch import nn

from model.analyses import answer
from model.analyses.attention import attention
from model.analyses.explain import explain
from model.analyses.generate import generate, generate_steps
from model.analyses.logits import logits
from model.analyses.masks import masks as masks_of
from model.analyses.residual import residual
from model.analyses.tokens import tokens
from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder, greedy_decode, greedy_decode_source
from model.inputs.input import Input
from model.inputs.text import TextTokenizer
from model.layers import masks
from model.runs.run_model import run_model
from model.trace import Recorder
from tests.model.support.runs import small_model, small_run, tokenizer
from tests.model.support.small import SOURCE, TARGET, small
from tests.model.test_parity_torch import copy_block, copy_norm
from tests.rounding import SINGLE, same

START, END = 1, 2
FRAME = TextTokenizer.frame

PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])
TEXT = torch.cat([SOURCE, TARGET])
P = len(SOURCE)
OF_A_TEXT = ("tokens", "attention", "activations", "residual", "logits", "explain")
INPUT = Input(source="the cat sees the dog .")
READ = [token.text for token in tokenizer().encode(INPUT.source, start=True, end=True)]
EXPECTED = [token.text for token in tokenizer().encode("le chat voit", end=True)]
IDS = [token.id for token in tokenizer().encode("le chat voit", end=True)]
AT, ALL = (
    len(READ),
    len(READ) + len(EXPECTED),
)  # the target begins with <s>, and </s> is asked for and not read


def allowed_by_hand(n: int, prefix: int) -> np.ndarray:
    """Cell by cell: a key of the source is open to all, any other only to itself and what comes
    after.
    """
    return np.array([[key < prefix or key <= query for key in range(n)] for query in range(n)])


@PLACEMENTS
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 2e-5), (torch.float64, 1e-11)])
def test_the_same_weights_in_torch_under_the_same_mask_give_the_same_logits(
    placement, dtype, tolerance
):
    model = small("prefix", placement=placement, dtype=dtype)
    config = model.config
    choices = {
        "norm_first": placement == "pre",
        "batch_first": True,
        "layer_norm_eps": config.norm.epsilon,
    }
    layer = nn.TransformerEncoderLayer(config.d_model, config.n_heads, config.d_ff, 0.0, **choices)
    final = nn.LayerNorm(config.d_model, config.norm.epsilon) if placement == "pre" else None
    theirs = nn.TransformerEncoder(
        layer, config.n_decoder_layers, final, enable_nested_tensor=False
    )
    for number, other in enumerate(theirs.layers):
        copy_block(model.decoder[number], other)
    if final:
        copy_norm(model.decoder.norm, theirs.norm)
    x = model.embedding(TEXT)
    hidden = torch.from_numpy(~allowed_by_hand(len(TEXT), P))
    with torch.no_grad():
        expected = theirs.to(dtype).train()(x[None], mask=hidden)[0] @ model.embedding.token.mT
    ours = model.unembed(model.decode(TEXT, masks.prefix(len(TEXT), P)))
    same(ours, expected, scale=1)


@PLACEMENTS
def test_the_source_read_at_once_and_the_target_token_by_token_is_the_text_read_at_once(placement):
    model = small("prefix", placement=placement)
    whole = model.unembed(model.decode(TEXT, masks.prefix(len(TEXT), P)))
    reader, trace = IncrementalDecoder(model, prefix=P), Recorder()
    same(reader.read(TEXT[None, : P + 1], trace)[0], whole[P], scale=1)
    (rows,) = trace.values["decoder.0.attention.pattern"]
    assert (rows[:, :P, :P] > 0).all()
    assert (rows[:, :P, P:] == 0).all()
    for place in range(P + 1, len(TEXT)):
        same(reader.read(TEXT[None, place : place + 1])[0], whole[place], scale=1)


def test_without_a_prefix_a_reader_reads_as_it_always_did():
    model = small("decoder-only")
    assert torch.equal(
        IncrementalDecoder(model).read(TEXT[None]),
        IncrementalDecoder(model, prefix=1).read(TEXT[None]),
    )
    assert not torch.equal(
        IncrementalDecoder(model).read(TEXT[None]),
        IncrementalDecoder(model, prefix=2).read(TEXT[None]),
    )


def test_prompts_of_one_length_are_continued_in_one_batch_as_each_alone():
    model = small("prefix", seed=2)
    prompts = torch.stack([SOURCE, SOURCE.flip(0), SOURCE.roll(2)])
    together = greedy_decode(IncrementalDecoder(model, prefix=P), prompts, 9, FRAME)
    assert together == [
        greedy_decode(IncrementalDecoder(model, prefix=P), row[None], 9, FRAME)[0]
        for row in prompts
    ]
    two = small()
    assert greedy_decode(
        IncrementalDecoder(two, [SOURCE.tolist()]), torch.tensor([[START]]), 9, FRAME
    ) == [greedy_decode_source(two, SOURCE.tolist(), 9, FRAME)]


@PLACEMENTS
def test_a_run_is_one_text_of_source_and_target_under_the_prefix_mask(placement):
    of = small_run("prefix", placement)
    assert (
        [token.text for token in of.tokens["text"]]
        == of.axes["text"].labels
        == [*READ, "<s>", *EXPECTED[:-1]]
    )
    assert of.axes["text"].parts == {"source": AT, "target": ALL - AT}
    assert of.target_start == AT
    assert of.expected == EXPECTED
    assert np.array_equal(of.masks["decoder.attention"].numpy(), allowed_by_hand(ALL, AT))
    assert of.input == {"source": "the cat sees the dog .", "target": "le chat voit"}
    first = tokens(of).fields["tokens"]["text"][AT + 1]
    assert (first["text"], first["start"]) == (EXPECTED[0], 0)
    assert tokens(of).fields["expected_from"] == AT


def test_without_a_target_the_models_own_greedy_output_is_the_target():
    model = small_model("prefix", seed=3)
    of = run_model(model, INPUT)
    ids = [token.id for token in of.tokens["text"]][of.target_start + 1 :]
    p = of.trace["logits"][of.predicted].argmax(-1).tolist()
    assert ids == p[: len(ids)]
    assert p[len(ids)] == END or len(of.tokens["text"]) == model.config.max_length
    steps = generate(
        model, INPUT, max_new_tokens=model.config.max_length - of.target_start - 1
    ).fields["steps"]
    assert [id for step in steps if (id := step["token"]["id"]) != END] == ids
    assert of.input["target"] == model.tokenizer.decode(ids)


@PLACEMENTS
def test_every_number_of_a_run_can_be_asked_for(placement):
    of = small_run("prefix", placement)
    question = {"model": "small", "source": "the cat sees the dog .", "target": "le chat voit"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("model.analyses.load_model", lambda id: small_model("prefix", placement))
        for word in OF_A_TEXT:
            more = {"name": "logits", "at": "3,2"} if word == "explain" else {}
            answered = answer(word, {**question, **more})
            assert answered.input == of.input
            assert answered.axes["text"].size == ALL
    assert residual(of).axes["text"].size == ALL
    assert (
        attention(of).tensors["decoder.attention.mask"].data.tolist()
        == allowed_by_hand(ALL, AT).astype(int).tolist()
    )
    assert attention(of, kind="self").fields["expected_from"] == AT
    assert (
        explain(of, name="decoder.0.attention.masked_scores", at=f"0,2,{AT - 1}").fields["value"]
        is not None
    )
    assert (
        explain(of, name="decoder.0.attention.masked_scores", at=f"0,2,{AT}").fields["value"]
        is None
    )
    with pytest.raises(InvalidInput, match="no cross-attention"):
        attention(of, kind="cross")


@PLACEMENTS
def test_only_the_target_is_asked_what_comes_next(placement):
    of = small_run("prefix", placement)
    result = logits(of, lens=True, attribution=True)
    p = of.trace["logits"].double().softmax(-1).numpy()
    assert result.fields["expected_ids"] == IDS
    same(result.tensors["expected_probability"].data, [p[AT + i, id] for i, id in enumerate(IDS)])
    assert result.tensors["expected_rank"].data.tolist() == [
        1 + int((p[AT + i] > p[AT + i, id]).sum()) for i, id in enumerate(IDS)
    ]
    assert torch.equal(
        result.tensors["lens.expected_logit"].data[-1], result.tensors["expected_logit"].data
    )
    assert result.tensors["top_id"].data.shape[0] == ALL
    summed = result.tensors["attribution"].data.sum(0)
    same(summed, result.tensors["expected_logit"].data, scale=1)


def test_a_run_under_its_own_mask_is_the_run_and_under_another_the_source_loses_what_comes_after(
    monkeypatch,
):
    monkeypatch.setattr("model.analyses.masks.load_model", lambda id: small_model("prefix"))
    question = {"model": "small", "source": "the cat sees the dog .", "target": "le chat voit"}
    as_trained = masks_of(pattern="prefix", prefix=AT, **question)
    same(as_trained.fields["loss"]["trained"], as_trained.fields["loss"]["chosen"], SINGLE, scale=1)
    p = small_run("prefix").trace["logits"].double().softmax(-1)
    negative_log_likelihood = [-p[AT + i, id].log().item() for i, id in enumerate(IDS)]
    same(as_trained.tensors["loss"].data[0], negative_log_likelihood)
    assert as_trained.axes["predicted"].labels == EXPECTED
    causal = masks_of(pattern="causal", **question)
    assert abs(causal.fields["loss"]["chosen"] - as_trained.fields["loss"]["chosen"]) > 1e-4
    for result in (as_trained, causal):
        assert all(fact.holds for fact in result.fields["facts"])


STRATEGIES = [
    {"strategy": "greedy"},
    {"strategy": "sample", "seed": 3, "top_k": 20},
    {"strategy": "beam", "beams": 3},
]


@pytest.mark.parametrize("question", STRATEGIES)
def test_every_step_of_writing_is_a_row_of_one_parallel_pass(question):
    model = small_model("prefix", seed=1)
    result = generate(model, INPUT, max_new_tokens=6, **question)
    ids = [step["token"]["id"] for step in result.fields["steps"]]
    prompt = [token.id for token in model.tokenizer.encode(INPUT.source, start=True, end=True)]
    text = torch.tensor([*prompt, START, *ids[:-1]])
    trace = Recorder()
    with torch.inference_mode():
        model.transformer.unembed(
            model.transformer.decode(text, masks.prefix(len(text), len(prompt)), trace=trace),
            trace,
        )
    p = trace.values["probabilities"][len(prompt) :]
    for row, step in enumerate(result.fields["steps"]):
        same(step["probability"], p[row, ids[row]].item(), SINGLE, scale=1)
    pattern = trace.values["decoder.1.attention.pattern"][:, len(prompt) :]
    same(result.tensors["decoder.1.attention.pattern"].data, pattern, scale=1)
    assert result.tensors["decoder.1.attention.pattern"].axes == ("head", "step", "text")
    assert result.axes["text"].ids == text.tolist()
    streamed = list(generate_steps(model, INPUT, max_new_tokens=6, **question))
    assert [step["token"]["id"] for step in streamed] == ids


def test_a_reference_is_read_beside_what_is_written():
    model = small_model("prefix")
    with_target = Input(source=INPUT.source, target="le chat voit")
    forcing = generate(model, with_target, max_new_tokens=6).fields["teacher_forcing"]
    p = run_model(model, with_target).trace["probabilities"].double()
    assert [row["read"] for row in forcing["rows"]] == ["<s>", *EXPECTED[:-1]]
    assert forcing["reference"] == EXPECTED
    for row, step in enumerate(forcing["rows"]):
        assert step["predicted"]["id"] == p[AT + row].argmax()
        same(step["expected"]["probability"], p[AT + row, step["expected"]["id"]])
    assert forcing["rows"][0]["same_input"]
    assert forcing["largest_difference"] < 1e-5


@pytest.mark.parametrize(
    ("input", "field", "sentence"),
    [
        (Input(text="the cat"), "source", "takes a source and a target: use `source` instead of"),
        (Input(), "source", "Type at least one word"),
        (Input(source="  "), "source", "source is empty"),
        (Input(source="the cat", target=" "), "target", "target is empty"),
        (
            Input(source="i " * 29),
            "source",
            "has 31 tokens, which leaves small no room for output.",
        ),
        (
            Input(source="i " * 20, target="i " * 20),
            "target",
            "Source and target have 43 tokens together; the limit of",
        ),
        (Input(source="half \ud800"), "source", "surrogate"),
        (Input(image="0,0"), "image", "not `image`"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(input, field, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        run_model(small_model("prefix"), input)
    assert refused.value.field == field


def test_the_longest_source_leaves_room_for_one_token():
    model, longest = small_model("prefix"), Input(source="i " * 28)
    assert len(generate(model, longest).fields["steps"]) == 1
    assert len(run_model(model, longest).tokens["text"]) <= model.config.max_length
