// The conformance kit: all that the contract claims of a plugin's types, tried on random instances.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/registry/catalog.hpp"
#include "framework/host/registry/plugin_record.hpp"
#include "framework/workbench/conformance/claim.hpp"

namespace polyform::host::inline conformance {

struct ConformanceSettings {
  /// A model of the author's: its field values are used, or a formulation is tried on it too; may be empty.
  std::string example{};
  double time_limit = 20;  ///< of one check, computing or asleep, s
  bool lenient = false;    ///< of the example: see ReadingOptions
  bool thorough = true;    ///< false: fewer random systems and shorter runs of each battery
  std::uint64_t draw = 0;  ///< of the random systems: another number gives others
};

/// Runs the battery of one type that a plugin offers, in a process of its own: a crash or a hang of the plugin is a
/// failed claim that names the check it happened in, and the next process goes on with the checks after it. Models are
/// made of what the other plugins offer, and of the plugin's own joints that are no code: its other types may be wrong
/// themselves. Failure (bad_input) when the example is no sound model.
std::vector<Claim> check_conformance(const PluginRecord&, const Offer&, const Catalog&,
                                     std::shared_ptr<const void> keep_alive, const ConformanceSettings&,
                                     const std::function<void(const Claim&)>& on_claim);

}  // namespace polyform::host::conformance
