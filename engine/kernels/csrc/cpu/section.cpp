#include "cpu/section.h"

#include <utility>

namespace paceline {

void Section::add(std::unique_ptr<RowOperation> operation, const Buffers& reads,
                  const Buffers& writes) {
  row_phase().add(std::move(operation));
  touch(reads, writes);
}

void Section::add(std::unique_ptr<Phase> phase, const Buffers& reads, const Buffers& writes) {
  phases_.push_back(std::move(phase));
  last_rows_ = nullptr;
  last_products_ = nullptr;
  last_experts_ = nullptr;
  touch(reads, writes);
}

void Section::add_product(Buffer& source, const Matrix& weight, Vector bias, Buffer& out,
                          bool accumulate) {
  if (!last_products_ || !last_products_->accepts(source, out)) {
    quantised(source);
    auto products = std::make_unique<ProductPhase>(source);
    ProductPhase* phase = products.get();
    add(std::move(products), {&source}, {});
    last_products_ = phase;
  }
  if (!is_plain(weight.layout)) quantised(source).need_codes();
  last_products_->add(weight, bias, out, accumulate);
  if (accumulate) touch({&out}, {});
  touch({}, {&out});
}

void Section::add_expert_product(Buffer& source, Buffer& chosen, const Matrix& weight,
                                 Vector bias, Buffer& out) {
  if (!last_experts_ || !last_experts_->accepts(source, chosen, out)) {
    quantised(source);
    auto products = std::make_unique<ExpertPhase>(source, chosen);
    ExpertPhase* phase = products.get();
    add(std::move(products), {&source, &chosen}, {});
    last_experts_ = phase;
  }
  if (!is_plain(weight.layout)) quantised(source).need_codes();
  last_experts_->add(weight, bias, out);
  touch({}, {&out});
}

void Section::check(const Pass& pass) const {
  for (const auto& phase : phases_) phase->check(pass);
}

void Section::run(const Pass& pass) {
  for (const auto& phase : phases_) phase->run(pass);
}

void Section::touch(const Buffers& reads, const Buffers& writes) {
  for (const Buffer* buffer : reads) {
    if (!written_.contains(buffer)) needed_.insert(buffer);
  }
  for (const Buffer* buffer : writes) {
    written_.insert(buffer);
    quantised_.erase(buffer);
  }
}

RowPhase& Section::row_phase() {
  if (!last_rows_) {
    auto rows = std::make_unique<RowPhase>();
    RowPhase* phase = rows.get();
    add(std::move(rows), {}, {});
    last_rows_ = phase;
  }
  return *last_rows_;
}

/// The operation that brings a buffer's present rows into the form for products.
Quantise& Section::quantised(Buffer& source) {
  Quantise*& operation = quantised_[&source];
  if (!operation) {
    auto quantise = std::make_unique<Quantise>(source);
    operation = quantise.get();
    row_phase().add(std::move(quantise));
  }
  return *operation;
}

}  // namespace paceline
