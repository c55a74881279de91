// The poses of all bodies along one run, kept outside memory, so that long runs of large systems can be compared.
#pragma once

#include <cstdio>
#include <memory>
#include <vector>

#include "framework/simulation/row_sink.hpp"

namespace polyform::host {

class PoseRecord final : public RowSink {
 public:
  /// Failure (simulation_failed) when no temporary file can be made.
  explicit PoseRecord(std::size_t bodies);

  void row(double time, const Observation&) override;
  std::size_t rows() const { return rows_; }

  /// Back to the first row, for reading.
  void rewind();
  /// The next row: its time, and one pose per body in the order of the system view. Call at most rows() times.
  double next(std::span<Pose> poses);

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<double> buffer_;  ///< time, then x y z w x y z of each body
  std::size_t rows_ = 0;
};

}  // namespace polyform::host
