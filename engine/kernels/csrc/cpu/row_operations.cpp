#include "cpu/row_operations.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "cpu/checks.h"
#include "cpu/table.h"

namespace paceline {

Embed::Embed(const Table& table, Buffer& out) : table_(table), out_(out) {
  require(table.columns == out.width, "A table's rows are not as wide as where they go.");
}

void Embed::check(const Pass& pass) const {
  for (int64_t row = 0; row < pass.batch.rows; ++row) {
    const int32_t token = pass.batch.tokens[row];
    if (token < 0 || token >= table_.rows) {
      throw std::invalid_argument("There is no token " + std::to_string(token) + "; this model has " +
                                  std::to_string(table_.rows) + ".");
    }
  }
}

void Embed::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    decode_row(table_, pass.batch.tokens[row], out_.row(row));
  }
}

Norm::Norm(Buffer& source, Buffer* gate, Vector weight, Buffer& out, float epsilon, int64_t width)
    : source_(source), gate_(gate), weight_(weight), out_(out), epsilon_(epsilon), width_(width) {
  require(source.width == out.width && (!gate || gate->width == out.width) && width > 0 &&
              out.width % width == 0 &&
              (!weight.data || weight.count == width || (!gate && weight.count == out.width)),
          "A norm's operands differ in width.");
}

void Norm::run(const Pass& pass, int64_t first, int64_t last) const {
  const int64_t groups = out_.width / width_;
  const int64_t weight_step = weight_.count > width_ ? width_ : 0;
  for (int64_t row = first; row < last; ++row) {
    if (gate_) {
      pass.kernels.gated_norm(source_.row(row), gate_->row(row), weight_.data, out_.row(row),
                              groups, width_, epsilon_);
    } else {
      pass.kernels.rms_norm(source_.row(row), weight_.data, weight_step, out_.row(row), groups,
                            width_, epsilon_);
    }
  }
}

LayerNorm::LayerNorm(Buffer& source, const float* weight, const float* bias, Buffer& out,
                     float epsilon)
    : source_(source), weight_(weight), bias_(bias), out_(out), epsilon_(epsilon) {
  require(source.width == out.width && &source != &out, "A norm's operands differ in width.");
}

void LayerNorm::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.layer_norm(source_.row(row), weight_, bias_, out_.row(row), out_.width, epsilon_);
  }
}

Glu::Glu(Buffer& gate, Buffer& up, Buffer& out, Activation activation)
    : gate_(gate), up_(up), out_(out), activation_(activation) {
  require(gate.width == out.width && up.width == out.width, "A gate differs from its operand.");
}

void Glu::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.glu(gate_.row(row), up_.row(row), out_.row(row), out_.width, activation_);
  }
}

Activate::Activate(Buffer& source, Buffer& out, Activation activation)
    : source_(source), out_(out), activation_(activation) {
  require(source.width == out.width, "An operation's operands differ in width.");
}

void Activate::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.activate(source_.row(row), out_.row(row), out_.width, activation_);
  }
}

WithNumber::WithNumber(Buffer& source, Buffer& out, float number, Kernel kernel)
    : source_(source), out_(out), number_(number), kernel_(kernel) {
  require(source.width == out.width, "An operation's operands differ in width.");
}

void WithNumber::run(const Pass&, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    kernel_(source_.row(row), out_.row(row), out_.width, number_);
  }
}

SigmoidGate::SigmoidGate(Buffer& source, Buffer& gate, Buffer& out)
    : source_(source), gate_(gate), out_(out) {
  require(gate.width == out.width && source.width == out.width,
          "A gate differs from its operand.");
}

void SigmoidGate::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.sigmoid_gate(source_.row(row), gate_.row(row), out_.row(row), out_.width);
  }
}

ClampedGlu::ClampedGlu(Buffer& gate, Buffer& up, Buffer& out, float limit, float sharpness)
    : gate_(gate), up_(up), out_(out), limit_(limit), sharpness_(sharpness) {
  require(gate.width == out.width && up.width == out.width, "A gate differs from its operand.");
}

