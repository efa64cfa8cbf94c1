// The operations of engine/kernels/operations that compute each row from that row alone.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/operation.h"
#include "cpu/table.h"

namespace paceline {

/// A small weight in float32.
struct Vector {
  int64_t count;
  const float* data;
};

class Embed : public RowOperation {
 public:
  Embed(const Table& table, Buffer& out);
  void check(const Pass& pass) const override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  const Table& table_;
  Buffer& out_;
};

/// Normalises groups of a width; with a gate, the result times silu(gate). The weight is as wide as a
/// group or as the row, or its data is null.
class Norm : public RowOperation {
 public:
  Norm(Buffer& source, Buffer* gate, Vector weight, Buffer& out, float epsilon, int64_t width);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  Buffer& source_;
  Buffer* gate_;
  Vector weight_;
  Buffer& out_;
  float epsilon_;
  int64_t width_;
};

class LayerNorm : public RowOperation {
 public:
  LayerNorm(Buffer& source, const float* weight, const float* bias, Buffer& out, float epsilon);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  Buffer& source_;
  const float *weight_, *bias_;
  Buffer& out_;
  float epsilon_;
};

class Glu : public RowOperation {
 public:
  Glu(Buffer& gate, Buffer& up, Buffer& out, Activation activation);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * out_.width; }

 private:
  Buffer &gate_, &up_, &out_;
  Activation activation_;
};

class Activate : public RowOperation {
 public:
  Activate(Buffer& source, Buffer& out, Activation activation);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  Buffer &source_, &out_;
  Activation activation_;
};

/// Those of single numbers and one number that is the same for all: scale, add, soft cap.
class WithNumber : public RowOperation {
 public:
  using Kernel = void (*)(const float* source, float* out, int64_t width, float number);

  WithNumber(Buffer& source, Buffer& out, float number, Kernel kernel);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  Buffer &source_, &out_;
  float number_;
  Kernel kernel_;
};

class SigmoidGate : public RowOperation {
 public:
  SigmoidGate(Buffer& source, Buffer& gate, Buffer& out);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * out_.width; }

 private:
  Buffer &source_, &gate_, &out_;
};

class ClampedGlu : public RowOperation {
 public:
  ClampedGlu(Buffer& gate, Buffer& up, Buffer& out, float limit, float sharpness);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * out_.width; }

 private:
  Buffer &gate_, &up_, &out_;
  float limit_, sharpness_;
};

class Split : public RowOperation {
 public:
  Split(Buffer& source, std::vector<Buffer*> parts, int64_t groups);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return source_.width; }

 private:
  Buffer& source_;
  std::vector<Buffer*> parts_;
  int64_t groups_;
};

/// The inverse of Split.
class Join : public RowOperation {
 public:
  Join(std::vector<Buffer*> parts, Buffer& out, int64_t groups);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  std::vector<Buffer*> parts_;
  Buffer& out_;
  int64_t groups_;
};

/// Fills rows with 0, 1, 2 …
class Count : public RowOperation {
 public:
  explicit Count(Buffer& out) : out_(out) {}
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  Buffer& out_;
};

/// The angles of a rotary embedding by position.
struct Angles {
  const float* cos = nullptr;  // [positions, pairs]
  const float* sin = nullptr;
  int64_t positions = 0;
  int64_t pairs = 0;
  bool interleaved = false;
};

/// Turns the heads of rows in place.
class Rotate : public RowOperation {
 public:
  Rotate(Buffer& rows, const Angles& angles, int64_t head_dim);
  void check(const Pass& pass) const override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return rows_.width; }

 private:
  Buffer& rows_;
  Angles angles_;
  int64_t head_dim_;
};

/// Writes keys and values to the pages of a layer; no values where they are the keys' beginning.
class Store : public RowOperation {
 public:
  Store(Buffer& key, Buffer* value, int64_t layer);
  void check(const Pass& pass) const override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * key_.width; }

 private:
  Buffer& key_;
  Buffer* value_;
  int64_t layer_;
};

}  // namespace paceline
