// The files of an SDF model: with those that it includes.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "xml_file.hpp"

namespace polyform::importers {

/// The folders in which Gazebo looks for models, by the environment.
std::vector<std::filesystem::path> folders_of_gazebo();

class SdfFiles {
 public:
  SdfFiles(XmlFile& first, DiagnosticSink& sink) : first_(first), sink_(sink) {}

  /// The model of the file that an <include> names; empty if it is not read, which is marked, or after a report.
  Element model_of(const Element& include);
  std::size_t errors();  ///< of all files
  void settle(Ledger&) const;
  /// Tells the host of these files and of all that they name. packages: as of MeshFiles.
  void tell_named(std::string_view packages, ConversionSink&) const;

 private:
  /// The file that a URI means, or "": model://NAME and package://NAME/FILE are looked for beside the file and its
  /// models, and in the folders that the environment lists for Gazebo.
  std::string file_of(const std::string& uri, const XmlFile& from) const;

  XmlFile& first_;
  DiagnosticSink& sink_;
  std::deque<XmlFile> included_;
  std::map<std::string, XmlFile*> by_path_;
  std::size_t bytes_ = 0;
};

}  // namespace polyform::importers
