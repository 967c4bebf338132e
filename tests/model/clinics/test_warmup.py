"""Warm-up: four networks alike in all but one thing; who learns is measured, and a comparison cut
in two is the same comparison.
"""

import json
import math

import pytest
import torch

from model.clinics.warmup import (
    D_MODEL,
    GUESSING,
    LETTERS,
    Cipher,
    Comparison,
    Schedule,
    arms_of,
    decipherer,
    findings,
    trained,
    warmup,
)
from model.errors import InvalidInput
from model.measure.batched_training import EnsembleTrainer
from model.measure.stored_trainings import DEFAULT, RECIPE, STEPS, is_shipped
from model.zoo.results import RESULTS
from tests.model.clinics.every_clinic import PLACED
from tests.rounding import REMEASURED, SINGLE, is_same, near, same
from tests.thorough import mostly

ARMS = arms_of("post")

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
    optimisers = [
        torch.optim.Adam(members[i].parameters(), lr=rates[i], betas=(0.9, 0.98), eps=1e-9)
        for i in range(2)
    ]
    ciphers = [Cipher(0, number) for number in range(2)]
    for _ in range(4):
        texts = [cipher.text() for cipher in ciphers]
        ids, expected = (torch.stack(part) for part in zip(*texts, strict=True))
        losses = trainer.step(torch.tensor(rates, dtype=torch.float64), ids, expected)
        for i, adam in enumerate(optimisers):
            adam.zero_grad()
            loss = members[i](*texts[i])
            same(loss, losses[i])
            loss.backward()
            adam.step()
    for i, member in enumerate(members):
        expected = trainer.flat_weights(dict(member.named_parameters()))
        near(trainer.weights[i], expected, "Adam, which makes rounding a step", abs=1e-7)


def test_the_rate_grows_in_equal_steps_and_then_falls_with_the_root_of_the_step():
    falling, flat = Schedule(4, 0.02), Schedule(4, 0.02, "constant")
    rates = [falling.rate(step, warms_up=True) for step in (1, 2, 4, 16, 64)]
    same(rates, [0.005, 0.01, 0.02, 0.01, 0.005])
    assert [falling.rate(step, warms_up=False) for step in (1, 4, 16)] == [0.02, 0.02, 0.01]
    assert [flat.rate(step, warms_up=True) for step in (1, 4, 99)] == [0.005, 0.02, 0.02]
    assert Schedule(0, 0.02).rate(1, warms_up=True) == 0.02


def test_vaswanis_schedule_is_equation_3():
    schedule = Schedule(20, 0.5, "vaswani")
    for t in (1, 7, 20, 21, 300):
        expected = D_MODEL**-0.5 * min(t**-0.5, t * 20**-1.5)
        same(schedule.rate(t, warms_up=True), expected)


def test_a_warm_up_that_is_broken_off_jumps_to_the_rate_of_the_others():
    schedule = Schedule(10, 0.02, stop=3)
    warmed = [schedule.rate(step, warms_up=True) for step in range(1, 13)]
    plain = [schedule.rate(step, warms_up=False) for step in range(1, 13)]
    same(warmed[:3], [0.002, 0.004, 0.006])
    assert warmed[3:] == plain[3:]


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
    same(first[post], first[post_warmup])
    assert not is_same(second[post], second[post_warmup])


def test_without_steps_of_warm_up_the_two_post_ln_arms_are_one():
    loss = run(Comparison(**SMALL | {"warmup_steps": 0}), 4)
    same(loss[list(ARMS).index("post")], loss[list(ARMS).index("post_warmup")])


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
    pre = list(ARMS).index("pre")
    others = [i for i in range(len(ARMS)) if i != pre]
    assert not torch.equal(before[pre, 0], after[pre, 0])
    assert torch.equal(before[others], after[others])


@pytest.mark.parametrize(("placement", "stack"), PLACED)
def test_every_placement_has_an_arm_with_and_without_warm_up(placement, stack):
    answer = warmup(placement=placement, stack=stack, layers=1, steps=6, seeds=1, warmup_steps=3)
    arms = answer.axes["arm"].labels
    assert arms[:2] == [placement, f"{placement}_warmup"]
    assert {"post", "admin", "pre", "b2t"} <= set(arms)
    assert len(arms) == len(set(arms))
    plain, warmed = answer.tensors["loss"].data[:2, 0]
    same(plain[0], warmed[0].item(), SINGLE)
    assert not is_same(plain[2:], warmed[2:])
    of_ciphers = {name for name in measured(answer) if not name.startswith("translators")}
    assert of_ciphers == {*(f"left.{arm}" for arm in arms), "gain", "equal_training"}


