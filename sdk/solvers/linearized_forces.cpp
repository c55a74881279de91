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
    : view_(view), blocks_(blocks), derivatives_(view, origin), states_(derivatives_) {
  plan();
}

/// Decides for each instance whether it acts within a hinge or between neighbours.
void LinearizedForces::plan() {
  std::size_t largest = 0, units = 0, numbers = 0;
  for (std::size_t number = 0; number < derivatives_.instances().size(); ++number) {
    const ForceDerivatives::Instance& i = derivatives_.instances()[number];
    Plan& plan = plans_.emplace_back();
    for (const Marker& m : derivatives_.markers(i))
      if (!is_ground(m.frame)) place_in(plan.frames, at(m.frame));
    plan.count = 6 * plan.frames.size();
    for (const JointIndex j : derivatives_.joints(i)) {  // one that a force acts in, and that its formulas read, is one
      std::size_t place = 6 * plan.frames.size();
      const std::size_t found = place_in(plan.joints, at(j));
      for (std::size_t k = 0; k < found; ++k) place += view_.joints[plan.joints[k]].nv;
      for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k) plan.places.push_back(place + k);
      plan.count = std::max(plan.count, place + view_.joints[at(j)].nv);
    }
    plan.first = patterns_.size();
    largest = std::max(largest, plan.count * plan.count);
    units = std::max(units, plan.frames.size() + plan.joints.size());
    const bool local = is_local(plan);
    if (local && plan.frames.size() > 1) couple(plan);
    if (!local || i.states > 0) add_patterns(plan);
    if (i.states > 0) {
      plan.states = states_.add(number, plan.first, plan.count);
      add_blocks(plan, local);
    }
    if (local) continue;
    plan.far = far_.size();
    // Bodies move relative to each other in six ways; forces that follow a body add to that.
    const std::size_t ways = 8 * std::max<std::size_t>(plan.frames.size(), 2) - 8 + plan.count - 6 * plan.frames.size();
    far_.push_back({plan.first, plan.count, numbers, std::min(plan.count, ways), plan.states});
    numbers += plan.count * plan.count;
  }
  K_.resize(largest);
  G_.resize(largest);
  labels_.resize(units);
  far_K_.resize(numbers);
  far_G_.resize(numbers);
  states_.finish();
}

/// Makes a coupling of two neighbours, unless there is one.
void LinearizedForces::couple(const Plan& plan) {
  Body& outer = blocks_.bodies[plan.frames[is_carried(plan.frames[0], plan.frames[1]) ? 0 : 1]];
  if (outer.coupling != none) return;
  outer.coupling = static_cast<std::uint32_t>(blocks_.couplings.size());
  blocks_.couplings.emplace_back();
}

