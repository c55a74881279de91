// What tables and trajectories of studies share in HDF5.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/host/results/hdf5_handle.hpp"
#include "framework/host/results/output_file.hpp"

namespace polyform::host::inline studies {

/// Has a file of HDF5 filled, in place of what is there. Failure (simulation_failed).
void write_hdf5_file(OutputFile&, const std::function<void(hid_t)>& fill);

/// The name of a link to a dataset: a slash in a name would make a group.
std::string link_name(std::string name);
/// A group whose members keep the order in which they are made.
void make_ordered_group(hid_t file, const char* name);
/// The names of the datasets in a group, in the order in which they were made.
std::vector<std::string> names_in(hid_t file, const char* group);
std::vector<double> read_numbers(hid_t file, const std::string& path);
/// A dataset of numbers, one per case.
results::hdf5::Handle write_numbers(hid_t file, const std::string& path, const std::vector<double>&);
results::hdf5::Handle write_numbers(hid_t file, const std::string& path, const std::vector<std::int64_t>&);
std::string unit_of(hid_t file, const std::string& path);

}  // namespace polyform::host::inline studies
