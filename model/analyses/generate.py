"""Generation, token by token: the candidates, the chosen token, and the attention of every head."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad

from model import progress
from model.answers.answer import Answer, Axis, Labelled
from model.arrangement.alignment import with_unedited
from model.arrangement.arrangement import UNARRANGED, Arrangement
from model.calibration.confidence import with_confidence
from model.edits.edit import Edits
from model.generation.beam_search import Node, Tree
from model.generation.decoding import Step, forced
from model.generation.sampling_filters import ranking
from model.generation.ties import best
from model.inputs.input import Input
from model.inputs.text import TextTokenizer
from model.interpretability.teacher_forcing import common_prefix, teacher_forcing
from model.runs.long_text import LongRun
from model.runs.run import Run, size_axes, text_axis
from model.runs.run_model import Runs, run_model
from model.runs.strategies import (
    STRATEGIES,
    Prompt,
    Settings,
    check_settings,
    long_prompt,
    prompt_of,
)
from model.zoo.models import Model

TOP = 10
READING = 0.75
"""The approximate fraction of a long text's time spent on reading it, before the first token."""


def generate(
    model: Model,
    input: Input,
    runs: Runs = run_model,
    edits: Edits = (),
    arranged: Arrangement = UNARRANGED,
    *,
    beside: bool = False,
    window: str | None = None,
    **question,
) -> Answer:
    """The `steps` of the text that the model generates, each with its candidates. `question` has
    the fields of `Settings` in runs/strategies.py. The tensors are the attention weights of each
    layer by head, step, and source position, or position of the sequence in a model with one stack.
    With beams, `tree` has all hypotheses of the search. A `target` is a reference:
    `teacher_forcing` has the predictions of the same model reading the reference instead of its own
    output. `edits` and `arranged` apply at every step. `without_edits` then has what the model
    generates without them, and `beside` adds the attention of the unedited model on the same text.
    With a `window` of positions, of a possibly long text, the attention is to these positions.
    Raises InvalidInput or UnknownName.
    """
    prompt = prompt_of_question(model, input, runs, edits, arranged, window)
    settings = check_settings(prompt, **question)
    steps, tree = steps_and_tree(prompt, settings)
    ids = [step.choice.id for step in steps]
    step_fields = list(plain_steps(model.text_tokenizer, steps))
    fields = {
        "strategy": settings.strategy,
        "settings": settings.used,
        "text": model.text_tokenizer.decode(ids),
        "stopped": stopped(model, ids),
        "log_probability": step_fields[-1]["sum"],
        "steps": step_fields,
    }
    if tree is not None:
        fields["tree"] = plain_tree(model.text_tokenizer, tree)
    if input.target is not None:
        reference = reference_run(prompt, input, runs, edits, arranged)
        fields["teacher_forcing"] = teacher_forcing(
            reference, ids, [step.logits.double().softmax(-1) for step in steps]
        )
    axes = axes_of(prompt, ids)
    texts = {name: text for name, text in asdict(input).items() if text is not None}
    plain = replace(input, target=None)
    if prompt.window:
        fields |= of_window(prompt, axes[prompt.axis].size, steps[0])
    if not prompt.editing:
        fields |= runs(model, plain, maps=not prompt.window).remarks
        return Answer(model.kind, axes, attention_maps(prompt, steps), fields, model.id, texts)
    last = prompt.edited_decoder(prompt.editing).run([*prompt.ids, *ids[:-1]])
    aligned = {name: places for name, places in last.aligned.items() if name in axes}
    fields |= with_confidence(replace(last, input=texts, aligned=aligned), plain).remarks
    fields["prediction"] = prediction(prompt, step_fields[-1]["text"], steps[0])
    unedited = prompt_of(model, plain)
    fields["without_edits"] = without_edits(unedited, settings, ids)
    answer = Answer(model.kind, axes, attention_maps(prompt, steps), fields, model.id, texts)
    if not beside:
        return answer
    steps = list(unedited.steps(forced(ids), len(ids)))
    return with_unedited(answer, Answer(model.kind, axes, attention_maps(unedited, steps)))


def prompt_of_question(
    model: Model,
    input: Input,
    runs: Runs,
    edits: Edits,
    arranged: Arrangement,
    window: str | None,
) -> Prompt:
    """The prompt for an input, or for a long text of which a window is requested."""
    if window is None:
        return prompt_of(model, input, edits, arranged)
    run = runs(model, input, maps=False)
    assert isinstance(run, LongRun), "a run without maps is that of a long text"
    return long_prompt(run, window)


