"""What the server says of itself: its log, its counters, and how long an answer took."""

import re
from pathlib import Path

import httpx2
import pytest

from app.settings import Settings
from tests.app.serving import Running, running

LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) +vitrine\S*: ")


def get_answer(client: httpx2.Client, source: str, word: str = "attention") -> httpx2.Response:
    return client.get(f"/api/v1/{word}", params={"model": "m", "source": source})


def counted(client: httpx2.Client, name: str) -> float:
    """The number that /metrics gives under this name and labels."""
    lines = client.get("/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} "))


def test_the_log_has_a_line_with_time_and_level_for_each_computed_question(
    fakes: Running, fake: httpx2.Client
):
    log = fakes.calls.parent / "log"
    before = len(log.read_text().splitlines())
    size = len(get_answer(fake, "plain", "residual").content)
    get_answer(fake, "plain", "residual")
    get_answer(fake, "refuse", "residual")
    lines = log.read_text().splitlines()[before:]
    assert [line for line in lines if not LINE.match(line)] == []
    computed = [line for line in lines if "computed word=residual" in line]
    assert len(computed) == 2, "the second of three was kept"
    assert re.search(rf"outcome=answered seconds=\d+\.\d+ bytes={size} waiting=0", computed[0])
    assert "outcome=invalid" in computed[1]


def test_a_log_of_warnings_says_nothing_of_what_goes_well(tmp_path: Path):
    with running(tmp_path, log_level="warning") as server, server.client() as client:
        server.until_ready()
        get_answer(client, "plain")
        assert (tmp_path / "log").read_text() == ""


@pytest.mark.parametrize("level", ["loud", "trace"])
def test_a_level_of_the_log_that_there_is_not_is_refused(level: str):
    with pytest.raises(ValueError, match="log_level"):
        Settings.model_validate({"log_level": level})


def test_answers_are_counted_by_word_and_outcome_and_timed(fake: httpx2.Client):
    names = {
        'vitrine_answers_total{outcome="200",word="attention"}': 2,
        'vitrine_answers_total{outcome="422",word="attention"}': 1,
        'vitrine_answers_total{outcome="404",word="unknown"}': 1,
        'vitrine_computations_total{outcome="answered",word="attention"}': 1,
        'vitrine_cache_total{hit="yes"}': 1,
        'vitrine_answer_seconds_count{word="attention"}': 3,
        'vitrine_compute_seconds_count{word="attention"}': 2,
    }
    before = {name: counted(fake, name) for name in names}
    get_answer(fake, "counted")
    get_answer(fake, "counted")
    get_answer(fake, "refuse")
    fake.get("/api/v1/no-such-word")
    assert {name: counted(fake, name) - before[name] for name in names} == names
    assert counted(fake, "vitrine_worker_ready") == 1


def test_every_answer_says_how_long_it_took_and_has_the_same_bytes_again(fake: httpx2.Client):
    first, second = get_answer(fake, "sleep 1 timed"), get_answer(fake, "sleep 1 timed")
    assert first.content == second.content
    assert first.headers["etag"] == second.headers["etag"]
    for response, is_cached in ((first, False), (second, True)):
        timing = response.headers["server-timing"]
        compute, total = (
            float(re.search(rf"{name};dur=([\d.]+)", timing)[1]) for name in ("compute", "total")
        )
        assert compute >= 1000
        assert (total < compute) is is_cached
        assert ('cache;desc="kept"' in timing) is is_cached


def test_a_question_about_time_is_answered_anew_each_time(fakes: Running, fake: httpx2.Client):
    before = len(fakes.begun("complexity"))
    for _ in range(2):
        response = fake.get("/api/v1/complexity", params={"measure": "true"})
        assert response.status_code == 200
        assert response.headers["cache-control"] == "no-store"
    assert len(fakes.begun("complexity")) == before + 2
