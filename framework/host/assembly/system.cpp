#include "framework/host/assembly/system.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/assembly/drawn_rounding.hpp"
#include "framework/host/assembly/negative_inertia.hpp"
#include "framework/host/assembly/parts.hpp"

namespace polyform::host::inline assembly {

System::System(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
System::~System() = default;

std::unique_ptr<System> System::assemble(Description description, std::shared_ptr<const void> keep_alive,
                                         Diagnostics& diagnostics) {
  auto parts = std::make_unique<Parts>();
  parts->description = std::move(description);
  parts->keep_alive = std::move(keep_alive);
  if (!build_tree(*parts, diagnostics) || !build_elements(*parts, diagnostics) ||
      !check_flexible(*parts, diagnostics))
    return nullptr;
  warn_of_drawn_rounding(*parts, diagnostics);
  decide_spin_stiffening(*parts);
  if (!build_initial_state(*parts, diagnostics)) return nullptr;
  warn_of_dependent_rows(*parts, diagnostics);
  warn_of_negative_inertia(*parts, diagnostics);
  return std::unique_ptr<System>(new System(std::move(parts)));
}

const SystemView& System::view() const { return parts_->view; }
const Description& System::description() const { return parts_->description; }
double System::start_time() const { return parts_->description.start_time; }
const std::string& System::chosen_rates() const { return parts_->chosen_rates; }
const std::vector<BodyIndex>& System::bodies() const { return parts_->body_of; }
const std::vector<JointIndex>& System::joints() const { return parts_->joint_of; }
std::size_t System::loops() const { return parts_->forest.loops.size(); }
bool System::start_again(const std::vector<JointStart>& starts, Diagnostics& diagnostics) {
  Parts& p = *parts_;
  std::vector<JointItem>& items = p.description.joints;
  const std::tuple before(p.q, p.v, p.eta, p.etadot, p.x, p.discrete, p.chosen_rates);
  std::vector<JointStart> of_model;
  for (const JointStart& start : starts) {
    JointItem& item = items[start.joint];
    of_model.push_back({start.joint, std::exchange(item.initial_position, start.position),
                        std::exchange(item.initial_velocity, start.velocity)});
  }
  p.chosen_rates.clear();
  const bool found = build_initial_state(p, diagnostics);
  if (!found) std::tie(p.q, p.v, p.eta, p.etadot, p.x, p.discrete, p.chosen_rates) = before;
  for (auto old = of_model.rbegin(); old != of_model.rend(); ++old) {
    items[old->joint].initial_position = std::move(old->position);
    items[old->joint].initial_velocity = std::move(old->velocity);
  }
  return found;
}

ConstStateView System::initial_state() const {
  return {.q = parts_->q, .v = parts_->v, .eta = parts_->eta, .etadot = parts_->etadot, .x = parts_->x,
          .discrete = parts_->discrete};
}

Pose System::Parts::drawn(BodyIndex b) const {
  return is_ground(b) ? Pose{} : description.bodies[forest.order[at(b)]].pose;
}

void System::Parts::report(Diagnostics& diagnostics, Severity severity, const Item& item, Place place,
                           std::string_view path_end, std::string_view message, std::string_view remedy) const {
  const std::string path = path_end.empty() ? item.path : fmt::format("{}.{}", item.path, path_end);
  if (place.line == 0) place = item.place;
  diagnostics.report({.severity = severity,
                      .message = message,
                      .remedy = remedy,
                      .path = path,
                      .file = description.file,
                      .line = place.line,
                      .column = place.column});
}

void System::Parts::report_breach(Diagnostics& diagnostics, const Item& item, std::string_view type,
                                  std::string_view breach) const {
  report(diagnostics, Severity::error, item, {}, {}, fmt::format("type `{}` breaks the contract: {}", type, breach),
         "report this to the author of the plugin");
  diagnostics.blame_plugin();
}

}  // namespace polyform::host::assembly
