"""/heads: the role of every head over held-out inputs, and what it costs to turn the head off."""

import re
from collections.abc import Callable
from statistics import mean
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from app.captions import Question, fields
from app.captions.fields import Condition, answered, stated, whether
from app.captions.page import choices, link
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import heads
from app.figures.heads import Head, chosen_head, id_of, names_of_roles, short_name, whole_name
from app.schema import answers
from app.schema.answers import PageWords, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Name, Role, Seed
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer


class Heads(AboutModel):
    read_from: ClassVar = ()

    model: Name = "induction-2"
    role: Role | None = None
    examples: Annotated[int, Field(ge=1), up_to("head_examples")] | None = None
    seed: Seed = 0

    def sizes(self) -> dict[str, float]:
        """Without examples a record is read, where there is one. A run without a head begins in its
        layer, half way through the layers on average.
        """
        model = sizes_of(self.model)
        count = self.examples or model.surveyed
        first = [model.tokens(text) for text in model.texts[:count] if model.surveyed]
        read = mean(first) if first else model.example_tokens
        runs = count * model.heads
        return {
            "answer": 1,
            "surveyed": model.token_cost * (model.surveyed > 0),
            "runs": runs,
            "channels": runs * read * (model.layers_cost / 2 + model.vocabulary_cost),
            "rows": runs * model.between_rows,
            "written": count * read * model.writing_cost,
        }


class HeadsFigures(Heads):
    display_fields: ClassVar = ("place",)

    place: Name | None = None


class HeadRole(StrictModel):
    """A role that heads of the model may have."""

    role: str
    name: str
    looks_at: str


class HeadName(StrictModel):
    """A head of a model."""

    layer: str
    head: int


class ToldHead(HeadName):
    """A head with its role and its cost; a number is null where too few inputs define it."""

    role: str | None
    closest: str
    roles: list[str]
    score: float | None
    low: float | None
    high: float | None
    chance: float
    lift: float
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    needed: bool
    shown: dict[str, str]


class HeadGroup(StrictModel):
    """All heads of one role."""

    role: str
    heads: list[HeadName]
    cost: float
    cost_low: float | None
    cost_high: float | None
    alone: float


class HeadsAnswer(answers.Answer):
    model: str
    input: dict[str, str] = optional()
    role: str | None
    roles: list[HeadRole]
    margin: float
    inputs: int
    of: str
    right: str
    measured_now: bool
    most_examples: int | None
    heads: list[ToldHead]
    groups: list[HeadGroup]
    agreement: float | None


FEW = 30  # inputs
OFFERED = (16, 64)
"""How many inputs the page offers to draw."""
ATTENTIONS = {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}
"""What /attention calls the attention of a layer, by its name in the activations."""


def largest(number: str) -> Callable[["Answer", Question], Head]:
    """The head with the largest of a number."""
    return lambda answer, _: max(answer.fields["heads"], key=lambda head: head[number])


dearest, clearest = largest("cost"), largest("lift")


def of_head(
    kind: str, name: str, pick: Callable[["Answer", Question], Head], *numbers: str
) -> dict[str, fields.Field]:
    """Numbers of a head; the `cost` of the clearest is named `clearest_cost`."""
    return {
        f"{name}_{number}": fields.Field(
            lambda answer, question, number=number: pick(answer, question)[number],
            kind,
            measured=False,
        )
        for number in numbers
    }


def text(of: Callable[["Answer", Question], Any], kind: str = "name") -> fields.Field:
    return fields.Field(of, kind, measured=False)


def role_called(answer: "Answer", part: str, role: str | None) -> str:
    """The `name` of a role, or the keys that it `looks_at`; nothing of no role."""
    return label(
        next((entry[part] for entry in answer.fields["roles"] if entry["role"] == role), "")
    )


def having(answer: "Answer") -> list[Head]:
    """The heads that have the role that is asked for, or any."""
    return [head for head in answer.fields["heads"] if heads.has_role(answer, head)]


def counted_roles(answer: "Answer", _: Question) -> list[str]:
    """Each role that heads have as their own, with their number."""
    roles = [head["role"] for head in answer.fields["heads"]]
    return [
        f"{roles.count(role)} {fields.quoted(label(name))}"
        for role, name in names_of_roles(answer).items()
        if role in roles
    ]


def inputs_of(answer: "Answer", _: Question) -> str:
    """What the inputs are, or the one of them is."""
    content = answer.fields
    return label(
        content["of"] if content["inputs"] != 1 else re.sub(r"s\b", "", content["of"], count=1)
    )


def needed(answer: "Answer") -> list[Head]:
    return [head for head in answer.fields["heads"] if head["needed"]]


def cost(answer: "Answer", question: Question) -> str:
    """What turning the chosen head off does to the loss."""
    head = chosen_head(answer, question)
    if head["cost_low"] is None:
        return "single"
    return "raises" if head["needed"] else "lowers" if head["cost_high"] < 0 else "unclear"


def apart(answer: "Answer") -> dict[str, Any]:
    """The group of several heads that costs most beside what each of them costs alone."""
    several = [group for group in answer.fields["groups"] if len(group["heads"]) > 1]
    return max(several, key=lambda group: group["cost"] - group["alone"], default={})


def together(answer: "Answer", _: Question) -> str:
    """Whether heads of one role cost more together than one by one."""
    if not (group := apart(answer)):
        return "alone" if answer.fields["groups"] else "none"
    low = group["cost_low"]
    return "more" if low is not None and low > group["alone"] else "no_more"


