"""`case.add(model, tokenizer)`: a model of transformers that is in memory, beside what it says."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer
from torch import nn
from vitrine_lab import Case, CaseError

from tests.app.serving import Running
from tests.model.support.hub_tokenizers import trained
from tests.rounding import SINGLE, same

pytestmark = pytest.mark.thorough
"""A server of its own, and torch imported for each model. What maps a family's weights and reads a
folder has quick tests of its own, and test_case.py those of what is refused before.
"""
TEXT = "the capital of france"
SMALL = {"attn_implementation": "eager"}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """A server of its own, beside which nobody's models are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VITRINE_MODELS", str(tmp_path_factory.mktemp("nobody")))
        with Case(work_seconds=77) as case:
            yield case


def tokenizer(kind: str, **signs: str) -> transformers.PreTrainedTokenizerFast:
    backend = Tokenizer.from_str(trained(kind)[0])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **signs)


def gpt_2() -> tuple[nn.Module, transformers.PreTrainedTokenizerFast]:
    sizes = {"vocab_size": 340, "n_positions": 32, "n_embd": 24, "n_layer": 2, "n_head": 3}
    config = transformers.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, **SMALL)
    signs = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
    return transformers.GPT2LMHeadModel(config), tokenizer("byte-level", **signs)


def bert() -> tuple[nn.Module, transformers.PreTrainedTokenizerFast]:
    config = transformers.BertConfig(
        vocab_size=150,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=40,
        max_position_embeddings=32,
        pad_token_id=0,
        **SMALL,
    )
    signs = {f"{role}_token": f"[{role.upper()}]" for role in ("pad", "unk", "cls", "sep", "mask")}
    return transformers.BertForMaskedLM(config), tokenizer("word-piece", **signs)


def t5() -> tuple[nn.Module, transformers.PreTrainedTokenizerFast]:
    config = transformers.T5Config(
        vocab_size=120,
        d_model=24,
        d_kv=5,
        d_ff=40,
        num_layers=2,
        num_heads=3,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        **SMALL,
    )
    signs = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return transformers.T5ForConditionalGeneration(config), tokenizer("unigram", **signs)


MAKES: list[Callable[[], tuple]] = [bert, gpt_2, t5]


@pytest.mark.parametrize("makes", MAKES, ids=lambda makes: makes.__name__)
def test_its_numbers_are_its_own_attentions(case: Case, makes: Callable[[], tuple]):
    model, tokens = makes()
    if makes is not t5:  # whose scores are large as it is drawn
        for weights in model.parameters():
            weights.data *= 4  # else all tokens are looked at nearly alike
    name = case.add(model.eval(), tokens, name=f"mine-{makes.__name__.replace('_', '-')}")
    assert name in [card["id"] for card in case.models().models]
    ids = tokens(TEXT, return_tensors="pt").input_ids
    if makes is t5:
        answer = case.attention(TEXT, model=name, target=TEXT)
        output_ids = torch.tensor([answer.axes["target"]["ids"]])
        with torch.no_grad():
            outputs = model(input_ids=ids, decoder_input_ids=output_ids, output_attentions=True)
        stacks = {
            "encoder.{}.attention": outputs.encoder_attentions,
            "decoder.{}.attention": outputs.decoder_attentions,
            "decoder.{}.cross_attention": outputs.cross_attentions,
        }
    else:
        answer = case.attention(TEXT, model=name)
        with torch.no_grad():
            outputs = model(input_ids=ids, output_attentions=True)
        stack = "encoder" if makes is bert else "decoder"
        stacks = {stack + ".{}.attention": outputs.attentions}
    assert answer.kind == "yours"
    for place, attentions in stacks.items():
        assert len(attentions) == 2
        for layer, stated in enumerate(attentions):
            ours = answer.tensors[f"{place.format(layer)}.pattern"]
            same(ours, stated[0], SINGLE)
            assert np.ptp(stated[0].numpy()) > 0.05


def test_a_model_with_a_hook_is_refused_and_a_name_is_given_again(case: Case):
    model, tokens = gpt_2()
    part = model.transformer.h[0].attn
    hook = part.register_forward_hook(
        lambda *hook_arguments: (hook_arguments[2][0] * 0, *hook_arguments[2][1:])
    )
    with pytest.raises(CaseError, match="doesn’t match its weights"):
        case.add(model, tokens, name="again")
    hook.remove()
    for _ in range(2):
        assert case.add(model, tokens, name="again") == "again"
    case.remove("again")
    assert "again" not in [card["id"] for card in case.models().models]


def test_a_question_on_a_server_of_its_own_may_cost_what_the_case_says(case: Case):
    limits = {limit["name"]: limit["value"] for limit in case.limits().limits}
    assert limits["work_seconds"] == 77


def test_two_cases_stand_beside_each_other_each_with_its_own_models(case: Case, house: Running):
    joined = Case(house.address)
    assert joined.address != case.address
    known_ids = {card["id"] for card in case.models().models}
    assert {card["id"] for card in joined.models().models} < known_ids
    with pytest.raises(CaseError, match="mine-bert"):
        joined.tokens("a", model="mine-bert")
    assert joined.tokens("i am cold").model == case.tokens("i am cold").model == "translator"
    joined.close()
    assert case.tokens("i am here").model == "translator"


def test_what_vitrine_add_refuses_is_its_sentence(case: Case):
    with pytest.raises(CaseError, match=r"^There is no folder nowhere\.$"):
        case.add("nowhere")
