#include "framework/host/results/hdf5_objects.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace polyform::host::inline results::hdf5 {

std::size_t Object::text_bytes() const {
  const auto bytes = [](const std::vector<std::string>& texts) {
    std::size_t length = 1;
    for (const std::string& text : texts) length = std::max(length, text.size());
    return length * texts.size();
  };
  return bytes(names) + bytes(units) + bytes(own_names);
}

std::vector<Object> arrange(std::span<const Channel> channels) {
  std::vector<Object> objects;
  std::map<std::string, std::size_t> index;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    ChannelPlace place = place_of(channels[c]);
    const auto [found, is_new] = index.try_emplace(place.group, objects.size());
    if (is_new) objects.push_back({std::move(place.group), {}, {}, {}, {}, !place.component.empty()});
    Object& object = objects[found->second];
    object.columns.push_back(c);
    object.names.push_back(channels[c].name);
    object.units.push_back(channels[c].unit);
    object.own_names.push_back(channels[c].own_name);
  }
  for (Object& object : objects)
    if (std::ranges::all_of(object.own_names, &std::string::empty)) object.own_names.clear();
  return objects;
}

}  // namespace polyform::host::inline results::hdf5
