// The body or the head of a program: its phases, joined where the operations allow.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cpu/expert_products.h"
#include "cpu/operation.h"
#include "cpu/product_phase.h"
#include "cpu/row_phase.h"

namespace paceline {

/// Buffers that an operation reads, or writes.
using Buffers = std::vector<const Buffer*>;

class Section {
 public:
  /// Append an operation of single rows, fused with those before it.
  void add(std::unique_ptr<RowOperation> operation, const Buffers& reads, const Buffers& writes);
  /// Append a phase of its own.
  void add(std::unique_ptr<Phase> phase, const Buffers& reads, const Buffers& writes);
  /// Append a product, beside those before it that read the same rows.
  void add_product(Buffer& source, const Matrix& weight, Vector bias, Buffer& out,
                   bool accumulate);

  /// The same for a product with the matrices of experts.
  void add_expert_product(Buffer& source, Buffer& chosen, const Matrix& weight, Vector bias,
                          Buffer& out);

  void check(const Pass& pass) const;
  void run(const Pass& pass);

  bool is_empty() const { return phases_.empty(); }
  /// Whether a buffer is read before anything here writes it.
  bool needs(const Buffer& buffer) const { return needed_.contains(&buffer); }
  bool writes(const Buffer& buffer) const { return written_.contains(&buffer); }

 private:
  void touch(const Buffers& reads, const Buffers& writes);
  RowPhase& row_phase();
  Quantise& quantised(Buffer& source);

  std::vector<std::unique_ptr<Phase>> phases_;
  std::set<const Buffer*> needed_, written_;
  // What the next operation can join, or need not do again.
  RowPhase* last_rows_ = nullptr;
  ProductPhase* last_products_ = nullptr;
  ExpertPhase* last_experts_ = nullptr;
  std::map<const Buffer*, Quantise*> quantised_;  // while their buffer is not written
};

}  // namespace paceline
