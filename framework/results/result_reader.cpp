#include "framework/results/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"
#include "framework/results/hdf5_handle.hpp"

namespace polyform::host {

namespace {

using hdf5::check;
using hdf5::Handle;

herr_t collect_dataset(hid_t, const char* path, const H5O_info_t* info, void* paths) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    static_cast<std::vector<std::string>*>(paths)->push_back(path);
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

[[noreturn]] void refuse_layout(const std::string& dataset) {
  throw Failure(Exit::bad_input, fmt::format("the dataset {} is no table of results", dataset),
                "Is it an HDF5 file written by polyform?");
}

void read_dataset(hid_t file, const std::string& path, std::vector<ResultColumn>& columns) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (const int rank = check(H5Sget_simple_extent_ndims(space)); rank != 1 && rank != 2) refuse_layout(path);
  hsize_t size[2] = {0, 1};
  check(H5Sget_simple_extent_dims(space, size, nullptr));
  std::vector<double> all(size[0] * size[1]);
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));

  const std::string object = hdf5::name_of_link(path.substr(path.rfind('/') + 1));
  const bool table = check(H5Aexists(dataset, "channels")) > 0;
  using Texts = std::vector<std::string>;
  const Texts components = table ? hdf5::read_texts(dataset, "channels") : Texts{""};
  const Texts units = table ? hdf5::read_texts(dataset, "units") : Texts{hdf5::read_text(dataset, "unit")};
  if (components.size() != size[1] || units.size() != size[1]) refuse_layout(path);
  for (std::size_t c = 0; c < size[1]; ++c) {
    ResultColumn& column = columns.emplace_back();
    column.channel = {table ? object + "." + components[c] : object, units[c]};
    for (std::size_t r = 0; r < size[0]; ++r) column.values.push_back(all[r * size[1] + c]);
  }
}

}  // namespace

const ResultColumn* Results::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, [](const ResultColumn& c) { return c.channel.name; });
  return found == columns.end() ? nullptr : &*found;
}

Results read_results(const std::string& path) {
  hdf5::set_up();
  Results results;
  try {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    results.record = hdf5::read_fields(file);
    std::erase_if(results.record, [](const RecordField& field) { return field.name == "record"; });
    std::vector<std::string> paths;
    check(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect_dataset, &paths, H5O_INFO_BASIC));
    for (const std::string& dataset : paths) read_dataset(file, dataset, results.columns);
  } catch (const hdf5::Error& error) {
    throw Failure(Exit::bad_input, fmt::format("cannot read results from {}: {}", path, error.what()),
                  "Is it an HDF5 file written by polyform?");
  }
  return results;
}

}  // namespace polyform::host
