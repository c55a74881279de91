#include "polyform/solvers/absolute/ties.hpp"

#include <algorithm>

namespace polyform::absolute {

Ties::Ties(const SystemView& view, const Blocks& blocks, const ConstraintSet& constraints, const ModuleSet& modules,
           const std::vector<bool>& absent)
    : view_(view), modules_(modules.modules().size()) {
  const auto counts = [&](std::size_t rows) { return !absent.empty() && absent[ties_.size()] ? 0 : rows; };
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    const BodyIndex tied[] = {joint.base, joint.moving};
    whole_tree_ = whole_tree_ && (j >= view.bodies.size() || absent.empty() || !absent[j]);
    add_tie(blocks, counts(6 - joint.nv), tied);
  }
  for (const ConstraintSet::Element& e : constraints.elements()) add_element(blocks, e, counts(e.rows));
  for (std::size_t m = 0; m < modules_; ++m) {
    const ModuleSet::Module& module = modules.modules()[m];
    add_element(blocks, module.rows, counts(module.rows.rows));
    if (ties_.back().rows == 0) continue;
    add_entry(blocks, ties_.back(), view.bodies.size() + m);
    for (std::size_t k = 0; k < module.variables; ++k)
      some_of_velocity_ = some_of_velocity_ || !module.is_integrated(k);
  }
  independent_ = has_independent_rows(constraints, modules);
}

/// Whether no row can depend on others, by structure: no loops, elements on joints of their own alone, and modules with
/// unknowns enough for their rows.
bool Ties::has_independent_rows(const ConstraintSet& constraints, const ModuleSet& modules) const {
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

void Ties::add_element(const Blocks& blocks, const ConstraintSet::Element& e, std::size_t rows) {
  std::vector<BodyIndex> tied;
  for (const Marker& m : e.markers) tied.push_back(m.body);
  for (const JointIndex j : e.joints) {
    tied.push_back(view_.joints[at(j)].base);
    tied.push_back(view_.joints[at(j)].moving);
  }
  add_tie(blocks, rows, tied);
  elements_.push_back(&e);
  for (std::size_t r = 0; r < rows; ++r) some_of_velocity_ = some_of_velocity_ || !e.is_holonomic(r);
}

void Ties::add_tie(const Blocks& blocks, std::size_t rows, std::span<const BodyIndex> bodies) {
  Tie tie{rows, rows_, entries_.size(), 0};
  rows_ += rows;
  for (const BodyIndex b : bodies)
    if (rows != 0 && !is_ground(b) && entry_of(tie, at(b)) == nullptr) add_entry(blocks, tie, at(b));
  ties_.push_back(tie);
}

void Ties::add_entry(const Blocks& blocks, Tie& tie, std::size_t block) {
  const std::size_t frame = blocks.frame_size(block), owns = blocks.own(block).count;
  entries_.push_back({block, frame, frames_, owns_, owns});
  frames_ += frame == 0 ? 0 : tie.rows;
  owns_ += tie.rows * owns;
  ++tie.entries;
}

const Ties::Entry* Ties::entry_of(const Tie& tie, std::size_t body) const noexcept {
  for (const Entry& e : entries_of(tie))
    if (e.block == body) return &e;
  return nullptr;
}

const char* Ties::kind(std::size_t tie) const noexcept {
  return tie < first_element() ? "joint" : tie < first_module() ? "constraint" : "module";
}

std::string_view Ties::name(std::size_t tie) const noexcept {
  return tie < first_element() ? view_.joints[tie].name : element(tie).name;
}

std::size_t Ties::of_row(std::size_t row) const noexcept {
  const auto after = std::upper_bound(ties_.begin(), ties_.end(), row,
                                      [](std::size_t r, const Tie& tie) { return r < tie.row + tie.rows; });
  return static_cast<std::size_t>(after - ties_.begin());
}

}  // namespace polyform::absolute
