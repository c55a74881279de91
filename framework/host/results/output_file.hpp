// The file a result goes to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/checksum.hpp"
#include "framework/files_read.hpp"

namespace polyform::host::inline results {

/// A regular file open for writing and locked against other runs, or the output stream. Making one changes nothing that
/// exists; a file made by it vanishes again unless replace() was called.
class OutputFile {
 public:
  static constexpr std::string_view of_results = "--output";
  /// "-" is the output stream. option: which names the file, for messages. Failure (bad_input) when it cannot be
  /// written, or was read as a model or as a part of one (WrittenFile).
  explicit OutputFile(std::string path, std::string_view option = of_results);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  /// The file has so many rows of a table by now; each further line is one more. Messages tell how many are kept.
  void has_rows(std::size_t rows) noexcept { rows_ = rows; }
  /// From now on the file is ours, and empty.
  void replace();
  /// In place of replace(): from now on the file is ours with its first bytes, and writing goes on behind them.
  void keep(std::uint64_t bytes);
  /// Appends whole lines. Failure (simulation_failed) when not all of them could be written; a file then ends with the
  /// last line that could.
  void write(std::string_view lines);
  /// For a library that writes to the file itself: lifts the lock for the library's own.
  void unlock();
  /// For the same: the file is ours as it is.
  void take_over() noexcept {
    made_ = false;
    ours_ = true;
  }
  /// Makes sure that the file, of the size given, can grow by so many bytes, as far as the file system can tell.
  /// Failure (simulation_failed) when it cannot: the disk is full. May leave the file larger.
  void reserve(std::uint64_t size, std::uint64_t growth);
  /// Gives back what was reserved beyond the size.
  void trim(std::uint64_t size) noexcept;
  /// Failure (simulation_failed) unless the descriptor and the path still lead to the file that was opened, and it has
  /// so many bytes, where that is known: somebody deleted, moved, replaced or changed it, or a plugin meddled with
  /// descriptors.
  void check_unchanged(std::optional<std::uint64_t> size) const;
  /// Closes a file. Failure (simulation_failed) when the system reports a late error, or the file is not as it was
  /// written.
  void close();

  /// Gives up what has been written: the file vanishes with the object, if it has become ours.
  void give_up() noexcept { made_ = made_ || ours_; }
  /// close() for a file that a library has written and closed, which knows its content.
  void close_after_library();

 private:
  [[noreturn]] void fail(int error_number) const;
  bool add_content(Checksum&, std::uint64_t bytes) const;
  void check_content() const;
  void take_identity();
  void drop_after_last_line(std::string_view written) noexcept;

  std::string path_;
  std::string whole_path_;  // does not depend on the working directory, which plugins may change
  off_t size_ = 0;          // of what was written before, bytes
  Checksum checksum_;       // of the same
  dev_t device_ = 0;        // the file at the descriptor
  ino_t inode_ = 0;
  int descriptor_ = -1;
  std::string option_;
  std::optional<WrittenFile> claim_;
  std::optional<std::size_t> rows_;  // none if the file is no table of a run
  bool stream_ = false, made_ = false, ours_ = false;
};

/// "cannot write results to PATH: No space left on device", with a remedy for the usual reasons. rows: how many of a
/// run are kept there, if it is a table of one.
[[noreturn]] void fail_to_write(const std::string& path, int error_number,
                                std::string_view option = OutputFile::of_results, std::optional<std::size_t> rows = {});

}  // namespace polyform::host::results
