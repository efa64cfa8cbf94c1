// The operations of engine/kernels/program.py that compute each row from that row alone.
#pragma once

#include <cstdint>

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

/// Normalises groups as wide as the weight; with a gate, the result times silu(gate).
class Norm : public RowOperation {
 public:
  Norm(Buffer& source, Buffer* gate, Vector weight, Buffer& out, float epsilon);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return out_.width; }

 private:
  Buffer& source_;
  Buffer* gate_;
  Vector weight_;
  Buffer& out_;
  float epsilon_;
};

class SwiGlu : public RowOperation {
 public:
  SwiGlu(Buffer& gate, Buffer& up, Buffer& out);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * out_.width; }

 private:
  Buffer &gate_, &up_, &out_;
};

class SigmoidGate : public RowOperation {
 public:
  SigmoidGate(Buffer& source, Buffer& gate, Buffer& out);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * out_.width; }

 private:
  Buffer &source_, &gate_, &out_;
};

class SplitHeads : public RowOperation {
 public:
  SplitHeads(Buffer& source, Buffer& first, Buffer& second, int64_t head_dim);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return source_.width; }

 private:
  Buffer &source_, &first_, &second_;
  int64_t head_dim_;
};

/// The angles of a rotary embedding by position; no pairs where a layer does not turn.
struct Angles {
  const float* cos = nullptr;  // [positions, pairs]
  const float* sin = nullptr;
  int64_t positions = 0;
  int64_t pairs = 0;
  bool interleaved = false;
};

class RopeAndStore : public RowOperation {
 public:
  RopeAndStore(Buffer& query, Buffer& key, Buffer& value, Angles angles, int64_t head_dim,
               int64_t layer);
  void check(const Pass& pass) const override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 2 * query_.width; }

 private:
  Buffer &query_, &key_, &value_;
  Angles angles_;
  int64_t head_dim_;
  int64_t layer_;
};

}  // namespace paceline
