"""Small models of `transformers` with random sizes and choices, one function a family: the oracle
of `model.hub`.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from random import Random

import pytest
import torch
import transformers
from torch import nn

MARIAN = transformers.MarianMTModel | transformers.MarianModel  # whose positions are a formula
EAGER = {"attn_implementation": "eager"}  # the implementation that gives its attention weights


class Draw(Random):
    """Draws the choices of the model with this `number`."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def gpt_2(draw: Draw) -> nn.Module:
    heads = draw.choice([1, 2, 4])
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=draw.choice([40, 57]),
            n_positions=40,
            n_embd=heads * draw.choice([5, 8, 12]),
            n_layer=draw.choice([1, 2, 3]),
            n_head=heads,
            n_inner=draw.choice([None, 33]),
            activation_function=draw.choice(["gelu_new", "gelu", "relu"]),
            layer_norm_epsilon=draw.choice([1e-5, 1e-2]),
            tie_word_embeddings=draw.choice([True, False]),
            scale_attn_weights=draw.choice([True, True, False]),
            **EAGER,
        )
    )


def llama_like(draw: Draw) -> dict:
    groups = draw.choice([1, 2, 3])
    return {
        "vocab_size": draw.choice([40, 57]),
        "hidden_size": 12 * draw.choice([1, 2]),
        "intermediate_size": draw.choice([33, 48]),
        "num_hidden_layers": draw.choice([1, 2, 3]),
        "num_attention_heads": groups * draw.choice([1, 2]),
        "num_key_value_heads": groups,
        "rms_norm_eps": draw.choice([1e-6, 1e-2]),
        "hidden_act": draw.choice(["silu", "gelu"]),
        "max_position_embeddings": 40,
        "tie_word_embeddings": draw.choice([True, False]),
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": draw.choice([10000.0, 500.0, 1e6]),
        },
        **EAGER,
    }


def llama(draw: Draw) -> nn.Module:
    choices = llama_like(draw) | {
        "head_dim": draw.choice([6, 10]),
        "attention_bias": draw.choice([True, False]),
        "mlp_bias": draw.choice([True, False]),
    }
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**choices))


def mistral(draw: Draw) -> nn.Module:
    choices = llama_like(draw) | {
        "head_dim": draw.choice([6, 10]),
        "sliding_window": draw.choice([None, 40]),
    }
    return transformers.MistralForCausalLM(transformers.MistralConfig(**choices))


def qwen_2(draw: Draw) -> nn.Module:
    choices = llama_like(draw) | {"hidden_size": 24}
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**choices))


def gpt_neox(draw: Draw) -> nn.Module:
    heads = draw.choice([1, 2, 3])
    return transformers.GPTNeoXForCausalLM(
        transformers.GPTNeoXConfig(
            vocab_size=draw.choice([40, 57]),
            hidden_size=heads * 8,
            intermediate_size=draw.choice([33, 48]),
            num_hidden_layers=draw.choice([1, 2, 3]),
            num_attention_heads=heads,
            hidden_act=draw.choice(["gelu", "gelu_fast"]),
            max_position_embeddings=40,
            layer_norm_eps=draw.choice([1e-5, 1e-2]),
            tie_word_embeddings=draw.choice([True, False]),
            use_parallel_residual=draw.choice([True, True, False]),
            attention_bias=draw.choice([True, False]),
            rope_parameters={
                "rope_type": "default",
                "rope_theta": draw.choice([10000.0, 500.0]),
                "partial_rotary_factor": draw.choice([0.25, 0.5, 1.0]),
            },
            **EAGER,
        )
    )


DECODERS: dict[str, Callable[[Draw], nn.Module]] = {
    "GPT-2": gpt_2,
    "Llama": llama,
    "Mistral": mistral,
    "Qwen2": qwen_2,
    "GPT-NeoX": gpt_neox,
}


