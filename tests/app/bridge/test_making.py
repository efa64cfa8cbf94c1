"""What a reply was made with is kept whole: a field added on one side is not forgotten."""

import json
from dataclasses import fields

from app.bridge.making import options_for, sampling_of, timings_of
from app.bridge.types import SamplingParams
from app.bridge.types import Timings as EngineTimings
from app.domain.generation import Sampling, Timings
from app.storage.codec import sampling_from, sampling_json, stats_from, stats_json
from app.storage.fields import fields_of
from tests.helpers.chats import SAMPLING, TIMINGS, reply


def names(kind):
    return {field.name for field in fields(kind)}


def test_chats_know_every_time_and_count_of_the_engine():
    assert names(Timings) == names(EngineTimings)


def test_chats_know_every_way_to_choose_tokens_but_the_bias():
    assert names(Sampling) == names(SamplingParams) - {"logit_bias"} | {"max_tokens"}


def test_how_tokens_are_chosen_comes_back_as_it_was_asked_for():
    assert sampling_of(options_for(SAMPLING)) == SAMPLING


def test_a_chat_without_a_seed_gets_another_one_each_time():
    seeds = {sampling_of(options_for(None)).seed for _ in range(3)}
    assert len(seeds) == 3


def test_times_are_kept_as_the_engine_gave_them():
    values = {field.name: getattr(TIMINGS, field.name) for field in fields(TIMINGS)}
    assert timings_of(EngineTimings(**values)) == TIMINGS


def test_every_field_of_the_examples_says_something():
    """A field that is added must be set there, and so pass through the store below."""
    unset = [
        field.name
        for example in (TIMINGS, SAMPLING)
        for field in fields(example)
        if getattr(example, field.name) == field.default
    ]
    assert unset == []


def test_the_store_keeps_every_field():
    stats = reply().stats
    assert stats_from(fields_of(json.dumps(stats_json(stats)))) == stats
    assert sampling_from(fields_of(json.dumps(sampling_json(SAMPLING)))) == SAMPLING
