#include "closing_rows.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/scale.hpp"

namespace polyform::thompson {

ClosingRows::ClosingRows(const SystemView& view, const H2& h2, const ClosingConstraints& closing,
                         SecondReduction& reduction)
    : view_(view), h2_(h2), closing_(closing), reduction_(reduction), length_(SystemScales(view).largest_reach()) {
  std::vector<unsigned char> on_path(view.bodies.size());
  for (const JointData& cut : view.cut_joints()) {
    add_joint_path(on_path, cut);
    const BodyIndex ends[] = {cut.base, cut.moving};
    add_group(on_path, ends);
  }
  for (const ClosingConstraints::Constraint& constraint : closing.constraints()) {
    std::vector<BodyIndex> ends;
    for (const Marker& marker : constraint.rows->markers) {
      ends.push_back(marker.body);
      add_path(on_path, marker.body, BodyIndex::ground);
    }
    for (const JointIndex j : constraint.rows->joints) {
      const JointData& joint = view.joints[at(j)];
      ends.insert(ends.end(), {joint.base, joint.moving});
      add_joint_path(on_path, joint);
    }
    add_group(on_path, ends);
  }
  std::vector<SecondReduction::Group> groups;
  std::size_t direct = 0, constraint = 0;
  for (Group& group : groups_) {
    SecondReduction::Group columns{group.rows, {}};
    const auto add = [&](std::size_t first, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) columns.columns.push_back(first + k);
    };
    std::size_t further = 0;
    for (Station& station : group.stations) {
      station.first_column = columns.columns.size();
      add(h2_.bodies()[station.body].first, station.freedoms);
      if (station.modes > 0) add(h2_.modes(station.body).first, station.modes);
      further += station.modes;
    }
    group.variables = columns.columns.size();
    if (&group - groups_.data() >= static_cast<std::ptrdiff_t>(view.cut_joints().size())) {
      const ClosingConstraints::Constraint& its = closing.constraints()[constraint++];
      if (its.module != nullptr) {
        add(h2_.first_variable() + its.variable, its.module->variables);
        further += its.module->variables;
      }
    }
    group.columns = columns.columns.size();
    if (further > 0) {
      group.first_direct = direct;
      direct += group.rows * group.columns;
    }
    groups.push_back(std::move(columns));
  }
  direct_.resize(direct);
  reduction_.analyze(h2_.size(), std::move(groups));
  right_.resize(reduction_.rows());
}

/// Marks the bodies whose joints move two bodies against each other. If the coordinates of q̇2 are relative, those
/// inboard of the common ancestor carry both along.
void ClosingRows::add_joint_path(std::vector<unsigned char>& on_path, const JointData& joint) const {
  if (h2_.is_relative()) {
    add_path(on_path, joint.base, joint.moving);
  } else {
    add_path(on_path, joint.base, BodyIndex::ground);
    add_path(on_path, joint.moving, BodyIndex::ground);
  }
}

/// Marks the bodies from two to their common ancestor.
void ClosingRows::add_path(std::vector<unsigned char>& on_path, BodyIndex a, BodyIndex b) const {
  while (a != b) {
    // Parents stand before their children: of two bodies the later one is no ancestor of the other.
    BodyIndex& later = static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
    on_path[at(later)] = whole;
    later = view_.joints[at(later)].inboard();
  }
  // Two nodes of the common ancestor move against each other with its modes.
  if (!is_ground(a) && h2_.has_modes() && h2_.modes(at(a)).count > 0 && on_path[at(a)] == beside)
    on_path[at(a)] = modes_only;
}

void ClosingRows::add_group(std::vector<unsigned char>& on_path, std::span<const BodyIndex> ends) {
  Group group;
  group.rows = closing_.rows(groups_.size());
  group.first_row = closing_.first_row(groups_.size());
  group.first_end = ends_.size();
  std::vector<std::size_t> station_of(on_path.size(), none);
  for (std::size_t b = 0; b < on_path.size(); ++b) {
    if (on_path[b] == beside) continue;
    const H2::Body& body = h2_.bodies()[b];
    const bool joint = on_path[b] == whole;
    station_of[b] = group.stations.size();
    group.stations.push_back({b, body.inboard == none || !joint ? none : station_of[body.inboard], 0,
                              joint ? body.freedoms : 0, h2_.has_modes() ? h2_.modes(b).count : 0, joint});
    on_path[b] = beside;
  }
  for (const BodyIndex end : ends) {
    const auto same = [&](const End& e) { return e.body == at(end); };
    if (!is_ground(end) && std::none_of(group.ends.begin(), group.ends.end(), same))
      group.ends.push_back({at(end), station_of[at(end)]});
  }
  ends_.resize(ends_.size() + group.rows * group.ends.size());
  carried_.resize(std::max(carried_.size(), group.stations.size()));
  sizes_.resize(carried_.size());
  groups_.push_back(std::move(group));
}

void ClosingRows::set(Level level, const PlacedTree& tree, std::span<const Vector6> gamma) noexcept {
  const std::size_t cuts = view_.cut_joints().size();
  std::fill(ends_.begin(), ends_.end(), Vector6(Vector6::Zero()));
  std::fill(direct_.begin(), direct_.end(), 0.0);
  std::fill(right_.begin(), right_.end(), 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (g < cuts)
      set_cut(g, level, tree);
    else
      set_constraint(g - cuts, level, tree);
    const Group& group = groups_[g];
    for (std::size_t r = 0; r < group.rows; ++r) {
      sweep(g, r);
      if (level != Level::acceleration) continue;
      for (std::size_t e = 0; e < group.ends.size(); ++e)
        right_[group.first_row + r] -=
            ends_[group.first_end + r * group.ends.size() + e].dot(gamma[group.ends[e].body]);
    }
  }
}

