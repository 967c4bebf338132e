"""Turns go round by address, and by client within each."""

from types import SimpleNamespace

from app.compute.queueing import Lines


def job(client: str, number: int = 0) -> SimpleNamespace:
    return SimpleNamespace(client=client, number=number)


def lines(*clients: str) -> tuple[Lines, list[SimpleNamespace]]:
    jobs = [job(client, number) for number, client in enumerate(clients)]
    waiting = Lines()
    for each in jobs:
        waiting.append(each)
    return waiting, jobs


def taken(waiting: Lines) -> list[int]:
    return [waiting.popleft().number for _ in range(len(waiting))]


def test_clients_are_taken_in_a_circle_and_each_in_its_own_order():
    waiting, _ = lines(*"aaaabbc")
    numbers = [job.number for job in waiting]
    assert taken(waiting) == numbers == [0, 4, 6, 1, 5, 2, 3]
    assert len(waiting) == 0
    assert waiting.next() is None


def test_addresses_have_turns_first_so_that_no_number_of_cookies_is_more_than_one():
    clients = [*(f"hog {cookie}" for cookie in range(4)), "hall a", "hall b", "hall b", "far"]
    waiting, _ = lines(*clients)
    ahead = {who: len(waiting.ahead(who)) for who in ("new", "hall c", "hall b", "hog 9")}
    assert ahead == {"new": 3, "hall c": 2 + 3 + 1, "hall b": 3 + 4 + 1, "hog 9": 4 + 3 + 1}
    assert waiting.next() is waiting.popleft()
    waiting.append(job("hog 0", 8))
    numbers = [job.number for job in waiting]
    assert taken(waiting) == numbers == [4, 7, 1, 5, 2, 6, 3, 8]


def test_whoever_was_taken_is_behind_those_who_were_not():
    waiting, _ = lines(*"ab")
    assert waiting.popleft().number == 0
    waiting.append(job("a", 2))
    assert waiting.next().number == 1
    assert taken(waiting) == [1, 2]


def test_what_is_appendleft_is_the_next():
    waiting, _ = lines(*"aab")
    first = waiting.popleft()
    waiting.appendleft(first)
    assert waiting.next() is first
    assert taken(waiting) == [0, 2, 1]


def test_what_is_taken_out_is_gone_and_an_empty_line_with_it():
    waiting, jobs = lines(*"aba")
    waiting.remove(jobs[1])
    assert jobs[1] not in waiting
    assert jobs[2] in waiting
    assert waiting.waiting("b") == 0
    assert taken(waiting) == [0, 2]


def test_ahead_of_a_client_are_its_own_and_one_more_of_every_other():
    waiting, _ = lines(*"aaaaabbbc")
    numbers = {who: [job.number for job in waiting.ahead(who)] for who in "abcd"}
    assert numbers["d"] == [0, 5, 8]
    assert sorted(numbers["c"]) == [0, 1, 5, 6, 8]
    assert sorted(numbers["b"]) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert sorted(numbers["a"]) == list(range(9))
