// A run that can be gone on with: the file that polyform run --checkpoint writes and polyform resume reads.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "framework/host/simulation/run_snapshot.hpp"

namespace polyform::apps {

/// A file whose content a run depends on, and a sum over its bytes.
struct FileSum {
  std::string path, sum;
  bool operator==(const FileSum&) const = default;
};
/// Failure (bad_input) where a file cannot be read.
std::vector<FileSum> sums_of(const std::vector<std::string>& paths);

struct Checkpoint {
  std::string folder;              ///< in which the command was given
  std::vector<std::string> words;  ///< of polyform run, behind `run`
  std::string solver;              ///< that was chosen
  std::vector<FileSum> files;      ///< the model and its parts
  host::RunSnapshot snapshot{};
};

/// Failure (bad_input) where the file cannot be read, is none, or is one of another version of Polyform.
Checkpoint read_checkpoint(const std::string& file);

/// Writes checkpoints of a run, each in place of the last, in one move: the file is whole at all times.
class CheckpointFile {
 public:
  /// every: between two of them, s. Failure (bad_input) if the file cannot be written, or names are not UTF-8.
  CheckpointFile(std::string file, double every, Checkpoint run);

  bool is_due() const;
  /// Failure (simulation_failed) where it cannot be written.
  void write(const host::RunSnapshot&);

 private:
  using Clock = std::chrono::steady_clock;

  std::string file_;
  std::chrono::duration<double> every_;
  Checkpoint run_;
  Clock::time_point written_ = Clock::now();
};

}  // namespace polyform::apps
