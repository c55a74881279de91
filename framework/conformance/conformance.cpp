#include "framework/conformance/conformance.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "framework/conformance/batteries.hpp"
#include "framework/process/process.hpp"

namespace polyform::host {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t memory_limit = std::uint64_t{4} << 30;  ///< of a battery, bytes: its models are small

/// Claims as messages from the process that decides them: {"begin": name}, or a claim.
class MessageSink final : public ClaimSink {
 public:
  explicit MessageSink(const Messenger& to) : to_(to) {}
  void begin(std::string_view name) override { say({{"begin", name}}); }
  void add(const Claim& c) override {
    say({{"kind", c.kind},
         {"type", c.type},
         {"name", c.name},
         {"verdict", static_cast<int>(c.verdict)},
         {"measured", fmt::format("{}", c.measured)},
         {"tolerance", c.tolerance},
         {"finding", c.finding},
         {"remedy", c.remedy},
         {"model", c.model}});
  }

 private:
  void say(const Json& message) { to_.send(message.dump(-1, ' ', true, Json::error_handler_t::replace)); }
  const Messenger& to_;
};

Claim claim_of(const Json& line) {
  return {line["kind"],
          line["type"],
          line["name"],
          static_cast<Verdict>(line["verdict"].get<int>()),
          std::stod(line["measured"].get<std::string>()),
          line["tolerance"],
          line["finding"],
          line["remedy"],
          line["model"]};
}

template <class Type>
const Type& type_of(const Named<Type>& names, const Offer& offer) {
  return *find(names, offer.name);
}

/// The catalog without what the plugin offers beside the type under test.
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
                 std::shared_ptr<const void> keep_alive, const std::string& example, ClaimSink& sink) {
  const Catalog catalog = without_siblings(all, plugin, offer);
  const Bench bench(catalog, keep_alive, examples_of(example, all, keep_alive));
  Checklist list(offer.kind, offer.name, sink);
  if (offer.kind == "joint") check_joint(type_of(catalog.joints, offer), bench, list);
  if (offer.kind == "force") check_force(type_of(catalog.forces, offer), bench, list);
  if (offer.kind == "constraint") check_constraint(type_of(catalog.constraints, offer), bench, list);
  if (offer.kind == "flexible body") check_flexible_body(type_of(catalog.flexible_bodies, offer), bench, list);
  if (offer.kind == "formulation") check_formulation(type_of(catalog.formulations, offer), bench, list);
  if (offer.kind == "module") check_module(type_of(catalog.modules, offer), bench, list);
}

}  // namespace

std::vector<Claim> check_conformance(const PluginRecord& plugin, const Offer& offer, const Catalog& catalog,
                                     std::shared_ptr<const void> keep_alive, const ConformanceSettings& settings,
                                     const std::function<void(const Claim&)>& on_claim) {
  std::vector<Claim> claims;
  std::string begun = "making random models";
  const auto keep = [&](Claim claim) {
    on_claim(claim);
    claims.push_back(std::move(claim));
  };
  const ProcessJob job{[&](const Messenger& messenger) {
                         MessageSink sink(messenger);
                         run_battery(offer, plugin, catalog, keep_alive, settings.example, sink);
                       },
                       [&](std::string_view text) {
                         const Json message = Json::parse(text);
                         if (message.contains("begin"))
                           begun = message["begin"];
                         else
                           keep(claim_of(message));
                       },
                       {}};
  const ProcessLimits limits{settings.time_limit, memory_limit};
  const ProcessEnd end = run_in_processes(std::span(&job, 1), limits, 1).front();
  if (end.how == ProcessEnd::How::failed) throw Failure(end.code, end.message, end.remedy);
  if (!end.done())
    keep(
        {offer.kind,
         offer.name,
         begun,
         Verdict::failed,
         0,
         0,
         describe(end, limits),
         "find the place with a debugger or with -fsanitize=address,undefined; the checks after this one were not made",
         {}});
  return claims;
}

}  // namespace polyform::host
