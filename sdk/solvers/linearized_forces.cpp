// What acts in a linearized tree: from the derivatives of each force by what it sees to those by displacements of
// bodies.
#include <algorithm>

#include "polyform/solvers/newton/linearized_forces.hpp"

namespace polyform {

namespace {

std::uint32_t place_in(std::vector<std::uint32_t>& list, std::size_t value) {
  const auto found = std::ranges::find(list, static_cast<std::uint32_t>(value));
  if (found != list.end()) return static_cast<std::uint32_t>(found - list.begin());
  list.push_back(static_cast<std::uint32_t>(value));
  return static_cast<std::uint32_t>(list.size() - 1);
}

}  // namespace

LinearizedForces::LinearizedForces(const SystemView& view, const Vec3& origin, TreeBlocks& blocks)
    : view_(view), blocks_(blocks), derivatives_(view, origin) {
  plan();
}

/// Decides for each instance whether it acts within a hinge or between neighbours.
void LinearizedForces::plan() {
  std::size_t largest = 0, numbers = 0;
  for (const ForceDerivatives::Instance& i : derivatives_.instances()) {
    Plan& plan = plans_.emplace_back();
    for (const Marker& m : derivatives_.markers(i))
      if (!is_ground(m.frame)) place_in(plan.frames, at(m.frame));
    plan.count = 6 * plan.frames.size();
    for (const JointIndex j : derivatives_.joints(i)) {
      plan.joints.push_back(static_cast<std::uint32_t>(at(j)));
      plan.count += view_.joints[at(j)].nv;
    }
    largest = std::max(largest, plan.count * plan.count);
    if (is_local(plan)) {
      if (plan.frames.size() < 2) continue;
      Body& outer = blocks_.bodies[plan.frames[is_carried(plan.frames[0], plan.frames[1]) ? 0 : 1]];
      if (outer.coupling != none) continue;
      outer.coupling = static_cast<std::uint32_t>(blocks_.couplings.size());
      blocks_.couplings.emplace_back();
      continue;
    }
    plan.far = far_.size();
    far_.push_back({patterns_.size(), plan.count, numbers});
    numbers += plan.count * plan.count;
    add_patterns(plan);
  }
  K_.resize(largest);
  G_.resize(largest);
  far_K_.resize(numbers);
  far_G_.resize(numbers);
}

/// Whether a frame is a rigid body and its joint attaches to the other frame.
bool LinearizedForces::is_carried(std::uint32_t frame, std::uint32_t by) const noexcept {
  if (frame >= blocks_.bodies.size() || view_.bodies[frame].flexible != rigid) return false;
  return blocks_.bodies[frame].parent == static_cast<std::int32_t>(by);
}

/// Whether an instance acts on one frame, between a body and its parent, or within one joint of the tree.
bool LinearizedForces::is_local(const Plan& plan) const noexcept {
  if (!plan.joints.empty())
    return plan.frames.empty() && plan.joints.size() == 1 && plan.joints.front() < blocks_.bodies.size();
  if (plan.frames.size() != 2) return plan.frames.size() < 2;
  return is_carried(plan.frames[1], plan.frames[0]) || is_carried(plan.frames[0], plan.frames[1]);
}

void LinearizedForces::add_patterns(const Plan& plan) {
  for (const std::uint32_t f : plan.frames)
    for (std::size_t k = 0; k < 6; ++k) {
      Pattern& p = patterns_.emplace_back();
      p.frame[0] = f;
      p.wrench[0][k] = 1;
    }
  for (const std::uint32_t j : plan.joints)
    for (std::size_t k = 0; k < view_.joints[j].nv; ++k) {
      Pattern& p = patterns_.emplace_back();  // of a cut joint of a tree: another one at each state
      p.v = static_cast<std::uint32_t>(view_.joints[j].v_offset + k);
    }
}

void LinearizedForces::add(const TreeMoment& now, std::span<const BodyMotion> frames) noexcept {
  derivatives_.evaluate(now.time, frames, now.q, now.v, now.x);
  const std::span<const ForceDerivatives::Instance> all = derivatives_.instances();
  for (std::size_t i = 0; i < all.size(); ++i) {
    add_loads(all[i]);
    find_matrices(all[i], plans_[i], frames);
    if (plans_[i].far == none)
      add_local(plans_[i]);
    else
      keep_far(plans_[i], frames, now.closing);
  }
}

/// Takes what an instance puts on the bodies from what their joints transmit, and adds to K how its lever turns with
/// the body.
void LinearizedForces::add_loads(const ForceDerivatives::Instance& i) noexcept {
  const std::span<const Marker> markers = derivatives_.markers(i);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (is_ground(markers[m].frame)) continue;
    const std::size_t to = at(markers[m].frame);
    const Vec3 s = derivatives_.arms(i)[m] - blocks_.to_P[to];
    const Spatial& w = derivatives_.wrenches(i)[m];
    blocks_.wrenches[to] -= Spatial{w.angular + cross(s, w.linear), w.linear};
    blocks_.K[to].add(0, 0, skew(w.linear) * skew(s), -1);
  }
}

