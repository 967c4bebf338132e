"""A computation says how far it is, and ends where whoever started it says so."""

import pytest

from model import progress
from model.analyses import answer
from tests.model.clinics.every_clinic import OF_SEEDS, SEEDS, SMALL, ask, reported_answer
from tests.thorough import mostly

TIMED = ("complexity", "performer")
BOARD = {"board": True, "length": 16, "d_model": 8}
RECORDED = ("fine_tuning", "learned_positions")
"""They read results that are kept, which takes no time."""
COMPUTATIONS = {
    **{
        clinic: lambda clinic=clinic: ask(
            clinic, **({"seeds": SEEDS} if clinic in OF_SEEDS else {})
        )
        for clinic in SMALL
        if clinic not in RECORDED
    },
    **{
        f"{clinic}, timed": lambda clinic=clinic: ask(clinic, measure=True, seeds=SEEDS)
        for clinic in TIMED
    },
    "memory of the decoder": lambda: ask("memory", stack="decoder", seeds=1),
    "board of positions": lambda: answer("positions", BOARD),
}
ENDED = ("complexity, timed", "memory", "norms", "probes", "warmup", "board of positions")
"""Of loops over seeds, of a corpus, of a training, of a clock and of what is no clinic."""


class Cancelled(BaseException):
    """What a hook raises to end a computation."""


def reports_of(compute) -> list[tuple[int, int]]:
    reports = []
    with progress.reporting(lambda done, of: reports.append((done, of))):
        compute()
    return reports


@pytest.mark.parametrize(
    "name",
    # the memory of the encoder takes the same way
    mostly(COMPUTATIONS, *(name for name in COMPUTATIONS if name != "memory of the decoder")),
)
def test_what_is_done_grows_from_nothing_to_all(name):
    reports = reported_answer(name).reports if name in SMALL else reports_of(COMPUTATIONS[name])
    done = [done for done, _ in reports]
    assert {of for _, of in reports} == {progress.OF}
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, progress.OF)
    assert len(set(done)) > 3


@pytest.mark.parametrize("name", mostly(COMPUTATIONS, *ENDED))
def test_what_the_hook_raises_ends_the_computation_at_once(name):
    reports = []

    def cancel_a_quarter_through(done: int, of: int) -> None:
        reports.append(done)
        if done >= of / 4:
            raise Cancelled

    with pytest.raises(Cancelled), progress.reporting(cancel_a_quarter_through):
        COMPUTATIONS[name]()
    assert [done for done in reports if done >= progress.OF / 4] == [reports[-1]]


def test_nothing_is_told_where_nobody_asked():
    reports = []
    with progress.reporting(lambda done, of: reports.append(done)):
        pass
    assert list(progress.trials(3)) == [0, 1, 2]
    progress.checkpoint()
    assert reports == []


def test_each_seed_is_an_equal_part():
    assert reports_of(lambda: list(progress.trials(4))) == [
        (0, 1000),
        (250, 1000),
        (500, 1000),
        (750, 1000),
        (1000, 1000),
    ]


def test_steps_within_a_step_share_it_and_costs_say_how():
    def compute() -> None:
        with progress.part(0, 0.5):
            for _ in progress.trials(2):
                list(progress.steps("ab", costs=[1, 4]))
        progress.checkpoint()
        list(progress.trials(1, 0.5, 1))

    done = [done for done, _ in reports_of(compute)]
    assert done == [0, 0, 50, 250, 250, 250, 300, 500, 500, 500, 500, 1000]


def test_a_loop_left_early_leaves_the_part_it_was_in():
    def compute() -> None:
        for _ in progress.trials(2):
            for _ in progress.steps("abcde"):
                break

    assert [done for done, _ in reports_of(compute)] == [0, 0, 500, 500, 1000]


def test_a_cancelled_computation_leaves_nothing_behind():
    def cancel(done: int, of: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled), progress.reporting(cancel):
        list(progress.trials(4))
    assert reports_of(lambda: list(progress.trials(1))) == [(0, 1000), (1000, 1000)]
