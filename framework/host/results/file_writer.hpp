// Tables of results on their way to a file, stored in time.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "framework/host/results/result_writer.hpp"

namespace polyform::host::inline results {

/// A writer that gathers rows before it stores them, many at once.
class FileWriter : public ResultWriter {
 public:
  /// Stores the rows where the oldest has waited for long enough.
  virtual void store_due() = 0;
  /// The lock of all writers that must not work at the same time as this one; nullptr when any others may.
  virtual std::mutex* shared_lock() noexcept { return nullptr; }
};

/// Failure (bad_input): the file cannot be gone on with.
[[noreturn]] void refuse_to_go_on(const std::string& path);

/// A writer with a thread that stores rows in time: they reach the file within seconds, even if no further row comes
/// because a step takes long or a plugin never returns. The next call throws the failure of the thread. If the system
/// has no thread to spare, rows wait for the next one.
std::unique_ptr<ResultWriter> stored_in_time(std::unique_ptr<FileWriter>);

}  // namespace polyform::host::results
