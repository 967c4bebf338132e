"""Activation patching and path patching are what hooks on the GPT-2 of `transformers` give, and
their ends are 0 and 1.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from model.answers.answer import Axis
from model.inputs.input import Input
from model.interpretability.patching.activations import (
    METRICS,
    Goal,
    everything,
    goal_of,
    measured,
    patch,
    restored,
    sites,
)
from model.interpretability.patching.paths import paths
from model.layers import masks
from model.runs import sweep as sweeps
from model.runs.run import Prepared, Run
from model.runs.run_model import READINGS, Reading, run_model
from model.transformer import Transformer
from model.zoo.models import Model
from tests.model.support.hooks import Change, entering, leaving
from tests.model.support.hub import HEADS, LAYERS, TEXT, D, N, gpt_2
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, SAINT, row_run
from tests.model.support.runs import small_model, small_run
from tests.model.support.scene_runs import scene_run
from tests.rounding import SINGLE, same
from tests.thorough import mostly

HEAD = D // HEADS
CLEAN = TEXT.flip(0)


@pytest.fixture(scope="module")
def pair() -> tuple[nn.Module, Transformer]:
    with torch.random.fork_rng():  # transformers draws its weights from the global generator
        torch.manual_seed(0)
        return gpt_2()


@pytest.fixture
def runs(pair, monkeypatch: pytest.MonkeyPatch) -> tuple[nn.Module, Run, Run]:
    """GPT-2 and the runs of our decoder with its weights: of CLEAN and of TEXT."""
    theirs, transformer = pair
    shell = small_model("decoder-only", "pre")
    model = Model("gpt-2", transformer.config, transformer, shell.tokenizer, shell.card)

    def forward(transformer, source, ids, allowed, trace) -> None:
        transformer.unembed(transformer.decode(ids, allowed["decoder"], trace=trace), trace)

    def prepare(model: Model, input: Input) -> Prepared:
        ids = CLEAN if input.text == "clean" else TEXT
        read = {"text": Axis("position", N, ids=ids.tolist())}
        run = Run(model, {"text": input.text or ""}, read, {}, {}, {})
        return Prepared(run, None, ids, {"decoder": masks.causal(N)}, forward)

    ours = Reading("text", ("text",), prepare)
    monkeypatch.setitem(READINGS, ("tokens", "decoder-only"), ours)
    return theirs, run_model(model, Input(text="clean")), run_model(model, Input(text="corrupted"))


@contextmanager
def hooked(*handles) -> Iterator[None]:
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def copied(value: Tensor, *index) -> Change:
    """The cells `index` of `value` [1, position, channel] in the place of those that arrive."""

    def change(x: Tensor) -> Tensor:
        x[(0, *index)] = value[(0, *index)]
        return x

    return change


def activation(gpt: nn.Module, ids: Tensor, where: Callable) -> Tensor:
    """What passes at one place of GPT-2."""
    found: list[Tensor] = []
    with torch.no_grad(), hooked(where(partial(keep, found))):
        gpt(ids[None])
    return found[0]


def third(part: int) -> slice:
    """Queries, keys or values among the columns of c_attn."""
    return slice(part * D, (part + 1) * D)


PLACES: dict[str, Callable] = {
    "residual.in": lambda gpt, i, f: entering(gpt.transformer.h[i], f),
    "attention.q": lambda gpt, i, f: leaving(gpt.transformer.h[i].attn.c_attn, f),
    "attention.k": lambda gpt, i, f: leaving(gpt.transformer.h[i].attn.c_attn, f),
    "attention.v": lambda gpt, i, f: leaving(gpt.transformer.h[i].attn.c_attn, f),
    "attention.out": lambda gpt, i, f: leaving(gpt.transformer.h[i].attn.c_proj, f),
    "feed_forward.out": lambda gpt, i, f: leaving(gpt.transformer.h[i].mlp, f),
    "residual.out": lambda gpt, i, f: leaving(gpt.transformer.h[i], f),
}
COLUMNS = {f"attention.{name}": third(i) for i, name in enumerate("qkv")}


def last(logits: Tensor, goal: Goal, metric: str) -> float:
    return METRICS[metric].measure(logits[0, goal.step][None].double(), goal).item()


@pytest.mark.parametrize(
    ("site", "metric"),
    mostly(
        (of_grid := [pytest.param(site, metric) for site in PLACES for metric in METRICS]),
        *(
            case
            for case in of_grid
            if "logit_difference" in case.values or "residual.in" in case.values
        ),
    ),
)
def test_the_grid_of_a_site_is_a_loop_of_hooks_on_gpt_2(runs, site: str, metric: str):
    gpt, clean, corrupted = runs
    goal = Goal(N - 1, clean.trace["logits"][-1], 7, 11)
    place, columns = PLACES[site], COLUMNS.get(site, slice(None))
    rows, expected = [], []
    for layer in range(LAYERS):
        value = activation(gpt, CLEAN, lambda f, layer=layer: place(gpt, layer, f))
        for at in range(N):
            with torch.no_grad(), hooked(place(gpt, layer, copied(value, at, columns))):
                expected.append(last(gpt(TEXT[None]).logits, goal, metric))
            rows.append((patch(f"decoder.{layer}.{site}", [(at, at)], Input(text="clean")),))
    found, _ = measured(corrupted, rows, goal, metric)
    same(found, torch.tensor(expected).double(), SINGLE, scale=1)
    assert found.std() > 1e-4


@pytest.mark.parametrize("head", range(HEADS))
def test_a_head_is_patched_by_itself(runs, head: int):
    gpt, clean, corrupted = runs
    goal = Goal(N - 1, clean.trace["logits"][-1], 7, 11)
    mine = slice(head * HEAD, (head + 1) * HEAD)
    value = activation(gpt, CLEAN, lambda f: entering(gpt.transformer.h[1].attn.c_proj, f))
    place = entering(gpt.transformer.h[1].attn.c_proj, copied(value, 4, mine))
    with torch.no_grad(), hooked(place):
        expected = last(gpt(TEXT[None]).logits, goal, "logit_difference")
    edit = patch("decoder.1.attention.z", [(4, 4)], Input(text="clean"), head)
    found, _ = measured(corrupted, [(edit,)], goal, "logit_difference")
    same(found.item(), expected, SINGLE, scale=1)


def keep(found: list[Tensor], x: Tensor) -> Tensor:
    found.append(x.clone())
    return x


FROZEN = ("attention.out", "feed_forward.out")


@pytest.mark.parametrize("receiver", ["attention.q", "attention.v", "feed_forward.out"])
@pytest.mark.parametrize("sender", ["attention.out", "feed_forward.out", "residual.out"])
def test_a_path_is_two_passes_with_everything_else_frozen(runs, sender: str, receiver: str):
    """Sender in layer 0, receiver in layer 2; between them lies layer 1."""
    gpt, clean, corrupted = runs
    goal = Goal(N - 1, clean.trace["logits"][-1], 7, 11)
    send, columns = PLACES[sender], COLUMNS.get(receiver, slice(None))
    value = activation(gpt, CLEAN, lambda f: send(gpt, 0, f))
    held = {
        (site, layer): activation(
            gpt, TEXT, lambda f, site=site, layer=layer: PLACES[site](gpt, layer, f)
        )
        for site in FROZEN
        for layer in range(LAYERS)
        if (site, layer) not in {(sender, 0), (receiver, 2)}
    }
    rows, expected = [], []
    for at in (1, 5, N - 1):
        activations: list[Tensor] = []
        handles = [send(gpt, 0, copied(value, at))]
        handles += [
            PLACES[site](gpt, layer, lambda _, frozen=frozen: frozen)
            for (site, layer), frozen in held.items()
        ]
        handles.append(PLACES[receiver](gpt, 2, partial(keep, activations)))
        with torch.no_grad(), hooked(*handles):
            gpt(TEXT[None])
        with (
            torch.no_grad(),
            hooked(PLACES[receiver](gpt, 2, copied(activations[0], slice(None), columns))),
        ):
            expected.append(last(gpt(TEXT[None]).logits, goal, "logit_difference"))
        rows.append(patch(f"decoder.0.{sender}", [(at, at)], Input(text="clean")))
    edits = paths(corrupted, rows, f"decoder.2.{receiver}")
    found, _ = measured(corrupted, edits, goal, "logit_difference")
    same(found, torch.tensor(expected).double(), SINGLE, scale=1)


def test_no_path_leads_back(runs):
    _, clean, corrupted = runs
    goal = Goal(N - 1, clean.trace["logits"][-1], 7, 11)
    sender = patch("decoder.1.feed_forward.out", [(3, 3)], Input(text="clean"))
    edits = paths(corrupted, [sender], "decoder.1.attention.q")
    found, _ = measured(corrupted, [(), *edits], goal, "logit_difference")
    same(found[1], found[0], SINGLE, scale=1)


def other_of(run: Run) -> Input:
    """Another input of as many tokens: what is typed, backwards; an image or a row, changed."""
    fields = dict(run.input)
    for name in ("source", "text"):
        if name in fields:
            fields[name] = " ".join(reversed(fields[name].split()))
    if "image" in fields and "," in fields["image"]:
        fields["image"] = ",".join(reversed(fields["image"].split(",")))
    return Input(**fields)


MAKERS = {
    **{
        family: lambda family=family: small_run(family)
        for family in ("encoder-only", "decoder-only", "encoder-decoder", "prefix")
    },
    "image": image_run,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("metric", METRICS)
def test_nothing_patched_gives_0_and_everything_patched_gives_1(make, metric: str):
    corrupted = make()
    other = other_of(corrupted)
    clean = run_model(corrupted.model, other)
    goal = goal_of(clean, corrupted)
    rows = [(), everything(corrupted.config, other)]
    numbers, _ = measured(corrupted, rows, goal, metric)
    low, high = (
        METRICS[metric].measure(run.trace["logits"][goal.step][None].double(), goal).item()
        for run in (corrupted, clean)
    )
    ends = torch.tensor([low, high], dtype=torch.float64)
    same(numbers, ends, SINGLE, scale=1)
    if abs(high - low) > 0.01:
        shares = torch.tensor([0.0, 1.0], dtype=torch.float64)
        same(restored(numbers, low, high), shares, SINGLE, scale=1 / abs(high - low))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_an_encoder_decoder_has_nine_sites_in_either_stack(stack: str):
    assert len(sites(small_run("encoder-decoder").config, stack)) == 9


@pytest.mark.parametrize("make", [scene_run, lambda: row_run(**FT), lambda: row_run(**SAINT)])
def test_every_site_lies_on_the_positions_of_its_stack(make):
    run = make()
    for stack in run.config.stacks:
        length = len(run.trace[f"{stack}.0.residual.in"])
        for site in sites(run.config, stack):
            row = run.activation(f"{stack}.0.{site}")
            at = next(i for i, role in enumerate(row.index) if role in ("position", "query"))
            assert run.trace[row.name].shape[at] == length


def test_runs_of_other_lengths_have_no_patterns():
    config = small_run("encoder-only").config
    assert set(sites(config, "encoder")) - set(sites(config, "encoder", same_length=False)) == {
        "attention.pattern"
    }


def test_the_grid_is_made_in_batches(monkeypatch: pytest.MonkeyPatch):
    run = small_run("encoder-only")
    other = other_of(run)
    goal = goal_of(run_model(run.model, other), run)
    rows = [(patch("encoder.0.residual.in", [(at, at)], other),) for at in range(4)]
    whole, _ = measured(run, rows, goal, "kl")
    monkeypatch.setattr(sweeps, "AT_ONCE", 3)
    same(measured(run, rows, goal, "kl")[0], whole, SINGLE, scale=1)
