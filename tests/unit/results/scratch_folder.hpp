// A folder of its own for each test, and small tables.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/results/result_writer.hpp"

namespace polyform::host::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "polyform-results-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

 private:
  std::filesystem::path folder_;
};

inline std::vector<Channel> some_channels() {
  return {{"time", "s"},         {"pin.q", "rad"},
          {"pin.v", "rad/s"},    {"ball.q[0]", "1"},
          {"ball.q[1]", "1"},    {"rod/a%.x", "m"},
          {"rod/a%.vx", "m/s"},  {"arm[0].joint.q", "rad"},
          {"energy.total", "J"}, {"constraint.position", "m or rad"},
          {"pin.fx", "N"}};
}

/// Numbers that a careless conversion would damage.
inline std::vector<double> some_row(std::size_t row, std::size_t columns) {
  const double numbers[] = {0.1,  1.0 / 3, -0.0,     5e-324, std::numeric_limits<double>::max(),
                            1e22, 1e-9,    -123.456, 2.5e-8, std::nextafter(1.0, 2.0)};
  std::vector<double> values;
  for (std::size_t c = 0; c < columns; ++c) values.push_back(numbers[(row + c) % std::size(numbers)]);
  values[0] = static_cast<double>(row) * 0.1;
  return values;
}

/// The message of a call that must fail.
template <class Call>
std::string failure_of(Exit expected, const Call& call) {
  try {
    call();
  } catch (const Failure& f) {
    return f.code() == expected ? f.message() + "\n" + f.remedy() : "another exit code";
  }
  return "no failure";
}

}  // namespace polyform::host::test