/// Acceleration of M in F of a joint when q̈ and η̈ are zero and its own motion has no bias.
Spatial ClosingRows::velocity_terms_of(const JointData& joint, const PlacedTree& tree) const noexcept {
  return relative_acceleration(
      joint, motion_of(joint.base_frame, tree.frames()), h2_.velocity_terms(joint.base_frame, tree.kinematics()),
      motion_of(joint.moving_frame, tree.frames()), h2_.velocity_terms(joint.moving_frame, tree.kinematics()));
}

/// A wrench on a frame about its origin: on the body, and on the modes where the frame is a node.
void ClosingRows::add_wrench(const Group& group, std::size_t row, FrameIndex f, const Spatial& w,
                             const PlacedTree& tree) noexcept {
  if (is_ground(f)) return;
  const std::size_t n = view_.bodies.size();
  const bool on_node = at(f) >= n;
  const std::size_t b = on_node ? at(view_.nodes[at(f) - n].body) : at(f);
  const BodyMotion& motion = tree.bodies()[b];
  Spatial on_body = w;
  if (on_node) {
    const auto station = std::ranges::find(group.stations, b, &Station::body);
    double* direct =
        direct_.data() + group.first_direct + row * group.columns + station->first_column + station->freedoms;
    on_body = {};
    tree.kinematics().nodes().add_wrench(at(f) - n, tree.frames(), w, on_body, direct);
  }
  for (std::size_t e = 0; e < group.ends.size(); ++e)
    if (group.ends[e].body == b)
      ends_[group.first_end + row * group.ends.size() + e] +=
          stacked(on_body.linear, transpose_times(motion.R, on_body.angular - cross(h2_.center(b), on_body.linear)));
}

/// The row t · V_FM (F axes at the origin of M) of a joint.
void ClosingRows::add_joint(const Group& group, std::size_t row, const JointData& joint, const Spatial& t,
                            const PlacedTree& tree) noexcept {
  const ConstraintRow w = constraint_row(joint, motion_of(joint.base_frame, tree.frames()),
                                         motion_of(joint.moving_frame, tree.frames()), t);
  add_wrench(group, row, joint.moving_frame, w.moving, tree);
  add_wrench(group, row, joint.base_frame, w.base, tree);
}

void ClosingRows::set_cut(std::size_t i, Level level, const PlacedTree& tree) noexcept {
  const JointData& cut = view_.cut_joints()[i];
  const JointConstraint& c = closing_.cut(i);
  const Spatial terms = level == Level::acceleration ? c.motion.bias - velocity_terms_of(cut, tree) : Spatial{};
  for (std::size_t r = 0; r < c.rows; ++r) {
    add_joint(groups_[i], r, cut, c.T[r], tree);
    right_[groups_[i].first_row + r] = is_of_positions(level)     ? -c.residual[r]
                                       : level == Level::velocity ? -dot(c.T[r], c.relative.twist)
                                                                  : dot(c.T[r], terms);
  }
}

void ClosingRows::set_constraint(std::size_t index, Level level, const PlacedTree& tree) noexcept {
  const ClosingConstraints::Constraint& constraint = closing_.constraints()[index];
  const ConstraintSet::Element& element = *constraint.rows;
  const Group& group = groups_[view_.cut_joints().size() + index];
  for (std::size_t r = 0; r < element.rows; ++r) {
    if (level == Level::position && !element.is_holonomic(r)) continue;  // it asks nothing of positions
    double& right = right_[group.first_row + r];
    right = is_of_positions(level)     ? (element.is_holonomic(r) ? -element.residual[r] : 0.0)
            : level == Level::velocity ? -closing_.rate_of(constraint, r, tree.kinematics())
                                       : element.acceleration_right[r];
    if (constraint.module != nullptr) set_variables(group, r, *constraint.module, level);
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[r * element.markers.size() + m];
      const FrameIndex f = element.markers[m].frame;
      if (is_ground(f)) continue;
      const Vec3& arm = element.arms[m];
      add_wrench(group, r, f, {a.angular + cross(arm, a.linear), a.linear}, tree);
      if (level != Level::acceleration) continue;
      const Vec3& w = element.motions[m].angular_velocity;
      const Spatial terms = h2_.velocity_terms(f, tree.kinematics());
      right -= dot(a.angular, terms.angular) +
               dot(a.linear, terms.linear + cross(terms.angular, arm) + cross(w, cross(w, arm)));
    }
    const double* B = element.B.data() + r * element.velocities;
    for (const JointIndex j : element.joints) {
      const JointData& joint = view_.joints[at(j)];
      const JointMotion& motion = tree.motion_of_joint(at(j));
      const Spatial t = effort_wrench(motion, joint.nv, B);  // B v = t · V_FM
      add_joint(group, r, joint, t, tree);
      if (level == Level::acceleration) right += dot(t, motion.bias - velocity_terms_of(joint, tree));
      B += joint.nv;
    }
  }
}

/// A module's own part of a row. Positions move only the integrals of its variables.
void ClosingRows::set_variables(const Group& group, std::size_t row, const ModuleSet::Module& module,
                                Level level) noexcept {
  double* direct = direct_.data() + group.first_direct + row * group.columns + group.variables;
  for (std::size_t k = 0; k < module.variables; ++k)
    if (!is_of_positions(level) || module.is_integrated(k)) direct[k] = module.A[row * module.variables + k];
}

}  // namespace polyform::thompson
