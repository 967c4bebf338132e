"""Warm-up: four networks alike in all but one thing; who learns is measured, and a comparison cut
in two is the same comparison.
"""

import math

import pytest
import torch

from model.clinics._shared.batched_training import EnsembleTrainer
from model.clinics.warmup import (
    ARMS,
    GUESSING,
    LETTERS,
    Arm,
    Cipher,
    Comparison,
    decipherer,
    found,
    warmup,
)
from model.errors import InvalidInput

SMALL = {"warmup_steps": 5, "peak": 0.01, "layers": 1, "seed": 0, "seeds": 2}


def measured(answer) -> dict[str, dict]:
    return {finding.name: finding for finding in answer.fields["findings"]}


def run(comparison: Comparison, steps: int) -> torch.Tensor:
    return torch.stack([comparison.step() for _ in range(steps)], -1)


def test_side_by_side_each_does_what_it_would_do_alone_with_the_adam_of_torch():
    """In float64: of a key's bias, which moves all scores of a query alike, Adam makes steps even
    where its gradient is rounding alone.
    """
    members = [
        decipherer(placement, 2, 0, number).double()
        for number, placement in enumerate(("post", "admin"))
    ]
    shape, rates = decipherer("admin", 2, 5, 0).double(), [0.01, 0.02]
    for omega in (weight for name, weight in shape.named_parameters() if "shortcut" in name):
        omega.data.fill_(1)
    trainer = EnsembleTrainer(shape, members, table="model.embedding.token")
    alone = [
        torch.optim.Adam(members[i].parameters(), lr=rates[i], betas=(0.9, 0.98), eps=1e-9)
        for i in range(2)
    ]
    ciphers = [Cipher(0, number) for number in range(2)]
    for _ in range(4):
        texts = [cipher.text() for cipher in ciphers]
        ids, expected = (torch.stack(part) for part in zip(*texts, strict=True))
        losses = trainer.step(torch.tensor(rates, dtype=torch.float64), ids, expected)
        for i, adam in enumerate(alone):
            adam.zero_grad()
            loss = members[i](*texts[i])
            assert loss.item() == pytest.approx(losses[i].item(), rel=1e-9)
            loss.backward()
            adam.step()
    for i, member in enumerate(members):
        expected = trainer.flat_weights(dict(member.named_parameters()))
        torch.testing.assert_close(trainer.weights[i], expected, rtol=1e-7, atol=1e-7)


def test_the_rate_grows_in_equal_steps_to_its_peak_and_only_with_warm_up():
    warmed, plain = Arm("post", warms_up=True), Arm("post")
    assert [warmed.rate(step, 4, 0.02) for step in (1, 2, 4, 5, 99)] == pytest.approx(
        [0.005, 0.01, 0.02, 0.02, 0.02]
    )
    assert [plain.rate(step, 4, 0.02) for step in (1, 99)] == [0.02, 0.02]
    assert warmed.rate(1, 0, 0.02) == 0.02


def test_a_seeds_arms_start_from_the_same_matrices_and_a_ciphers_images_are_a_permutation():
    post, pre, admin = (
        dict(decipherer(placement, 2, 3, 1).named_parameters())
        for placement in ("post", "pre", "admin")
    )
    assert post.keys() < pre.keys()
    assert post.keys() < admin.keys()
    assert all(
        torch.equal(post[name], pre[name]) and torch.equal(post[name], admin[name]) for name in post
    )
    assert Cipher(3, 1).image.sort().values.tolist() == list(range(LETTERS))
    ids, expected = Cipher(3, 1).text()
    assert torch.equal(expected, Cipher(3, 1).image[ids])


def test_before_the_first_step_post_ln_has_one_loss_with_and_without_warm_up_and_then_no_more():
    first, second = run(Comparison(**SMALL), 2).unbind(-1)
    post, post_warmup = list(ARMS).index("post"), list(ARMS).index("post_warmup")
    torch.testing.assert_close(first[post], first[post_warmup])
    assert not torch.allclose(second[post], second[post_warmup])


def test_without_steps_of_warm_up_the_two_post_ln_arms_are_one():
    loss = run(Comparison(**SMALL | {"warmup_steps": 0}), 4)
    torch.testing.assert_close(
        loss[list(ARMS).index("post")], loss[list(ARMS).index("post_warmup")]
    )


def test_a_comparison_taken_up_again_goes_on_bit_for_bit():
    whole = run(Comparison(**SMALL), 7)
    cut = Comparison(**SMALL)
    run(cut, 3)
    again = Comparison(**SMALL)
    again.restore({name: value.clone() for name, value in cut.state().items()}, 3)
    assert torch.equal(run(again, 4), whole[..., 3:])


def test_more_steps_continue_the_same_curves():
    short, long = (warmup(steps=steps, layers=1, seeds=1).tensors["loss"].data for steps in (5, 8))
    assert torch.equal(long[..., :5], short)


def test_a_moved_weight_moves_the_curves():
    whole, moved = Comparison(**SMALL), Comparison(**SMALL)
    moved.groups["pre"].weights[0, 0] += 0.1
    before, after = run(whole, 3), run(moved, 3)
    *others, pre = range(4)
    assert list(ARMS)[pre] == "pre"
    assert not torch.equal(before[pre, 0], after[pre, 0])
    assert torch.equal(before[others], after[others])


def test_what_was_not_seen_is_not_claimed():
    """At a low rate nobody stays behind: the finding that Post-LN guesses does not hold, and says
    so.
    """
    answer = warmup(peak=0.01, layers=1, steps=40, seeds=2)
    assert not measured(answer)["left.post"].holds
    assert not measured(answer)["gain"].holds


def test_a_finding_is_a_share_of_what_guessing_costs():
    loss = torch.full((len(ARMS), 2, 12), GUESSING)
    loss[1:, :, -5:] = 0
    told = {finding.name: finding for finding in found(loss)}
    assert told["left.post"].mean == pytest.approx(1)
    assert told["left.post_warmup"].mean == 0
    assert told["gain"].mean == pytest.approx(1)
    assert all(finding.verdict != "fails" for finding in told.values())
    assert pytest.approx(math.log(8)) == GUESSING


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"peak": 1}, "peak is 1"),
        ({"layers": 9}, "layers is 9"),
        ({"steps": 4}, "steps is 4"),
        ({"warmup_steps": 401}, "warmup_steps is 401"),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        warmup(**question)
