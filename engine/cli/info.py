"""`info`: what a model's file holds and what running it takes."""

import argparse
from dataclasses import asdict
from typing import Any

from engine.base.errors import PacelineError
from engine.base.types import DEVICES
from engine.cli.options import Verbs, add_verb, print_json
from engine.gguf.reader import GgufFile, open_gguf
from engine.gguf.summary import quantisation_table, summarise
from engine.memory.plan import default_context, plan_memory
from engine.models.facts import state_specs

RECURRENT_TENSORS = (".ssm_", ".shortconv")
"""What the names of a recurrent layer's tensors contain (GGUF tensor names)."""


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    add_verb(verbs, "info", run, "Say what a model's file holds and what running it takes.")


def run(options: argparse.Namespace) -> None:
    """Read the header alone; torch is not needed."""
    with open_gguf(options.model) as file:
        document = _document(file)
    if options.json:
        print_json(document)
    else:
        print(_text(document))


def _document(file: GgufFile) -> dict[str, Any]:
    summary = summarise(file)
    metadata = file.metadata
    recurrent = {
        name.split(".")[1]
        for name in file.tensors
        if name.startswith("blk.") and any(part in name for part in RECURRENT_TENSORS)
    }
    return {
        **asdict(summary),
        "path": str(summary.path),
        "quantisation_by_type": [asdict(share) for share in quantisation_table(file)],
        "tokenizer": metadata.read("tokenizer.ggml.model", str, None),
        "pre_tokenizer": metadata.read("tokenizer.ggml.pre", str, None),
        "recurrent_layers": len(recurrent),
        "mtp_heads": metadata.read(f"{summary.architecture}.nextn_predict_layers", int, 0),
        "memory": _memory(file),
    }


def _memory(file: GgufFile) -> dict[str, Any] | None:
    """Bytes by device for one slot; None for a file that cannot run."""
    try:
        specs = state_specs(file.metadata)
    except PacelineError:
        return None
    plan = plan_memory(file, specs, 1, default_context(summarise(file).context_length), "f16")
    parts = asdict(plan) | {"total_bytes": plan.total_bytes}
    return {device: parts for device in DEVICES if device != "auto"}


def _text(document: dict[str, Any]) -> str:
    memory = document["memory"]
    rows = [
        ("name", document["name"]),
        ("architecture", f"{document['architecture']}, {document['layers']} layers"),
        ("parameters", f"{document['parameters'] / 1e6:,.0f} M in {_size(document['file_bytes'])}"),
        ("quantisation", document["quantisation"]),
        *(
            ("", f"{share['type']}: {share['tensors']} tensors, {_size(share['nbytes'])}")
            for share in document["quantisation_by_type"]
        ),
        ("context length", f"{document['context_length']:,}"),
        ("vocabulary", f"{document['vocab_size']:,} tokens"),
        ("tokenizer", f"{document['tokenizer']} ({document['pre_tokenizer']})"),
        ("chat template", "yes" if document["has_chat_template"] else "none, ChatML is used"),
        ("recurrent layers", document["recurrent_layers"]),
        ("MTP heads", document["mtp_heads"]),
    ]
    if memory:
        cpu = memory["cpu"]
        total = f"{_size(cpu['total_bytes'])} with a context of {cpu['context']:,}"
        rows.append(("memory", f"{total}, {_size(cpu['cache_bytes'])} of it the cache"))
    return "\n".join(f"{label:18}{value}" for label, value in rows)


def _size(nbytes: int) -> str:
    return f"{nbytes / 1e9:.2f} GB" if nbytes >= 1e9 else f"{nbytes / 1e6:.1f} MB"