/// Tells where the loads by the states of an instance may belong: all of a local one; else those of a frame or a joint
/// of the tree by itself.
void LinearizedForces::add_blocks(const Plan& plan, bool local) {
  using Place = LinearizedStates::Place;
  for (std::size_t row = 0; row < plan.frames.size(); ++row)
    for (std::size_t column = 0; column < plan.frames.size(); ++column) {
      const std::uint32_t to = plan.frames[row], by = plan.frames[column];
      if (row == column)
        states_.add({Place::frame, to, 6 * row, 6 * row, 6, local});
      else if (local && is_carried(to, by))
        states_.add({Place::inner, blocks_.bodies[to].coupling, 6 * row, 6 * column, 6, true});
      else if (local)
        states_.add({Place::outer, blocks_.bodies[by].coupling, 6 * row, 6 * column, 6, true});
    }
  std::size_t next = 6 * plan.frames.size();
  for (const std::uint32_t j : plan.joints) {
    const std::size_t size = view_.joints[j].nv;
    if (j < blocks_.bodies.size()) states_.add({Place::joint, j, next, next, size, local});
    next += size;
  }
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
    if (plans_[i].states != none) find_states(all[i], plans_[i], frames);
    if (plans_[i].far == none) {
      add_local(plans_[i]);
    } else {
      take_alone(plans_[i]);
      add_turns(plans_[i], K_.data(), G_.data(), plans_[i].count);
      keep_far(plans_[i]);
    }
    if (plans_[i].far != none || plans_[i].states != none) move_patterns(plans_[i], frames, now.closing);
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

/// For one output: its derivatives by all displacements, of which add() takes those by the displacement (stiff) and by
/// its rate (damp).
template <class Add>
void LinearizedForces::each_derivative(const ForceDerivatives::Instance& i, const Plan& plan,
                                       std::span<const BodyMotion> frames, std::size_t output,
                                       const Add& add) const noexcept {
  const std::span<const Marker> markers = derivatives_.markers(i);
  const std::size_t joint_columns = ForceDerivatives::marker_inputs * i.markers;
  const double* row = derivatives_.matrix(i) + output * i.inputs();
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (is_ground(markers[m].frame)) continue;
    const std::size_t frame = at(markers[m].frame), column = place_of(plan, frame);
    const Vec3& omega = frames[frame].V.angular;
    const Vec3 s = derivatives_.arms(i)[m] - blocks_.to_P[frame];
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
    add(plan.places[k], row[joint_columns + k], row[joint_columns + i.velocities + k]);
}

/// For each output that is a load: put(row, output, factor) for the rows of the instance's displacements that it loads.
template <class Put>
void LinearizedForces::each_load(const ForceDerivatives::Instance& i, const Plan& plan, const Put& put) const noexcept {
  const std::span<const Marker> markers = derivatives_.markers(i);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (is_ground(markers[m].frame)) continue;
    const std::size_t first = place_of(plan, at(markers[m].frame));
    const Vec3 s = derivatives_.arms(i)[m] - blocks_.to_P[at(markers[m].frame)];
    for (std::size_t k = 0; k < 3; ++k) {
      put(first + k, ForceDerivatives::marker_outputs * m + k, 1.0);
      const std::size_t force = ForceDerivatives::marker_outputs * m + 3 + k;
      put(first + 3 + k, force, 1.0);
      Vec3 axis;
      axis[k] = 1;
      const Vec3 moment = cross(s, axis);  // of a unit force along the axis
      for (std::size_t l = 0; l < 3; ++l)
        if (l != k) put(first + l, force, moment[l]);
    }
  }
  for (std::size_t k = 0; k < i.velocities; ++k)
    put(plan.places[k], ForceDerivatives::marker_outputs * i.markers + k, 1.0);
}

std::size_t LinearizedForces::place_of(const Plan& plan, std::size_t frame) noexcept {
  return 6 * static_cast<std::size_t>(std::ranges::find(plan.frames, frame) - plan.frames.begin());
}

/// Writes into K_ and G_ how the loads of an instance change with displacements and with their rates, in the order of
/// its plan.
void LinearizedForces::find_matrices(const ForceDerivatives::Instance& i, const Plan& plan,
                                     std::span<const BodyMotion> frames) noexcept {
  const std::size_t n = plan.count;
  std::fill_n(K_.begin(), n * n, 0.0);
  std::fill_n(G_.begin(), n * n, 0.0);
  each_load(i, plan, [&](std::size_t row, std::size_t output, double factor) {
    each_derivative(i, plan, frames, output, [&](std::size_t c, double stiff, double damp) {
      K_[row * n + c] += factor * stiff;
      G_[row * n + c] += factor * damp;
    });
  });
}

/// The same for what the states do, and for their rates.
void LinearizedForces::find_states(const ForceDerivatives::Instance& i, const Plan& plan,
                                   std::span<const BodyMotion> frames) noexcept {
  const LinearizedStates::Element& e = states_.element(plan.states);
  const std::size_t n = plan.count;
  double *const A = states_.rates_by_displacements(e), *const B = states_.rates_by_speeds(e);
  double* const C = states_.loads_by_states(e);
  std::fill_n(A, e.states * n, 0.0);
  std::fill_n(B, e.states * n, 0.0);
  std::fill_n(C, e.states * n, 0.0);
  const double* const from = derivatives_.matrix(i) + i.inputs() - i.states;
  each_load(i, plan, [&](std::size_t row, std::size_t output, double factor) {
    for (std::size_t s = 0; s < e.states; ++s) C[row * e.states + s] += factor * from[output * i.inputs() + s];
  });
  for (std::size_t s = 0; s < e.states; ++s)
    each_derivative(i, plan, frames, i.outputs() - i.states + s, [&](std::size_t c, double stiff, double damp) {
      A[s * n + c] += stiff;
      B[s * n + c] += damp;
    });
  add_turns(plan, A, B, e.states);
  states_.group(e);
}

