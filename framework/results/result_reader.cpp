#include "framework/results/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"
#include "framework/results/hdf5_handle.hpp"

namespace polyform::host {

namespace {

using hdf5::check;
using hdf5::Handle;

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
  try {
    static_cast<std::vector<std::string>*>(names)->push_back(name);
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

[[noreturn]] void refuse_layout(const std::string& dataset) {
  throw Failure(Exit::bad_input, fmt::format("the dataset {} is no table of results", dataset),
                "Is it an HDF5 file written by polyform?");
}

/// A group of columns, or a single one where `name` is a dataset itself.
void read_group(hid_t file, const std::string& name, std::vector<ResultColumn>& columns) {
  const bool table = check(H5Lexists(file, name.c_str(), H5P_DEFAULT)) > 0 &&
                     H5Lexists(file, (name + "/values").c_str(), H5P_DEFAULT) > 0;
  const Handle dataset(H5Dopen2(file, (table ? name + "/values" : name).c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (check(H5Sget_simple_extent_ndims(space)) != (table ? 2 : 1)) refuse_layout(name);
  hsize_t size[2] = {0, 1};
  check(H5Sget_simple_extent_dims(space, size, nullptr));
  std::vector<double> all(size[0] * size[1]);
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));

  using Texts = std::vector<std::string>;
  const Texts names = table ? hdf5::read_texts(file, name + "/channels") : Texts{name};
  const Texts units = table ? hdf5::read_texts(file, name + "/units") : Texts{hdf5::read_text(dataset, "unit")};
  if (names.size() != size[1] || units.size() != size[1]) refuse_layout(name);
  for (std::size_t c = 0; c < size[1]; ++c) {
    ResultColumn& column = columns.emplace_back();
    column.channel = {names[c], units[c], table ? name : std::string()};
    column.values.resize(size[0]);
    for (std::size_t r = 0; r < size[0]; ++r) column.values[r] = all[r * size[1] + c];
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
    std::vector<std::string> groups;
    check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &groups));
    for (const std::string& group : groups) read_group(file, group, results.columns);
  } catch (const hdf5::Error& error) {
    throw Failure(Exit::bad_input, fmt::format("cannot read results from {}: {}", path, error.what()),
                  "Is it an HDF5 file written by polyform?");
  }
  return results;
}

}  // namespace polyform::host
