// A model as its handle stands for it, and what the functions of api.h have in common.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "cpu/api.h"
#include "cpu/checks.h"
#include "cpu/matrix.h"
#include "cpu/memory.h"
#include "cpu/pool.h"
#include "cpu/program.h"
#include "cpu/row_operations.h"
#include "cpu/table.h"

namespace paceline {

/// A program with its weights and its threads; identifiers of the interface are indices here.
struct Model {
  Model(int threads, const char* isa);

  const Kernels& kernels;
  Pool pool;
  Arena weights;
  std::deque<Matrix> matrices;
  std::deque<Table> tables;
  std::deque<std::vector<float>> vectors;
  Program program;
};

/// Keep the sentence that paceline_error() hands out; returns `kind`.
int64_t fail(paceline_failure kind, const char* sentence) noexcept;

/// The result of `call`, or zero where it has none; where it throws, what kind of failure it is.
template <class Call>
int64_t coded(Call&& call) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return 0;
    } else {
      return call();
    }
  } catch (const std::invalid_argument& error) {
    return fail(paceline_invalid, error.what());
  } catch (const std::bad_alloc&) {
    return fail(paceline_no_memory, "There is not enough memory.");
  } catch (const std::exception& error) {
    return fail(paceline_failed, error.what());
  }
}

template <class T>
T& at(std::deque<T>& all, int64_t id) {
  require(id >= 0 && id < static_cast<int64_t>(all.size()), "There is no such weight.");
  return all[static_cast<size_t>(id)];
}

/// A small weight; nothing where the identifier is negative.
Vector vector_at(Model* model, int64_t id);

/// A small weight of so many floats.
const float* vector_of(Model* model, int64_t id, int64_t count);

Buffer& buffer(Model* model, int64_t id);

}  // namespace paceline
