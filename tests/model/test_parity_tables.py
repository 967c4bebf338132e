"""The same weights in the packages of rows of a table give the same numbers, in float64."""

import rtdl_revisiting_models
import torch
from torch import Tensor, nn

from model.layers import masks
from model.layers.linear import Product
from model.layers.tabular_embedding import Rows
from model.trace import Recorder
from model.transformer import Transformer
from tests.model.support.row_runs import CHOICES, TAB
from tests.model.support.small import small
from tests.rounding import same

DRAWS = torch.Generator().manual_seed(2)
NUMBERS = torch.randn(7, 3, generator=DRAWS, dtype=torch.float64)
CATEGORIES = torch.stack(
    [torch.randint(4, (7,), generator=DRAWS), torch.randint(3, (7,), generator=DRAWS)], dim=1
)
ROWS = Rows(NUMBERS, torch.ones_like(NUMBERS), CATEGORIES + torch.tensor([0, 4]))


def run(ours: Transformer) -> tuple[Tensor, dict[str, Tensor]]:
    trace = Recorder()
    mask = masks.full(ours.config.max_length)
    logits = ours.unembed(ours.encode(ROWS, mask, trace), trace, ours.bypassing(ROWS))
    return logits, trace.values


def copy_linear(ours: Product, theirs: nn.Linear) -> None:
    theirs.weight.data = ours.weight.mT.clone()
    if theirs.bias is not None:
        theirs.bias.data = ours.bias.clone()


def copy_norm(ours: nn.Module, theirs: nn.LayerNorm) -> None:
    theirs.weight.data, theirs.bias.data = ours.gain.clone(), ours.bias.clone()


def heard(module: nn.Module) -> list[Tensor]:
    """What the module will have said, when it is asked."""
    outputs = []
    module.register_forward_hook(lambda module, inputs, out: outputs.append(out))
    return outputs


def test_ft_transformer_reads_its_columns_as_the_papers_own_package_does():
    """Theirs has no norm before its first attention, and is given one; ours has no ReLU between the
    last norm and the linear map.
    """
    ours = small("encoder-only", **CHOICES, gated=True)
    sizes = {
        "n_blocks": 2,
        "d_block": 16,
        "attention_n_heads": 4,
        "ffn_d_hidden": 24,
        "ffn_d_hidden_multiplier": None,
    }
    dropouts = dict.fromkeys(("attention_dropout", "ffn_dropout", "residual_dropout"), 0.0)
    theirs = rtdl_revisiting_models.FTTransformer(
        n_cont_features=3, cat_cardinalities=[4, 3], d_out=3, **sizes, **dropouts
    ).double()
    token = ours.embedding.token
    theirs.cls_embedding.weight.data = token.cls.clone()
    theirs.cont_embeddings.weight.data, theirs.cont_embeddings.bias.data = (
        token.numbers.weight.clone(),
        token.numbers.bias.clone(),
    )
    for table, part in zip(
        theirs.cat_embeddings.embeddings, token.categories.table.split([4, 3]), strict=True
    ):
        table.weight.data = part.clone()
    theirs.cat_embeddings.bias.data = token.categories.column.clone()
    for layer, block in enumerate(theirs.backbone.blocks):
        if "attention_normalization" not in block:
            block["attention_normalization"] = nn.LayerNorm(16).double()
        our_block = ours.encoder[layer]
        copy_norm(our_block.norm1, block["attention_normalization"])
        copy_norm(our_block.norm2, block["ffn_normalization"])
        for part, name in (
            (our_block.attention.query, "W_q"),
            (our_block.attention.key, "W_k"),
            (our_block.attention.value, "W_v"),
        ):
            copy_linear(part, getattr(block["attention"], name))
        copy_linear(our_block.attention.output, block["attention"].W_out)
        both = (our_block.feed_forward.hidden, our_block.feed_forward.gate)
        block["ffn"].linear1.weight.data = torch.cat([part.weight.mT for part in both]).clone()
        block["ffn"].linear1.bias.data = torch.cat([part.bias for part in both]).clone()
        copy_linear(our_block.feed_forward.output, block["ffn"].linear2)
    copy_norm(ours.encoder.norm, theirs.backbone.output.normalization)
    theirs.backbone.output.linear.weight.data, theirs.backbone.output.linear.bias.data = (
        ours.untied.clone(),
        torch.zeros(3).double(),
    )
    tokens, normed = (
        heard(theirs.backbone.blocks[0]["attention_normalization"]),
        heard(theirs.backbone.output.normalization),
    )
    output = theirs(NUMBERS, CATEGORIES)
    logits, trace = run(ours)
    same(tokens[0], trace["encoder.0.norm1.out"], scale=1)
    same(normed[0], trace["encoder.norm.out"][:, 0], scale=1)
    same(output, trace["encoder.norm.out"][:, 0].relu() @ ours.unembedding, scale=1)
    same(logits[:, 0], normed[0] @ ours.unembedding, scale=1)