WORDS = Words(
    "heads",
    fields={
        **stated("count", "inputs"),
        **stated("fraction", "margin"),
        **stated("number", "agreement"),
        **stated("name", "right"),
        "offered": text(lambda answer, _: answer.fields["most_examples"] or OFFERED[0], "count"),
        "chosen_head": text(lambda *both: whole_name(chosen_head(*both))),
        "dearest_head": text(lambda *both: whole_name(dearest(*both))),
        "clearest_head": text(lambda *both: whole_name(clearest(*both))),
        "chosen_role": text(
            lambda *both: role_called(both[0], "name", chosen_head(*both)["closest"])
        ),
        "chosen_keys": text(
            lambda *both: role_called(both[0], "looks_at", chosen_head(*both)["closest"])
        ),
        "clearest_role": text(
            lambda *both: role_called(both[0], "name", clearest(*both)["closest"])
        ),
        **of_head("number", "chosen", chosen_head, "score", "low", "high", "chance", "cost"),
        **of_head("number", "chosen", chosen_head, "cost_low", "cost_high"),
        **of_head("number", "dearest", dearest, "cost"),
        **of_head("number", "clearest", clearest, "cost"),
        "chosen_gain": text(lambda *both: -chosen_head(*both)["cost"], "number"),
        "role_name": text(lambda answer, _: role_called(answer, "name", answer.fields["role"])),
        "role_keys": text(lambda answer, _: role_called(answer, "looks_at", answer.fields["role"])),
        "inputs_of": text(inputs_of),
        "heads": text(lambda answer, _: len(answer.fields["heads"]), "whole"),
        "having": text(lambda answer, _: len(having(answer)), "count"),
        "having_heads": text(
            lambda answer, _: [whole_name(head) for head in having(answer)], "listed"
        ),
        "counted_roles": text(counted_roles, "listed"),
        "needed": text(lambda answer, _: len(needed(answer)), "whole"),
        "needed_alone": text(
            lambda answer, _: sum(head["role"] is None for head in needed(answer)), "count"
        ),
        "group_heads": text(lambda answer, _: len(apart(answer)["heads"]), "whole"),
        "group_role": text(lambda answer, _: role_called(answer, "name", apart(answer)["role"])),
        "group_cost": text(lambda answer, _: apart(answer)["cost"], "number"),
        "group_alone": text(lambda answer, _: apart(answer)["alone"], "number"),
    },
    conditions={
        **answered("measured_now"),
        **whether("few", lambda answer, _: answer.fields["inputs"] < FEW),
        **whether("of_role", lambda answer, _: answer.fields["role"] is not None),
        **whether("some_have", lambda answer, _: bool(having(answer))),
        **whether("has_role", lambda *both: chosen_head(*both)["role"] is not None),
        **whether("interval", lambda *both: chosen_head(*both)["low"] is not None),
        **whether("here", lambda answer, _: "here" in answer.tensors),
        **whether("ranked", lambda answer, _: answer.fields["agreement"] is not None),
        **whether("is_dearest", lambda *both: chosen_head(*both) is dearest(*both)),
        "cost": Condition(cost, ("raises", "lowers", "unclear", "single")),
        "together": Condition(together, ("none", "alone", "more", "no_more")),
    },
)


def defined(answer: "Answer") -> list[tuple[str, str]]:
    """The roles that some query of these inputs has keys for, with their names."""
    every = zip(names_of_roles(answer).items(), answer.tensors["chances"].data, strict=True)
    return [(role, label(name)) for (role, name), chances in every if chances.isfinite().any()]


def measured_on(answer: "Answer") -> list[dict[str, str]]:
    """What the heads may be measured on. Of one's own model nothing was measured before: its
    examples are read now.
    """
    most = answer.fields["most_examples"]
    if most is None:
        offers = [(n, WORDS("drawn", values={"offered": n})) for n in OFFERED]
    else:
        offers = [(most, WORDS("read", values={"offered": most}))]
    n_inputs = answer.fields["inputs"] if answer.kind == "yours" else None
    usual = WORDS("read", values={"offered": n_inputs}) if n_inputs else WORDS("usual.examples")
    return choices(usual, offers)


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the controls offer, and where the page leads on: to the chosen head on the input where
    its role shows best.
    """
    chosen = chosen_head(answer, question)
    stack, layer, kind = chosen["layer"].split(".")
    attention = {
        "model": answer.model,
        **chosen["shown"],
        "kind": ATTENTIONS[kind],
        "stack": stack,
        "layer": layer,
        "head": chosen["head"],
    }
    links = [link("/attention", attention, WORDS("links.attention", answer, question))]
    if str(answer.model).startswith("induction"):
        links.append(link("/training", {}, WORDS("links.training")))
    places = ((id_of(head), label(short_name(head))) for head in answer.fields["heads"])
    return {
        "choices": {
            "role": choices(WORDS("usual.role"), defined(answer)),
            "place": choices(WORDS("usual.place"), places),
            "examples": measured_on(answer),
        },
        "chosen": {
            "role": answer.fields["role"] or "",
            "examples": str(question.get("examples") or ""),
            "place": id_of(chosen) if question.get("place") == id_of(chosen) else "",
        },
        "links": links,
    }


EXPERIMENT = Experiment(
    question=Heads,
    answer=HeadsAnswer,
    figure_query=HeadsFigures,
    example="model=induction-2",
    figures={
        "roles": in_words(heads.ROLES),
        "scores": in_words(heads.SCORES, tensor="score"),
        "costs": in_words(heads.COSTS, tensor="cost"),
        "both": in_words(heads.BOTH, tensor="cost"),
        "groups": in_words(heads.GROUPS, tensor="cost"),
    },
    words=WORDS,
    captions=captions,
    captions_type=PageWords,
)
