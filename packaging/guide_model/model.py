"""The models as torch trains them; the engine computes the same from the exported file.

Attributes are named as the file's tensors are, so that the export is a walk over them.
"""

import math

import torch
from torch import nn
from torch.nn import functional

from guide_model.delta import delta_rule
from guide_model.shape import Shape


class RmsNorm(nn.Module):
    """Root-mean-square norm over the last dimension, in float32."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self._epsilon = epsilon

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.float()
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self._epsilon) * self.weight


def matrix(width: int, out: int) -> nn.Linear:
    """A product without bias."""
    return nn.Linear(width, out, bias=False)


class GatedAttention(nn.Module):
    """Causal attention with normalised heads, whose output a gate lets through."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self._shape = shape
        width, dim = shape.heads * shape.head_dim, shape.head_dim
        self.attn_q = matrix(shape.width, 2 * width)
        self.attn_k = matrix(shape.width, shape.kv_heads * dim)
        self.attn_v = matrix(shape.width, shape.kv_heads * dim)
        self.attn_output = matrix(width, shape.width)
        self.attn_q_norm = RmsNorm(dim, shape.epsilon)
        self.attn_k_norm = RmsNorm(dim, shape.epsilon)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, rows, _ = x.shape
        dim = self._shape.head_dim
        both = self.attn_q(x).view(batch, rows, -1, 2, dim)
        query = self.attn_q_norm(both[..., 0, :]).transpose(1, 2)
        key = self.attn_k_norm(self.attn_k(x).view(batch, rows, -1, dim)).transpose(1, 2)
        value = self.attn_v(x).view(batch, rows, -1, dim).transpose(1, 2).float()
        repeats = self._shape.heads // self._shape.kv_heads
        key, value = (part.repeat_interleave(repeats, 1) for part in (self._turn(key), value))
        attended = functional.scaled_dot_product_attention(
            self._turn(query), key, value, is_causal=True
        )
        gate = both[..., 1, :].flatten(2).float()
        gated = attended.transpose(1, 2).flatten(2) * torch.sigmoid(gate)
        return torch.as_tensor(self.attn_output(gated))

    def _turn(self, x: torch.Tensor) -> torch.Tensor:
        """The rotary embedding over the first dimensions; its pairs lie half of them apart."""
        pairs = self._shape.rope_dims // 2
        speed = self._shape.rope_base ** (-torch.arange(pairs) / pairs)
        angle = torch.arange(x.shape[2])[:, None] * speed
        first, second, kept = torch.split(x, [pairs, pairs, x.shape[-1] - 2 * pairs], -1)
        cos, sin = angle.cos(), angle.sin()
        return torch.cat((first * cos - second * sin, first * sin + second * cos, kept), -1)