def bert_like(draw: Draw) -> dict:
    heads = draw.choice([1, 2, 4])
    return {
        "vocab_size": draw.choice([40, 57]),
        "hidden_size": heads * draw.choice([5, 8, 12]),
        "num_hidden_layers": draw.choice([1, 2, 3]),
        "num_attention_heads": heads,
        "intermediate_size": draw.choice([33, 48]),
        "hidden_act": draw.choice(["gelu", "relu", "gelu_new"]),
        "max_position_embeddings": draw.choice([24, 40]),
        "type_vocab_size": draw.choice([1, 2]),
        "layer_norm_eps": draw.choice([1e-12, 1e-2]),
        "tie_word_embeddings": draw.choice([True, False]),
        "num_labels": draw.choice([2, 3]),
        **EAGER,
    }


def bert(draw: Draw) -> nn.Module:
    heads = [
        transformers.BertForMaskedLM,
        transformers.BertForSequenceClassification,
        transformers.BertModel,
        transformers.BertForPreTraining,
    ]
    return one_of(heads, draw)(transformers.BertConfig(**bert_like(draw)))


def roberta(draw: Draw, name: str = "Roberta") -> nn.Module:
    """A RoBERTa, or a model of the same code whose classes have another `name`."""
    ends = ("ForMaskedLM", "ForSequenceClassification", "Model")
    heads = [getattr(transformers, f"{name}{end}") for end in ends]
    return one_of(heads, draw)(getattr(transformers, f"{name}Config")(**bert_like(draw)))


def distilbert(draw: Draw) -> nn.Module:
    heads = [
        transformers.DistilBertForMaskedLM,
        transformers.DistilBertForSequenceClassification,
        transformers.DistilBertModel,
    ]
    chosen = one_of(heads, draw)
    n_heads = draw.choice([1, 2, 4])
    return chosen(
        transformers.DistilBertConfig(
            vocab_size=draw.choice([40, 57]),
            dim=n_heads * draw.choice([5, 8, 12]),
            n_layers=draw.choice([1, 2, 3]),
            n_heads=n_heads,
            hidden_dim=draw.choice([33, 48]),
            activation=draw.choice(["gelu", "relu"]),
            max_position_embeddings=draw.choice([24, 40]),
            sinusoidal_pos_embds=draw.choice([True, False]),
            tie_word_embeddings=draw.choice([True, False]),
            num_labels=draw.choice([2, 3]),
            **EAGER,
        )
    )


def vit(draw: Draw) -> nn.Module:
    chosen = one_of([transformers.ViTForImageClassification, transformers.ViTModel], draw)
    heads, patch = draw.choice([1, 2, 4]), draw.choice([2, 3])
    return chosen(
        transformers.ViTConfig(
            hidden_size=heads * draw.choice([5, 8, 12]),
            num_hidden_layers=draw.choice([1, 2, 3]),
            num_attention_heads=heads,
            intermediate_size=draw.choice([33, 48]),
            hidden_act=draw.choice(["gelu", "relu"]),
            image_size=patch * draw.choice([2, 4]),
            patch_size=patch,
            num_channels=draw.choice([1, 3]),
            layer_norm_eps=draw.choice([1e-12, 1e-2]),
            qkv_bias=draw.choice([True, False]),
            num_labels=draw.choice([4, 10]),
            **EAGER,
        )
    )


def t5(draw: Draw) -> nn.Module:
    """The third has a matrix of unembedding of its own in its file, as Flan-T5 has."""
    heads = [
        transformers.T5ForConditionalGeneration,
        transformers.T5Model,
        transformers.T5ForConditionalGeneration,
        transformers.T5EncoderModel,
    ]
    model = one_of(heads, draw)(
        transformers.T5Config(
            vocab_size=draw.choice([40, 57]),
            d_model=draw.choice([24, 32]),
            d_kv=draw.choice([5, 8]),
            d_ff=draw.choice([33, 48]),
            num_layers=draw.choice([1, 2, 3]),
            num_decoder_layers=draw.choice([1, 2]),
            num_heads=draw.choice([1, 3, 6]),
            layer_norm_epsilon=draw.choice([1e-6, 1e-2]),
            feed_forward_proj=draw.choice(["relu", "gated-gelu", "gated-silu"]),
            tie_word_embeddings=draw.choice([True, False]),
            **EAGER,
        )
    )
    if draw.number == 2:
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.detach().clone())
    return model


