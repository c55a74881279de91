#include "framework/host/results/channel.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace polyform::host::inline results {

namespace {

struct Component {
  std::string_view name, group;
};

/// Components by the outer contract, without the index of q[0], eta[0].
constexpr Component components[] = {
    {"q", "joints"},
    {"v", "joints"},
    {"x", "bodies"},
    {"y", "bodies"},
    {"z", "bodies"},
    {"qw", "bodies"},
    {"qx", "bodies"},
    {"qy", "bodies"},
    {"qz", "bodies"},
    {"vx", "bodies"},
    {"vy", "bodies"},
    {"vz", "bodies"},
    {"wx", "bodies"},
    {"wy", "bodies"},
    {"wz", "bodies"},
    {"eta", "bodies"},
    {"etadot", "bodies"},
    {"fx", "reactions"},
    {"fy", "reactions"},
    {"fz", "reactions"},
    {"mx", "reactions"},
    {"my", "reactions"},
    {"mz", "reactions"},
    {"a", "accelerations"},
    {"ax", "accelerations"},
    {"ay", "accelerations"},
    {"az", "accelerations"},
    {"alphax", "accelerations"},
    {"alphay", "accelerations"},
    {"alphaz", "accelerations"},
    {"etaddot", "accelerations"},
    {"vbx", "body_axes"},
    {"vby", "body_axes"},
    {"vbz", "body_axes"},
    {"wbx", "body_axes"},
    {"wby", "body_axes"},
    {"wbz", "body_axes"},
    {"angle1", "body_axes"},
    {"angle2", "body_axes"},
    {"angle3", "body_axes"},
};

}  // namespace

ChannelPlace place_of(const Channel& channel) {
  const std::string& name = channel.name;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {name, name, ""};
  const std::string object = name.substr(0, dot), component = name.substr(dot + 1);
  if (!channel.group.empty()) return {channel.group, object, component};
  const std::string_view without_index = std::string_view(component).substr(0, component.find('['));
  const auto* found = std::find_if(std::begin(components), std::end(components),
                                   [&](const Component& c) { return c.name == without_index; });
  return {found == std::end(components) ? object : std::string(found->group), object, component};
}

std::string own_path(const Channel& channel) {
  return channel.own_name.empty() ? std::string() : place_of(channel).object + "." + channel.own_name;
}

std::size_t find_channel(std::span<const Channel> channels, std::string_view name) {
  auto found = std::ranges::find(channels, name, &Channel::name);
  if (found == channels.end())
    found =
        std::ranges::find_if(channels, [&](const Channel& c) { return !c.own_name.empty() && own_path(c) == name; });
  return static_cast<std::size_t>(found - channels.begin());
}

}  // namespace polyform::host::results
