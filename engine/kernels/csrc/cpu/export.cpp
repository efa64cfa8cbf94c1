#include "cpu/export.h"

namespace paceline {
namespace {

thread_local std::string last_error;

}  // namespace

void remember_error(const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
}

}  // namespace paceline

const char* paceline_error() { return paceline::last_error.c_str(); }
