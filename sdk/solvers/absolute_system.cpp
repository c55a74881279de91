#include "polyform/solvers/absolute_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/solvers/light_bodies.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform {

AbsoluteSystem::AbsoluteSystem(const SystemView& view, const std::vector<bool>& absent, const Vec3& origin)
    : view_(view),
      elements_(view, origin),
      modules_(view, origin),
      flexible_(view),
      nodes_(view),
      yardstick_(view),
      tree_(view) {
  const std::size_t n = view.bodies.size();
  own_.resize(n + modules_.modules().size());
  for (const FlexibleData& f : view.flexible) own_[at(f.body)] = {f.mode_offset, f.modes};
  std::size_t owns = view.modes;
  for (std::size_t m = 0; m < modules_.modules().size(); ++m) {
    own_[n + m] = {owns, modules_.modules()[m].variables};
    owns += modules_.modules()[m].variables;
  }
  add_ties(absent);
  rows_independent_ = has_independent_rows();
  const std::size_t unknowns = 6 * n + owns + rows_;
  joints_.resize(view.joints.size());
  centers_.resize(n);
  inertias_.resize(n);
  for (std::size_t f = 0; f < view.flexible.size(); ++f) mass_.emplace_back(flexible_.mass(f).size());
  massless_.resize(view.flexible.size());
  right_.resize(rows_);
  for (auto* v : {&data_, &solution_, &residual_, &step_, &direction_, &previous_residual_}) v->resize(unknowns);
  sizes_.resize(own_.size());
  efforts_.resize(view.nv);
  velocities_.resize(view.nv);
  motions_.resize(view.frames());
  for (auto* v : {&eta_, &etadot_, &start_eta_, &eta_step_}) v->resize(view.modes);
  for (auto* v : {&own_mass_, &own_length_}) v->resize(owns);
  for (auto* v : {&states_, &start_states_}) v->resize(view.states);
  orientations_.resize(view.frames());
  start_.resize(view.nq);
  rates_.resize(view.nq);
  make_scales();
  make_matrix();
}

void AbsoluteSystem::add_ties(const std::vector<bool>& absent) {
  const auto counts = [&](std::size_t rows) { return !absent.empty() && absent[groups_.size()] ? 0 : rows; };
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyIndex tied[] = {joint.base, joint.moving};
    whole_tree_ = whole_tree_ && (j >= view_.bodies.size() || absent.empty() || !absent[j]);
    add_group(counts(6 - joint.nv), tied);
  }
  for (const ConstraintSet::Element& e : elements_.elements()) add_element(e, counts(e.rows));
  for (std::size_t m = 0; m < modules_.modules().size(); ++m) {
    add_element(modules_.modules()[m].rows, counts(modules_.modules()[m].rows.rows));
    if (groups_.back().rows == 0) continue;
    add_entry(groups_.back(), view_.bodies.size() + m);
    for (std::size_t k = 0; k < modules_.modules()[m].variables; ++k)
      rows_of_velocity_ = rows_of_velocity_ || !modules_.modules()[m].is_integrated(k);
  }
}

/// Whether no row can depend on others, by structure: no loops, elements on joints of their own alone, and modules with
/// unknowns enough for their rows.
bool AbsoluteSystem::has_independent_rows() const {
  if (!view_.cut_joints().empty()) return false;
  std::vector<bool> taken(view_.joints.size());
  for (const ConstraintSet::Element& e : elements_.elements()) {
    if (!e.markers.empty() || e.rows > e.velocities) return false;
    for (const JointIndex j : e.joints) {
      if (taken[at(j)]) return false;
      taken[at(j)] = true;
    }
  }
  const auto& modules = modules_.modules();
  return std::all_of(modules.begin(), modules.end(),
                     [](const ModuleSet::Module& m) { return m.rows.rows <= m.variables; });
}

void AbsoluteSystem::add_element(const ConstraintSet::Element& e, std::size_t rows) {
  std::vector<BodyIndex> tied;
  for (const Marker& m : e.markers) tied.push_back(m.body);
  for (const JointIndex j : e.joints) {
    tied.push_back(view_.joints[at(j)].base);
    tied.push_back(view_.joints[at(j)].moving);
  }
  add_group(rows, tied);
  tied_.push_back(&e);
  for (std::size_t r = 0; r < rows; ++r) rows_of_velocity_ = rows_of_velocity_ || !e.is_holonomic(r);
}

