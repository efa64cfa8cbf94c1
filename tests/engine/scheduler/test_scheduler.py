"""Who is served when: integers only, no model."""

import itertools

from engine.base.types import Request, Segment
from engine.kernels.grouping import Grouping
from engine.memory.feed import Feed
from engine.scheduler.reply import Reply
from engine.scheduler.request import Job
from engine.scheduler.scheduler import Scheduler

GROUP = 4
GROUPING = Grouping(GROUP, least_cost=4)


def job(*tokens: int) -> Job:
    request = Request((Segment(tokens),))
    reply = Reply(request, None, itertools.count().__next__)
    return Job(request, Feed(request.prompt, GROUPING), reply, lambda _: None)


def test_jobs_beyond_the_slots_wait_their_turn() -> None:
    scheduler = Scheduler(2, GROUP, stops_at_marks=False)
    jobs = [job(index) for index in range(3)]
    for each in jobs:
        scheduler.submit(each)
    assert [scheduler.admit() for _ in range(3)] == [jobs[0], jobs[1], None]
    scheduler.release(jobs[0])
    assert scheduler.admit() is jobs[2]
    assert jobs[2].slot == jobs[0].slot


def test_running_replies_go_on_while_a_prompt_is_read() -> None:
    scheduler = Scheduler(2, GROUP, stops_at_marks=False)
    running, reading = job(1), job(*range(20))
    for each in (running, reading):
        scheduler.submit(each)
        scheduler.admit()
    plan = scheduler.plan()
    assert [(rows.job, rows.num_committed) for rows in plan] == [(running, 1), (reading, 4)]
    assert [rows.reaches_end for rows in plan] == [True, False]


def test_two_prompts_share_a_pass_in_turn() -> None:
    scheduler = Scheduler(2, GROUP, stops_at_marks=False)
    first, second = job(*range(8)), job(*range(8))
    for each in (first, second):
        scheduler.submit(each)
        scheduler.admit()
    turns = []
    for _ in range(4):
        (rows,) = scheduler.plan()
        rows.job.computed += rows.num_committed
        turns.append(rows.job)
    assert turns.count(first) == turns.count(second) == 2
    assert turns[0] is not turns[1]


def test_a_pass_ends_where_the_state_is_worth_keeping() -> None:
    scheduler = Scheduler(1, 100, stops_at_marks=True)
    request = Request((Segment((1, 2)), Segment((3,), generated=True), Segment((4, 5))))
    reply = Reply(request, None, itertools.count().__next__)
    reading = Job(request, Feed(request.prompt, GROUPING), reply, lambda _: None)
    scheduler.submit(reading)
    scheduler.admit()
    (rows,) = scheduler.plan()
    assert rows.groups == [[1, 2], [3]]


def test_a_waiting_job_can_be_released() -> None:
    scheduler = Scheduler(1, GROUP, stops_at_marks=False)
    first, second = job(1), job(2)
    scheduler.submit(first)
    scheduler.submit(second)
    scheduler.admit()
    scheduler.release(second)
    assert scheduler.jobs == [first]


def test_the_reply_in_view_gets_the_next_free_slot() -> None:
    scheduler = Scheduler(1, GROUP, stops_at_marks=False)
    served, early, seen = job(1), job(2), job(3)
    for each in (served, early, seen):
        scheduler.submit(each)
    assert scheduler.admit() is served
    seen.in_view.set()
    assert scheduler.waiting == [seen, early]
    scheduler.release(served)
    assert scheduler.admit() is seen


def test_a_prompt_in_view_is_read_first_and_another_still_comes_forward() -> None:
    scheduler = Scheduler(2, GROUP, stops_at_marks=False)
    hidden, seen = job(*range(40)), job(*range(40))
    seen.in_view.set()
    for each in (hidden, seen):
        scheduler.submit(each)
        scheduler.admit()
    turns = []
    for _ in range(9):
        (rows,) = scheduler.plan()
        rows.job.computed += rows.num_committed
        turns.append(rows.job)
    assert turns[0] is seen
    assert 1 <= turns.count(hidden) < turns.count(seen)


def test_each_suspect_of_a_failed_pass_runs_once_alone() -> None:
    scheduler = Scheduler(3, GROUP, stops_at_marks=False)
    jobs = [job(1), job(2), job(*range(9))]
    for each in jobs:
        scheduler.submit(each)
        scheduler.admit()
    assert len(scheduler.plan()) == 3
    scheduler.isolate(jobs)
    scheduler.release(jobs[1])  # ended meanwhile
    assert [[rows.job for rows in scheduler.plan()] for _ in range(3)] == [
        [jobs[0]],
        [jobs[2]],
        [jobs[0], jobs[2]],
    ]