def copy_plain_block(
    our_block: nn.Module,
    attention: nn.Module,
    attention_norm: nn.LayerNorm,
    norm: nn.LayerNorm,
    ff: list[nn.Linear],
) -> None:
    """tab-transformer-pytorch has queries, keys and values without biases, and pre and gate one
    above the other.
    """
    maps = (our_block.attention.query, our_block.attention.key, our_block.attention.value)
    for part in maps:
        part.bias.zero_()
    attention.to_qkv.weight.data = torch.cat([part.weight.mT for part in maps]).clone()
    if attention.to_out.bias is None:
        our_block.attention.output.bias.zero_()
    copy_linear(our_block.attention.output, attention.to_out)
    copy_norm(our_block.norm1, attention_norm)
    copy_norm(our_block.norm2, norm)
    both = (our_block.feed_forward.hidden, our_block.feed_forward.gate)
    ff[0].weight.data, ff[0].bias.data = (
        torch.cat(parts).clone() for parts in ([p.weight.mT for p in both], [p.bias for p in both])
    )
    copy_linear(our_block.feed_forward.output, ff[1])


PLAIN = {"gated": True, "activation": "gelu", "d_ff": 64, "placement": "pre"}
SIZES = {
    "categories": (4, 3),
    "num_continuous": 3,
    "dim": 16,
    "depth": 2,
    "heads": 4,
    "dim_head": 4,
    "dim_out": 3,
}


def test_tabtransformer_reads_its_categories_and_what_goes_past_them_as_the_package_does():
    """Theirs keeps two of 16 channels for the column, ours adds the two vectors: the same with
    zeros in the other's channels.

    Its stack is Pre-LN without a norm at the end, and is given one.
    """
    ours = small("encoder-only", **{**CHOICES, **TAB, **PLAIN})
    # It loads a compiler, for seconds: in these two tests, not wherever tests are collected.
    from tab_transformer_pytorch import TabTransformer

    theirs = TabTransformer(
        **SIZES, num_special_tokens=0, num_residual_streams=1, mlp_act=nn.GELU()
    ).double()
    table, column = ours.embedding.token.categories.table, ours.embedding.token.categories.column
    table[:, 14:], column[:, :14] = 0, 0
    theirs.categorical_embeds.embeddings.weight.data, theirs.shared_category_embed.data = (
        table[:, :14].clone(),
        column[:, 14:].clone(),
    )
    for layer, (attention, ff) in enumerate(theirs.transformer.layers):
        attention, ff = attention.branch, ff.branch
        copy_plain_block(
            ours.encoder[layer], attention.fn, attention.norm, ff.norm, [ff.fn.net[0], ff.fn.net[3]]
        )
    last = nn.LayerNorm(16).double()
    copy_norm(ours.encoder.norm, last)
    theirs.transformer.register_forward_hook(lambda module, inputs, out: (last(out[0]), out[1]))
    copy_norm(ours.bypass.norm, theirs.norm)
    for part, layer in zip(
        (ours.bypass.hidden1, ours.bypass.hidden2), theirs.mlp.layers, strict=False
    ):
        copy_linear(part, layer[0])
    copy_linear(ours.bypass.output, theirs.mlp.layers[2])
    output, patterns = theirs(CATEGORIES, NUMBERS, return_attn=True)
    logits, trace = run(ours)
    same(patterns[1], trace["encoder.1.attention.pattern"], scale=1)
    same(output, logits[:, 0], scale=1)


def test_ft_transformer_reads_its_columns_as_a_second_package_does():
    """Theirs has no bias of columns, puts categories before numbers, which is the same to [CLS],
    and a ReLU after its last norm.
    """
    ours = small("encoder-only", **{**CHOICES, **PLAIN})
    from tab_transformer_pytorch import FTTransformer

    theirs = FTTransformer(**SIZES, num_special_tokens=0, num_residual_streams=1).double()
    token = ours.embedding.token
    token.categories.column.zero_()
    token.numbers.bias.zero_()
    theirs.cls_token.data = token.cls.clone()[None, None]
    theirs.embedding.embeddings.weight.data = torch.cat(
        [token.categories.table, token.numbers.weight]
    ).clone()
    for layer, (attention, ff) in enumerate(theirs.transformer.layers):
        attention, ff = attention.branch, ff.branch
        copy_plain_block(ours.encoder[layer], attention, attention.norm, ff[0], [ff[1], ff[4]])
    copy_norm(ours.encoder.norm, theirs.to_logits[0])
    normed = heard(theirs.to_logits[0])
    theirs(CATEGORIES, NUMBERS)
    _, trace = run(ours)
    same(normed[0], trace["encoder.norm.out"][:, 0], scale=1)
