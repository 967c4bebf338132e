"""An image as tokens: one linear map of every patch is a convolution, and what an encoder sees does
not know of more.
"""

import pytest
import torch
from torch.nn import functional

from model.errors import InvalidInput
from model.layers import masks
from model.layers.patch_embedding import unfold
from model.trace import Recorder
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from tests.model.support.small import config_of, small
from tests.rounding import same

IMAGE = {
    "inputs": "patches",
    "image_side": 6,
    "patch_side": 2,
    "max_length": 10,
    "tied_unembedding": False,
    "positions": "learned",
    "scaled_embedding": False,
    "placement": "pre",
}


def random_images(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def logits(model: Transformer, images: torch.Tensor) -> torch.Tensor:
    return model.unembed(model.encode(images, masks.full(10)))


@pytest.mark.parametrize(("side", "colours"), [(1, 1), (2, 1), (3, 3), (6, 2)])
def test_unfolding_is_what_torch_unfolds(side, colours):
    images = random_images(4, colours, 6, 6)
    assert torch.equal(unfold(images, side), functional.unfold(images, side, stride=side).mT)


def test_a_patch_holds_its_own_pixels_row_by_row():
    image = torch.arange(36.0).view(1, 6, 6)
    assert unfold(image, 2)[4].tolist() == [14, 15, 20, 21]
    assert unfold(image, 3)[1].tolist() == [3, 4, 5, 9, 10, 11, 15, 16, 17]


@pytest.mark.parametrize("colours", [1, 3])
def test_the_tokens_of_patches_are_a_convolution_whose_stride_is_its_kernel(colours):
    embedding, images = (
        small("encoder-only", **IMAGE, colours=colours).embedding,
        random_images(4, colours, 6, 6),
    )
    kernel = embedding.token.patch.weight.mT.unflatten(1, (colours, 2, 2))
    convolved = (
        functional.conv2d(images, kernel, embedding.token.patch.bias, stride=2).flatten(2).mT
    )
    tokens = embedding.token(images)
    same(tokens[:, 1:], convolved, scale=1)
    assert (tokens[:, 0] == embedding.token.cls).all()


def test_token_position_and_sum_are_recorded_under_the_names_they_have_for_text():
    model, image, trace = small("encoder-only", **IMAGE), random_images(1, 6, 6), Recorder()
    model.encode(image, masks.full(10), trace)
    values = trace.values
    assert list(values)[:3] == [
        "encoder.embedding.token",
        "encoder.embedding.position",
        "encoder.embedding.sum",
    ]
    assert torch.equal(values["encoder.embedding.position"], model.embedding.learned)
    assert torch.equal(
        values["encoder.embedding.sum"],
        values["encoder.embedding.token"] + values["encoder.embedding.position"],
    )


def test_a_batch_of_images_is_read_image_by_image():
    model, images = small("encoder-only", **IMAGE), random_images(5, 1, 6, 6)
    together = logits(model, images)
    for image, expected in zip(images, together, strict=True):
        same(logits(model, image), expected, scale=1)


def test_without_positions_shuffled_patches_are_the_same_image_to_cls():
    model, image = small("encoder-only", **{**IMAGE, "positions": "none"}), random_images(1, 6, 6)
    cut = image.view(3, 2, 3, 2)
    shuffled = cut.flip(0).roll(1, 2).reshape(1, 6, 6)
    same(logits(model, image)[0], logits(model, shuffled)[0], scale=1)
    assert (
        logits(small("encoder-only", **IMAGE), image)[0]
        - logits(small("encoder-only", **IMAGE), shuffled)[0]
    ).abs().max() > 1e-3


def test_the_bias_of_the_unembedding_is_added_to_every_logit():
    plain, biased = (
        small("encoder-only", **IMAGE, unembedding_bias=bias) for bias in (False, True)
    )
    biased.load_state_dict({**biased.state_dict(), **plain.state_dict()})
    image = random_images(1, 6, 6)
    found = logits(biased, image) - logits(plain, image)
    same(found, biased.unembedding_bias.expand_as(found), scale=1)


def test_drawn_weights_of_patches_have_no_bias_and_unit_gains():
    model = initialise(
        Transformer(
            config_of(family="encoder-only", vocabulary_size=3, n_encoder_layers=1, **IMAGE)
        ),
        torch.Generator().manual_seed(0),
    )
    assert (model.embedding.token.patch.bias == 0).all()
    assert 0.8 < model.embedding.token.cls.norm() < 1.2  # N(0, 1/d_model)
    normed = Transformer(
        config_of(
            family="encoder-only", vocabulary_size=3, n_encoder_layers=1, normed_embedding=True
        )
    )
    assert (initialise(normed, torch.Generator().manual_seed(0)).embedding.norm.gain == 1).all()


def test_maps_over_pixels_have_the_patch_side_to_the_power_of_4_more_cells():
    for side in (1, 2, 3, 6):
        n = len(unfold(random_images(1, 6, 6), side))
        assert 36**2 / n**2 == side**4


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"patch_side": 4}, "An image of side 6 can’t be cut into patches of side"),
        ({"patch_side": 0}, "patches of side 0"),
        ({"image_side": 0}, "An image of side 0 can’t be cut into patches of side"),
        ({"patch_side": -2}, "patches of side -2"),
        ({"max_length": 9}, "9 patches have 10 positions; max_length is 9"),
        ({"tied_unembedding": True}, "Images need an encoder without a tied unembedding."),
    ],
)
def test_sizes_that_do_not_fit_are_refused_in_a_sentence(choices, message):
    with pytest.raises(InvalidInput, match=message):
        config_of(
            family="encoder-only", vocabulary_size=3, n_encoder_layers=1, **{**IMAGE, **choices}
        )


def test_an_image_is_read_by_an_encoder():
    with pytest.raises(InvalidInput, match="9 patches have 9 positions; max_length is 10"):
        config_of(
            family="encoder-decoder",
            vocabulary_size=3,
            n_encoder_layers=1,
            n_decoder_layers=1,
            n_queries=2,
            **IMAGE,
        )
    with pytest.raises(InvalidInput, match="Images need an encoder without a tied unembedding"):
        config_of(family="decoder-only", vocabulary_size=3, n_decoder_layers=1, **IMAGE)


@pytest.mark.parametrize(
    "choices",
    [
        {"family": "encoder-only", "n_encoder_layers": 1, "n_queries": 2, **IMAGE},
        {
            "family": "encoder-decoder",
            "n_encoder_layers": 1,
            "n_decoder_layers": 1,
            **IMAGE,
            "max_length": 9,
        },
    ],
)
def test_object_queries_belong_to_a_decoder_beside_an_encoder_of_patches(choices):
    with pytest.raises(InvalidInput, match="Object queries need a decoder and an encoder of image"):
        config_of(vocabulary_size=3, **choices)
