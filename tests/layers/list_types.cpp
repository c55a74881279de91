// Prints the names of the plugins of this build and of all types they offer, a line each.
#include <cstdio>

#include "framework/host/registry/registry.hpp"

int main() {
  const polyform::host::Registry registry;
  for (const polyform::host::PluginRecord& plugin : registry.plugins()) {
    std::printf("%s\n", plugin.name.c_str());
    for (const polyform::host::Offer& offer : plugin.offers) std::printf("%s\n", offer.name.c_str());
  }
  return registry.plugins().empty() ? 1 : 0;
}
