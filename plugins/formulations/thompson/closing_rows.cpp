#include "closing_rows.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::thompson {

ClosingRows::ClosingRows(const SystemView& view, const H2& h2, SecondReduction& reduction, const Vec3& origin)
    : view_(view), h2_(h2), reduction_(reduction), elements_(view, origin), cuts_(view.cut_joints().size()) {
  std::vector<unsigned char> on_path(view.bodies.size());
  for (const JointData& cut : view.cut_joints()) {
    add_joint_path(on_path, cut);
    const BodyIndex ends[] = {cut.base, cut.moving};
    add_group(6 - cut.nv, on_path, ends);
  }
  for (const ConstraintSet::Element& element : elements_.elements()) {
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
    add_group(element.rows, on_path, ends);
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

void ClosingRows::add_group(std::size_t rows, std::vector<unsigned char>& on_path, std::span<const BodyIndex> ends) {
  Group group;
  group.rows = rows;
  group.first_row = groups_.empty() ? 0 : groups_.back().first_row + groups_.back().rows;
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
  ends_.resize(ends_.size() + rows * group.ends.size());
  carried_.resize(std::max(carried_.size(), group.stations.size()));
  sizes_.resize(carried_.size());
  groups_.push_back(std::move(group));
}

std::string_view ClosingRows::name_of(std::size_t group) const {
  return group < cuts_.size() ? view_.cut_joints()[group].name : elements_.elements()[group - cuts_.size()].name;
}
std::string_view ClosingRows::worst() const { return name_of(worst_); }

const JointMotion& ClosingRows::motion_of_joint(JointIndex j, const TreeKinematics& tree) const noexcept {
  return at(j) < view_.bodies.size() ? tree.joints()[at(j)] : cuts_[at(j) - view_.bodies.size()].motion;
}

void ClosingRows::note(double& violation, double found, std::size_t group) noexcept {
  if (std::abs(found) <= violation) return;  // what is no number counts as the worst
  violation = std::abs(found);
  worst_ = group;
}

void ClosingRows::evaluate(double t, const TreeKinematics& tree, std::span<double> q, std::span<double> v) noexcept {
  const auto bodies = tree.bodies();
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    joint_constraint(cut, motion_of(cut.base, bodies), motion_of(cut.moving, bodies), q.data() + cut.q_offset,
                     v.data() + cut.v_offset, cuts_[i]);
    cuts_[i].rows = std::min(cuts_[i].rows, groups_[i].rows);  // more where H loses rank
  }
  if (!elements_.elements().empty()) elements_.evaluate(t, tree.frames(), q, v);
  measure(tree);
}

/// Residuals, positions last so that they say what is worst.
void ClosingRows::measure(const TreeKinematics& tree) noexcept {
  size_ = speed_ = 1;
  for (const BodyMotion& m : tree.bodies()) {
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  position_violation_ = velocity_violation_ = 0;
  const std::size_t cuts = cuts_.size();
  for (std::size_t i = 0; i < cuts; ++i)
    for (std::size_t r = 0; r < cuts_[i].rows; ++r)
      note(velocity_violation_, dot(cuts_[i].T[r], cuts_[i].relative.twist), i);
  for (std::size_t g = cuts; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows; ++r)
      note(velocity_violation_, rate_of(elements_.elements()[g - cuts], r, tree), g);
  for (std::size_t i = 0; i < cuts; ++i)
    for (std::size_t r = 0; r < cuts_[i].rows; ++r) note(position_violation_, cuts_[i].residual[r], i);
  for (std::size_t g = cuts; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows && elements_.elements()[g - cuts].holonomic; ++r)
      note(position_violation_, elements_.elements()[g - cuts].residual[r], g);
}

/// A V + B v − right of a row.
double ClosingRows::rate_of(const ConstraintSet::Element& element, std::size_t row,
                            const TreeKinematics& tree) const noexcept {
  double rate = -element.velocity_right[row];
  for (std::size_t m = 0; m < element.markers.size(); ++m) {
    const Spatial& a = element.A[row * element.markers.size() + m];
    rate += dot(a.angular, element.motions[m].angular_velocity) + dot(a.linear, element.motions[m].velocity);
  }
  const double* B = element.B.data() + row * element.velocities;
  for (const JointIndex j : element.joints) {
    const JointData& joint = view_.joints[at(j)];
    rate +=
        dot(effort_wrench(motion_of_joint(j, tree), joint.nv, B),
            relative_motion(joint, motion_of(joint.base, tree.bodies()), motion_of(joint.moving, tree.bodies())).twist);
    B += joint.nv;
  }
  return rate;
}

void ClosingRows::set(Level level, const TreeKinematics& tree, const BodyVectors& gamma) noexcept {
  std::fill(ends_.begin(), ends_.end(), Vector6(Vector6::Zero()));
  std::fill(right_.begin(), right_.end(), 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (g < cuts_.size())
      set_cut(g, level, tree.bodies());
    else
      set_element(g - cuts_.size(), level, tree);
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
  const JointConstraint& c = cuts_[i];
  const Spatial terms = level == Level::acceleration ? c.motion.bias - velocity_terms_of(cut, bodies) : Spatial{};
  for (std::size_t r = 0; r < c.rows; ++r) {
    add_joint(groups_[i], r, cut, c.T[r], bodies);
    right_[groups_[i].first_row + r] = level == Level::position   ? -c.residual[r]
                                       : level == Level::velocity ? -dot(c.T[r], c.relative.twist)
                                                                  : dot(c.T[r], terms);
  }
}

void ClosingRows::set_element(std::size_t index, Level level, const TreeKinematics& tree) noexcept {
  const ConstraintSet::Element& element = elements_.elements()[index];
  const Group& group = groups_[cuts_.size() + index];
  const auto bodies = tree.bodies();
  if (level == Level::position && !element.holonomic) return;  // it asks nothing of positions
  for (std::size_t r = 0; r < element.rows; ++r) {
    double& right = right_[group.first_row + r];
    right = level == Level::position   ? -element.residual[r]
            : level == Level::velocity ? -rate_of(element, r, tree)
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
      const JointMotion& motion = motion_of_joint(j, tree);
      const Spatial t = effort_wrench(motion, joint.nv, B);  // B v = t · V_FM
      add_joint(group, r, joint, t, bodies);
      if (level == Level::acceleration) right += dot(t, motion.bias - velocity_terms_of(joint, bodies));
      B += joint.nv;
    }
  }
}

}  // namespace polyform::thompson
