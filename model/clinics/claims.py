"""Claims from the notes that are wrong, ambiguous, or disputed, each with a correction and measured
numbers that support it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from model import progress
from model.answers.answer import Answer
from model.answers.measurements import Finding
from model.measure import claims_about_attention as attention
from model.measure import claims_about_stacks as stacks
from model.measure.initialised_stacks import INIT
from model.notes import rows


@dataclass(frozen=True)
class Claim:
    """One claim: `item` is its row in the notes, with the correction, and `measure` a function from
    a seed to findings.
    """

    id: str
    item: str
    measure: Callable[[int], list[Finding]]


def claims(*, seed: int = 0) -> Answer:
    """`claims`: each with its verdict, correction, source, the page that shows it, and the findings
    measured for this answer.
    """
    noted = {row.item: row for row in rows()}
    ledger = [
        {
            "id": claim.id,
            "item": claim.item,
            "verdict": noted[claim.item].verdict,
            "notes": noted[claim.item].text,
            "instead": noted[claim.item].settled,
            "source": noted[claim.item].source,
            "page": noted[claim.item].page,
            "findings": claim.measure(seed),
        }
        for claim in progress.steps(CLAIMS)
    ]
    return Answer("random initialization", fields={"init": INIT, "claims": ledger})


CLAIMS = (
    Claim("length", "C42", stacks.length_after_norm),
    Claim("branch", "C40", stacks.branch_is_neither),
    Claim("warmup", "C39", stacks.last_gradient),
    Claim("third", "C14", attention.third_sublayer),
    Claim("order", "C76", attention.order),
    Claim("mask", "C85", attention.multiplied),
    Claim("cost", "C57", attention.heads_cost),
    Claim("token", "C68", stacks.one_token),
    Claim("hard", "C114", attention.hard_and_local),
    Claim("waves", "C112", attention.wave_order),
    Claim("squares", "C6", stacks.squared),
    Claim("product", "F7", stacks.interleaved),
    Claim("closes", "C13", stacks.closed_by_a_norm),
    Claim("stream", "C30", stacks.stream_is_a_sum),
    Claim("parallel", "C67", attention.rows_alone),
    Claim("future", "C73", attention.future_is_hidden),
    Claim("roles", "C74", attention.query_asks_for_one),
    Claim("distribution", "C75", attention.scores_are_no_distribution),
)
