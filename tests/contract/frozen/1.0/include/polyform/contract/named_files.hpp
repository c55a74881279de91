// Files that a file of another program names: nothing may be written to them.
#pragma once

#include <string_view>

namespace polyform {

/// What ConversionSink::query gives if the host takes the files that belong to the model. An importer names each that
/// exists, whether it reads the file or not: an output that is one of them would replace it.
class NamedFiles {
 public:
  static constexpr std::string_view interface_name = "polyform.named_files.1";
  /// A path, absolute or from the working directory. The same may be named several times.
  virtual void named(std::string_view path) noexcept = 0;

 protected:
  ~NamedFiles() = default;
};

}  // namespace polyform
