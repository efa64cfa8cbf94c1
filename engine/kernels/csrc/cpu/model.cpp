#include "cpu/model.h"

#include "cpu/dispatch.h"
#include "cpu/export.h"

namespace paceline {

Model::Model(int threads, const char* isa)
    : kernels(choose_kernels(isa)), pool(threads), program(kernels, pool) {}

int64_t fail(paceline_failure kind, const char* sentence) noexcept {
  remember_error(sentence);
  return kind;
}

Vector vector_at(Model* model, int64_t id) {
  if (id < 0) return {0, nullptr};
  const std::vector<float>& values = at(model->vectors, id);
  return {static_cast<int64_t>(values.size()), values.data()};
}

const float* vector_of(Model* model, int64_t id, int64_t count) {
  const Vector vector = vector_at(model, id);
  require(vector.count == count, "A small weight is of another size than its operation.");
  return vector.data;
}

Buffer& buffer(Model* model, int64_t id) { return model->program.buffer(id); }

}  // namespace paceline
