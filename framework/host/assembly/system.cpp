#include "framework/host/assembly/system.hpp"

#include <fmt/format.h>

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
  if (!build_tree(*parts, diagnostics) || !build_elements(*parts, diagnostics) || !check_flexible(*parts, diagnostics))
    return nullptr;
  warn_of_drawn_rounding(*parts, diagnostics);
  decide_spin_stiffening(*parts);
  if (!build_initial_state(*parts, diagnostics)) return nullptr;
  warn_of_dependent_rows(*parts, diagnostics);
  warn_of_negative_inertia(*parts, diagnostics);
  return std::unique_ptr<System>(new System(std::move(parts)));
}

bool System::change_numbers(const std::function<bool(Description&)>& change, Diagnostics& diagnostics) {
  Parts& parts = *parts_;
  if (!parts.view.flexible.empty() || !change(parts.description) || !take_body_numbers(parts)) return false;
  clear_elements(parts);
  parts.chosen_rates.clear();
  parts.q.clear();  // code-defined joints may count on zeros
  return build_elements(parts, diagnostics) && build_initial_state(parts, diagnostics);
}

const SystemView& System::view() const { return parts_->view; }
const Description& System::description() const { return parts_->description; }
double System::start_time() const { return parts_->description.start_time; }
const std::string& System::chosen_rates() const { return parts_->chosen_rates; }
const std::vector<BodyIndex>& System::bodies() const { return parts_->body_of; }
const std::vector<JointIndex>& System::joints() const { return parts_->joint_of; }
std::size_t System::loops() const { return parts_->forest.loops.size(); }
ConstStateView System::initial_state() const {
  return {.q = parts_->q,
          .v = parts_->v,
          .eta = parts_->eta,
          .etadot = parts_->etadot,
          .x = parts_->x,
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