void ClampedGlu::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.clamped_glu(gate_.row(row), up_.row(row), out_.row(row), out_.width, limit_,
                             sharpness_);
  }
}

namespace {

/// Whether parts that lie side by side in so many groups make up a buffer.
void check_parts(const std::vector<Buffer*>& parts, const Buffer& whole, int64_t groups) {
  int64_t width = 0;
  for (const Buffer* part : parts) {
    require(groups > 0 && part->width % groups == 0, "What lies side by side cannot be parted so.");
    width += part->width;
  }
  require(width == whole.width, "The parts are not as wide as what they are parts of.");
}

}  // namespace

Split::Split(Buffer& source, std::vector<Buffer*> parts, int64_t groups)
    : source_(source), parts_(std::move(parts)), groups_(groups) {
  check_parts(parts_, source, groups);
}

void Split::run(const Pass&, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    const float* from = source_.row(row);
    for (int64_t group = 0; group < groups_; ++group) {
      for (const Buffer* part : parts_) {
        const int64_t width = part->width / groups_;
        std::copy_n(from, width, part->row(row) + group * width);
        from += width;
      }
    }
  }
}

Join::Join(std::vector<Buffer*> parts, Buffer& out, int64_t groups)
    : parts_(std::move(parts)), out_(out), groups_(groups) {
  check_parts(parts_, out, groups);
}

void Join::run(const Pass&, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    float* to = out_.row(row);
    for (int64_t group = 0; group < groups_; ++group) {
      for (const Buffer* part : parts_) {
        const int64_t width = part->width / groups_;
        to = std::copy_n(part->row(row) + group * width, width, to);
      }
    }
  }
}

void Count::run(const Pass&, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    std::iota(out_.row(row), out_.row(row) + out_.width, 0.0f);
  }
}

Rotate::Rotate(Buffer& rows, const Angles& angles, int64_t head_dim)
    : rows_(rows), angles_(angles), head_dim_(head_dim) {
  require(head_dim > 0 && rows.width % head_dim == 0 && angles.pairs > 0 &&
              2 * angles.pairs <= head_dim,
          "What is to turn does not part into heads.");
}

void Rotate::check(const Pass& pass) const {
  if (pass.index.last_position() >= angles_.positions) {
    throw std::invalid_argument("Position " + std::to_string(pass.index.last_position()) +
                                " lies behind the " + std::to_string(angles_.positions) +
                                " that the model was loaded for.");
  }
}

void Rotate::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    const int64_t at = pass.batch.positions[row] * angles_.pairs;
    pass.kernels.rotate(rows_.row(row), rows_.width / head_dim_, head_dim_, angles_.cos + at,
                        angles_.sin + at, angles_.pairs, angles_.interleaved);
  }
}

Store::Store(Buffer& key, Buffer* value, int64_t layer)
    : key_(key), value_(value), layer_(layer) {}

void Store::check(const Pass& pass) const {
  const KeyValues& cache = layer_of(pass.state.attention, layer_);
  const bool prefixes = cache.values.elements == cache.keys.elements;
  require(cache.keys.heads * cache.keys.dim == key_.width && prefixes == !value_ &&
              (!value_ || cache.values.heads * cache.values.dim == value_->width),
          "The pages are of other sizes than the keys and values.");
  check_pages(pass.batch, pass.index, cache);
}

void Store::run(const Pass& pass, int64_t first, int64_t last) const {
  const KeyValues& cache = pass.state.attention[static_cast<size_t>(layer_)];
  const Batch& batch = pass.batch;
  for (int64_t row = first; row < last; ++row) {
    const int64_t index = batch.positions[row] / kPagePositions;
    const int64_t within = batch.positions[row] % kPagePositions;
    const int64_t page = batch.page(batch.slots[row], index);
    pass.kernels.write_row(cache.keys, page, within, key_.row(row));
    if (value_) pass.kernels.write_row(cache.values, page, within, value_->row(row));
  }
}

}  // namespace paceline
