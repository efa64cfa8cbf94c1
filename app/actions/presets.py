"""How the chat in view chooses its tokens, and the presets for that, one function each."""

from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from app.actions.session import Session
from app.domain.conversation import Conversation
from app.domain.generation import Sampling
from app.domain.preset import BALANCED, BUILT_IN, Preset, preset_of
from app.domain.problem import Problem
from app.settings.schema import DEFAULT_PRESET, OWN_PRESETS


def presets(session: Session) -> tuple[Preset, ...]:
    """All presets, those that Paceline brings first."""
    return BUILT_IN + session.settings.get(OWN_PRESETS)


def is_own(preset: Preset) -> bool:
    """Whether a person made it, who may rename and delete it."""
    return preset not in BUILT_IN


def default_preset(session: Session) -> Preset:
    """The preset that new chats begin with."""
    return _named(session, session.settings.get(DEFAULT_PRESET))


def preset_in_view(session: Session) -> Preset:
    """The preset that the chat in view was set up from."""
    return _preset_of(session, session.chats.current)


def sampling_in_view(session: Session) -> Sampling:
    """How tokens are chosen in the chat in view."""
    return session.chats.current.details.sampling or preset_in_view(session).sampling


def change_sampling(session: Session, sampling: Sampling, chat_id: str = "") -> None:
    """Choose tokens otherwise in a chat, the one in view if none is named, from the next reply on.

    A number that is being written is taken in when the keyboard leaves its field; another chat
    may be in view by then.
    """
    chat = session.chats.chat(chat_id) if chat_id else session.chats.current
    _set_up(session, chat, _preset_of(session, chat), sampling)


def use_preset(session: Session, preset: Preset) -> None:
    """Choose tokens by a preset in the chat in view; its seed and length limit stay."""
    chosen = preset.applied_to(sampling_in_view(session))
    _set_up(session, session.chats.current, preset, chosen)


def settle_preset(session: Session, chat: Conversation) -> None:
    """Let a chat that begins keep the preset for new chats, whichever that is later."""
    preset = default_preset(session)
    if not chat.messages and not chat.details.preset and preset != BALANCED:
        use_preset(session, preset)


def save_preset(session: Session, name: str) -> None:
    """Keep the sampling of the chat in view as a preset, in place of an own one of that name."""
    name = name.strip()
    if not name or _is_taken(session, name):
        return
    saved = preset_of(name, sampling_in_view(session))
    others = tuple(own for own in session.settings.get(OWN_PRESETS) if own.name != name)
    session.settings.set(OWN_PRESETS, (*others, saved))
    _set_up(session, session.chats.current, saved, sampling_in_view(session))


def rename_preset(session: Session, preset: Preset, name: str) -> None:
    """Give an own preset another name, which no other one has."""
    name = name.strip()
    own = session.settings.get(OWN_PRESETS)
    if not name or name == preset.name or _is_taken(session, name):
        return
    kept = (each for each in own if each.name != name)
    renamed = tuple(replace(each, name=name) if each == preset else each for each in kept)
    was_default, was_in_view = (
        each(session) == preset for each in (default_preset, preset_in_view)
    )
    session.settings.set(OWN_PRESETS, renamed)
    if was_default:
        session.settings.set(DEFAULT_PRESET, name)
    if was_in_view:
        details = session.chats.current.details
        session.chats.set_details(replace(details, preset=name))


def delete_preset(session: Session, preset: Preset) -> None:
    """Forget an own preset; chats set up from it keep their sampling."""
    own = session.settings.get(OWN_PRESETS)
    session.settings.set(OWN_PRESETS, tuple(each for each in own if each != preset))


def begin_chats_with(session: Session, preset: Preset) -> None:
    """Have new chats begin with a preset."""
    session.settings.set(DEFAULT_PRESET, preset.name)


def set_thinking(session: Session, thinking: bool) -> None:
    """Let the model reason before its replies in the chat in view, or not."""
    session.chats.set_details(replace(session.chats.current.details, thinking=thinking))


def _preset_of(session: Session, chat: Conversation) -> Preset:
    if not chat.details.preset and not chat.messages:
        return default_preset(session)
    return _named(session, chat.details.preset)


def _set_up(session: Session, chat: Conversation, preset: Preset, sampling: Sampling) -> None:
    details = chat.details
    changed = replace(details, preset=preset.name, sampling=sampling)
    if changed != details:
        session.chats.set_details(changed)


def _named(session: Session, name: str) -> Preset:
    return next((preset for preset in presets(session) if preset.name == name), BALANCED)


def _is_taken(session: Session, name: str) -> bool:
    """Whether a preset that cannot be changed has the name; if so, a notice says it."""
    if all(preset.name != name for preset in BUILT_IN):
        return False
    text = QCoreApplication.translate(
        "Presets", "{name} is a preset that Paceline brings. Choose another name."
    )
    session.notices.raised.emit(Problem(text.format(name=name)))
    return True
