"""The guide's training: the same for a seed, and exported so that the engine computes the same."""

import math
from random import Random

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from guide_model import data, words
from guide_model.data import Course
from guide_model.delta import CHUNK, delta_rule
from guide_model.export import export
from guide_model.knowledge import Topic
from guide_model.model import GuideModel
from guide_model.phrasing import rephrase
from guide_model.shape import Shape
from guide_model.team import Team
from guide_model.train import CHECKPOINT, Budget, Training
from guide_model.vocabulary import Turn, Vocabulary

from engine.kernels.delta_rule import DeltaTwin
from engine.kernels.recurrence import Convolution
from engine.kernels.recurrent_shapes import DeltaShape
from tests.helpers.terminal import Terminal

TOPICS = [
    Topic(
        id=name,
        questions=(f"What is {name}?", f"Tell me about {name}, please"),
        held_out=(),
        facts=(),
        answer=f"A **{name}** is what the {name} of a {name} does, {count} times a day.",
        kind="topic",
    )
    for count, name in enumerate(("window", "draft", "model", "answer", "token"))
]
TEXTS = [t for topic in TOPICS for t in (*topic.questions, topic.answer)]
SIZES = {"key_heads": 2, "delta_dim": 32, "head_dim": 32, "rope_dims": 16, "layers": 3}


def tiny(vocabulary, **changes):
    sizes = SIZES | {"width": 96, "feed_forward": 64, "heads": 2, "kv_heads": 1, "value_heads": 4}
    return Shape("Tiny", vocab=len(vocabulary.pieces), **(sizes | changes))


@pytest.fixture(autouse=True)
def small_work(monkeypatch):
    """Few conversations a step, and no threads that wait for each other."""
    monkeypatch.setattr(data, "BATCH", 4)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.learn(TEXTS, 320)


@pytest.fixture
def terminal(capsys):
    return Terminal(capsys)


def train(folder, course, vocabulary, steps, *, resume=False):
    folder.mkdir(exist_ok=True)
    torch.manual_seed(1)
    target, draft = tiny(vocabulary, prediction_heads=1), tiny(vocabulary, width=32)
    training = Training(folder, course, target, draft, Team(0, 1))
    if resume:
        training.resume()
    training.run(Budget(steps, keep_every=2))
    return torch.load(folder / CHECKPOINT, weights_only=True)


def test_a_batch_follows_from_seed_and_step_alone(vocabulary):
    far = Course(TOPICS, [], vocabulary, seed=1)
    for step in (0, 40, 9):
        batch = far.batch(step, 0.5)
    again = Course(TOPICS, [], vocabulary, seed=1).batch(9, 0.5)
    assert torch.equal(batch.tokens, again.tokens)
    assert torch.equal(batch.next_own, again.next_own)
    other = Course(TOPICS, [], vocabulary, seed=2).batch(9, 0.5)
    assert not torch.equal(batch.tokens, other.tokens)


def test_workers_share_a_batch(vocabulary):
    whole = Course(TOPICS, [], vocabulary, 1).batch(3, 0.5).next_own
    parts = [
        Course(TOPICS, [], vocabulary, 1, worker, 2).batch(3, 0.5).next_own for worker in (0, 1)
    ]
    assert [len(part) for part in parts] == [2, 2]
    assert sum(int(part.sum()) for part in parts) == int(whole.sum())


def test_only_what_the_assistant_says_is_learnt(vocabulary):
    ids, own = vocabulary.conversation([Turn("user", "Hello?"), Turn("assistant", "A model.")])
    learnt = [piece for piece, is_own in zip(ids, own, strict=True) if is_own]
    assert learnt == [*vocabulary.encode("A model."), vocabulary.end_of_turn]
    said = vocabulary.encode("<|im_start|>user\nHello?<|im_end|>\n<|im_start|>assistant\nA model.")
    assert ids[: len(said)] == said


@pytest.mark.parametrize("question", ["How do I add a model?", "draft?", "Why"])
def test_a_question_said_otherwise_is_never_empty_and_follows_from_the_seed(question):
    for seed in range(200):
        said = rephrase(question, Random(seed))
        assert said.strip()
        assert said == rephrase(question, Random(seed))


