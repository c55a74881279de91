#include "framework/workbench/studies/study_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline studies {

using results::hdf5::check;
using results::hdf5::Handle;

namespace {

template <class Number>
Handle write_any(hid_t file, const std::string& path, const std::vector<Number>& numbers) {
  const hsize_t count = numbers.size(), chunk = std::clamp<hsize_t>(count, 1, hsize_t{1} << 16);
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const hid_t type = std::is_floating_point_v<Number> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  Handle dataset(H5Dcreate2(file, path.c_str(), type, space, results::hdf5::with_groups(),
                            results::hdf5::chunked(1, &chunk), H5P_DEFAULT),
                 H5Dclose);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  return dataset;
}

}  // namespace

void write_hdf5_file(OutputFile& output, const std::function<void(hid_t)>& fill) {
  results::hdf5::set_up();
  output.replace();
  output.unlock();
  try {
    Handle file(H5Fcreate(output.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    try {
      fill(file);
      file.close();
    } catch (const results::hdf5::Error&) {
      file.abandon();  // closing would write again
      throw;
    }
  } catch (const results::hdf5::Error& error) {
    if (error.number() != 0) results::fail_to_write(output.path(), error.number());
    throw Failure(Exit::simulation_failed,
                  fmt::format("cannot write results to {}: HDF5 says: {}", output.path(), error.what()));
  }
  output.close_after_library();
}

std::string link_name(std::string name) {
  std::ranges::replace(name, '/', '|');
  return name;
}

void make_ordered_group(hid_t file, const char* name) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const Handle group(H5Gcreate2(file, name, H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
}

std::vector<std::string> names_in(hid_t file, const char* path) {
  const Handle group(H5Gopen2(file, path, H5P_DEFAULT), H5Gclose);
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* all) -> herr_t {
    static_cast<std::vector<std::string>*>(all)->emplace_back(name);
    return 0;
  };
  check(H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, take, &names));
  return names;
}

std::vector<double> read_numbers(hid_t file, const std::string& path) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose), space(H5Dget_space(dataset), H5Sclose);
  std::vector<double> numbers(static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space))));
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  return numbers;
}

Handle write_numbers(hid_t file, const std::string& path, const std::vector<double>& numbers) {
  return write_any(file, path, numbers);
}
Handle write_numbers(hid_t file, const std::string& path, const std::vector<std::int64_t>& numbers) {
  return write_any(file, path, numbers);
}

std::string unit_of(hid_t file, const std::string& path) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  return check(H5Aexists(dataset, "unit")) > 0 ? results::hdf5::read_text(dataset, "unit") : std::string();
}

}  // namespace polyform::host::inline studies