/// Adds to derivatives by displacements, rows of the plan's count, what turning coordinates add to the velocities:
/// those of a joint of the tree change by δ̇ − (turn rate) δ.
void LinearizedForces::add_turns(const Plan& plan, double* by_place, const double* by_rate,
                                 std::size_t rows) const noexcept {
  std::size_t first = 6 * plan.frames.size();
  for (const std::uint32_t j : plan.joints) {
    const std::size_t size = view_.joints[j].nv;
    const double* const turn =
        j < blocks_.bodies.size() && size >= 3 ? blocks_.turn_rate.data() + blocks_.bodies[j].square : nullptr;
    for (std::size_t row = 0; row < rows && turn != nullptr; ++row)
      for (std::size_t k = 0; k < size; ++k)
        for (std::size_t c = 0; c < size; ++c)
          by_place[row * plan.count + first + c] -= by_rate[row * plan.count + first + k] * turn[k * size + c];
    first += size;
  }
}

/// Frames and joints that no load of an instance ties to others: what acts on each goes to its blocks.
void LinearizedForces::take_alone(const Plan& plan) noexcept {
  const std::size_t n = plan.count, frames = plan.frames.size(), units = frames + plan.joints.size();
  const JoinedLabels labels{std::span<std::size_t>(labels_).first(units)};
  const auto each_unit = [&](const auto& act) {
    std::size_t next = 0;
    for (std::size_t u = 0; u < units; ++u) {
      const std::size_t size = u < frames ? 6 : view_.joints[plan.joints[u - frames]].nv;
      act(u, next, size);
      next += size;
    }
  };
  const auto any = [&](const double* m, std::size_t width, std::size_t row, std::size_t rows, std::size_t column,
                       std::size_t columns) {
    for (std::size_t r = row; r < row + rows; ++r)
      for (std::size_t c = column; c < column + columns; ++c)
        if (m[r * width + c] != 0) return true;
    return false;
  };
  each_unit([&](std::size_t a, std::size_t row, std::size_t rows) {
    each_unit([&](std::size_t b, std::size_t column, std::size_t columns) {
      if (a != b && (any(K_.data(), n, row, rows, column, columns) || any(G_.data(), n, row, rows, column, columns)))
        labels.join(a, b);
    });
  });
  if (plan.states != none) {
    const LinearizedStates::Element& e = states_.element(plan.states);
    const double *A = states_.A(e), *B = states_.B(e), *C = states_.C(e);
    for (std::size_t k = 0; k < states_.groups(e); ++k) {
      std::size_t tied = units;
      for (const std::size_t s : states_.group(e, k))
        each_unit([&](std::size_t u, std::size_t first, std::size_t size) {
          if (!any(A, n, s, 1, first, size) && !any(B, n, s, 1, first, size) && !any(C, e.states, first, size, s, 1))
            return;
          if (tied < units) labels.join(tied, u);
          tied = u;
        });
    }
  }
  each_unit([&](std::size_t u, std::size_t first, std::size_t size) {
    bool alone = u < frames || plan.joints[u - frames] < blocks_.bodies.size();
    for (std::size_t other = 0; other < units && alone; ++other) alone = other == u || labels.of(other) != labels.of(u);
    if (plan.states != none)
      for (LinearizedStates::Block& b : states_.blocks(states_.element(plan.states)))
        if (b.row == first) b.is_local = alone;
    if (alone) take_block(plan, u, first, size);
  });
}

/// Moves what acts on a frame or a joint by itself out of K_ and G_.
void LinearizedForces::take_block(const Plan& plan, std::size_t unit, std::size_t first, std::size_t size) noexcept {
  const bool of_frame = unit < plan.frames.size();
  const std::uint32_t number = of_frame ? plan.frames[unit] : plan.joints[unit - plan.frames.size()];
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) {
      double &K = K_[(first + r) * plan.count + first + c], &G = G_[(first + r) * plan.count + first + c];
      if (of_frame) {
        blocks_.K[number](r, c) -= K;
        blocks_.G[number](r, c) -= G;
      } else {
        const std::size_t at = blocks_.bodies[number].square + r * size + c;
        blocks_.stiffness[at] += K;
        blocks_.damping[at] += G;
      }
      K = G = 0;
    }
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

void LinearizedForces::keep_far(const Plan& plan) noexcept {
  const Far& f = far_[plan.far];
  std::copy_n(K_.begin(), f.count * f.count, far_K_.begin() + static_cast<std::ptrdiff_t>(f.matrix));
  std::copy_n(G_.begin(), f.count * f.count, far_G_.begin() + static_cast<std::ptrdiff_t>(f.matrix));
}

/// Finds the patterns of cut joints.
void LinearizedForces::move_patterns(const Plan& plan, std::span<const BodyMotion> frames,
                                     const ClosingConstraints* closing) noexcept {
  std::size_t next = plan.first + 6 * plan.frames.size();
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
