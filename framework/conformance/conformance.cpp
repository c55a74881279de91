#include "framework/conformance/conformance.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "framework/conformance/batteries.hpp"
#include "framework/conformance/child_process.hpp"

namespace polyform::host {

namespace {

using Json = nlohmann::json;

/// Claims as lines of text from the child to the parent: {"begin": name}, or a claim.
class LineSink final : public ClaimSink {
 public:
  explicit LineSink(const std::function<void(const std::string&)>& send) : send_(send) {}
  void begin(std::string_view name) override { say({{"begin", name}}); }
  void add(const Claim& c) override {
    say({{"kind", c.kind}, {"type", c.type}, {"name", c.name}, {"verdict", static_cast<int>(c.verdict)},
         {"measured", fmt::format("{}", c.measured)}, {"tolerance", c.tolerance}, {"finding", c.finding},
         {"remedy", c.remedy}, {"model", c.model}});
  }
  void refuse(const Failure& f) { say({{"failure", f.message()}, {"remedy", f.remedy()}, {"code", static_cast<int>(f.code())}}); }

 private:
  void say(const Json& line) { send_(line.dump(-1, ' ', true, Json::error_handler_t::replace)); }
  const std::function<void(const std::string&)>& send_;
};

Claim claim_of(const Json& line) {
  return {line["kind"], line["type"], line["name"], static_cast<Verdict>(line["verdict"].get<int>()),
          std::stod(line["measured"].get<std::string>()), line["tolerance"], line["finding"], line["remedy"],
          line["model"]};
}

template <class Type>
const Type& type_of(const Named<Type>& names, const Offer& offer) {
  return *find(names, offer.name);
}

void run_battery(const Offer& offer, const Catalog& catalog, std::shared_ptr<const void> keep_alive,
                 const std::string& example, ClaimSink& sink) {
  const Bench bench(catalog, std::move(keep_alive), example);
  Checklist list(offer.kind, offer.name, sink);
  if (offer.kind == "joint") check_joint(type_of(catalog.joints, offer), bench, list);
  if (offer.kind == "force") check_force(type_of(catalog.forces, offer), bench, list);
  if (offer.kind == "constraint") check_constraint(type_of(catalog.constraints, offer), bench, list);
  if (offer.kind == "flexible body") check_flexible_body(type_of(catalog.flexible_bodies, offer), bench, list);
  if (offer.kind == "formulation") check_formulation(type_of(catalog.formulations, offer), bench, list);
  if (offer.kind == "module") check_module(type_of(catalog.modules, offer), bench, list);
}

}  // namespace

std::vector<Claim> check_conformance(const Offer& offer, const Catalog& catalog, std::shared_ptr<const void> keep_alive,
                                     const ConformanceSettings& settings,
                                     const std::function<void(const Claim&)>& on_claim) {
  std::vector<Claim> claims;
  std::string begun = "making random models";
  std::optional<Failure> refused;
  const auto keep = [&](Claim claim) {
    on_claim(claim);
    claims.push_back(std::move(claim));
  };
  const ChildEnd end = run_child(
      settings.time_limit,
      [&](const std::function<void(const std::string&)>& send) {
        LineSink sink(send);
        try {
          run_battery(offer, catalog, keep_alive, settings.example, sink);
        } catch (const Failure& failure) {
          sink.refuse(failure);
        }
      },
      [&](const std::string& text) {
        const Json line = Json::parse(text, nullptr, false);
        if (line.is_discarded()) return;
        if (line.contains("begin"))
          begun = line["begin"];
        else if (line.contains("failure"))
          refused = Failure(static_cast<Exit>(line["code"].get<int>()), line["failure"], line["remedy"]);
        else
          keep(claim_of(line));
      });
  if (refused) throw *refused;
  if (!end.sound())
    keep({offer.kind, offer.name, begun, Verdict::failed, 0, 0, end.what(),
          "run the test of the plugin that does this under a debugger or with -fsanitize=address,undefined; the checks "
          "after this one were not made",
          {}});
  return claims;
}

}  // namespace polyform::host