def test_the_delta_rule_by_chunks_is_the_engines_row_by_row():
    shape = DeltaShape(key_heads=2, value_heads=2, key_dim=8, value_dim=8, taps=2)
    rows = 3 * CHUNK
    mixed = torch.randn(rows, shape.channels)
    decay, beta = -torch.rand(rows, 2) * 0.2, torch.rand(rows, 2)
    convolution = torch.stack((torch.zeros(shape.channels), torch.ones(shape.channels)))
    twin = DeltaTwin(shape, Convolution(convolution), torch.zeros(2), torch.zeros(2), 1e-6)
    kept = torch.zeros(shape.kept_floats)
    consumed = torch.cat((mixed, decay, beta), 1)
    wanted = [twin.advance(kept, row) for row in consumed]
    parts = torch.nn.functional.silu(mixed).view(rows, 3, 2, 8).permute(1, 2, 0, 3).unsqueeze(1)
    query, key = (torch.nn.functional.normalize(part, dim=-1) for part in parts[:2])
    made = delta_rule(query / math.sqrt(8), key, parts[2], decay.T[None], beta.T[None])
    got = made[0].transpose(0, 1).flatten(1)
    torch.testing.assert_close(got, torch.stack(wanted), atol=1e-5, rtol=1e-4)


def test_gradients_of_the_delta_rule_are_those_of_its_definition():
    parts = [torch.randn(1, 1, CHUNK, 3, dtype=torch.float64) * 0.5 for _ in range(3)]
    decay = -torch.rand(1, 1, CHUNK, dtype=torch.float64)
    beta = torch.rand(1, 1, CHUNK, dtype=torch.float64)
    inputs = [part.requires_grad_() for part in (*parts, decay, beta)]
    assert torch.autograd.gradcheck(delta_rule, inputs, fast_mode=True)


def test_the_words_of_a_question_come_to_name_its_topic(vocabulary, monkeypatch):
    monkeypatch.setattr(words, "STEPS", 40)
    course = Course(TOPICS, [], vocabulary, seed=1)
    embedding = GuideModel(tiny(vocabulary)).token_embd
    names = words.learn_words(embedding, course, seed=1)
    for number, topic in enumerate(TOPICS):
        ids = torch.tensor(vocabulary.encode(f"Could you explain {topic.id}?"))
        total = words.normed(embedding(ids)).sum(0)
        assert int(names(words.normed(total)).argmax()) == number


def test_a_resumed_run_ends_like_one_that_was_not_cut(vocabulary, tmp_path):
    class CutShort(Course):
        def batch(self, step, cut):
            if step == 3:
                raise KeyboardInterrupt
            return super().batch(step, cut)

    def course(kind=Course):
        return kind(TOPICS, [], vocabulary, seed=1)

    whole = train(tmp_path / "whole", course(), vocabulary, steps=4)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "cut", course(CutShort), vocabulary, steps=4)
    resumed = train(tmp_path / "cut", course(), vocabulary, steps=4, resume=True)
    assert resumed["step"] == whole["step"] == 4
    for name in ("target", "draft"):
        for key, weights in whole[name]["model"].items():
            assert torch.equal(weights, resumed[name]["model"][key]), key


def test_the_engine_computes_what_was_trained(vocabulary, tmp_path, terminal):
    state = train(tmp_path / "run", Course(TOPICS, [], vocabulary, 1), vocabulary, steps=2)
    model = GuideModel(tiny(vocabulary, prediction_heads=1))
    model.load_state_dict(state["target"]["model"])
    rounded(model)
    export(model, vocabulary, tmp_path / "tiny.gguf")
    ids = vocabulary.encode(" ".join(TEXTS))[: 2 * CHUNK]
    with torch.no_grad():
        wanted = model.logits(model(torch.tensor([ids])))[0].numpy()
    np.save(tmp_path / "ids.npy", np.array(ids, np.int32))
    files = "--tokens-file", str(tmp_path / "ids.npy"), "--out", str(tmp_path / "logits.npy")
    terminal.text("logits", str(tmp_path / "tiny.gguf"), *files, "--kernels", "torch")
    error = np.square(np.load(tmp_path / "logits.npy") - wanted).mean() / wanted.var()
    assert error < 1e-4
    tokens = terminal.text("tokenize", str(tmp_path / "tiny.gguf"), "--text", TEXTS[2])
    assert list(map(int, tokens.split())) == vocabulary.encode(TEXTS[2])


def rounded(model):
    """Round the matrices as the file does, so that only the computing is compared."""
    kind = GGMLQuantizationType.Q8_0
    for name, weights in model.named_parameters():
        if weights.dim() == 2 and "conv1d" not in name:
            blocks = gguf.quants.quantize(weights.detach().numpy(), kind)
            weights.data = torch.from_numpy(gguf.quants.dequantize(blocks, kind))