def test_a_decoder_sees_no_later_letter_and_all_letters_of_the_encoder():
    fresh = decipherer("pre", 1, 0, 0, "decoder").model
    masks = {
        "encoder.attention": torch.ones(4, 4, dtype=torch.bool),
        "decoder.attention": torch.ones(4, 4, dtype=torch.bool).tril(),
        "decoder.cross_attention": torch.ones(4, 4, dtype=torch.bool),
    }
    ids = torch.tensor([1, 2, 3, 4])
    later = torch.tensor([1, 2, 3, 5])
    with torch.no_grad():
        logits, other = (fresh(ids, target, masks)[:3] for target in (ids, later))
        elsewhere = fresh(later, ids, masks)[:3]
    same(logits, other)
    assert not is_same(logits, elsewhere)


def test_a_law_is_judged_after_300_steps_and_not_before():
    answer = warmup(peak=0.01, layers=1, steps=17, seeds=2)
    finding = measured(answer)["left.post"]
    assert finding.verdict == "not applicable"
    assert "300" in finding.premise
    assert "17" in finding.premise


def test_a_finding_is_a_share_of_what_guessing_costs():
    loss = torch.full((len(ARMS), 2, STEPS), GUESSING)
    loss[1:, :, -5:] = 0
    by_name = {finding.name: finding for finding in findings("post", loss)}
    same(by_name["left.post"].mean, 1, SINGLE)
    assert by_name["left.post_warmup"].mean == 0
    same(by_name["gain"].mean, 1, SINGLE)
    assert {finding.verdict for finding in by_name.values()} == {"holds", "not applicable"}
    same(GUESSING, math.log(8))


def test_after_300_steps_post_ln_has_learned_with_warm_up_and_not_without():
    by_name = measured(warmup())
    assert (by_name["left.post_warmup"].verdict, by_name["gain"].verdict) == ("holds", "holds")
    assert by_name["left.post"].mean > 0.5


def test_a_constant_rate_only_puts_off_what_happens_without_warm_up():
    by_name = measured(warmup(schedule="constant"))
    assert by_name["left.post_warmup"].verdict == "fails"
    assert abs(by_name["gain"].mean) < 0.1


def test_everything_of_the_recipe_is_shipped_with_its_own_question():
    for changes in RECIPE:
        question = DEFAULT | changes
        assert is_shipped(question, STEPS), changes
        loss = warmup(**question).tensors["loss"].data
        assert loss.shape == (len(arms_of(question["placement"])), question["seeds"], STEPS)
        assert loss.isfinite().all()


@pytest.mark.parametrize(
    "changes",
    mostly(({}, b2t := {"placement": "b2t"}, {"stop": 5}, {"peak": 0.005}), b2t),
    ids=str,
)
def test_a_shipped_training_begins_as_a_new_one_does(changes):
    """Later steps amplify rounding, which differs from processor to processor."""
    anew = trained(DEFAULT | changes, 6)
    shipped = warmup(**{**DEFAULT, **changes}, steps=6).tensors["loss"].data
    near(shipped, anew, REMEASURED, rel=0.001, abs=0.0001)


STEEP = {"placement": "none", "stack": "decoder", "layers": 6, "peak": 0.1, "warmup_steps": 0}


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"peak": 1}, "peak is 1"),
        ({"layers": 19}, "layers is 19"),
        ({"placement": "sideways"}, "placement is 'sideways'"),
        ({"stack": "tower"}, "stack is 'tower'"),
        ({"schedule": "cosine"}, "schedule is 'cosine'"),
        ({"stop": -1}, "stop is -1"),
        ({"steps": 4}, "steps is 4"),
        ({"warmup_steps": 401}, "warmup_steps is 401"),
        (
            STEEP | {"steps": 60, "seed": 1, "seeds": 1},  # 9 to 30 were seen, by processor
            "A network with no norm diverged",
        ),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        warmup(**question)


def test_the_translators_are_those_that_were_kept_and_post_ln_ends_higher_in_each():
    recorded = json.loads((RESULTS / "norm-placement.json").read_text())
    answer = warmup(layers=1, steps=6, seeds=1)
    for i, numbers in enumerate(recorded["measured"].values()):
        losses = answer.tensors["translators.by_training"].data[:, i]
        same(losses, torch.tensor(numbers).double(), scale=1)
    last = {name: [row[-1] for row in rows] for name, rows in recorded["measured"].items()}
    apart = [
        ((a + b) - (c + d)) / 2
        for a, b, c, d in zip(
            last["post"], last["post_warmup"], last["pre"], last["pre_warmup"], strict=True
        )
    ]
    found = measured(answer)["translators.post_less_pre"]
    same(found.values, apart)
    assert found.verdict == "fails"
    assert min(apart) > 1.4
