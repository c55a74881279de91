#include "framework/file_content.hpp"

#include <fstream>
#include <sstream>

namespace polyform::host {

std::optional<std::string> file_content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  // An empty file has nothing to insert below, which would count as a failure.
  if (stream.peek() == std::ifstream::traits_type::eof())
    return stream.bad() ? std::optional<std::string>() : std::optional<std::string>("");
  std::ostringstream content;
  if (!(content << stream.rdbuf())) return std::nullopt;
  return std::move(content).str();
}

}  // namespace polyform::host
