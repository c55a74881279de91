#include "encoding.hpp"

#include <algorithm>
#include <cstdint>

namespace polyform::thompson {

Encoding::Encoding(const SystemView& view, const std::vector<EulerSequence>& sequences,
                   const ClosingConstraints& closing)
    : view_(view), vector_(view, sequences, closing.elements().size()), all_rates_(vector_.size()) {}

void Encoding::read(std::span<const double> y, MovingTree& tree, SecondReduction& loops) const noexcept {
  const std::span<double> joints = tree.joints();
  vector_.to_joints(y, joints);
  const auto known = [](double rows) { return static_cast<std::uint64_t>(std::clamp(rows + 0.5, 0.0, 0x1p50)); };
  const std::size_t cuts = view_.cut_joints().size();
  for (std::size_t g = 0; g < loops.groups(); ++g)
    loops.leave_out(g, known(g < cuts ? joints[joints.size() - cuts + g] : y[vector_.elements_at() + g - cuts]));
}

bool Encoding::write(double t, const SecondReduction& loops, MovingTree& tree, std::span<double> y,
                     Failure& failure) const noexcept {
  const std::span<double> joints = tree.joints();
  const std::size_t cuts = view_.cut_joints().size();
  for (std::size_t g = 0; g < loops.groups(); ++g) {
    const auto rows = static_cast<double>(loops.left_out(g));
    (g < cuts ? joints[joints.size() - cuts + g] : y[vector_.elements_at() + g - cuts]) = rows;
  }
  vector_.joints().keep_turns(joints, tree.placed().q());
  std::size_t failed = 0;
  return vector_.from_joints(joints, y, failed) || fail_angles(t, failed, "cannot reach its orientation", failure);
}

bool Encoding::rates(double t, std::span<const double> y, std::span<const double> of_joints, std::span<double> ydot,
                     Failure& failure) const noexcept {
  std::size_t failed = 0;
  return vector_.rates(y, of_joints, ydot, failed) ||
         fail_angles(t, failed, "are at gimbal lock: their axes lie in one plane, and they have no rates", failure);
}

bool Encoding::position_rates(double t, std::span<const double> y, std::span<const double> of_joints,
                              std::span<double> ydot, Failure& failure) noexcept {
  if (!rates(t, y, of_joints, all_rates_, failure)) return false;
  for (std::size_t i = 0; i < ydot.size(); ++i)
    if (kinds()[i] == StateKind::position) ydot[i] = all_rates_[i];
  return true;
}

/// Of a sequence at gimbal lock, or one whose axes are not at right angles and cannot reach an orientation.
bool Encoding::fail_angles(double t, std::size_t s, std::string_view what, Failure& failure) const noexcept {
  const EulerSequence& sequence = vector_.sequences()[s];
  const std::string_view joint = view_.joints[sequence.joint].name;
  return failure.say(
      "at t = {:.6g} s the Euler angles {:.60} of joint `{:.60}` {}. Use its quaternion: leave the joint out of the "
      "option `angles`, or write \"{:.60}=quaternion\" there; or take axes in another order",
      t, sequence.text, joint, what, joint);
}

}  // namespace polyform::thompson
