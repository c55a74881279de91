// Which columns of results stand in which dataset of an HDF5 file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "framework/host/results/channel.hpp"

namespace polyform::host::inline results::hdf5 {

/// The columns of one dataset.
struct Object {
  std::string path;
  std::vector<std::size_t> columns;
  std::vector<std::string> names, units;
  std::vector<std::string> own_names;  ///< Channel::own_name of each, or none if no column has one
  bool table;                          ///< N x k; else N numbers

  std::string dataset() const { return table ? path + "/values" : path; }
  /// What the file takes for these texts: each list in texts of one length.
  std::size_t text_bytes() const;
};

/// One for each group of columns, in the order in which the groups come.
std::vector<Object> arrange(std::span<const Channel> channels);

}  // namespace polyform::host::inline results::hdf5