def steps_and_tree(prompt: Prompt, settings: Settings) -> tuple[list[Step], Tree | None]:
    """All steps and, with beams, the search tree. The computation can be canceled after each layer
    of a long text and after each step.
    """
    if prompt.long:
        with progress.part(0, READING):
            prompt.long.stream(prompt.model.config.n_decoder_layers)
    with progress.part(READING if prompt.long else 0, 1):
        choose, tree = STRATEGIES[settings.strategy](prompt, settings)
        steps = list[Step]()
        for step in prompt.steps(choose, settings.max_new_tokens):
            steps.append(step)
            progress.arrive(len(steps) / settings.max_new_tokens)
    return steps, tree


def axes_of(prompt: Prompt, ids: list[int]) -> dict[str, Axis]:
    """The axes of `attention_maps`; `ids` are the generated tokens, one per step."""
    label = prompt.model.text_tokenizer.label
    return {
        prompt.axis: text_axis(prompt.memory_tokens([*prompt.ids, *ids[:-1]])),
        "step": Axis("step", len(ids), [label(id) for id in ids], ids),
        "head": size_axes(prompt.model.config)["head"],
    }


def of_window(prompt: Prompt, positions: int, first: Step) -> dict:
    """For a long text, the positions whose attention is shown, and its next token."""
    assert prompt.window is not None, "a long text is asked about by a window"
    start = prompt.window[0]
    return {
        "window": [start, start + positions],
        "prediction": prediction(prompt, "", first),
    }


def reference_run(
    prompt: Prompt, input: Input, runs: Runs, edits: Edits, arranged: Arrangement
) -> Run:
    """The run that reads the target instead of its own output, edited like the prompt."""
    if prompt.editing is None:
        return runs(prompt.model, input)
    return runs(prompt.model, input, edits=edits, arranged=arranged)


def prediction(prompt: Prompt, text: str, first: Step) -> str:
    """What an edited model predicts, as in `Run.prediction`: the generated `text` in a translator,
    or the next token of a text that it continues.
    """
    if prompt.model.config.cross or prompt.prefix:
        return text
    return prompt.model.text_tokenizer.label(int(best(first.logits)))


def without_edits(unedited: Prompt, settings: Settings, ids: list[int]) -> dict:
    """What the model generates without edits after the same prompt, and the probability, without
    edits, of the `ids` that it generated with them.
    """
    tokenizer, most = unedited.model.text_tokenizer, settings.max_new_tokens
    choose, _ = STRATEGIES[settings.strategy](unedited, settings)
    free = list(unedited.steps(choose, most))
    held = unedited.steps(forced(ids), len(ids))
    free_ids = [step.choice.id for step in free]
    return {
        "text": tokenizer.decode(free_ids),
        "stopped": stopped(unedited.model, free_ids),
        "tokens": len(free_ids),
        "log_probability": sum_of(free),
        "shared": common_prefix(free_ids, ids),
        "log_probability_of_edited": sum_of(held),
    }


def sum_of(steps: Iterable[Step]) -> float:
    """The sum of ln p over the chosen tokens, in nats."""
    return sum(float(step.logits.double().log_softmax(-1)[step.choice.id]) for step in steps)


def generate_steps(
    model: Model,
    input: Input,
    edits: Edits = (),
    arranged: Arrangement = UNARRANGED,
    runs: Runs = run_model,
    *,
    beside: bool = False,
    window: str | None = None,
    **question,
) -> Iterator[dict]:
    """Yields the `steps` of `generate` as soon as each is known, with `attention` by layer and
    head. The last step has the reason why generation `stopped`, and for an edited model what it
    generates `without_edits`. Steps do not include the unedited attention that `beside` adds.

    Beam search knows its best text only at the end; the steps of that text are yielded then.
    """
    prompt = prompt_of_question(model, input, runs, edits, arranged, window)
    settings = check_settings(prompt, **question)
    choose, _ = STRATEGIES[settings.strategy](prompt, settings)
    taken, ids = [], []

    def writing() -> Iterator[Step]:
        for step in prompt.steps(choose, settings.max_new_tokens):
            taken.append(step)
            ids.append(step.choice.id)
            yield step

    for plain in plain_steps(model.text_tokenizer, writing()):
        last = stopped(model, ids) == "end" or len(ids) == settings.max_new_tokens
        attention = [
            attention_row(prompt, taken[-1], layer).tolist()
            for layer in range(model.config.n_decoder_layers)
        ]
        more = {}
        if last and prompt.editing:
            more["without_edits"] = without_edits(prompt_of(model, input), settings, ids)
        yield (
            plain
            | {"attention": attention, "stopped": stopped(model, ids) if last else None}
            | more
        )


def stopped(model: Model, ids: list[int]) -> str:
    return "end" if ids[-1] in model.text_tokenizer.frame.ends else "limit"


