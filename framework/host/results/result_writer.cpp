#include "framework/host/results/result_writer.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "framework/diagnostics.hpp"
#include "framework/host/results/csv_writer.hpp"
#include "framework/host/results/hdf5_writer.hpp"

namespace polyform::host::inline results {

std::unique_ptr<ResultWriter> make_writer(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (path == "-" || extension == ".csv") return make_csv_writer(std::make_unique<OutputFile>(path));
  if (extension == ".h5" || extension == ".hdf5") return make_hdf5_writer(std::make_unique<OutputFile>(path));
  throw Failure(Exit::bad_input,
                fmt::format("cannot write results to '{}': expected a name that ends in .csv or .h5", path),
                "- writes CSV to the output stream.");
}

}  // namespace polyform::host::results
