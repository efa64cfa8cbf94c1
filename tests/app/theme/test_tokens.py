import pytest

from app.theme.tokens import DARK, LIGHT, TEXT_ON_GROUND, contrast

PAIRS = [(text, ground) for text, grounds in TEXT_ON_GROUND.items() for ground in grounds]


def test_contrast_runs_from_one_to_twenty_one():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#777777") == pytest.approx(1.0)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_can_be_read_on_every_ground_it_may_stand_on(tokens, text, ground):
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["ground", "sidebar"])
def test_borders_that_carry_meaning_are_seen(tokens, ground):
    assert contrast(tokens.control_border, getattr(tokens, ground)) >= 3.0
