#include "polyform/solvers/absolute/constraints.hpp"

#include <algorithm>

namespace polyform::absolute {

Constraints::Constraints(const SystemView& view, const Blocks& blocks, const ConstraintSet& constraints,
                         const ModuleSet& modules, const std::vector<bool>& absent)
    : view_(view), modules_(modules.modules().size()) {
  const auto counts = [&](std::size_t rows) { return !absent.empty() && absent[constraints_.size()] ? 0 : rows; };
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    const BodyIndex tied[] = {joint.base, joint.moving};
    whole_tree_ = whole_tree_ && (j >= view.bodies.size() || absent.empty() || !absent[j]);
    add_constraint(blocks, counts(6 - joint.nv), tied);
  }
  for (const ConstraintSet::Element& e : constraints.elements()) add_element(blocks, e, counts(e.rows));
  for (std::size_t m = 0; m < modules_; ++m) {
    const ModuleSet::Module& module = modules.modules()[m];
    add_element(blocks, module.rows, counts(module.rows.rows));
    if (constraints_.back().rows == 0) continue;
    add_entry(blocks, constraints_.back(), view.bodies.size() + m);
    for (std::size_t k = 0; k < module.variables; ++k)
      some_of_velocity_ = some_of_velocity_ || !module.is_integrated(k);
  }
  independent_ = has_independent_rows(constraints, modules);
}

/// Whether the structure shows that no row can depend on others: no loops, elements on joints of their own alone, and
/// modules with unknowns enough for their rows.
bool Constraints::has_independent_rows(const ConstraintSet& constraints, const ModuleSet& modules) const {
  if (!view_.cut_joints().empty()) return false;
  std::vector<bool> taken(view_.joints.size());
  for (const ConstraintSet::Element& e : constraints.elements()) {
    if (!e.markers.empty() || e.rows > e.velocities) return false;
    for (const JointIndex j : e.joints) {
      if (taken[at(j)]) return false;
      taken[at(j)] = true;
    }
  }
  return std::all_of(modules.modules().begin(), modules.modules().end(),
                     [](const ModuleSet::Module& m) { return m.rows.rows <= m.variables; });
}

void Constraints::add_element(const Blocks& blocks, const ConstraintSet::Element& e, std::size_t rows) {
  std::vector<BodyIndex> tied;
  for (const Marker& m : e.markers) tied.push_back(m.body);
  for (const JointIndex j : e.joints) {
    tied.push_back(view_.joints[at(j)].base);
    tied.push_back(view_.joints[at(j)].moving);
  }
  add_constraint(blocks, rows, tied);
  elements_.push_back(&e);
  for (std::size_t r = 0; r < rows; ++r) some_of_velocity_ = some_of_velocity_ || !e.is_holonomic(r);
}

void Constraints::add_constraint(const Blocks& blocks, std::size_t rows, std::span<const BodyIndex> bodies) {
  Constraint constraint{rows, rows_, entries_.size(), 0};
  rows_ += rows;
  for (const BodyIndex b : bodies)
    if (rows != 0 && !is_ground(b) && entry_of(constraint, at(b)) == nullptr) add_entry(blocks, constraint, at(b));
  constraints_.push_back(constraint);
}

void Constraints::add_entry(const Blocks& blocks, Constraint& constraint, std::size_t block) {
  const std::size_t frame = blocks.frame_size(block), owns = blocks.own(block).count;
  entries_.push_back({block, frame, frames_, owns_, owns});
  frames_ += frame == 0 ? 0 : constraint.rows;
  owns_ += constraint.rows * owns;
  ++constraint.entries;
}

const Constraints::Entry* Constraints::entry_of(const Constraint& constraint, std::size_t body) const noexcept {
  for (const Entry& e : entries_of(constraint))
    if (e.block == body) return &e;
  return nullptr;
}

const char* Constraints::kind(std::size_t constraint) const noexcept {
  return constraint < first_element() ? "joint" : constraint < first_module() ? "constraint" : "module";
}

std::string_view Constraints::name(std::size_t constraint) const noexcept {
  return constraint < first_element() ? view_.joints[constraint].name : element(constraint).name;
}

std::size_t Constraints::of_row(std::size_t row) const noexcept {
  const auto after = std::upper_bound(
      constraints_.begin(), constraints_.end(), row,
      [](std::size_t r, const Constraint& constraint) { return r < constraint.row + constraint.rows; });
  return static_cast<std::size_t>(after - constraints_.begin());
}

}  // namespace polyform::absolute
