"""Who is served when: integers only, no model."""

import itertools

from engine.base.types import Request, Segment
from engine.scheduler.feed import Feed
from engine.scheduler.reply import Reply
from engine.scheduler.request import Job
from engine.scheduler.scheduler import Scheduler

GROUP = 4


def any_length(slot: int, length: int) -> int:
    return length


def job(*tokens: int) -> Job:
    request = Request((Segment(tokens),))
    reply = Reply(request, None, itertools.count().__next__)
    return Job(request, Feed(request.prompt, GROUP), reply, lambda _: None)


def test_jobs_beyond_the_slots_wait_their_turn() -> None:
    scheduler = Scheduler(2, GROUP, any_length)
    jobs = [job(index) for index in range(3)]
    for each in jobs:
        scheduler.submit(each)
    admitted = [scheduler.admit(), scheduler.admit(), scheduler.admit()]
    assert [entry.job if entry else None for entry in admitted] == [jobs[0], jobs[1], None]
    scheduler.release(jobs[0], keep_state=True)
    last = scheduler.admit()
    assert last is not None
    assert last.job is jobs[2]
    assert last.slot == jobs[0].slot


def test_a_conversation_returns_to_the_slot_that_holds_it() -> None:
    scheduler = Scheduler(2, GROUP, any_length)
    first, second = job(1, 2, 3, 4, 5), job(6, 7, 8, 9, 0)
    for each in (first, second):
        scheduler.submit(each)
        scheduler.admit()
        each.computed = 5
        scheduler.release(each, keep_state=True)
    again = job(6, 7, 8, 9, 0)
    scheduler.submit(again)
    admission = scheduler.admit()
    assert admission is not None
    assert (admission.slot, admission.keep) == (second.slot, 4)


def test_a_new_conversation_takes_the_slot_that_was_unused_longest() -> None:
    scheduler = Scheduler(2, GROUP, any_length)
    first, second = job(1, 1), job(2, 2)
    for each in (first, second):
        scheduler.submit(each)
        scheduler.admit()
    for each in (second, first):
        scheduler.release(each, keep_state=True)
    scheduler.submit(job(3, 3))
    admission = scheduler.admit()
    assert admission is not None
    assert admission.slot == first.slot


def test_running_replies_go_on_while_a_prompt_is_read() -> None:
    scheduler = Scheduler(2, GROUP, any_length)
    running, reading = job(1), job(*range(20))
    for each in (running, reading):
        scheduler.submit(each)
        scheduler.admit()
    plan = scheduler.plan()
    assert [(rows.job, rows.num_rows) for rows in plan] == [(running, 1), (reading, 4)]
    assert [rows.reaches_end for rows in plan] == [True, False]


def test_two_prompts_share_a_pass_in_turn() -> None:
    scheduler = Scheduler(2, GROUP, any_length)
    first, second = job(*range(8)), job(*range(8))
    for each in (first, second):
        scheduler.submit(each)
        scheduler.admit()
    turns = []
    for _ in range(4):
        (rows,) = scheduler.plan()
        rows.job.computed += rows.num_rows
        turns.append(rows.job)
    assert turns.count(first) == turns.count(second) == 2
    assert turns[0] is not turns[1]


def test_a_failed_job_leaves_nothing_to_reuse() -> None:
    scheduler = Scheduler(1, GROUP, any_length)
    failed = job(1, 2, 3, 4, 5)
    scheduler.submit(failed)
    scheduler.admit()
    failed.computed = 5
    scheduler.release(failed, keep_state=False)
    scheduler.submit(job(1, 2, 3, 4, 5))
    admission = scheduler.admit()
    assert admission is not None
    assert admission.keep == 0


def test_a_waiting_job_can_be_released() -> None:
    scheduler = Scheduler(1, GROUP, any_length)
    first, second = job(1), job(2)
    scheduler.submit(first)
    scheduler.submit(second)
    scheduler.admit()
    scheduler.release(second, keep_state=True)
    assert scheduler.jobs == [first]
