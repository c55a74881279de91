// Projects that begin as a copy of a worked example, under another name.
//
// The examples are folders STEM-KIND of the installed data, a small project each, e.g. helical-joint. What they are
// called stands in four spellings in their files: stem-kind, stem_kind and StemKind as parts of other words, and the
// stem as a word of its own, which is the name of the type.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace polyform::apps {

struct ExampleProject {
  std::filesystem::path folder;
  std::string stem, kind;  ///< of stem-kind; a stem has no hyphen
};

/// The worked examples of a folder by kind, in alphabetical order; none if there is no such folder.
std::vector<ExampleProject> example_projects(const std::filesystem::path& folder);

/// Why this cannot be the name of a type, a file and a C++ function; empty when it can. One sentence without the name.
std::string objection_to_name(std::string_view name);

/// A text or file name of an example, with the example's name replaced.
std::string renamed(std::string_view text, const ExampleProject&, std::string_view name);

/// Writes the files of the example under a new name. Failure (bad_input) when the folder holds anything already,
/// Failure (simulation_failed) when a file cannot be read or written. Returns the names of the files, in order.
std::vector<std::string> write_project(const ExampleProject&, std::string_view name,
                                       const std::filesystem::path& directory);

}  // namespace polyform::apps
