#include "closing_rows.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::thompson {

ClosingRows::ClosingRows(const SystemView& view, const H2& h2, const ClosingConstraints& closing,
                         SecondReduction& reduction)
    : view_(view), h2_(h2), closing_(closing), reduction_(reduction) {
  std::vector<unsigned char> on_path(view.bodies.size());
  for (const JointData& cut : view.cut_joints()) {
    add_joint_path(on_path, cut);
    const BodyIndex ends[] = {cut.base, cut.moving};
    add_group(on_path, ends);
  }
  for (const ConstraintSet::Element& element : closing.elements()) {
    std::vector<BodyIndex> ends;
    for (const Marker& marker : element.markers) {
      ends.push_back(marker.body);
      add_path(on_path, marker.body, BodyIndex::ground);
    }
    for (const JointIndex j : element.joints) {
      const JointData& joint = view.joints[at(j)];
      ends.insert(ends.end(), {joint.base, joint.moving});
      add_joint_path(on_path, joint);
    }
    add_group(on_path, ends);
  }
  std::vector<SecondReduction::Group> groups;
  for (Group& group : groups_) {
    SecondReduction::Group columns{group.rows, {}};
    for (Station& station : group.stations) {
      station.first_column = columns.columns.size();
      for (std::size_t k = 0; k < h2_.bodies()[station.body].freedoms; ++k)
        columns.columns.push_back(h2_.bodies()[station.body].first + k);
    }
    groups.push_back(std::move(columns));
  }
  reduction_.analyze(h2_.size(), std::move(groups));
  right_.resize(reduction_.rows());
}

/// Marks the bodies whose joints move two bodies against each other. Where the coordinates of q̇2 are relative, those
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
    on_path[at(later)] = 1;
    later = view_.joints[at(later)].inboard();
  }
}

void ClosingRows::add_group(std::vector<unsigned char>& on_path, std::span<const BodyIndex> ends) {
  Group group;
  group.rows = closing_.rows(groups_.size());
  group.first_row = closing_.first_row(groups_.size());
  group.first_end = ends_.size();
  std::vector<std::size_t> station_of(on_path.size(), none);
  for (std::size_t b = 0; b < on_path.size(); ++b) {
    if (on_path[b] == 0) continue;
    const std::size_t inboard = h2_.bodies()[b].inboard;
    station_of[b] = group.stations.size();
    group.stations.push_back({b, inboard == none ? none : station_of[inboard], 0});
    on_path[b] = 0;
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
  std::fill(right_.begin(), right_.end(), 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (g < cuts)
      set_cut(g, level, tree.bodies());
    else
      set_element(g - cuts, level, tree);
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

/// Acceleration of a frame's origin when no mass centre accelerates and no body has angular acceleration.
Spatial ClosingRows::velocity_terms(FrameIndex f, std::span<const BodyMotion> bodies) const noexcept {
  if (is_ground(f)) return {};
  const Vec3& w = bodies[at(f)].V.angular;
  return {{}, -cross(w, cross(w, h2_.center(at(f))))};
}

/// The same of M in F of a joint.
Spatial ClosingRows::velocity_terms_of(const JointData& joint, std::span<const BodyMotion> bodies) const noexcept {
  return relative_acceleration(joint, motion_of(joint.base, bodies), velocity_terms(frame_of(joint.base), bodies),
                               motion_of(joint.moving, bodies), velocity_terms(frame_of(joint.moving), bodies));
}

void ClosingRows::add_wrench(const Group& group, std::size_t row, FrameIndex f, const Spatial& w,
                             std::span<const BodyMotion> bodies) noexcept {
  if (is_ground(f)) return;
  for (std::size_t e = 0; e < group.ends.size(); ++e)
    if (group.ends[e].body == at(f))
      ends_[group.first_end + row * group.ends.size() + e] +=
          stacked(w.linear, transpose_times(bodies[at(f)].R, w.angular - cross(h2_.center(at(f)), w.linear)));
}

/// The row t · V_FM (F axes at the origin of M) of a joint.
void ClosingRows::add_joint(const Group& group, std::size_t row, const JointData& joint, const Spatial& t,
                            std::span<const BodyMotion> bodies) noexcept {
  const ConstraintRow w = constraint_row(joint, motion_of(joint.base, bodies), motion_of(joint.moving, bodies), t);
  add_wrench(group, row, frame_of(joint.moving), w.moving, bodies);
  add_wrench(group, row, frame_of(joint.base), w.base, bodies);
}

void ClosingRows::set_cut(std::size_t i, Level level, std::span<const BodyMotion> bodies) noexcept {
  const JointData& cut = view_.cut_joints()[i];
  const JointConstraint& c = closing_.cut(i);
  const Spatial terms = level == Level::acceleration ? c.motion.bias - velocity_terms_of(cut, bodies) : Spatial{};
  for (std::size_t r = 0; r < c.rows; ++r) {
    add_joint(groups_[i], r, cut, c.T[r], bodies);
    right_[groups_[i].first_row + r] = level == Level::position   ? -c.residual[r]
                                       : level == Level::velocity ? -dot(c.T[r], c.relative.twist)
                                                                  : dot(c.T[r], terms);
  }
}

void ClosingRows::set_element(std::size_t index, Level level, const PlacedTree& tree) noexcept {
  const ConstraintSet::Element& element = closing_.elements()[index];
  const Group& group = groups_[view_.cut_joints().size() + index];
  const auto bodies = tree.bodies();
  if (level == Level::position && !element.holonomic) return;  // it asks nothing of positions
  for (std::size_t r = 0; r < element.rows; ++r) {
    double& right = right_[group.first_row + r];
    right = level == Level::position   ? -element.residual[r]
            : level == Level::velocity ? -closing_.rate_of(element, r, tree.kinematics())
                                       : element.acceleration_right[r];
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[r * element.markers.size() + m];
      const FrameIndex f = element.markers[m].frame;
      if (is_ground(f)) continue;
      const Vec3& arm = element.arms[m];
      add_wrench(group, r, f, {a.angular + cross(arm, a.linear), a.linear}, bodies);
      if (level != Level::acceleration) continue;
      const Vec3& w = element.motions[m].angular_velocity;
      right -= dot(a.linear, velocity_terms(f, bodies).linear + cross(w, cross(w, arm)));
    }
    const double* B = element.B.data() + r * element.velocities;
    for (const JointIndex j : element.joints) {
      const JointData& joint = view_.joints[at(j)];
      const JointMotion& motion = tree.motion_of_joint(at(j));
      const Spatial t = effort_wrench(motion, joint.nv, B);  // B v = t · V_FM
      add_joint(group, r, joint, t, bodies);
      if (level == Level::acceleration) right += dot(t, motion.bias - velocity_terms_of(joint, bodies));
      B += joint.nv;
    }
  }
}

}  // namespace polyform::thompson
