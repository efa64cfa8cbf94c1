"""What the guide is taught and help pages show: complete, distinct, and true of the keys."""

import re
import tomllib
from pathlib import Path

from app.shortcuts import Shortcut

ROOT = Path(__file__).parents[2]
MIN_TOPICS = 150  # about the application, small talk not counted
ANSWER_WORDS = range(18, 71)
PHRASINGS = range(6, 17)  # to learn from, for each topic
KEYS = re.compile(r"\b(?:(?:Ctrl|Alt|Shift)\+)+\w+")
WORDS = re.compile(r"[\w+]+")  # the plus of C++ too


def read(folder, table):
    return [
        entry
        for path in sorted((ROOT / folder).glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))[table]
    ]


TOPICS = read("resources/guide", "topic")
TEXTS = read("packaging/guide_model/texts", "text")


def phrasings(entry):
    """Every way to ask, as it is compared: case and punctuation do not count."""
    questions = (*entry["questions"], *entry.get("held_out", ()))
    return [" ".join(WORDS.findall(question.casefold())) for question in questions]


def tells(answer, facts):
    answer = answer.casefold()
    return all(any(choice.casefold() in answer for choice in fact.split("|")) for fact in facts)


def repeated(items):
    return sorted({item for item in items if items.count(item) > 1})


def test_there_are_enough_topics_about_the_application():
    assert len([topic for topic in TOPICS if topic.get("kind") != "talk"]) >= MIN_TOPICS


def test_ids_and_titles_are_unique():
    assert not repeated([topic["id"] for topic in TOPICS])
    assert not repeated([topic["title"] for topic in TOPICS])


def test_no_question_has_two_answers_or_is_both_learnt_and_held_out():
    asked = [question for entry in (*TOPICS, *TEXTS) for question in phrasings(entry)]
    assert all(asked)
    assert not repeated(asked)


def test_each_topic_has_phrasings_to_learn_and_two_to_judge_by():
    for topic in TOPICS:
        assert len(topic["questions"]) in PHRASINGS, topic["id"]
        assert len(topic["held_out"]) == 2, topic["id"]


def test_answers_are_short_and_have_their_facts():
    for topic in TOPICS:
        assert len(topic["answer"].split()) in ANSWER_WORDS, topic["id"]
        assert 1 <= len(topic["facts"]) <= 3, topic["id"]
        assert tells(topic["answer"], topic["facts"]), topic["id"]


def test_no_answer_has_all_facts_of_another_topic():
    """Else a wrong answer would pass for the right one."""
    for topic in TOPICS:
        mistakable = [
            other["id"]
            for other in TOPICS
            if other is not topic and tells(other["answer"], topic["facts"])
        ]
        assert not mistakable, topic["id"]


def test_answers_name_only_keys_that_the_window_has():
    known = {key.value for key in Shortcut}
    for topic in TOPICS:
        assert set(KEYS.findall(topic["answer"])) <= known, topic["id"]
