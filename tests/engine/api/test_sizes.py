"""Usual sizes of models are judged by the memory plan, like files."""

import asyncio

from engine.api import Engine, Fit, SizeFit
from engine.api.sizes import size_fits
from engine.kernels.backend_memory import CPU_NATIVE
from engine.memory.fit import Room


def fits_in(gigabytes: float) -> dict[tuple[int, str], SizeFit]:
    found = size_fits(CPU_NATIVE.started(), Room(round(gigabytes * 1e9)))
    return {(round(one.parameters / 1e9), one.quantisation): one for one in found}


def test_what_fits_follows_from_the_room_that_there_is() -> None:
    small, large = fits_in(8), fits_in(64)
    assert small[4, "Q4_K_M"].fit is Fit.FITS
    assert small[15, "Q4_K_M"].fit is Fit.TOO_LARGE
    assert large[15, "Q8_0"].fit is Fit.FITS
    assert large[71, "Q8_0"].fit is Fit.TOO_LARGE


def test_a_size_needs_more_than_its_file_and_more_bits_need_more() -> None:
    for (size, quantisation), one in fits_in(32).items():
        assert one.file_bytes < one.needed_bytes < one.file_bytes * 1.25 + 4e9
        if quantisation == "Q8_0":
            assert one.needed_bytes > fits_in(32)[size, "Q4_K_M"].needed_bytes


def test_the_engine_judges_them_without_a_model() -> None:
    async def main() -> tuple[SizeFit, ...]:
        engine = Engine()
        found = await engine.size_fits()
        await engine.close()
        return found

    found = asyncio.run(main())
    assert [one.parameters for one in found] == sorted(one.parameters for one in found)
    assert all(one.free_bytes > 0 for one in found)
