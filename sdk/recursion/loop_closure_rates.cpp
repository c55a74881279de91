// From roots to tips, and what follows from the multipliers.
#include <algorithm>
#include <cmath>

#include "polyform/solvers/loop_closure.hpp"

namespace polyform {

void LoopClosure::close_ground() noexcept {
  for (const std::size_t i : in_ground_) eliminate(i);
  for (std::size_t k = in_ground_.size(); k-- > 0;) matrix_.solve(in_ground_[k], nullptr, lambda_.data());
}

double LoopClosure::rate(std::size_t body, std::size_t k) const noexcept {
  double sum = 0;
  for (const Passage& p : passing(body)) {
    const double* gain = gains_.data() + p.gain + k * p.rows;
    for (std::size_t r = 0; r < p.rows; ++r) sum += gain[r] * lambda_[p.first_row + r];
  }
  return sum;
}

double LoopClosure::mode_rate(std::size_t body, std::size_t k) const noexcept {
  double sum = 0;
  for (const Passage& p : all_in(body))
    for (std::size_t r = 0; r < p.rows; ++r) sum += modal_[p.modal + k * p.rows + r] * lambda_[p.first_row + r];
  return sum;
}

void LoopClosure::close(std::size_t body, const Spatial& z) noexcept {
  const PassagesOf& of = passages_of_[body];
  for (std::size_t k = of.first + of.closing; k-- > of.first;) {
    const Passage& p = passages_[k];
    double y[MultiplierMatrix::most_rows];
    for (std::size_t r = 0; r < p.rows; ++r) y[r] = dot(columns_[p.first + r].E, z);
    matrix_.solve(p.loop, y, lambda_.data());
  }
}

Spatial LoopClosure::hinge_wrench(std::size_t body) const noexcept {
  Spatial sum;
  for (const Passage& p : passing(body))
    for (std::size_t r = 0; r < p.rows; ++r) sum += lambda_[p.first_row + r] * columns_[p.first + r].E;
  return sum;
}

Spatial LoopClosure::reaction(std::size_t i, const BodyMotion& base) const noexcept {
  Spatial wrench;
  for (std::size_t r = 0; r < constraints_[i].rows; ++r)
    wrench += lambda_[loops_[i].first_row + r] * constraints_[i].T[r];
  return reaction_in_ground(base, wrench);
}

double LoopClosure::joint_accelerations(std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
                                        std::span<double> vdot) noexcept {
  if (loops_.empty()) return 0;
  const auto of = [&](FrameIndex f) { return is_ground(f) ? Spatial{} : accelerations[at(f)]; };
  // One yardstick for all: what stands still or turns evenly has rounding only, of what the multipliers undo and of what
  // the bearings could ask for.
  double largest = 0, contradiction = 0;
  for (std::size_t b = 0; b < passages_of_.size(); ++b) {
    if (passages_of_[b].count == 0) continue;
    const Vec3& omega = frames[b].V.angular;
    largest = std::max({largest, yardstick_.of_body(b, frames[b]).acceleration, dot(omega, omega)});
    for (std::size_t k = 0; k < view_.joints[b].nv && !passing(b).empty(); ++k)
      largest = std::max(largest, std::abs(rate(b, k)));
  }
  for (const FrameIndex f : tied_) largest = std::max({largest, size(of(f).angular), size(of(f).linear)});
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const JointConstraint& c = constraints_[i];
    const Spatial A = relative_acceleration(cut, motion_of(cut.base_frame, frames), of(cut.base_frame),
                                            motion_of(cut.moving_frame, frames), of(cut.moving_frame));
    const Spatial free = A - c.motion.bias;
    solve_least_squares(c.motion.H, cut.nv, free, vdot.data() + cut.v_offset);
    largest = std::max({largest, size(c.motion.bias.angular), size(c.motion.bias.linear)});
    for (std::size_t r = 0; r < c.rows; ++r) {
      if (std::abs(dot(c.T[r], free)) <= contradiction) continue;
      contradiction = std::abs(dot(c.T[r], free));
      worst_ = view_.bodies.size() + i;
    }
  }
  return contradiction > 0 ? contradiction / largest : 0;
}

}  // namespace polyform
