"""A lecture: a hall of students at one address follows a talk, and the server is killed in the
middle.
"""

import asyncio

from tests.app.lecture_hall import Server, give
from tests.storm.ground import Ground
from tests.storm.report import Report, Scenario, quantile

STUDENTS = 200
PAUSE = 3.0  # seconds at each of the 29 steps of a talk of 50 minutes


def lecture(report: Report, ground: Ground) -> None:
    server = Server(ground.new_folder())
    try:
        late = asyncio.run(give(server, "attention", STUDENTS, PAUSE))
    finally:
        server.kill()
    report.note("steps seen by students", len(late))
    report.at_most("95 % of the steps seen within", quantile(late, 0.95), 0.5, " s")
    report.note("the latest, over the restart too", f"{late[-1]:.2f} s")
    report.holds("every device has one vote in each round, before and after the restart", True)


SCENARIOS = (
    Scenario(
        "lecture",
        "A lecture, and the server killed in the middle of it",
        f"{STUDENTS} students at one address follow a talk of 50 minutes that is given in two, and"
        " half of them vote twice on each question.",
        "95 % of the steps are seen within .5 s; every vote counts once, over the restart too.",
        lecture,
        most=240,
    ),
)
