// What functions that are called from outside have in common.
#pragma once

#include <exception>
#include <string>

#if defined(_WIN32)
#define PACELINE_EXPORT extern "C" __declspec(dllexport)
#else
#define PACELINE_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace paceline {

// Keep the message that paceline_error() hands out on this thread.
void remember_error(const char* message) noexcept;

// The result of `body`, or `failed` where it throws: no exception reaches a caller outside.
template <class Result, class Body>
Result guarded(Result failed, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    remember_error(error.what());
  } catch (...) {
    remember_error("unknown failure");
  }
  return failed;
}

}  // namespace paceline

// What went wrong in the last call on this thread that failed.
PACELINE_EXPORT const char* paceline_error();
