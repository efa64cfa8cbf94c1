"""`info`: what a model's file holds and what running it takes."""

import argparse
from dataclasses import asdict, dataclass

from engine.base.errors import PacelineError
from engine.base.types import DEVICES, ModelSummary
from engine.cli.options import Verbs, add_verb, one_line, print_json
from engine.gguf.reader import GgufFile, open_gguf
from engine.gguf.summary import QuantShare, quantisation_table, summarise
from engine.memory.plan import MemoryPlan, default_context, plan_memory
from engine.models.facts import state_specs

RECURRENT_TENSORS = (".ssm_", ".shortconv")
"""What the names of a recurrent layer's tensors contain (GGUF tensor names)."""


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    add_verb(verbs, "info", run, "Say what a model's file holds and what running it takes.")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the verb tells beside the summary, under the names of its JSON."""

    quantisation_by_type: tuple[QuantShare, ...]
    tokenizer: str | None
    pre_tokenizer: str | None
    recurrent_layers: int
    mtp_heads: int
    memory: MemoryPlan | None  # for one slot on any device; None for a file that cannot run


def run(options: argparse.Namespace) -> None:
    """Read the header alone; torch is not needed."""
    with open_gguf(options.model) as file:
        summary = summarise(file)
        facts = _facts(file, summary)
    if options.json:
        print_json(_document(summary, facts))
    else:
        print(_text(summary, facts))


def _facts(file: GgufFile, summary: ModelSummary) -> FileFacts:
    recurrent = {
        name.split(".")[1]
        for name in file.tensors
        if name.startswith("blk.") and any(part in name for part in RECURRENT_TENSORS)
    }
    metadata = file.metadata
    return FileFacts(
        quantisation_by_type=quantisation_table(file),
        tokenizer=metadata.read("tokenizer.ggml.model", str, None),
        pre_tokenizer=metadata.read("tokenizer.ggml.pre", str, None),
        recurrent_layers=len(recurrent),
        mtp_heads=metadata.read(f"{summary.architecture}.nextn_predict_layers", int, 0),
        memory=_memory(file, summary),
    )


def _memory(file: GgufFile, summary: ModelSummary) -> MemoryPlan | None:
    try:
        specs = state_specs(file.metadata)
    except PacelineError:
        return None
    return plan_memory(file, specs, 1, default_context(summary.context_length), "f16")


def _document(summary: ModelSummary, facts: FileFacts) -> dict[str, object]:
    document = asdict(summary) | asdict(facts) | {"path": str(summary.path)}
    if facts.memory:
        parts = asdict(facts.memory) | {"total_bytes": facts.memory.total_bytes}
        document["memory"] = {device: parts for device in DEVICES if device != "auto"}
    return document


def _text(summary: ModelSummary, facts: FileFacts) -> str:
    rows = [
        ("name", summary.name),
        ("architecture", f"{summary.architecture}, {summary.layers} layers"),
        ("parameters", f"{summary.parameters / 1e6:,.4g} million in {_size(summary.file_bytes)}"),
        ("quantisation", summary.quantisation),
        *(
            ("", f"{share.type}: {share.tensors} tensors, {_size(share.nbytes)}")
            for share in facts.quantisation_by_type
        ),
        ("context length", f"{summary.context_length:,}"),
        ("vocabulary", f"{summary.vocab_size:,} tokens"),
        ("tokenizer", f"{facts.tokenizer} ({facts.pre_tokenizer})"),
        ("chat template", "yes" if summary.has_chat_template else "none, ChatML is used"),
        ("recurrent layers", str(facts.recurrent_layers)),
        ("MTP heads", str(facts.mtp_heads)),
    ]
    if plan := facts.memory:
        total = f"{_size(plan.total_bytes)} with a context of {plan.context:,}"
        rows.append(("memory", f"{total}, {_size(plan.cache_bytes)} of it the cache"))
    return "\n".join(f"{label:18}{one_line(value)}" for label, value in rows)


def _size(nbytes: int) -> str:
    return f"{nbytes / 1e9:.2f} GB" if nbytes >= 1e9 else f"{nbytes / 1e6:.1f} MB"
