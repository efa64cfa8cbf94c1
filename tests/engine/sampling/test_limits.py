"""Sampling parameters are refused where a request enters, with the range that is allowed."""

from math import inf, nan

import pytest

from engine.base.errors import RequestError
from engine.base.types import ChatOptions, SamplingParams
from engine.sampling.limits import check_params


@pytest.mark.parametrize(
    "params",
    [
        SamplingParams(),
        ChatOptions().sampling,
        SamplingParams(temperature=5, top_k=1, top_p=1e-9, min_p=1, repeat_penalty=0.5),
        SamplingParams(frequency_penalty=-2, presence_penalty=-2, penalty_window=0, seed=-1),
        SamplingParams(logit_bias={0: -100, 99: 100}),
    ],
)
def test_parameters_within_their_ranges_pass(params):
    check_params(params, 100)


@pytest.mark.parametrize(
    ("params", "name"),
    [
        (SamplingParams(temperature=-0.1), "temperature"),
        (SamplingParams(temperature=nan), "temperature"),
        (SamplingParams(temperature=inf), "temperature"),
        (SamplingParams(top_k=-1), "top-k"),
        (SamplingParams(top_p=0), "top-p"),
        (SamplingParams(top_p=1.01), "top-p"),
        (SamplingParams(min_p=-0.1), "min-p"),
        (SamplingParams(min_p=1.1), "min-p"),
        (SamplingParams(repeat_penalty=0), "repeat penalty"),
        (SamplingParams(frequency_penalty=inf), "frequency penalty"),
        (SamplingParams(presence_penalty=nan), "presence penalty"),
        (SamplingParams(penalty_window=-1), "penalty window"),
        (SamplingParams(logit_bias={100: 1.0}), "token 100.* 0 to 99"),
        (SamplingParams(logit_bias={-1: 1.0}), "token -1"),
        (SamplingParams(logit_bias={5: nan}), "token 5"),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_name(params, name):
    with pytest.raises(RequestError, match=name):
        check_params(params, 100)
