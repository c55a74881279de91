#include "framework/workbench/conformance/conformance.hpp"

#include <fmt/format.h>

#include "framework/host/process/process.hpp"
#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/message_sink.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr std::uint64_t memory_limit = std::uint64_t{1} << 30;  ///< for one battery, bytes: its models are small
/// Time limit for all checks of a type, as a multiple of that for one check. It is for plugins that stop the alarm.
constexpr double most_checks = 50;

constexpr int most_lost = 3;  ///< for one battery: so many checks may end its process

template <class Type>
const Type& type_of(const Named<Type>& names, const Offer& offer) {
  return *find(names, offer.name);
}

/// The catalog without the plugin's other types; the type under test stays.
Catalog without_siblings(Catalog catalog, const PluginRecord& plugin, const Offer& tested) {
  for (const Offer& sibling : plugin.offers) {
    if (sibling.kind == tested.kind && sibling.name == tested.name) continue;
    const JointType* const joint = sibling.kind == "joint" ? find(catalog.joints, sibling.name) : nullptr;
    if (joint != nullptr && joint->kernel() == nullptr) continue;
    const auto drop = [&](std::string_view kind, auto& names) {
      if (kind == sibling.kind) names.erase(sibling.name);
    };
    for_each_kind(drop, catalog);
  }
  return catalog;
}

void run_battery(const Offer& offer, const PluginRecord& plugin, const Catalog& all,
                 std::shared_ptr<const void> keep_alive, const ConformanceSettings& settings, ClaimSink& sink) {
  const Catalog catalog = without_siblings(all, plugin, offer);
  Checklist list(offer.kind, offer.name, sink);
  check_texts(offer, catalog, list);
  if (offer.kind == "device") return check_device(type_of(catalog.devices, offer), list);
  Sample example = example_of(settings.example, all, keep_alive, settings.lenient);
  if (offer.kind == "importer") return check_importer(type_of(catalog.importers, offer), all, list);
  const bool has_fields = example.system != nullptr && offer.kind != "formulation" && offer.kind != "integrator";
  const Bench bench(catalog, keep_alive, has_fields ? ExampleFields(*example.system, offer.name) : ExampleFields{},
                    settings.thorough, settings.draw);
  if (offer.kind == "joint") check_joint(type_of(catalog.joints, offer), bench, list);
  if (offer.kind == "force") check_force(type_of(catalog.forces, offer), bench, list);
  if (offer.kind == "constraint") check_constraint(type_of(catalog.constraints, offer), bench, list);
  if (offer.kind == "flexible body") check_flexible_body(type_of(catalog.flexible_bodies, offer), bench, list);
  if (offer.kind == "formulation")
    check_formulation(type_of(catalog.formulations, offer), std::move(example), bench, list);
  if (offer.kind == "module") check_module(type_of(catalog.modules, offer), bench, list);
  if (offer.kind == "integrator") check_integrator(type_of(catalog.integrators, offer), list);
}

/// What one process of a battery came to.
struct Attempt {
  ProcessEnd end;
  std::string begun;           ///< the check it ended in; empty if it ended between checks
  std::string model;           ///< the model that it ended in
  std::optional<double> late;  ///< the check took too long; memory taken by then, bytes

  bool greedy() const {
    return end.how == ProcessEnd::How::memory || (late && *late > static_cast<double>(memory_limit) / 4);
  }
};

std::string finding_of(const Attempt& attempt, const ProcessLimits& limits, double seconds) {
  if (!attempt.late) return describe(attempt.end, limits);
  const std::string time = fmt::format("the time limit of {:g} s for one check", seconds);
  if (!attempt.greedy()) return "not done within " + time;
  return fmt::format("takes memory without end: {:.2g} GiB within {}", *attempt.late / 0x1p30, time);
}

std::string remedy_of(const Attempt& attempt) {
  if (attempt.end.how == ProcessEnd::How::failed) return keep_to_what_is_given;
  return attempt.greedy() ? "look for what grows with every call, or for a size that comes from a wrong number"
                          : "find the place with a debugger or with -fsanitize=address,undefined";
}

}  // namespace

std::vector<Claim> check_conformance(const PluginRecord& plugin, const Offer& offer, const Catalog& catalog,
                                     std::shared_ptr<const void> keep_alive, const ConformanceSettings& settings,
                                     const std::function<void(const Claim&)>& on_claim) {
  std::vector<Claim> claims;
  const auto keep = [&](Claim claim) {
    on_claim(claim);
    claims.push_back(std::move(claim));
  };
  const ProcessLimits limits{most_checks * settings.time_limit, memory_limit};
  for (int lost = 1; lost <= most_lost; ++lost) {
    Attempt attempt;
    const ProcessJob job{[&](const Messenger& messenger) {
                           MessageSink sink(messenger, claims.size(), settings.time_limit);
                           run_battery(offer, plugin, catalog, keep_alive, settings, sink);
                         },
                         [&](std::string_view text) {
                           BatteryMessage message = read_message(text);
                           if (message.begun || message.claim) attempt.begun = message.begun.value_or("");
                           if (message.begun || message.model) attempt.model = message.model.value_or("");
                           attempt.late = message.late;
                           if (message.claim) keep(std::move(*message.claim));
                         },
                         {}};
    attempt.end = run_in_processes(std::span(&job, 1), limits, 1).front();
    const bool breach = attempt.end.how == ProcessEnd::How::failed && attempt.end.code == Exit::simulation_failed;
    if (attempt.end.how == ProcessEnd::How::failed && !breach)
      throw Failure(attempt.end.code, attempt.end.message, attempt.end.remedy);
    if (attempt.end.done()) break;
    const bool last = lost == most_lost || attempt.begun.empty();
    keep({offer.kind, offer.name, attempt.begun.empty() ? "making random models" : attempt.begun, Verdict::failed, 0, 0,
          finding_of(attempt, limits, settings.time_limit) + (last ? "; the checks after this one were not made" : ""),
          remedy_of(attempt), attempt.model});
    if (last) break;
  }
  return claims;
}

}  // namespace polyform::host::conformance
