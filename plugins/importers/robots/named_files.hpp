// The files that the file of a robot names, of any kind: meshes, textures, other files of the same format.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "xml_file.hpp"

namespace polyform::importers {

/// Tells the host of the file and of all files that it names, read or not. folders: from which it may name them, beside
/// its own. packages: a list of folders in which packages of ROS and models of Gazebo lie.
void tell_named_files(const XmlFile&, const std::vector<std::filesystem::path>& folders, std::string_view packages,
                      ConversionSink&);

}  // namespace polyform::importers