void AbsoluteSystem::add_group(std::size_t rows, std::span<const BodyIndex> bodies) {
  Group group{rows, rows_, entries_.size(), 0};
  rows_ += rows;
  for (const BodyIndex b : bodies)
    if (rows != 0 && !is_ground(b) && entry_of(group, b) == nullptr) add_entry(group, at(b));
  groups_.push_back(group);
}

void AbsoluteSystem::add_entry(Group& group, std::size_t block) {
  const std::size_t frame = frame_size(block), owns = own_[block].count;
  entries_.push_back({block, frame, coefficients_.size(), own_coefficients_.size(), owns, {}});
  coefficients_.resize(coefficients_.size() + (frame == 0 ? 0 : group.rows));
  own_coefficients_.resize(own_coefficients_.size() + group.rows * owns);
  ++group.entries;
}

AbsoluteSystem::Entry* AbsoluteSystem::entry_of(const Group& group, BodyIndex body) noexcept {
  for (std::size_t e = group.entry; e < group.entry + group.entries; ++e)
    if (entries_[e].block == at(body)) return &entries_[e];
  return nullptr;
}

/// Bodies that are next to massless beside those that they are tied to.
std::vector<bool> AbsoluteSystem::find_light() const {
  std::vector<double> mass;
  for (const Scale& s : scales_) mass.push_back(s.mass);
  std::vector<std::vector<std::size_t>> bodies;
  for (const Group& group : groups_) {
    if (group.rows == 0) continue;
    std::vector<std::size_t>& tied = bodies.emplace_back();
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e)
      if (entries_[e].block < mass.size()) tied.push_back(entries_[e].block);
  }
  return light_bodies(mass, bodies);
}

/// Sizes of masses, inertias and levers per body. A body with no mass, or next to none, takes the smallest mass of
/// the bodies that it is tied to: what the joints give it is of that order. A body without inertia of its own takes the
/// largest lever of them, too: where its joints lie next to each other, their distance may be the rounding of a model's
/// numbers, and is no size.
void AbsoluteSystem::make_scales() {
  const std::size_t n = view_.bodies.size();
  scales_.assign(n, {});
  for (const JointData& joint : view_.joints) {
    const auto lever = [&](FrameIndex f, const Vec3& point) {
      if (is_ground(f)) return;
      const std::size_t b = body_of(f);
      const Vec3 from_frame = at(f) < scales_.size() ? point : view_.nodes[at(f) - scales_.size()].point;
      const double l = norm(flexible_data(b) != nullptr ? from_frame : from_frame - view_.bodies[b].center_of_mass);
      scales_[b].length = std::max(scales_[b].length, l);
    };
    lever(joint.base_frame, joint.p_base);
    lever(joint.moving_frame, joint.p_moving);
  }
  flexible_.evaluate(motions_, eta_.data(), etadot_.data());
  for (std::size_t i = 0; i < n; ++i) {
    const FlexibleData* flexible = flexible_data(i);
    scales_[i].mass = flexible == nullptr ? view_.bodies[i].mass
                                          : flexible_.mass(view_.bodies[i].flexible)[3 * (7 + flexible->modes)];
  }
  const std::vector<bool> light = find_light();
  for (std::size_t i = 0; i < n; ++i)
    if (light[i]) scales_[i].mass = 0;
  spread_scales();
  for (std::size_t i = 0; i < n; ++i) {
    Scale& s = scales_[i];
    const BodyData& body = view_.bodies[i];
    const Sym3& J = body.inertia;
    const double half_trace = 0.5 * (J.xx + J.yy + J.zz);
    s.inertia = std::max(half_trace, 1e-3 * s.mass * s.length * s.length);
    s.lacking = !(body.mass > 0 && is_definite_beside(J, half_trace));
    s.singular = light[i] || !(body.mass > 0 && is_definite_beside(J, s.inertia));
  }
  for (std::size_t f = 0; f < view_.flexible.size(); ++f) make_flexible_scale(f);
  make_module_scales();
}