def bart_like(draw: Draw) -> dict:
    heads, width = draw.choice([1, 2, 4]), draw.choice([33, 48])
    return {
        "vocab_size": draw.choice([40, 57]),
        "d_model": heads * draw.choice([5, 8, 12]),
        "encoder_layers": draw.choice([1, 2, 3]),
        "decoder_layers": draw.choice([1, 2, 3]),
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": width,
        "decoder_ffn_dim": width,
        "activation_function": draw.choice(["gelu", "relu", "swish"]),
        "max_position_embeddings": draw.choice([24, 40]),
        "scale_embedding": draw.choice([True, False]),
        **EAGER,
    }


def bart(draw: Draw) -> nn.Module:
    heads = [transformers.BartForConditionalGeneration, transformers.BartModel]
    return one_of(heads, draw)(transformers.BartConfig(**bart_like(draw)))


def marian(draw: Draw) -> nn.Module:
    heads = [transformers.MarianMTModel, transformers.MarianModel]
    choices = bart_like(draw) | {"pad_token_id": 1, "decoder_start_token_id": 1}
    return one_of(heads, draw)(transformers.MarianConfig(**choices))


def one_of(heads: list, draw: Draw) -> Callable[..., nn.Module]:
    """Each head in turn."""
    return heads[draw.number % len(heads)]


ENCODERS: dict[str, Callable[[Draw], nn.Module]] = {
    "BERT": bert,
    "RoBERTa": roberta,
    "DistilBERT": distilbert,
    "ViT": vit,
}


TRANSLATORS: dict[str, Callable[[Draw], nn.Module]] = {
    "T5": t5,
    "BART": bart,
    "Marian": marian,
}


def model_of(make: Callable[[Draw], nn.Module], number: int) -> nn.Module:
    """The `number`-th model that `make` draws. Its biases, gains and buffers are drawn as well: at
    their starting values a forgotten one would not show.
    """
    with torch.random.fork_rng():
        torch.manual_seed(number)
        theirs = make(Draw(number)).eval()
        with torch.no_grad():
            for name, value in theirs.state_dict().items():
                if not (isinstance(theirs, MARIAN) and "embed_positions" in name):
                    value.add_(torch.randn(value.shape) * 0.15)
    return theirs


@contextmanager
def rounding_nothing(patch: pytest.MonkeyPatch) -> Generator[None]:
    """`transformers` rounds norms, weights of attention and angles of rotary positions to single
    precision, whatever the precision of the model; in here what it calls single is double.
    """
    before = torch.get_default_dtype()
    with patch.context() as changed:
        changed.setattr(torch, "float32", torch.float64)
        changed.setattr(torch, "float", torch.float64)
        changed.setattr(torch, "FloatTensor", torch.DoubleTensor)
        changed.setattr(torch.Tensor, "float", torch.Tensor.double)
        torch.set_default_dtype(torch.float64)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def in_double(theirs: nn.Module) -> nn.Module:
    """The model once more in double precision, with the same weights. Called in
    `rounding_nothing`, so that tables which follow from sizes are made in double precision.
    """
    twin = type(theirs)(theirs.config).eval()
    if isinstance(twin, transformers.T5ForConditionalGeneration):
        twin.lm_head.weight = nn.Parameter(twin.lm_head.weight.detach().clone())  # tied or not
    tables = {name for name in theirs.state_dict() if "embed_positions" in name}
    weights = theirs.state_dict()
    if isinstance(theirs, MARIAN):
        weights |= {name: twin.state_dict()[name] for name in tables}
    twin.load_state_dict(weights)
    return twin.double()
