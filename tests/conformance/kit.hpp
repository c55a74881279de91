// The battery of one type, with the plugins of the build and those of the tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "framework/host/registry/registry.hpp"
#include "framework/workbench/conformance/conformance.hpp"
#include "tests/support/sanitized.hpp"

namespace polyform::host::test {

/// The shipped plugins and the sdk's examples, with the fixtures given first.
inline RegistryOptions options_with(const std::vector<std::string>& fixtures) {
  std::vector<std::string> paths;
  for (const std::string& name : fixtures) paths.push_back(std::string(POLYFORM_FIXTURES) + "/" + name + ".so");
  paths.emplace_back(POLYFORM_EXAMPLE_PLUGINS);
  return RegistryOptions(paths);
}

using polyform::test::has_address_sanitizer;

/// Under a sanitizer always the short battery, where every call takes many times as long.
inline std::vector<Claim> claims_of(const Registry& registry, const PluginRecord& plugin, const Offer& offer,
                                    ConformanceSettings settings = {}) {
  settings.thorough = settings.thorough && !has_address_sanitizer;
  return check_conformance(plugin, offer, registry.catalog(), registry.keep_alive(), settings, [](const Claim&) {});
}

inline std::string text(const Claim& claim) {
  return claim.kind + " " + claim.type + ": " + claim.name + ": " + std::string(name_of(claim.verdict)) + " (" +
         std::to_string(claim.measured) + ") " + claim.finding;
}

}  // namespace polyform::host::test
