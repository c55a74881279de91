// Archives in the ZIP format (APPNOTE 6.3, without its 64-bit extensions), written in one go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polyform::fmi {

/// Files in an archive, in the order in which they are added, each deflated where that makes it smaller.
class ZipWriter {
 public:
  /// name: with / between folders. Failure (bad_input) if a file or the archive has 4 GiB or more.
  void add(std::string_view name, std::string_view bytes, bool executable = false);
  /// The whole archive; after this nothing is added.
  std::string finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t checksum, packed, size, offset;
    std::uint16_t method;
    bool executable;
  };
  std::string out_;
  std::vector<Entry> entries_;
};

}  // namespace polyform::fmi
