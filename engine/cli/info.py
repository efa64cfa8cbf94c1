"""`info`: what a model's file holds and what running it takes."""

import argparse
from dataclasses import asdict, dataclass

from engine.base.errors import DeviceError, PacelineError, UnsupportedModelError
from engine.base.types import ModelSummary
from engine.cli.options import Verbs, add_verb, one_line, print_json
from engine.gguf.metadata import Metadata
from engine.gguf.model_file import ModelFile
from engine.gguf.summary import QuantShare, quantisation_table, summarise
from engine.kernels.backend_memory import CPU_NATIVE, CPU_TORCH, TORCH_BACKENDS, BackendMemory
from engine.kernels.devices import free_bytes
from engine.kernels.native_library import native_isa
from engine.memory.fit import Room, Verdict, judge
from engine.memory.plan import MemoryPlan, ModelUse, Serving, default_context
from engine.models.footprint import model_facts
from engine.text.chat_template import TEMPLATE_KEY, make_chat_template
from engine.text.gguf_tokenizer import read_facts
from engine.weights.opening import open_model_file

RECURRENT_TENSORS = (".ssm_", ".shortconv")
"""What the names of a recurrent layer's tensors contain (GGUF tensor names)."""


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    add_verb(verbs, "info", run, "Say what a model's file holds and what running it takes.")


PURPOSES = {
    "weights_bytes": "weights",
    "cache_bytes": "keys and values",
    "state_bytes": "recurrent states",
    "checkpoint_bytes": "kept for reuse",
    "scratch_bytes": "working memory",
    "runtime_bytes": "torch itself",
    "total_bytes": "in all",
}
"""What the parts of a plan are called here; nothing drafts, so the draft's part is left out."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What one slot with the default context takes.

    Attributes:
        plans: by device.
        on_cpu: how that compares with the memory that is free; that of a GPU needs torch to ask.
    """

    plans: dict[str, MemoryPlan]
    on_cpu: Verdict


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the verb tells beside the summary, under the names of its JSON."""

    quantisation_by_type: tuple[QuantShare, ...]
    tokenizer: str | None
    pre_tokenizer: str | None
    recurrent_layers: int
    mtp_heads: int
    notices: tuple[str, ...]  # for people, where something of its text formats is unusual
    cpu_kernels: str  # what would compute on the CPU, and why nothing faster
    memory: Memory | None  # None for a file that cannot run


def run(options: argparse.Namespace) -> None:
    """Read the header alone; torch is not needed."""
    with open_model_file(options.model) as file:
        summary = summarise(file)
        facts = _facts(file, summary)
    if options.json:
        print_json(_document(summary, facts))
    else:
        print(_text(summary, facts))


def _facts(file: ModelFile, summary: ModelSummary) -> FileFacts:
    recurrent = {
        name.split(".")[1]
        for name in file.tensors
        if name.startswith("blk.") and any(part in name for part in RECURRENT_TENSORS)
    }
    metadata = file.metadata
    kernels, on_cpu = _cpu_kernels()
    return FileFacts(
        quantisation_by_type=quantisation_table(file),
        tokenizer=metadata.read("tokenizer.ggml.model", str, None),
        pre_tokenizer=metadata.read("tokenizer.ggml.pre", str, None),
        recurrent_layers=len(recurrent),
        mtp_heads=metadata.read(f"{summary.architecture}.nextn_predict_layers", int, 0),
        notices=_notices(metadata),
        cpu_kernels=kernels,
        memory=_memory(file, on_cpu),
    )


def _notices(metadata: Metadata) -> tuple[str, ...]:
    """What is unusual in how the model reads and writes text."""
    try:
        facts = read_facts(metadata)
    except UnsupportedModelError as error:
        return (str(error),)
    told = (facts.notice, make_chat_template(metadata.get(TEMPLATE_KEY)).notice)
    return tuple(filter(None, told))


def _cpu_kernels() -> tuple[str, BackendMemory]:
    """What computes on the CPU here, for people, and how it uses memory."""
    try:
        return f"native ({native_isa()})", CPU_NATIVE
    except DeviceError as error:
        return f"torch ({error})", CPU_TORCH


def _memory(file: ModelFile, on_cpu: BackendMemory) -> Memory | None:
    try:
        facts = model_facts(file)
    except PacelineError:
        return None
    context = default_context(facts.context_length)
    backends = TORCH_BACKENDS | {"cpu": on_cpu}
    serving = {name: Serving(ModelUse(facts, backend)) for name, backend in backends.items()}
    plans = {device: served.plan(context) for device, served in serving.items()}
    return Memory(plans, judge(serving["cpu"], context, Room(free_bytes("cpu"))))


def _document(summary: ModelSummary, facts: FileFacts) -> dict[str, object]:
    document = asdict(summary) | asdict(facts) | {"path": str(summary.path)}
    document["memory"] = facts.memory and _memory_document(facts.memory)
    return document


def _memory_document(memory: Memory) -> dict[str, dict[str, object]]:
    document = {device: _plan_document(plan) for device, plan in memory.plans.items()}
    verdict = memory.on_cpu
    document["cpu"] |= {
        "fit": verdict.fit,
        "largest_context": verdict.largest_context,
        "sentence": verdict.sentence,
    }
    return document


def _plan_document(plan: MemoryPlan) -> dict[str, object]:
    return asdict(plan) | {"total_bytes": plan.total_bytes}


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
        ("CPU kernels", facts.cpu_kernels),
        *(("notice", notice) for notice in facts.notices),
    ]
    text = "\n".join(f"{label:18}{one_line(value)}" for label, value in rows)
    return text + ("\n" + _memory_table(facts.memory) if facts.memory else "")


def _memory_table(memory: Memory) -> str:
    """Bytes by purpose, a column for each device, and whether the CPU has room."""
    columns = {device: _plan_document(plan) for device, plan in memory.plans.items()}
    title = f"memory for {memory.on_cpu.plan.context:,} positions"
    lines = [f"{title:32}" + "".join(f"{device:>12}" for device in columns)]
    for key, label in PURPOSES.items():
        sizes = (_size(int(str(parts[key]))) for parts in columns.values())
        lines.append(f"  {label:30}" + "".join(f"{size:>12}" for size in sizes))
    verdict = memory.on_cpu
    lines.append(f"On the CPU: {verdict.fit}. {verdict.sentence}")
    return "\n".join(lines)


def _size(nbytes: int) -> str:
    return f"{nbytes / 1e9:.2f} GB" if nbytes >= 1e9 else f"{nbytes / 1e6:.1f} MB"