def plain_steps(tokenizer: TextTokenizer, steps: Iterable[Step]) -> Iterator[dict]:
    """Yields the steps as JSON values. `sum` is the total log-probability so far, in nats, before
    any filter.
    """
    ids, sum = [], 0.0
    for step in steps:
        ids.append(step.choice.id)
        plain = plain_step(tokenizer, step)
        sum += plain["log_probability"]
        yield {"index": len(ids) - 1, **plain, "sum": sum, "text": tokenizer.decode(ids)}


def plain_step(tokenizer: TextTokenizer, step: Step) -> dict:
    """One step as JSON values: the most probable tokens and the chosen one, each with its
    probability before and `after` the filters, and the total probability of all other tokens.
    """
    log_p, after, chosen = step.logits.double().log_softmax(-1), step.choice.after, step.choice.id
    p, ranked = log_p.exp(), ranking(log_p)
    listed = ranked[:TOP].tolist()
    listed += [chosen] if chosen not in listed else []
    others = torch.ones_like(p, dtype=torch.bool).index_fill(0, torch.tensor(listed), False)

    def left(ids: int | Tensor) -> float | None:
        return None if after is None else float(after[ids].sum())

    def candidate(id: int) -> dict:
        return {
            "text": tokenizer.label(id),
            "id": id,
            "probability": float(p[id]),
            "after": left(id),
            "chosen": id == chosen,
        }

    return {
        "token": {"text": tokenizer.label(chosen), "id": chosen},
        "probability": float(p[chosen]),
        "log_probability": float(log_p[chosen]),
        "rank": 1 + ranked.tolist().index(chosen),
        "drawn": step.choice.draw,
        "kept": None if after is None else int((after > 0).sum()),
        "candidates": [candidate(id) for id in listed],
        "rest": {
            "tokens": int(others.sum()),
            "probability": float(p[others].sum()),
            "after": left(others),
        },
    }


def attention_row(prompt: Prompt, step: Step, layer: int) -> Float[Tensor, "head memory"]:
    """The attention weights of each head of a layer for the token read last: over the source, or
    over the sequence in a model with one stack.

    Positions that the model no longer remembers have weight 0. Persistent slots are omitted,
    because they are not part of the sequence.
    """
    attention = "cross_attention" if prompt.model.config.cross else "attention"
    row = step.trace[f"decoder.{layer}.{attention}.pattern"][0, :, -1]
    if prompt.model.config.cross or prompt.window:
        return row
    weights = row[:, : row.shape[-1] - prompt.model.config.attention.slots]
    return pad(weights, (step.n_read - weights.shape[-1], 0))


def attention_maps(prompt: Prompt, steps: list[Step]) -> dict[str, Labelled]:
    """The weights of all steps, by head and averaged over heads. Positions not yet generated have
    weight 0, as under a causal mask.
    """
    attention = "cross_attention" if prompt.model.config.cross else "attention"
    tensors = {}
    for layer in range(prompt.model.config.n_decoder_layers):
        rows = [attention_row(prompt, step, layer) for step in steps]
        size = max(row.shape[-1] for row in rows)
        pattern = torch.stack([pad(row, (0, size - row.shape[-1])) for row in rows], dim=1)
        name, formula = (
            f"decoder.{layer}.{attention}.pattern",
            "softmax(q k^T / sqrt(d_head) + mask), the row of the token read last",
        )
        tensors[name] = Labelled(("head", "step", prompt.axis), pattern, formula)
        tensors[f"{name}.mean"] = Labelled(
            ("step", prompt.axis), pattern.mean(0), "mean of the pattern over the heads"
        )
    return tensors


def plain_tree(tokenizer: TextTokenizer, tree: Tree) -> dict:
    """The search tree as JSON values: `kept` lists the hypotheses kept after each step,
    `hypotheses` the final ones, best first.
    """
    survived = {number for beam in tree.beams for number in beam}

    def plain_node(node: Node) -> dict:
        return {
            "number": node.number,
            "parent": node.parent,
            "step": node.step,
            "token": {"text": tokenizer.label(node.token), "id": node.token},
            "log_probability": node.log_probability,
            "score": node.score,
            "kept": node.number in survived,
            "finished": node.finished,
        }

    def hypothesis(node: Node) -> dict:
        ids = tree.text(node)
        return {
            "number": node.number,
            "text": tokenizer.decode(ids),
            "tokens": len(ids),
            "score": node.score,
            "finished": node.finished,
        }

    return {
        "nodes": [plain_node(node) for node in tree.nodes],
        "kept": tree.beams,
        "hypotheses": [hypothesis(tree.nodes[number]) for number in tree.beams[-1]],
    }
