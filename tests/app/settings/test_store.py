import json

import pytest

from app.domain.draft import DraftSettings
from app.domain.preset import CREATIVE, GREEDY, Preset
from app.settings.presets import dump_presets
from app.settings.schema import (
    CHATS_AT_ONCE,
    DRAFT_SETTINGS,
    LAST_MODEL,
    OWN_PRESETS,
    SETTINGS,
    THEME,
    WINDOW_GEOMETRY,
    Geometry,
    ThemeChoice,
)
from app.settings.store import Settings


@pytest.fixture
def file(tmp_path):
    return tmp_path / "data" / "settings.json"


def test_without_a_file_everything_is_at_its_default(file):
    settings = Settings(file)
    assert settings.get(THEME) is ThemeChoice.SYSTEM
    assert settings.get(WINDOW_GEOMETRY) is None
    assert not file.exists()


def test_what_is_set_is_there_the_next_time(file):
    settings = Settings(file)
    settings.set(LAST_MODEL, "/models/ä.gguf")
    settings.set(CHATS_AT_ONCE, 8)
    settings.set(THEME, ThemeChoice.DARK)
    settings.set(WINDOW_GEOMETRY, Geometry(1, -2, 800, 600))
    settings.set(OWN_PRESETS, (Preset("Mine", CREATIVE.sampling),))
    settings.set(DRAFT_SETTINGS, {"/a.gguf": DraftSettings(8, 0.5, context=2048)})
    again = Settings(file)
    assert again.get(LAST_MODEL) == "/models/ä.gguf"
    assert again.get(CHATS_AT_ONCE) == 8
    assert again.get(THEME) is ThemeChoice.DARK
    assert again.get(WINDOW_GEOMETRY) == Geometry(1, -2, 800, 600)
    assert again.get(OWN_PRESETS) == (Preset("Mine", CREATIVE.sampling),)
    assert again.get(DRAFT_SETTINGS) == {"/a.gguf": DraftSettings(8, 0.5, context=2048)}


@pytest.mark.logs_warnings
@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "\x00", "[" * 200_000])
def test_a_damaged_file_gives_defaults_and_can_be_replaced(file, text):
    file.parent.mkdir()
    file.write_text(text)
    settings = Settings(file)
    assert settings.get(THEME) is ThemeChoice.SYSTEM
    settings.set(THEME, ThemeChoice.LIGHT)
    assert Settings(file).get(THEME) is ThemeChoice.LIGHT


@pytest.mark.logs_warnings
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("theme", "sepia"),
        ("theme", 3),
        ("chats_at_once", 0),
        ("chats_at_once", 9),
        ("chats_at_once", True),
        ("chats_at_once", "2"),
        ("last_model", ["a"]),
        ("last_model", "/half/a/pair/\ud800.gguf"),
        ("window_geometry", [1, 2, 3]),
        ("window_geometry", [1, 2, True, 4]),
        ("window_geometry", [1, 2, 3, 1e300]),
        ("window_geometry", "800x600"),
        ("draft_settings", {"/a.gguf": {"longest": 65}}),
        ("draft_settings", {"/a.gguf": {"least_chance": 1.5}}),
        ("draft_settings", {"/a.gguf": {"device": "tpu"}}),
        ("draft_settings", {"/a.gguf": {"colour": "red"}}),
        ("panel_open", "yes"),
        ("default_preset", 3),
        ("own_presets", {}),
        ("own_presets", [{"name": "half"}]),
        ("own_presets", dump_presets((Preset("", GREEDY.sampling),))),
    ],
)
def test_a_bad_value_costs_that_value_alone(file, key, value):
    file.parent.mkdir()
    good = {
        "theme": "dark",
        "last_model": "/a.gguf",
        "last_chat": "0c",
        "chats_at_once": 3,
        "window_geometry": [1, 2, 3, 4],
        "drafts": {"/a.gguf": "text"},
        "draft_settings": {"/a.gguf": {"longest": 4, "device": "cpu"}},
        "panel_open": True,
        "default_preset": "Mine",
        "own_presets": dump_presets((Preset("Mine", GREEDY.sampling),)),
    }
    file.write_text(json.dumps(good | {key: value}))
    settings = Settings(file)
    for setting in (each for each in SETTINGS if each.key in good):
        is_default = settings.get(setting) == setting.default
        assert is_default == (setting.key == key)


def test_unknown_keys_are_left_out(file):
    file.parent.mkdir()
    file.write_text('{"theme": "dark", "colour": "red"}')
    Settings(file).set(LAST_MODEL, "/a.gguf")
    assert set(json.loads(file.read_text())) == {"theme", "last_model"}


def test_a_change_is_told_once(file, qtbot):
    settings = Settings(file)
    keys = []
    settings.changed.connect(keys.append)
    settings.set(THEME, ThemeChoice.DARK)
    settings.set(THEME, ThemeChoice.DARK)
    assert keys == ["theme"]


def test_every_setting_has_its_own_key_and_a_help_text():
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)
    assert all(setting.help.endswith(".") for setting in SETTINGS)


@pytest.mark.logs_warnings
def test_where_nothing_can_be_written_the_value_still_holds(tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    settings = Settings(tmp_path / "data" / "settings.json")
    settings.set(LAST_MODEL, "/a.gguf")
    assert settings.get(LAST_MODEL) == "/a.gguf"


@pytest.mark.logs_warnings
def test_a_path_that_cannot_be_stored_leaves_the_one_before(file):
    settings = Settings(file)
    settings.set(LAST_MODEL, "/a.gguf")
    settings.set(LAST_MODEL, "/bad\udcff.gguf")
    settings.set(THEME, ThemeChoice.DARK)
    assert Settings(file).get(LAST_MODEL) == settings.get(LAST_MODEL) == "/a.gguf"
