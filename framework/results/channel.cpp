#include "framework/results/channel.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace polyform::host {

namespace {

struct Component {
  std::string_view name, group;
};

/// Components by the outer contract, without the index of q[0], eta[0].
constexpr Component components[] = {
    {"q", "joints"},      {"v", "joints"},      {"x", "bodies"},      {"y", "bodies"},      {"z", "bodies"},
    {"qw", "bodies"},     {"qx", "bodies"},     {"qy", "bodies"},     {"qz", "bodies"},     {"vx", "bodies"},
    {"vy", "bodies"},     {"vz", "bodies"},     {"wx", "bodies"},     {"wy", "bodies"},     {"wz", "bodies"},
    {"eta", "bodies"},    {"etadot", "bodies"}, {"fx", "reactions"},  {"fy", "reactions"},  {"fz", "reactions"},
    {"mx", "reactions"},  {"my", "reactions"},  {"mz", "reactions"},
};

}  // namespace

std::string result_group(const std::string& channel_name) {
  const std::size_t dot = channel_name.rfind('.');
  if (dot == std::string::npos) return channel_name;
  const std::string_view component = std::string_view(channel_name).substr(dot + 1);
  const std::string_view without_index = component.substr(0, component.find('['));
  const auto* found = std::find_if(std::begin(components), std::end(components),
                                   [&](const Component& c) { return c.name == without_index; });
  return found == std::end(components) ? channel_name.substr(0, dot) : std::string(found->group);
}

}  // namespace polyform::host
