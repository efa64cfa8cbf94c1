"""Facts of models that exist on paper alone, for tests of the memory plan."""

from hypothesis import strategies as st

from engine.kernels.backend_memory import CPU_NATIVE, CPU_TORCH, GPU_TORCH
from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape
from engine.kernels.state_types import ELEMENT_BYTES
from engine.memory.model_facts import ModelFacts, WeightFacts
from engine.memory.plan import ModelUse, Serving
from engine.memory.spec import KeyValueSpec, RecurrentSpec, StateSpecs

FACTS = ModelFacts(
    weights=WeightFacts(
        native_bytes=4_500_000_000,
        block_elements=8_000_000_000,
        float_bytes=0,
        vector_elements=300_000,
        table_bytes=400_000_000,
    ),
    states=StateSpecs((KeyValueSpec(heads=8, key_dim=128, value_dim=128),) * 32),
    vocab_size=150_000,
    context_length=40_000,
    row_elements=90_000,
    heads=32,
    rope_dims=128,
)
"""About an 8B model; its context is no whole number of pages."""

_BYTES = st.integers(0, 1 << 34)
_DIMS = st.sampled_from([32, 64, 96])  # whole blocks of q8_0
_FEW = st.integers(1, 6)
_KEY_VALUES = st.builds(KeyValueSpec, _FEW, _DIMS, _DIMS)
_SHAPES = (
    st.builds(DeltaShape, _FEW, _FEW, _DIMS, _DIMS, _FEW)
    | st.builds(StateSpaceShape, _FEW, _FEW, _DIMS, _FEW, _FEW)
    | st.builds(ConvolutionShape, _FEW, _FEW)
)

states = st.builds(
    StateSpecs,
    st.lists(_KEY_VALUES, max_size=3).map(tuple),
    st.lists(st.builds(RecurrentSpec, _SHAPES), max_size=3).map(tuple),
)

facts = st.builds(
    ModelFacts,
    weights=st.builds(WeightFacts, _BYTES, _BYTES, _BYTES, _BYTES, _BYTES),
    states=states,
    vocab_size=st.integers(1, 300_000),
    context_length=st.integers(1, 300_000),
    row_elements=st.integers(1, 200_000),
    heads=st.integers(1, 128),
    rope_dims=st.integers(0, 256),
)

uses = st.builds(
    ModelUse,
    facts,
    st.sampled_from([CPU_TORCH, CPU_NATIVE, GPU_TORCH]),
    st.sampled_from(list(ELEMENT_BYTES)),
    st.none() | st.integers(1, 300_000),
)

servings = st.builds(
    Serving, uses, st.integers(1, 8), st.none() | uses, draft_rows=st.integers(0, 64)
)