/// Writes into K_ and G_ how the loads of an instance change with displacements and with their rates, in the order of
/// its plan.
void LinearizedForces::find_matrices(const ForceDerivatives::Instance& i, const Plan& plan,
                                     std::span<const BodyMotion> frames) noexcept {
  const std::size_t n = plan.count;
  std::fill_n(K_.begin(), n * n, 0.0);
  std::fill_n(G_.begin(), n * n, 0.0);
  const std::span<const Marker> markers = derivatives_.markers(i);
  const std::span<const Vec3> arms = derivatives_.arms(i);
  const double* from = derivatives_.matrix(i);
  const std::size_t width = i.inputs();
  const auto place = [&](std::size_t marker) {
    return 6 *
           static_cast<std::size_t>(std::ranges::find(plan.frames, at(markers[marker].frame)) - plan.frames.begin());
  };
  const std::size_t joint_rows = ForceDerivatives::marker_outputs * i.markers;
  const std::size_t joint_columns = ForceDerivatives::marker_inputs * i.markers, joints = 6 * plan.frames.size();
  // For one output: its derivatives by all displacements, of which add() takes those by the displacement (stiff) and by
  // its rate (damp). The outputs, forces and moments at the markers, are then moved to P as rows.
  const auto put = [&](std::size_t output, const auto& add) {
    const double* row = from + output * width;
    for (std::size_t m = 0; m < markers.size(); ++m) {
      if (is_ground(markers[m].frame)) continue;
      const std::size_t frame = at(markers[m].frame), column = place(m);
      const Vec3& omega = frames[frame].V.angular;
      const Vec3 s = arms[m] - blocks_.to_P[frame];
      const double* in = row + ForceDerivatives::marker_inputs * m;
      const Vec3 turn{in[0], in[1], in[2]}, move{in[3], in[4], in[5]};
      const Vec3 spin{in[6], in[7], in[8]}, go{in[9], in[10], in[11]};
      // of [φ; u]: the marker moves by u + φ×s and turns with the body, and so do its velocities
      const Vec3 by_turn = turn + cross(s, move) + cross(omega, spin) + cross(cross(omega, s), go);
      const Vec3 by_spin = spin + cross(s, go);
      for (std::size_t k = 0; k < 3; ++k) {
        add(column + k, by_turn[k], by_spin[k]);
        add(column + 3 + k, move[k], go[k]);
      }
    }
    for (std::size_t k = 0; k < i.velocities; ++k)
      add(joints + k, row[joint_columns + k], row[joint_columns + i.velocities + k]);
  };
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (is_ground(markers[m].frame)) continue;
    const std::size_t first = place(m);
    const Vec3 s = arms[m] - blocks_.to_P[at(markers[m].frame)];
    for (std::size_t k = 0; k < 3; ++k) {
      put(ForceDerivatives::marker_outputs * m + k, [&](std::size_t c, double stiff, double damp) {
        K_[(first + k) * n + c] += stiff;
        G_[(first + k) * n + c] += damp;
      });
      Vec3 axis;
      axis[k] = 1;
      const Vec3 moment = cross(s, axis);  // of a unit force along the axis
      put(ForceDerivatives::marker_outputs * m + 3 + k, [&](std::size_t c, double stiff, double damp) {
        K_[(first + 3 + k) * n + c] += stiff;
        G_[(first + 3 + k) * n + c] += damp;
        for (std::size_t l = 0; l < 3; ++l) {
          K_[(first + l) * n + c] += moment[l] * stiff;
          G_[(first + l) * n + c] += moment[l] * damp;
        }
      });
    }
  }
  for (std::size_t k = 0; k < i.velocities; ++k)
    put(joint_rows + k, [&](std::size_t c, double stiff, double damp) {
      K_[(joints + k) * n + c] += stiff;
      G_[(joints + k) * n + c] += damp;
    });
}

void LinearizedForces::add_local(const Plan& plan) noexcept {
  const std::size_t n = plan.count;
  if (!plan.joints.empty()) {
    const Body& b = blocks_.bodies[plan.joints.front()];
    for (std::size_t k = 0; k < n * n; ++k) {
      blocks_.stiffness[b.square + k] += K_[k];
      blocks_.damping[b.square + k] += G_[k];
    }
    return;
  }
  const auto add = [&](const std::vector<double>& block, std::size_t row, std::size_t column, Six<double>& to) {
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 6; ++c) to(r, c) -= block[(6 * row + r) * n + 6 * column + c];
  };
  for (std::size_t row = 0; row < plan.frames.size(); ++row)
    for (std::size_t column = 0; column < plan.frames.size(); ++column) {
      const std::uint32_t to = plan.frames[row], by = plan.frames[column];
      if (row == column) {
        add(K_, row, column, blocks_.K[to]);
        add(G_, row, column, blocks_.G[to]);
      } else if (is_carried(to, by)) {
        add(K_, row, column, blocks_.couplings[blocks_.bodies[to].coupling].inner_K);
        add(G_, row, column, blocks_.couplings[blocks_.bodies[to].coupling].inner_G);
      } else {
        add(K_, row, column, blocks_.couplings[blocks_.bodies[by].coupling].outer_K);
        add(G_, row, column, blocks_.couplings[blocks_.bodies[by].coupling].outer_G);
      }
    }
}

void LinearizedForces::keep_far(const Plan& plan, std::span<const BodyMotion> frames,
                                const ClosingConstraints* closing) noexcept {
  const Far& f = far_[plan.far];
  std::copy_n(K_.begin(), f.count * f.count, far_K_.begin() + static_cast<std::ptrdiff_t>(f.matrix));
  std::copy_n(G_.begin(), f.count * f.count, far_G_.begin() + static_cast<std::ptrdiff_t>(f.matrix));
  std::size_t next = f.first + 6 * plan.frames.size();
  for (const std::uint32_t j : plan.joints) {
    const JointData& joint = view_.joints[j];
    for (std::size_t k = 0; k < joint.nv; ++k, ++next) {
      if (j < blocks_.bodies.size() || closing == nullptr) continue;
      double unit[6]{};
      unit[k] = 1;
      const JointMotion& motion = closing->joint(j - blocks_.bodies.size()).motion;
      patterns_[next] = blocks_.cut_pattern(joint, frames, effort_wrench(motion, joint.nv, unit));
    }
  }
}

}  // namespace polyform