class GatedDeltaNet(nn.Module):
    """The recurrent layer: a short convolution, the delta rule, and a gated norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self._shape = shape
        heads = shape.value_heads
        self.attn_qkv = matrix(shape.width, shape.channels)
        self.attn_gate = matrix(shape.width, shape.values_width)
        self.ssm_alpha = matrix(shape.width, heads)
        self.ssm_beta = matrix(shape.width, heads)
        self.ssm_out = matrix(shape.values_width, shape.width)
        self.ssm_norm = RmsNorm(shape.delta_dim, shape.epsilon)
        self.ssm_conv1d = nn.Parameter(torch.randn(shape.channels, shape.taps) * 0.5)
        # As Mamba begins: steps from 0.001 to 0.1, through the inverse of softplus.
        step = torch.exp(torch.empty(heads).uniform_(math.log(1e-3), math.log(1e-1)))
        self.ssm_dt = nn.Parameter(step + torch.log(-torch.expm1(-step)))
        self.log_rate = nn.Parameter(torch.log(torch.empty(heads).uniform_(1.0, 8.0)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shape = self._shape
        mixed = functional.silu(self._convolve(self.attn_qkv(x).float()))
        widths = [shape.keys_width, shape.keys_width, shape.values_width]
        query, key, value = torch.split(mixed, widths, 2)
        repeats = shape.value_heads // shape.key_heads
        query, key = (
            self._unit_length(self._heads(part)).repeat(1, repeats, 1, 1) for part in (query, key)
        )
        decay = -self.log_rate.exp() * functional.softplus(self.ssm_alpha(x).float() + self.ssm_dt)
        beta = torch.sigmoid(self.ssm_beta(x).float())
        recalled = delta_rule(
            query / math.sqrt(shape.delta_dim),
            key,
            self._heads(value),
            decay.transpose(1, 2),
            beta.transpose(1, 2),
        )
        normed = self.ssm_norm(recalled.transpose(1, 2)).flatten(2)
        return torch.as_tensor(self.ssm_out(normed * functional.silu(self.attn_gate(x).float())))

    def _convolve(self, x: torch.Tensor) -> torch.Tensor:
        """Each channel over its last rows, the oldest first."""
        rows, taps = x.shape[1], self._shape.taps
        padded = functional.pad(x, (0, 0, taps - 1, 0))
        parts = [padded[:, tap : tap + rows] * self.ssm_conv1d[:, tap] for tap in range(taps)]
        return torch.stack(parts).sum(0)

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], -1, self._shape.delta_dim).transpose(1, 2)

    def _unit_length(self, x: torch.Tensor) -> torch.Tensor:
        return functional.normalize(x, dim=-1, eps=self._shape.epsilon)


class Block(nn.Module):
    """A layer: attention or recurrence, then a gated feed-forward, each beside the residual."""

    def __init__(self, shape: Shape, *, recurrent: bool) -> None:
        super().__init__()
        self.attn_norm = RmsNorm(shape.width, shape.epsilon)
        self.mixer = GatedDeltaNet(shape) if recurrent else GatedAttention(shape)
        self.post_attention_norm = RmsNorm(shape.width, shape.epsilon)
        self.ffn_gate = matrix(shape.width, shape.feed_forward)
        self.ffn_up = matrix(shape.width, shape.feed_forward)
        self.ffn_down = matrix(shape.feed_forward, shape.width)

    def forward(self, residual: torch.Tensor) -> torch.Tensor:
        residual = residual + self.mixer(self.attn_norm(residual)).float()
        normed = self.post_attention_norm(residual)
        gated = functional.silu(self.ffn_gate(normed)) * self.ffn_up(normed)
        return torch.as_tensor(residual + self.ffn_down(gated).float())


class PredictionHead(nn.Module):
    """Predicts one token further, from the model's last hidden rows and the tokens after them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.enorm = RmsNorm(shape.width, shape.epsilon)
        self.hnorm = RmsNorm(shape.width, shape.epsilon)
        self.eh_proj = matrix(2 * shape.width, shape.width)
        self.block = Block(shape, recurrent=False)
        self.shared_head_norm = RmsNorm(shape.width, shape.epsilon)

    def forward(self, embedded: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Shapes: both `[batch, rows, width]`, as is the result; `embedded` is one row ahead."""
        joined = torch.cat((self.enorm(embedded), self.hnorm(hidden)), -1)
        return torch.as_tensor(self.shared_head_norm(self.block(self.eh_proj(joined).float())))


class GuideModel(nn.Module):
    """Embedding, layers and norm; logits come from the embedding again."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocab, shape.width)
        self.blocks = nn.ModuleList(
            Block(shape, recurrent=shape.is_recurrent(layer)) for layer in range(shape.layers)
        )
        self.output_norm = RmsNorm(shape.width, shape.epsilon)
        self.heads = nn.ModuleList(PredictionHead(shape) for _ in range(shape.prediction_heads))
        self._initialise()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """The normed last hidden rows `[batch, rows, width]` of tokens `[batch, rows]`."""
        residual = self.token_embd(tokens)
        for block in self.blocks:
            residual = block(residual)
        return torch.as_tensor(self.output_norm(residual))

    def further(self, tokens: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """What the prediction head makes of each row and the token after it; the last row wraps."""
        ahead = self.token_embd(tokens.roll(-1, 1))
        return torch.as_tensor(self.heads[0](ahead, hidden))

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Shapes: hidden `[..., width]`; returns `[..., vocab]`."""
        return functional.linear(hidden, self.token_embd.weight)

    def _initialise(self) -> None:
        """Small steps beside the residual, as deep as the model is (Radford et al., 2019)."""
        nn.init.normal_(self.token_embd.weight, std=0.02)
        shrink = 1 / math.sqrt(2 * self.shape.layers)
        for name, module in self.named_modules():
            if isinstance(module, nn.Linear):
                last = name.endswith(("attn_output", "ssm_out", "ffn_down"))
                nn.init.normal_(module.weight, std=0.02 * (shrink if last else 1.0))