/// Gives bodies without mass, marked by a scale of zero, and bodies without inertia the sizes of those they are tied
/// to.
void AbsoluteSystem::spread_scales() {
  const std::size_t n = view_.bodies.size();
  std::vector<bool> has_inertia(n);
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    Scale& s = scales_[i];
    const Sym3& J = view_.bodies[i].inertia;
    const double half_trace = 0.5 * (J.xx + J.yy + J.zz);
    if (!(s.mass > 0)) continue;
    smallest = std::min(smallest, s.mass);
    has_inertia[i] = flexible_data(i) != nullptr || half_trace > 0;
    if (half_trace > 0) s.length = std::max(s.length, std::sqrt(half_trace / s.mass));
  }
  const auto spread = [&](const Group& group) {
    double mass = std::numeric_limits<double>::infinity(), length = 0;
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
      if (entries_[e].block >= n) continue;
      const Scale& s = scales_[entries_[e].block];
      if (s.mass > 0) mass = std::min(mass, s.mass);
      length = std::max(length, s.length);
    }
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
      if (entries_[e].block >= n) continue;
      Scale& s = scales_[entries_[e].block];
      if (!(s.mass > 0) && std::isfinite(mass)) s.mass = mass;
      if (!has_inertia[entries_[e].block] || !(s.length > 0)) s.length = std::max(s.length, length);
    }
  };
  std::for_each(groups_.begin(), groups_.end(), spread);
  std::for_each(groups_.rbegin(), groups_.rend(), spread);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(scales_[i].mass > 0)) scales_[i].mass = std::isfinite(smallest) ? smallest : 1;
    if (!(scales_[i].length > 0)) scales_[i].length = 1;
  }
}

void AbsoluteSystem::make_matrix() {
  const std::size_t blocks = own_.size();
  std::vector<std::size_t> sizes(blocks);
  using Turn = BlockLdlt::Turn;
  std::vector<Turn> turns(blocks, Turn::any);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < blocks; ++i) {
    sizes[i] = frame_size(i) + own_[i].count;
    if (scales_[i].singular) turns[i] = Turn::leaf_or_after_neighbour;
  }
  for (const Group& group : groups_) {
    if (group.rows == 0) continue;
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e)
      if (entries_[e].frame + entries_[e].owns != 0) pairs.emplace_back(sizes.size(), entries_[e].block);
    sizes.push_back(group.rows);
    turns.push_back(Turn::after_neighbour);
  }
  matrix_.analyze(sizes, pairs, turns);
  for (std::size_t i = 0; i < blocks; ++i) offsets_.push_back(matrix_.offset(i));
  offsets_.push_back(data_.size() - rows_);
  diagonals_.reserve(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) diagonals_.push_back(matrix_.diagonal(i));
  std::size_t block = blocks;
  for (const Group& group : groups_) {
    if (group.rows == 0) continue;
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e)
      if (entries_[e].frame + entries_[e].owns != 0) entries_[e].place = matrix_.block(block, entries_[e].block);
    ++block;
  }
  if (has_uneven_masses()) make_fine(sizes, pairs);
}

std::string_view AbsoluteSystem::name_of_block(std::size_t block) const noexcept {
  const std::size_t n = view_.bodies.size();
  return block < n ? view_.bodies[block].name : modules_.modules()[block - n].rows.name;
}

const char* AbsoluteSystem::kind_of_tie(std::size_t tie) const noexcept {
  return tie < view_.joints.size() ? "joint" : tie < module_ties() ? "constraint" : "module";
}

std::string_view AbsoluteSystem::name_of_tie(std::size_t tie) const noexcept {
  return tie < view_.joints.size() ? view_.joints[tie].name : element_of(tie).name;
}

std::size_t AbsoluteSystem::group_of_row(std::size_t row) const noexcept {
  const auto after = std::upper_bound(groups_.begin(), groups_.end(), row,
                                      [](std::size_t r, const Group& g) { return r < g.row + g.rows; });
  return static_cast<std::size_t>(after - groups_.begin());
}

}  // namespace polyform
