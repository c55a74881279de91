// Tables of results on their way to a file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "framework/host/results/channel.hpp"
#include "framework/host/results/record.hpp"

namespace polyform::host::inline results {

/// Writes a table row by row; the memory it uses does not grow with the number of rows. All functions throw Failure
/// (simulation_failed) when writing fails on the way, by a full disk for instance; rows stored before stay readable. A
/// writer destroyed without finish, because the run ended by an error, still stores the rows it has got.
class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  /// The columns, and what is known of the run. An existing file is replaced here, not before.
  virtual void begin(std::span<const Channel>, const RecordFields&) = 0;
  /// In place of begin(): goes on with the file of an earlier run of the same model, whose rows up to the time `until`
  /// stay. Returns how many these are. Failure (bad_input) where the file is none with these columns.
  virtual std::size_t go_on(std::span<const Channel>, const RecordFields&, double until) = 0;
  /// One number per channel.
  virtual void row(std::span<const double>) = 0;
  /// All rows so far reach the file now.
  virtual void store() = 0;
  /// What became of the run: fields replace those of the same name given to begin. The file is complete and closed.
  virtual void finish(const RecordFields&) = 0;
};

/// A writer by the extension of the path: .csv, or .h5 or .hdf5 (see hdf5_writer.hpp for the layout); "-" is CSV on the
/// output stream. Failure (bad_input) when the extension is another, the folder is missing, something that is no file
/// stands at the path, or permission lacks. Leaves what is at the path as it is.
std::unique_ptr<ResultWriter> make_writer(const std::string& path);

}  // namespace polyform::host::results
