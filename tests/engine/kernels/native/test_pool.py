"""The threads behind the products: they share the work, and cost nothing while there is none."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from gguf.constants import GGMLQuantizationType

from tests.helpers.blocks import random_blocks
from tests.helpers.native_products import NativeProduct

Q4_0 = GGMLQuantizationType.Q4_0


def make_product(threads):
    return NativeProduct("portable", Q4_0, (1, 500, 256), random_blocks(Q4_0, 500, 256), threads)


def test_threads_sleep_when_there_is_nothing_to_do():
    with make_product(threads=4) as product:
        product.run(np.ones((1, 256), np.float32))
        used = time.process_time()
        time.sleep(0.5)  # what is measured is what the process does meanwhile
        assert time.process_time() - used < 0.1


def test_a_sleeping_pool_wakes_for_the_next_pass():
    x = np.ones((3, 256), np.float32)
    with make_product(threads=3) as product:
        first = product.run(x)
        for _ in range(20):
            time.sleep(0.002)  # long enough to fall asleep
            assert (product.run(x) == first).all()


def test_two_engines_side_by_side_do_not_disturb_each_other():
    rows = np.random.default_rng(5).standard_normal((6, 256), np.float32)
    with make_product(threads=2) as one, make_product(threads=3) as other:
        expected = one.run(rows)
        with ThreadPoolExecutor(2) as callers:
            runs = [
                callers.submit(lambda engine: [engine.run(rows) for _ in range(200)], engine)
                for engine in (one, other)
            ]
        for run in runs:
            assert all((result == expected).all() for result in run.result())


def test_more_threads_than_tiles_are_fine():
    blocks = random_blocks(Q4_0, 5, 32)
    x = np.ones((2, 32), np.float32)
    with (
        NativeProduct("portable", Q4_0, (1, 5, 32), blocks, threads=1) as alone,
        NativeProduct("portable", Q4_0, (1, 5, 32), blocks, threads=8) as many,
    ):
        assert (alone.run(x) == many.run(x)).all()
